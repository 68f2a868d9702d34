package exam

import (
	"fmt"
	"math"
	"strings"
)

// mostMaps is the most heat maps of a page.
const mostMaps = 15

// heatMap has the rate of success over two axes.
type heatMap struct {
	Across, Down, Note string
	Width, Height      px
	Left, Below        px // the ends of the tiles
	Middle             px // of the columns
	Columns, Rows      []tick
	Tiles              []tile
	Dots               []spot
}

// tile is the rate of success at two values.
type tile struct {
	X, Y, Width, Height px
	Fill, Ink           string
	Text, Title         string
}

// Centre and Line are where the text of a tile is.
func (t tile) Centre() px { return t.X + t.Width/2 }
func (t tile) Line() px   { return t.Y + t.Height/2 + 4.5 }

type spot struct {
	X, Y, Radius px
	Fill, Ink    string
	Text, Title  string
}

// Line is where its text is.
func (s spot) Line() px { return s.Y + 3.5 }

// maps returns the heat maps of pairs of axes, and the number of all pairs.
func (s *space) maps() (maps []*heatMap, pairs int) {
	for i := range s.axes {
		for j := i + 1; j < len(s.axes); j++ {
			if pairs++; pairs > mostMaps {
				continue
			}
			a, b := &s.axes[i], &s.axes[j]
			if s.grid && len(a.values) > max(8, len(b.values)) { // a page is longer than wide
				a, b = b, a
			}
			if s.grid {
				maps = append(maps, s.tiles(a, b))
			} else {
				maps = append(maps, s.spots(a, b))
			}
		}
	}
	return maps, pairs
}

// tiles returns the map of two axes of a grid, the first one across.
func (s *space) tiles(a, b *scale) *heatMap {
	const high px = 34
	wide := max(46, 8+letter*px(longest(a.values, longTick)))
	m := &heatMap{Across: clean(a.name), Down: clean(b.name), Left: 10 + letter*px(longest(b.values, longTick))}
	m.Width, m.Below = m.Left+wide*px(len(a.values)), 24+high*px(len(b.values))
	m.Height, m.Middle = m.Below+44, (m.Left+m.Width)/2
	at := map[[2]string][]Result{}
	for _, c := range s.cells {
		key := [2]string{c.Values[a.name], c.Values[b.name]}
		at[key] = append(at[key], c)
	}
	for i, across := range a.values {
		m.Columns = append(m.Columns, tick{m.Left + wide*(px(i)+0.5), short(across, longTick), clean(across)})
	}
	for j, down := range b.values {
		y := 24 + high*px(len(b.values)-1-j) // as in a chart, upwards
		m.Rows = append(m.Rows, tick{y + high/2 + 4, short(down, longTick), clean(down)})
		for i, across := range a.values {
			cells := at[[2]string{across, down}]
			rate := meanRate(cells)
			t := tile{X: m.Left + wide*px(i) + 1, Y: y + 1, Width: wide - 2, Height: high - 2, Text: percents(rate), Title: titleOf(cells[0])}
			if len(cells) > 1 {
				t.Title = fmt.Sprintf("%s=%s %s=%s: mean of %d cells, %s", clean(a.name), clean(across), clean(b.name), clean(down),
					len(cells), percent(rate))
			}
			t.Fill, t.Ink = colours(rate)
			m.Tiles = append(m.Tiles, t)
		}
	}
	if others := s.others(a.name, b.name); len(others) > 0 {
		m.Note = fmt.Sprintf("Each number is the mean over %d cells: over %s.", len(s.cells)/len(m.Tiles), list(others))
	}
	return m
}

// spots returns the map of two axes of cells that fill the space.
func (s *space) spots(a, b *scale) *heatMap {
	m := &heatMap{Across: clean(a.name), Down: clean(b.name), Left: 10 + letter*8, Width: 400, Below: 290, Height: 334}
	m.Middle = (m.Left + m.Width) / 2
	columns, x := a.place(m.Left+20, m.Width-20, false)
	rows, y := b.place(m.Below-20, 44, false)
	m.Columns, m.Rows = columns, rows
	for i := range m.Rows {
		m.Rows[i].At += 4
	}
	for _, c := range s.cells {
		p := spot{X: x(c.Values[a.name]), Y: y(c.Values[b.name]), Radius: 6, Title: titleOf(c)}
		p.Fill, p.Ink = colours(c.Candidate.Rate)
		if len(s.cells) <= mostBars {
			p.Radius, p.Text = 11, percents(c.Candidate.Rate)
		}
		m.Dots = append(m.Dots, p)
	}
	if others := s.others(a.name, b.name); len(others) > 0 {
		m.Note = "Each dot is a cell; " + list(others) + " vary from dot to dot, too."
	}
	return m
}

func longest(values []string, most int) (n int) {
	for _, v := range values {
		n = max(n, len([]rune(short(v, most))))
	}
	return n
}

// stops are the colours of rates of 0, ¼, ½, ¾ and 1: orange to blue, which people with any vision of colour tell apart, and
// whose ends are dark.
var stops = [][3]float64{{0x9c, 0x3d, 0x00}, {0xe8, 0x8f, 0x3c}, {0xf2, 0xec, 0xe2}, {0x7f, 0xb2, 0xd9}, {0x13, 0x4f, 0x8a}}

// colours returns the colour of a rate, and the one of a text on it: black or white, which has more contrast.
func colours(rate float64) (fill, ink string) {
	at := min(max(rate, 0), 1) * float64(len(stops)-1)
	i := min(int(at), len(stops)-2)
	part, light := at-float64(i), 0.0
	var b strings.Builder
	b.WriteByte('#')
	for k, weight := range []float64{0.2126, 0.7152, 0.0722} {
		low, high := stops[i][k], stops[i+1][k]
		v := math.Round(low + float64(part*(high-low)))
		fmt.Fprintf(&b, "%02x", int(v))
		light += float64(weight * linear(v/255))
	}
	if (light+0.05)/0.05 >= 1.05/(light+0.05) {
		return b.String(), "#000"
	}
	return b.String(), "#fff"
}

// linear is the light of a component of sRGB.
func linear(v float64) float64 {
	if v <= 0.04045 {
		return v / 12.92
	}
	return math.Pow((v+0.055)/1.055, 2.4)
}
