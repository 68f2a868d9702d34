package exam

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// space is the cells of a report, the control cell apart, by the values of the axes.
type space struct {
	axes  []scale // those with two or more values
	cells []Result
	grid  bool // each combination of the values is one cell
}

// scale is an axis with the values that its cells have: numbers by their size, others in the order of the cells.
type scale struct {
	name    string
	values  []string
	numbers []float64 // of the values; nil: these are not all numbers of the same unit
	unit    string
}

func spaceOf(r *Report) *space {
	s := &space{}
	for _, c := range r.Cells {
		if c.Values != nil {
			s.cells = append(s.cells, c)
		}
	}
	all, seen := 1, map[string]bool{}
	for _, name := range r.Axes {
		a := scale{name: name}
		for _, c := range s.cells {
			if !slices.Contains(a.values, c.Values[name]) {
				a.values = append(a.values, c.Values[name])
			}
		}
		a.measure()
		a.sort()
		if all = min(all*len(a.values), MaxCells+1); len(a.values) > 1 {
			s.axes = append(s.axes, a)
		}
	}
	for _, c := range s.cells {
		seen[s.key(c, "")] = true
	}
	s.grid = all == len(s.cells) && len(seen) == len(s.cells)
	return s
}

// measure takes the values as numbers, if they are.
func (a *scale) measure() {
	unit, numbers := "", make([]float64, len(a.values))
	for i, text := range a.values {
		number := strings.TrimRightFunc(strings.TrimSpace(text), func(c rune) bool { return unicode.IsLetter(c) || c == '%' || c == '°' })
		v, err := strconv.ParseFloat(number, 64)
		if err != nil || v-v != 0 || i > 0 && strings.TrimSpace(text)[len(number):] != unit {
			return
		}
		unit, numbers[i] = strings.TrimSpace(text)[len(number):], v
	}
	a.unit, a.numbers = unit, numbers
}

// sort has the values by their size, if they are numbers.
func (a *scale) sort() {
	if a.numbers == nil {
		return
	}
	old := scale{values: slices.Clone(a.values), numbers: a.numbers}
	slices.SortStableFunc(a.values, func(p, q string) int { return cmp.Compare(old.number(p), old.number(q)) })
	a.measure()
}

func (a *scale) number(value string) float64 { return a.numbers[slices.Index(a.values, value)] }

// key tells the cells of one combination of all axes but some apart from the others.
func (s *space) key(c Result, but ...string) string {
	var parts []string
	for _, a := range s.axes {
		if !slices.Contains(but, a.name) {
			parts = append(parts, strconv.Quote(c.Values[a.name]))
		}
	}
	return strings.Join(parts, " ")
}

func (s *space) axis(name string) *scale {
	return &s.axes[slices.IndexFunc(s.axes, func(a scale) bool { return a.name == name })]
}

// others returns the axes that are none of some.
func (s *space) others(but ...string) (names []string) {
	for _, a := range s.axes {
		if !slices.Contains(but, a.name) {
			names = append(names, a.name)
		}
	}
	return names
}

// lines returns the cells along an axis in the order of its values, for each combination of the others.
func (s *space) lines(axis string) (lines [][]Result) {
	at := map[string]int{}
	for _, c := range s.cells {
		key := s.key(c, axis)
		i, ok := at[key]
		if !ok {
			i = len(lines)
			at[key], lines = i, append(lines, nil)
		}
		lines[i] = append(lines[i], c)
	}
	values := s.axis(axis).values
	for _, line := range lines {
		slices.SortStableFunc(line, func(p, q Result) int {
			return cmp.Compare(slices.Index(values, p.Values[axis]), slices.Index(values, q.Values[axis]))
		})
	}
	return lines
}

// meanRate is the mean of the candidate's rates of success.
func meanRate(cells []Result) float64 {
	sum := 0.0
	for _, c := range cells {
		sum += c.Candidate.Rate
	}
	return sum / float64(len(cells))
}
