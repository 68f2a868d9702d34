package curve

import (
	"fmt"
	"image/color"
	"io"
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// Sweep is what [WriteSweepPNG] draws.
type Sweep struct {
	Title     string
	Objective string
	Minimise  bool
	Axes      []Axis
	Trials    []Trial // in order of their numbers
	Best      int     // index in Trials; -1: none
	Rungs     bool    // draw the value of each trial at each of its rungs, not the best so far
}

// Axis is a key that is swept.
type Axis struct {
	Key       string
	Low, High float64 // the ends of the range
	Log       bool
	Names     []string // of the values 0, 1, …; nil: they are numbers from Low to High
}

// Trial is one trial of a sweep.
type Trial struct {
	X       []float64 // value of each axis
	Value   float64   // of the objective; NaN: it failed
	Stopped bool      // before all of its steps
	Rungs   []Point   // EnvSteps, and the objective as Return
}

// The size of a panel of a sweep, and how many are side by side.
const (
	panelWidth  = 4 * vg.Inch
	panelHeight = 3 * vg.Inch
	columns     = 3
)

var (
	trialColor   = color.NRGBA{0x3b, 0x6e, 0xa8, 0xd0}
	stoppedColor = color.NRGBA{0x3b, 0x6e, 0xa8, 0x60}
	bestColor    = color.NRGBA{0xd9, 0x7a, 0x00, 0xff}
	failedColor  = color.NRGBA{0xb0, 0x20, 0x20, 0xff}
)

// WriteSweepPNG writes a picture to w with a panel for each key, in which each trial is a
// point at its value and objective, and a last one with the best value so far or the rungs.
// Trials that were stopped early are pale, those that failed are crosses at the lower edge,
// and the best one has a ring. If all trials failed, it returns an error.
func WriteSweepPNG(w io.Writer, s Sweep) error {
	low := math.Inf(1)
	for _, t := range s.Trials {
		if !math.IsNaN(t.Value) {
			low = min(low, t.Value)
		}
	}
	if math.IsInf(low, 1) {
		return fmt.Errorf("curve: none of %d trials has a value, want at least one", len(s.Trials))
	}
	var panels []*plot.Plot
	for i := range s.Axes {
		p, err := s.panel(i, low)
		if err != nil {
			return err
		}
		panels = append(panels, p)
	}
	last, err := s.progressPanel()
	if err != nil {
		return err
	}
	panels = append(panels, last)
	panels[0].Title.Text = s.Title
	for _, p := range panels {
		widen(&p.X)
		widen(&p.Y)
	}

	cols := min(len(panels), columns)
	rows := (len(panels) + cols - 1) / cols
	plots := make([][]*plot.Plot, rows)
	for i := range plots {
		plots[i] = make([]*plot.Plot, cols)
		copy(plots[i], panels[i*cols:min(len(panels), (i+1)*cols)])
	}
	canvas := vgimg.New(vg.Length(cols)*panelWidth, vg.Length(rows)*panelHeight)
	tiles := draw.Tiles{Rows: rows, Cols: cols, PadX: vg.Points(14), PadY: vg.Points(20),
		PadTop: vg.Points(8), PadBottom: vg.Points(8), PadLeft: vg.Points(8), PadRight: vg.Points(16)}
	for row, line := range plot.Align(plots, tiles, draw.New(canvas)) {
		for col, c := range line {
			if plots[row][col] != nil {
				plots[row][col].Draw(c)
			}
		}
	}
	_, err = vgimg.PngCanvas{Canvas: canvas}.WriteTo(w)
	return err
}

// widen gives an axis a length with which its ticks can be found.
func widen(a *plot.Axis) {
	size := max(math.Abs(a.Min), math.Abs(a.Max))
	switch {
	case size < 1e-100:
		a.Min, a.Max = -1, 1
	case a.Max-a.Min < 1e-9*size:
		a.Min, a.Max = a.Min-size/10, a.Max+size/10
	}
}

// drawable returns a number with which a picture can be computed: v, unless it is absurdly
// large.
func drawable(v float64) float64 { return min(max(v, -1e100), 1e100) }

// panel plots the objective against axis i. Failed trials lie at low.
func (s *Sweep) panel(i int, low float64) (*plot.Plot, error) {
	axis := s.Axes[i]
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = axis.Key, s.Objective
	p.Add(plotter.NewGrid())
	var trained, stopped, failed, best plotter.XYs
	for k, t := range s.Trials {
		at := plotter.XY{X: drawable(t.X[i]), Y: drawable(t.Value)}
		switch {
		case math.IsNaN(t.Value):
			at.Y = drawable(low)
			failed = append(failed, at)
		case t.Stopped:
			stopped = append(stopped, at)
		default:
			trained = append(trained, at)
		}
		if k == s.Best {
			best = append(best, at)
		}
	}
	for _, set := range []struct {
		points plotter.XYs
		style  draw.GlyphStyle
	}{
		{stopped, draw.GlyphStyle{Color: stoppedColor, Radius: vg.Points(3), Shape: draw.CircleGlyph{}}},
		{trained, draw.GlyphStyle{Color: trialColor, Radius: vg.Points(3), Shape: draw.CircleGlyph{}}},
		{failed, draw.GlyphStyle{Color: failedColor, Radius: vg.Points(4), Shape: cross{}}},
		{best, draw.GlyphStyle{Color: bestColor, Radius: vg.Points(6), Shape: ring{}}},
	} {
		if len(set.points) == 0 {
			continue
		}
		scatter, err := plotter.NewScatter(set.points)
		if err != nil {
			return nil, err
		}
		scatter.GlyphStyle = set.style
		p.Add(scatter)
	}
	switch margin := (axis.High - axis.Low) / 20; { // after the points, which move the ends
	case axis.Names != nil:
		p.X.Tick.Marker = names(axis.Names)
		p.X.Min, p.X.Max = -0.5, float64(len(axis.Names))-0.5
	case axis.Log:
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, logTicks{}
		low, high := max(axis.Low, 1e-100), drawable(axis.High)
		factor := math.Pow(high/low, 1./20)
		p.X.Min, p.X.Max = low/factor, high*factor
	case margin > 0 && margin < 1e100:
		p.X.Min, p.X.Max = axis.Low-margin, axis.High+margin
	}
	return p, nil
}

// progressPanel plots the best value so far against the number of trials or, with rungs,
// the value of each trial against its steps.
func (s *Sweep) progressPanel() (*plot.Plot, error) {
	p := plot.New()
	p.Y.Label.Text = s.Objective
	p.Add(plotter.NewGrid())
	add := func(line plotter.XYs, width vg.Length, c color.Color) error {
		if len(line) == 0 {
			return nil
		}
		l, points, err := plotter.NewLinePoints(line)
		if err != nil {
			return err
		}
		l.Width, l.Color = width, c
		points.GlyphStyle = draw.GlyphStyle{Color: c, Radius: width * 1.5, Shape: draw.CircleGlyph{}}
		p.Add(l, points)
		return nil
	}
	if s.Rungs {
		p.X.Label.Text = "million environment steps"
		for k, t := range s.Trials {
			var line plotter.XYs
			for _, r := range t.Rungs {
				line = append(line, plotter.XY{X: float64(r.EnvSteps) / 1e6, Y: drawable(r.Return)})
			}
			width, c := vg.Points(0.7), trialColor
			if k == s.Best {
				width, c = vg.Points(2), bestColor
			}
			if err := add(line, width, c); err != nil {
				return nil, err
			}
		}
		return p, nil
	}
	p.X.Label.Text = "trial"
	p.Y.Label.Text = "best so far"
	p.X.Tick.Marker = wholeTicks{}
	p.X.Min, p.X.Max = 0, float64(len(s.Trials)+1)
	var line plotter.XYs
	best := math.NaN()
	for k, t := range s.Trials {
		if math.IsNaN(best) || s.Minimise && t.Value < best || !s.Minimise && t.Value > best {
			best = t.Value
		}
		if !math.IsNaN(best) {
			line = append(line, plotter.XY{X: float64(k + 1), Y: drawable(best)})
		}
	}
	return p, add(line, vg.Points(1.5), bestColor)
}

// strokes is the width of the lines of a glyph.
const strokes = 1.5

// ring is the glyph of the best trial.
type ring struct{}

// DrawGlyph implements [draw.GlyphDrawer].
func (ring) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	c.SetLineStyle(draw.LineStyle{Color: style.Color, Width: vg.Points(strokes)})
	var p vg.Path
	p.Move(vg.Point{X: at.X + style.Radius, Y: at.Y})
	p.Arc(at, style.Radius, 0, 2*math.Pi)
	p.Close()
	c.Stroke(p)
}

