package exam

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// px is a length of a picture.
type px float64

func (p px) String() string { return strconv.FormatFloat(float64(p), 'f', 1, 64) }

// The sizes of a chart and of its plot.
const (
	chartWidth, chartHeight      px = 400, 256
	plotLeft, plotTop, plotBelow px = 40, 26, 208
	letter                       px = 7.5 // about the width of one

	mostLines = 6  // that a chart has with intervals
	mostFaint = 60 // that it has behind their mean
	mostBars  = 60 // of dots that are no line

	longLabel, longTick, longHead = 14, 11, 14
)

// chart has the rate of success over one axis.
type chart struct {
	Axis, Text, Note string // its name, what it does, and how to read the chart

	Width, Height, Left, Right, Top, Below px

	Ticks, Rates []tick
	Control      bar
	Lines        []line
	Faint        []string // points of lines
	Head         string   // of the labels
	Labels       []label
}

type tick struct {
	At          px
	Label, Full string
}

type line struct {
	Class  string
	Points string // "" if its dots are no line
	Dots   []dot
}

// dot is a rate.
type dot struct {
	X, Y  px
	Bar   *bar // its interval
	Title string
}

// bar is an interval, from below to above.
type bar struct{ Y, Low, High px }

func (b bar) Height() px { return b.Low - b.High }

// label is a text at the right, which leads to what it names.
type label struct {
	Class, Text, Full string
	X, From, Y        px // where what it names is, and its own height
}

// Length is that of the plot, Middle its middle, Tip the end of a tick, and Lead where labels begin.
func (c *chart) Length() px { return c.Right - c.Left }
func (c *chart) Middle() px { return (c.Left + c.Right) / 2 }
func (c *chart) Tip() px    { return c.Below + 4 }
func (c *chart) Lead() px   { return c.Right + 14 }

// rateHeight is that of a rate in a plot.
func rateHeight(rate float64) px { return plotBelow - px(rate*float64(plotBelow-plotTop)) }

func barOf(r Rate) bar { return bar{rateHeight(r.Rate), rateHeight(r.Low), rateHeight(r.High)} }

// chartOf returns the chart over an axis.
func (s *space) chartOf(r *Report, axis string) *chart {
	control := r.Cells[0].Candidate
	c := &chart{Axis: clean(axis), Text: axisText(axis), Width: chartWidth, Height: chartHeight, Left: plotLeft, Top: plotTop,
		Below: plotBelow, Control: barOf(control)}
	for _, rate := range []float64{0, 0.25, 0.5, 0.75, 1} {
		c.Rates = append(c.Rates, tick{At: rateHeight(rate), Label: percents(rate)})
	}
	var lines [][]Result
	if s.grid {
		lines = s.lines(axis)
	}
	several := len(lines) > 1 && len(lines) <= mostLines
	others, room := s.others(axis), 10
	if several {
		room = max(8, len([]rune(short(list(others), longHead))))
		for _, cells := range lines {
			room = max(room, len([]rune(short(valuesOf(cells[0], others), longLabel))))
		}
	}
	c.Right = chartWidth - 24 - letter*px(room)
	place := c.place(s.axis(axis), s.grid)
	at := func(r Result) px { return place(r.Values[axis]) }
	switch {
	case !s.grid:
		c.dots(s.cells, at)
		c.Note = "Each dot is a cell."
		if len(others) > 0 {
			c.Note += " The other axes vary from dot to dot, too."
		}
	case several:
		c.Head, c.Note = short(list(others), longHead), "One line for each "+list(others)+"."
		for i, cells := range lines {
			shift := px(float64(i)-float64(len(lines)-1)/2) * 5
			c.line(fmt.Sprint("s", i), valuesOf(cells[0], others), cells, func(r Result) px { return at(r) + shift })
		}
	case len(lines) == 1 && r.Reference != nil:
		c.line("s0", "candidate", lines[0], func(r Result) px { return at(r) - 3 })
		c.line("reference", "reference", referenceOf(lines[0]), func(r Result) px { return at(r) + 3 })
	case len(lines) == 1:
		c.line("s0", "", lines[0], at)
	default:
		c.mean(lines, at)
		c.Note = fmt.Sprintf("The mean over the %d combinations of %s; a mean has no interval here.", len(lines), list(others))
		if c.Faint != nil {
			c.Note += " Faint: each combination."
		}
	}
	c.Labels = append(c.Labels, label{Class: "control", Text: "control", Full: "control cell: " + percent(control.Rate), X: c.Right,
		From: c.Control.Y})
	spread(c.Labels)
	return c
}

// referenceOf has the rates of the reference policy in place of those of the candidate.
func referenceOf(cells []Result) (list []Result) {
	for _, c := range cells {
		c.Candidate = *c.Reference
		list = append(list, c)
	}
	return list
}

// line adds a line through cells, with intervals.
func (c *chart) line(class, name string, cells []Result, at func(Result) px) {
	l := line{Class: class}
	for _, cell := range cells {
		b := barOf(cell.Candidate)
		l.Dots = append(l.Dots, dot{at(cell), b.Y, &b, titleOf(cell)})
	}
	l.Points = points(cells, at)
	c.Lines = append(c.Lines, l)
	if last := l.Dots[len(l.Dots)-1]; name != "" {
		c.Labels = append(c.Labels, label{Class: class, Text: short(name, longLabel), Full: clean(name), X: last.X, From: last.Y})
	}
}

