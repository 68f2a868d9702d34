package exam

import (
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/polyrhythm-rl/polyrhythm/internal/proportion"
)

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"clean": clean, "percent": percent, "percents": percents, "points": points100, "size": func(d float64) string { return fixed(100 * d) }, "span": span, "pspan": pointsSpan,
	"number": number, "value": value, "unit": axisUnit, "p": pValue, "list": list, "short": short, "interval": intervalBar, "loss": lossBar,
}).Parse(pageText))

// page is what the page of an exam shows: the report, and what follows from it.
type page struct {
	*Report
	Configuration string
	Control       Result
	Worst         *Result // that with the least rate of success, if there are several cells
	Different     int     // cells whose rate is another than in the control cell
	Total         int     // episodes of all cells and policies
	Others        int     // cells beside the control cell
	Rows          []row
	Charts        []*chart
	Maps          []*heatMap
	Pairs         int // of axes
	Grid          bool
	Swatches      []swatch
	Failures      []failures
	Gates         gates
	Faulty        *Result // the first cell with a fault
}

// row is a cell in the table of all.
type row struct {
	Result
	Cells  []string // values of the axes
	Ends   string
	Extent float64 // of the picture of losses
	Margin float64
}

type swatch struct {
	X               px
	Fill, Ink, Text string
}

// failures are those that ended in the same way.
type failures struct {
	End      string
	Episodes int
	Cells    []failed
}

type failed struct {
	Cell     int
	Values   string
	Episodes int
	Of       int // episodes of the cell
	First    string
	Example  int
	More     bool
}

// gates counts the cells by their verdicts.
type gates struct {
	Failing, Undecided int
	Worst              *Result // the cell with the largest loss of those that decide the verdict
}

// writePage writes the report as a page of HTML that needs no other file. It is the same wherever the exam ran.
func writePage(w io.Writer, p *Plan, r *Report) error {
	return pageTemplate.Execute(w, pageOf(p, r))
}

func pageOf(p *Plan, r *Report) *page {
	s := spaceOf(r)
	v := &page{Report: r, Configuration: cleanLines(p.Configuration), Control: r.Cells[0], Grid: s.grid,
		Others: len(s.cells)}
	for _, a := range s.axes {
		v.Charts = append(v.Charts, s.chartOf(r, a.name))
	}
	v.Maps, v.Pairs = s.maps()
	for i := range 11 {
		rate := float64(i) / 10
		fill, ink := colours(rate)
		v.Swatches = append(v.Swatches, swatch{32 * px(i), fill, ink, percents(rate)})
	}
	extent := lossExtent(r)
	for _, c := range r.Cells {
		one := row{Result: c, Ends: endsOf(c.Candidate), Extent: extent, Margin: r.Margin}
		for _, axis := range r.Axes {
			value := "–"
			if c.Values != nil {
				value = clean(c.Values[axis])
			}
			one.Cells = append(one.Cells, value)
		}
		v.Rows = append(v.Rows, one)
		v.count(c)
	}
	v.Failures = failuresOf(r)
	return v
}

// count takes a cell into what is said of all.
func (v *page) count(c Result) {
	v.Total += c.Candidate.Episodes
	if c.Reference != nil {
		v.Total += c.Reference.Episodes
	}
	if len(v.Cells) > 1 && (v.Worst == nil || c.Candidate.Rate < v.Worst.Candidate.Rate) {
		v.Worst = &c
	}
	if v.Faulty == nil && c.Candidate.Fault != "" {
		v.Faulty = &c
	}
	if c.Control != nil && c.Control.Holm <= v.Alpha {
		v.Different++
	}
	if c.Gate == nil {
		return
	}
	switch c.Gate.Verdict {
	case proportion.Fails.String():
		v.Gates.Failing++
	case proportion.Undecided.String():
		v.Gates.Undecided++
	}
	if c.Gate.Verdict == v.Verdict && (v.Gates.Worst == nil || c.Gate.Loss > v.Gates.Worst.Gate.Loss) {
		v.Gates.Worst = &c
	}
}

// Level is that of intervals.
func (v *page) Level() string {
	return strconv.FormatFloat(math.Round(1e6*(100-100*v.Alpha))/1e6, 'f', -1, 64) + nbsp + "%"
}

// CellAlpha is the error of failing in one cell.
func (v *page) CellAlpha() string { return number(v.Alpha / float64(len(v.Cells))) }

// Kinds are the names of what has versions, in order.
func (v *page) Kinds() []string { return slices.Sorted(maps.Keys(v.Versions)) }

// Where says which cell a result is of.
func (r Result) Where(axes []string) string {
	if r.Values == nil {
		return "control"
	}
	var parts []string
	for _, axis := range axes {
		parts = append(parts, clean(axis)+nbsp+clean(r.Values[axis]))
	}
	return strings.Join(parts, ", ")
}

func endsOf(r Rate) string {
	var ends []string
	for _, name := range slices.SortedFunc(maps.Keys(r.Ends), func(p, q string) int {
		return cmp.Or(cmp.Compare(r.Ends[q], r.Ends[p]), cmp.Compare(p, q))
	}) {
		ends = append(ends, strconv.Itoa(r.Ends[name])+nbsp+clean(name))
	}
	return strings.Join(ends, ", ")
}