// cross is the glyph of a trial that failed.
type cross struct{}

// DrawGlyph implements [draw.GlyphDrawer].
func (cross) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	c.SetLineStyle(draw.LineStyle{Color: style.Color, Width: vg.Points(strokes)})
	for _, side := range []vg.Length{-1, 1} {
		var p vg.Path
		p.Move(vg.Point{X: at.X - style.Radius, Y: at.Y - side*style.Radius})
		p.Line(vg.Point{X: at.X + style.Radius, Y: at.Y + side*style.Radius})
		c.Stroke(p)
	}
}

// names are the ticks of an axis whose values have names.
type names []string

// Ticks implements [plot.Ticker].
func (n names) Ticks(low, high float64) []plot.Tick {
	var ticks []plot.Tick
	every := 1 + len(n)/8 // room for so many
	for i := 0; i < len(n); i += every {
		ticks = append(ticks, plot.Tick{Value: float64(i), Label: n[i]})
	}
	return ticks
}

// wholeTicks are the ticks of an axis that counts from 1.
type wholeTicks struct{}

// Ticks implements [plot.Ticker].
func (wholeTicks) Ticks(low, high float64) []plot.Tick {
	every := 1.0
	for step := 0; high/every > 8; step++ { // 1, 2, 5, 10, 20, …
		every *= []float64{2, 2.5, 2}[step%3]
	}
	var ticks []plot.Tick
	for v := every; v <= high; v += every {
		ticks = append(ticks, plot.Tick{Value: v, Label: strconv.FormatFloat(v, 'f', 0, 64)})
	}
	return ticks
}

