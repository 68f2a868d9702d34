package sweep

import (
	"image/color"
	"math"
	"path/filepath"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/polyrhythm-rl/polyrhythm/internal/curve"
)

// The size of a panel of a picture, and how many are side by side.
const (
	panelWidth  = 4 * vg.Inch
	panelHeight = 3 * vg.Inch
	columns     = 3
)

var (
	trialColor   = color.NRGBA{0x3b, 0x6e, 0xa8, 0xd0}
	stoppedColor = color.NRGBA{0x3b, 0x6e, 0xa8, 0x60}
	failedColor  = color.NRGBA{0xb0, 0x20, 0x20, 0xff}
)

// draw draws a panel for each key, unless all trials failed, in which each trial that is over is a point at
// its value and objective. The best one is large and orange, trials that were stopped early are pale, and
// those that failed are red, at the lower edge.
func (s *sweep) draw() error {
	low := math.Inf(1)
	for _, t := range s.report.Trials {
		if !math.IsNaN(t.Mean) {
			low = min(low, t.Mean)
		}
	}
	if math.IsInf(low, 1) {
		return nil
	}
	over := s.plan.Over
	cols := min(len(over), columns)
	rows := (len(over) + cols - 1) / cols
	plots := make([]*plot.Plot, rows*cols)
	for i := range over {
		var err error
		if plots[i], err = s.panel(i, low); err != nil {
			return err
		}
	}
	plots[0].Title.Text = s.plan.config.Task.Name
	return curve.Write(filepath.Join(s.report.Folder, PictureFile), slices.Collect(slices.Chunk(plots, cols)),
		vg.Length(cols)*panelWidth, vg.Length(rows)*panelHeight, 14, 20)
}

// panel plots the objective against range i. Failed trials lie at low.
func (s *sweep) panel(i int, low float64) (*plot.Plot, error) {
	r, trials := &s.plan.Over[i], s.report.Trials
	p := curve.NewPanel("", s.plan.Objective)
	p.X.Label.Text = r.Key
	if r.logarithmic() {
		p.X.Label.Text = "log10 " + r.Key
	}
	points, styles := make(plotter.XYs, len(trials)), make([]draw.GlyphStyle, len(trials))
	for k, t := range trials {
		x := r.coordinate(t.Values[i])
		style := draw.GlyphStyle{Color: trialColor, Radius: vg.Points(3), Shape: draw.CircleGlyph{}}
		if r.logarithmic() {
			x = math.Log10(max(x, math.SmallestNonzeroFloat64))
		}
		points[k] = plotter.XY{X: curve.Drawable(x), Y: curve.Drawable(t.Mean)}
		switch {
		case math.IsNaN(t.Mean):
			points[k].Y, style.Color, style.Shape = curve.Drawable(low), failedColor, draw.PyramidGlyph{}
		case t == s.report.Best:
			style.Color, style.Radius = curve.Best, vg.Points(6)
		case t.State == Stopped:
			style.Color = stoppedColor
		}
		styles[k] = style
	}
	scatter, err := plotter.NewScatter(points)
	if err != nil {
		return nil, err
	}
	scatter.GlyphStyleFunc = func(k int) draw.GlyphStyle { return styles[k] }
	p.Add(scatter)
	if r.scale == "" && !r.numeric() {
		p.NominalX(r.values...)
	}
	return p, nil
}
