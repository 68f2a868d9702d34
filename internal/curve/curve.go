package curve

import (
	"fmt"
	"image/color"
	"io"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// Point is the result of one iteration of learning.
type Point struct {
	EnvSteps int64   // environment steps since the start, over all worlds
	Return   float64 // mean return of the episodes that ended; NaN if none did
	Length   float64 // their mean length in control steps; NaN if none did
}

// Size of the picture.
const (
	width  = 9 * vg.Inch
	height = 6 * vg.Inch
)

// WritePNG writes a picture to w that plots the mean return (above) and the mean length
// (below) against environment steps. Points with NaN are left out; if no others remain,
// it returns an error.
func WritePNG(w io.Writer, title string, points []Point) error {
	returns, err := panel(title, "mean episode return", points, func(p Point) float64 { return p.Return })
	if err != nil {
		return err
	}
	lengths, err := panel("", "mean length, control steps", points, func(p Point) float64 { return p.Length })
	if err != nil {
		return err
	}
	return stack(w, returns, lengths)
}

// WriteSeedsPNG is [WritePNG] for several runs: a thin line for each, and a thick one for
// their mean, as far as all runs go and from where each has had an episode.
func WriteSeedsPNG(w io.Writer, title string, runs [][]Point) error {
	returns, err := seedsPanel(title, "mean episode return", runs, func(p Point) float64 { return p.Return })
	if err != nil {
		return err
	}
	lengths, err := seedsPanel("", "mean length, control steps", runs, func(p Point) float64 { return p.Length })
	if err != nil {
		return err
	}
	return stack(w, returns, lengths)
}

// stack draws two panels, one above the other.
func stack(w io.Writer, returns, lengths *plot.Plot) error {
	lengths.X.Label.Text = "million environment steps"
	lengths.Y.Min = 0

	canvas := vgimg.New(width, height)
	plots := [][]*plot.Plot{{returns}, {lengths}}
	tiles := draw.Tiles{Rows: 2, Cols: 1, PadX: vg.Points(6), PadY: vg.Points(12),
		PadTop: vg.Points(8), PadBottom: vg.Points(8), PadLeft: vg.Points(8), PadRight: vg.Points(16)}
	for row, c := range plot.Align(plots, tiles, draw.New(canvas)) {
		plots[row][0].Draw(c[0])
	}
	_, err := vgimg.PngCanvas{Canvas: canvas}.WriteTo(w)
	return err
}

// panel plots one quantity against environment steps.
func panel(title, label string, points []Point, value func(Point) float64) (*plot.Plot, error) {
	var line plotter.XYs
	for _, p := range points {
		if v := value(p); !math.IsNaN(v) && !math.IsInf(v, 0) {
			line = append(line, plotter.XY{X: float64(p.EnvSteps) / 1e6, Y: v})
		}
	}
	if len(line) == 0 {
		return nil, fmt.Errorf("curve: none of %d points has a %s, want at least one", len(points), label)
	}
	p := plot.New()
	p.Title.Text = title
	p.Y.Label.Text = label
	p.Add(plotter.NewGrid())
	l, err := plotter.NewLine(line)
	if err != nil {
		return nil, err
	}
	l.Width = vg.Points(1.5)
	p.Add(l)
	return p, nil
}

// seedsPanel plots one quantity of several runs against environment steps.
func seedsPanel(title, label string, runs [][]Point, value func(Point) float64) (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text = title
	p.Y.Label.Text = label
	p.Add(plotter.NewGrid())
	drawn := 0
	add := func(line plotter.XYs, width vg.Length, c color.Color) error {
		if len(line) == 0 {
			return nil
		}
		l, err := plotter.NewLine(line)
		if err != nil {
			return err
		}
		l.Width, l.Color = width, c
		p.Add(l)
		drawn++
		return nil
	}
	for _, points := range runs {
		var line plotter.XYs
		for _, q := range points {
			if v := value(q); !math.IsNaN(v) && !math.IsInf(v, 0) {
				line = append(line, plotter.XY{X: float64(q.EnvSteps) / 1e6, Y: v})
			}
		}
		if err := add(line, vg.Points(0.7), color.NRGBA{0x3b, 0x6e, 0xa8, 0x90}); err != nil {
			return nil, err
		}
	}
	if drawn == 0 {
		return nil, fmt.Errorf("curve: none of %d runs has a %s, want at least one", len(runs), label)
	}
	return p, add(meanOver(runs, value), vg.Points(2), color.NRGBA{0xd9, 0x7a, 0x00, 0xff})
}

// meanOver returns the mean over runs at each of their iterations. A run without an
// episode's end in an iteration counts with its value before.
func meanOver(runs [][]Point, value func(Point) float64) plotter.XYs {
	length := len(runs[0])
	for _, points := range runs {
		length = min(length, len(points))
	}
	var line plotter.XYs
	last := make([]float64, len(runs))
	for r := range last {
		last[r] = math.NaN()
	}
	for i := range length {
		sum := 0.0
		for r, points := range runs {
			if v := value(points[i]); !math.IsNaN(v) && !math.IsInf(v, 0) {
				last[r] = v
			}
			sum += last[r]
		}
		if !math.IsNaN(sum) {
			line = append(line, plotter.XY{X: float64(runs[0][i].EnvSteps) / 1e6, Y: sum / float64(len(runs))})
		}
	}
	return line
}