// logTicks are the ticks of a logarithmic axis: powers of ten, and numbers between them
// where there are few.
type logTicks struct{}

// Ticks implements [plot.Ticker].
func (logTicks) Ticks(low, high float64) []plot.Tick {
	for _, digits := range [][]float64{{1}, {1, 3}, {1, 2, 5}, {1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9}} {
		var ticks []plot.Tick
		for power := math.Floor(math.Log10(low)); power <= math.Ceil(math.Log10(high)); power++ {
			for _, d := range digits {
				// Parsed as text, since powers of ten are not exact.
				v, err := strconv.ParseFloat(fmt.Sprintf("%ge%g", d, power), 64)
				if err == nil && v >= low && v <= high {
					ticks = append(ticks, plot.Tick{Value: v, Label: strconv.FormatFloat(v, 'g', 3, 64)})
				}
			}
		}
		if len(ticks) >= 3 {
			if every := (len(ticks) + 5) / 6; every > 1 {
				for i := range ticks {
					if i%every != 0 {
						ticks[i].Label = ""
					}
				}
			}
			return ticks
		}
	}
	return []plot.Tick{{Value: low, Label: strconv.FormatFloat(low, 'g', 3, 64)}, {Value: high, Label: strconv.FormatFloat(high, 'g', 3, 64)}}
}