func points(cells []Result, at func(Result) px) string {
	var list []string
	for _, cell := range cells {
		list = append(list, fmt.Sprintf("%s,%s", at(cell), rateHeight(cell.Candidate.Rate)))
	}
	return strings.Join(list, " ")
}

// dots adds cells that are no line.
func (c *chart) dots(cells []Result, at func(Result) px) {
	l := line{Class: "s0 loose"}
	for _, cell := range cells {
		d := dot{X: at(cell), Y: rateHeight(cell.Candidate.Rate), Title: titleOf(cell)}
		if len(cells) <= mostBars {
			d.Bar = new(barOf(cell.Candidate))
		}
		l.Dots = append(l.Dots, d)
	}
	c.Lines = append(c.Lines, l)
}

// mean adds the mean of lines, and these lines faintly.
func (c *chart) mean(lines [][]Result, at func(Result) px) {
	means := make([]Result, len(lines[0]))
	l := line{Class: "s0"}
	for i := range means {
		var cells []Result
		for _, other := range lines {
			cells = append(cells, other[i])
		}
		m := &means[i]
		m.Values, m.Candidate.Rate = cells[0].Values, meanRate(cells)
		l.Dots = append(l.Dots, dot{X: at(*m), Y: rateHeight(m.Candidate.Rate),
			Title: fmt.Sprintf("mean of %d cells: %s", len(cells), percent(m.Candidate.Rate))})
	}
	l.Points = points(means, at)
	c.Lines = append(c.Lines, l)
	last := l.Dots[len(l.Dots)-1]
	c.Labels = append(c.Labels, label{Class: "s0", Text: "mean", Full: "mean", X: last.X, From: last.Y})
	for _, cells := range lines {
		if len(lines) <= mostFaint {
			c.Faint = append(c.Faint, points(cells, at))
		}
	}
}

// spread moves labels apart, as little as is simple.
func spread(labels []label) {
	const apart px = 15
	slices.SortStableFunc(labels, func(p, q label) int {
		return int(math.Round(float64(p.From*10))) - int(math.Round(float64(q.From*10)))
	})
	y := plotTop
	for i := range labels {
		y = max(y, labels[i].From)
		labels[i].Y = y
		y += apart
	}
	y = plotBelow
	for i := len(labels) - 1; i >= 0; i-- {
		labels[i].Y = min(labels[i].Y, y)
		y = labels[i].Y - apart
	}
}

// place adds the ticks of an axis, and returns where its values are: by their number where these can be told apart, else at
// equal steps.
func (c *chart) place(a *scale, grid bool) func(value string) px {
	ticks, place := a.place(c.Left+18, c.Right-18, grid)
	c.Ticks = ticks
	return place
}

// place returns the ticks of an axis between two ends of a picture, and where its values are there.
func (a *scale) place(from, to px, grid bool) (ticks []tick, place func(value string) px) {
	n := len(a.values)
	step := float64(to-from) / float64(n-1)
	place = func(value string) px { return from + px(step*float64(slices.Index(a.values, value))) }
	if a.numbers != nil && a.differ(grid) {
		low, high := slices.Min(a.numbers), slices.Max(a.numbers)
		at := func(v float64) px { return from + px((v-low)/(high-low)*float64(to-from)) }
		place = func(value string) px { return at(a.number(value)) }
		if !grid && n > 8 {
			for _, v := range niceTicks(low, high) {
				text := strconv.FormatFloat(v, 'g', 6, 64) + a.unit
				ticks = append(ticks, tick{at(v), clean(text), clean(text)})
			}
			return ticks, place
		}
	}
	end := px(math.Inf(-1))
	for _, value := range a.values {
		t := tick{At: place(value), Label: short(value, longTick), Full: clean(value)}
		half := px(len([]rune(t.Label))) * letter / 2
		if t.At-half < end {
			t.Label = ""
		} else {
			end = t.At + half + 4
		}
		ticks = append(ticks, t)
	}
	return ticks, place
}

// differ reports whether numbers differ and, of a grid, no two of them are so near that a chart cannot show it.
func (a *scale) differ(grid bool) bool {
	sorted := slices.Sorted(slices.Values(a.numbers))
	all := sorted[len(sorted)-1] - sorted[0]
	for i := 1; grid && i < len(sorted); i++ {
		if sorted[i]-sorted[i-1] < 0.06*all {
			return false
		}
	}
	return all > 0 && all <= math.MaxFloat64
}

// niceTicks returns about five round numbers in a range.
func niceTicks(low, high float64) (list []float64) {
	step := math.Pow(10, math.Floor(math.Log10((high-low)/4)))
	for _, times := range []float64{5, 2} {
		if step*times <= (high-low)/3 {
			step *= times
			break
		}
	}
	if !(step > 0) {
		return nil
	}
	for i := math.Ceil(low / step); i*step <= high && len(list) < 12; i++ {
		list = append(list, float64(i*step))
	}
	return list
}