// failuresOf returns the failures by their ends, the most frequent first, and the cells with the most first.
func failuresOf(r *Report) (list []failures) {
	at := map[string]int{}
	for _, c := range r.Cells {
		for _, end := range slices.Sorted(maps.Keys(c.Candidate.Failed)) {
			i, ok := at[end]
			if !ok {
				i = len(list)
				at[end], list = i, append(list, failures{End: clean(end)})
			}
			f := c.Candidate.Failed[end]
			one := failed{Cell: c.Cell, Values: c.Where(r.Axes), Episodes: f.Episodes, Of: c.Candidate.Episodes, Example: f.First[0]}
			var first []string
			for _, number := range f.First[:min(len(f.First), mostListed)] {
				first = append(first, strconv.Itoa(number))
			}
			one.First, one.More = strings.Join(first, ", "), f.Episodes > len(first)
			list[i].Episodes += f.Episodes
			list[i].Cells = append(list[i].Cells, one)
		}
	}
	for _, f := range list {
		slices.SortStableFunc(f.Cells, func(p, q failed) int { return cmp.Compare(q.Episodes, p.Episodes) })
	}
	slices.SortStableFunc(list, func(p, q failures) int {
		return cmp.Or(cmp.Compare(q.Episodes, p.Episodes), cmp.Compare(p.End, q.End))
	})
	return list
}

// mostListed is the most failures that a cell lists on the page.
const mostListed = 8

// titleOf is what a picture says of a cell where one points at it.
func titleOf(c Result) string {
	var parts []string
	for _, axis := range slices.Sorted(maps.Keys(c.Values)) {
		parts = append(parts, clean(axis)+"="+clean(c.Values[axis]))
	}
	r := c.Candidate
	return fmt.Sprintf("cell %d (%s): %s, interval %s, %d of %d", c.Cell, strings.Join(parts, " "), percent(r.Rate), span(r.Low, r.High),
		r.Successes, r.Episodes)
}

func axisText(name string) string { return named(name).Text }
func axisUnit(name string) string { return named(name).Unit }

// valuesOf lists the values of some axes.
func valuesOf(c Result, axes []string) string {
	var parts []string
	for _, axis := range axes {
		parts = append(parts, c.Values[axis])
	}
	return strings.Join(parts, ", ")
}

const nbsp = "\u00a0"

// clean returns a name without what a page must not have: control characters, marks of the direction of writing, bytes that
// are no text.
func clean(name string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsPrint(c) {
			return c
		}
		return unicode.ReplacementChar
	}, strings.Join(strings.Fields(strings.ToValidUTF8(name, string(unicode.ReplacementChar))), " "))
}

// cleanLines is clean for a text of lines.
func cleanLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		indented := strings.TrimLeft(line, " ")
		lines[i] = line[:len(line)-len(indented)] + clean(indented)
	}
	return strings.Join(lines, "\n")
}

// list returns names with commas, and "and" before the last one.
func list(names []string) string {
	var parts []string
	for _, name := range names {
		parts = append(parts, clean(name))
	}
	if n := len(parts); n > 1 {
		return strings.Join(parts[:n-1], ", ") + " and " + parts[n-1]
	}
	return strings.Join(parts, "")
}

// short returns a name of at most so many letters.
func short(name string, most int) string {
	letters := []rune(clean(name))
	if len(letters) > most {
		return string(letters[:most-1]) + "…"
	}
	return string(letters)
}

func percent(rate float64) string { return fixed(100*rate) + nbsp + "%" }

// percents is percent in few letters: a rate of 0 or 1 is told apart from one that is nearly so.
func percents(rate float64) string {
	switch text := strconv.FormatFloat(100*rate, 'f', 0, 64); {
	case text == "100" && rate < 1:
		return ">99"
	case text == "0" && rate > 0:
		return "<1"
	default:
		return text
	}
}

func span(low, high float64) string { return fixed(100*low) + "–" + fixed(100*high) }

// points100 is a difference of rates in percentage points.
func points100(difference float64) string {
	text := fixed(100 * difference)
	if difference > 0 && text != "0.0" {
		return "+" + text
	}
	return text
}

func pointsSpan(low, high float64) string { return points100(low) + " to " + points100(high) }

// fixed has one decimal, a real minus, and no zero below zero.
func fixed(v float64) string {
	text, below := strings.CutPrefix(strconv.FormatFloat(v, 'f', 1, 64), "-")
	if below && text != "0.0" {
		return "−" + text
	}
	return text
}

func number(v float64) string {
	return strings.Replace(strconv.FormatFloat(v, 'g', 4, 64), "-", "−", 1)
}

// value has all digits of a number.
func value(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

func pValue(p float64) string { return strconv.FormatFloat(p, 'g', 2, 64) }

// span100 is a picture of an interval in a row of a table.
type span100 struct{ Low, Length, At, Zero, Margin px }

const spanWidth px = 100

// intervalBar shows a rate.
func intervalBar(r Rate) span100 {
	return span100{Low: px(r.Low) * spanWidth, Length: px(r.High-r.Low) * spanWidth, At: px(r.Rate) * spanWidth}
}

// lossBar shows a loss. All rows have the same scale, from no more than 1 below 0 to as much above.
func lossBar(r row) span100 {
	at := func(loss float64) px { return px((loss/r.Extent+1)/2) * spanWidth }
	g := r.Gate
	return span100{Low: at(g.Low), Length: at(g.High) - at(g.Low), At: at(g.Loss), Zero: at(0), Margin: at(r.Margin)}
}

// lossExtent returns the largest bound of a loss.
func lossExtent(r *Report) float64 {
	extent := r.Margin
	for _, c := range r.Cells {
		if c.Gate != nil {
			extent = max(extent, math.Abs(c.Gate.Low), math.Abs(c.Gate.High))
		}
	}
	return extent
}
