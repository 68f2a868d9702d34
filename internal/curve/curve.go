package curve

import (
	"encoding/csv"
	"fmt"
	"image/color"
	"io"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
)

// Point is the result of one iteration of learning, or of an evaluation on the way.
type Point struct {
	EnvSteps int64   // environment steps since the start, over all worlds
	Return   float64 // mean return of the episodes that ended; NaN if none did
	Length   float64 // mean length of these episodes in control steps; NaN if none ended
}

// Read returns the learning curve of the metrics of a run, or of its evaluations, a table with a head.
func Read(r io.Reader) (points []Point, err error) {
	lines, err := csv.NewReader(r).ReadAll()
	if err != nil || len(lines) == 0 {
		return nil, err
	}
	for _, line := range lines[1:] {
		var values [3]float64
		for i, name := range []string{"env_steps", "mean_return", "mean_length"} {
			column := slices.Index(lines[0], name)
			if column < 0 {
				return nil, fmt.Errorf("it has no column %s", name)
			}
			if line[column] == "" {
				values[i] = math.NaN()
			} else if values[i], err = strconv.ParseFloat(line[column], 64); err != nil {
				return nil, err
			}
		}
		points = append(points, Point{int64(values[0]), values[1], values[2]})
	}
	return points, nil
}

// Draw writes a picture to the file at path, unless no episode has ended: the mean return (above) and the mean length
// (below) against environment steps. Of several runs it has a thin line for each, and a thick one for their mean, as
// far as all runs go and from where each has had an episode. Points with NaN are left out.
func Draw(path, title string, runs ...[]Point) error {
	ended := func(p Point) bool { return !math.IsNaN(p.Return) }
	if !slices.ContainsFunc(runs, func(points []Point) bool { return slices.ContainsFunc(points, ended) }) {
		return nil
	}
	returns, err := panel(title, "mean episode return", runs, func(p Point) float64 { return p.Return })
	if err != nil {
		return err
	}
	lengths, err := panel("", "mean length, control steps", runs, func(p Point) float64 { return p.Length })
	if err != nil {
		return err
	}
	lengths.X.Label.Text = "million environment steps"
	lengths.Y.Min = 0
	return Write(path, [][]*plot.Plot{{returns}, {lengths}}, 9*vg.Inch, 6*vg.Inch, 6, 12)
}

// Named is the learning curve of a run.
type Named struct {
	Name        string
	Points      []Point // of the iterations
	Evaluations []Point // of the evaluations on the way, if there are any
}

// DrawNamed writes a picture to the file at path, replacing one that is there: the mean return (above) and the mean
// length (below) of runs against environment steps, each run in a colour of its own that the legend names. Iterations
// are a line, evaluations are dots.
func DrawNamed(path string, runs []Named) error {
	returns, lengths := NewPanel("", "mean episode return"), NewPanel("", "mean length, control steps")
	lengths.X.Label.Text = "million environment steps"
	lengths.Y.Min = 0
	returns.Legend.Top, returns.Legend.Left = true, true
	for i, run := range runs {
		for _, panel := range []struct {
			*plot.Plot
			value func(Point) float64
		}{{returns, func(p Point) float64 { return p.Return }}, {lengths, func(p Point) float64 { return p.Length }}} {
			line := &plotter.Line{XYs: lineOf(run.Points, panel.value), LineStyle: draw.LineStyle{Width: vg.Points(1.5),
				Color: plotutil.Color(i), Dashes: plotutil.Dashes(i / len(plotutil.DefaultColors))}}
			dots := &plotter.Scatter{XYs: lineOf(run.Evaluations, panel.value), GlyphStyle: draw.GlyphStyle{
				Color: line.Color, Radius: vg.Points(3.5), Shape: draw.CircleGlyph{}}}
			if len(line.XYs) > 0 {
				panel.Add(line)
			}
			if len(dots.XYs) > 0 {
				panel.Add(dots)
			}
			if panel.Plot == returns && len(line.XYs)+len(dots.XYs) > 0 {
				returns.Legend.Add(run.Name, line)
			}
		}
	}
	return Write(path, [][]*plot.Plot{{returns}, {lengths}}, 9*vg.Inch, 6*vg.Inch, 6, 12)
}

// Write draws panels in rows of one length, some of which may be nil, with points between them.
func Write(path string, plots [][]*plot.Plot, width, height, padX, padY vg.Length) error {
	for _, row := range plots {
		for _, p := range row {
			if p != nil {
				widen(&p.X)
				widen(&p.Y)
			}
		}
	}
	canvas := vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseBackgroundColor(themeOf().ground))
	tiles := draw.Tiles{Rows: len(plots), Cols: len(plots[0]), PadX: padX, PadY: padY,
		PadTop: vg.Points(8), PadBottom: vg.Points(8), PadLeft: vg.Points(8), PadRight: vg.Points(16)}
	for row, line := range plot.Align(plots, tiles, draw.New(canvas)) {
		for col, c := range line {
			if plots[row][col] != nil {
				plots[row][col].Draw(c)
			}
		}
	}
	return disk.Replace(disk.OS{}, path, false, func(w io.Writer) error {
		_, err := vgimg.PngCanvas{Canvas: canvas}.WriteTo(w)
		return err
	})
}

// widen gives an axis a length with which its ticks can be found.
func widen(a *plot.Axis) {
	size := max(math.Abs(a.Min), math.Abs(a.Max))
	switch {
	case math.IsInf(size, 1): // nothing is drawn
		a.Min, a.Max = 0, 1
	case size < 1e-100:
		a.Min, a.Max = -1, 1
	case a.Max-a.Min < 1e-9*size:
		a.Min, a.Max = a.Min-size/10, a.Max+size/10
	}
}

// Drawable returns a number with which a picture can be computed: v, unless it is absurdly large.
func Drawable(v float64) float64 { return min(max(v, -1e100), 1e100) }

// Best is the colour of what matters most in a picture.
var Best = color.NRGBA{0xd9, 0x7a, 0x00, 0xff}

// NewPanel returns a plot of a quantity with a grid.
func NewPanel(title, label string) *plot.Plot {
	p, theme := plot.New(), themeOf()
	p.Title.Text, p.Y.Label.Text = title, label
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = theme.grid, theme.grid
	p.Add(grid)
	p.BackgroundColor, p.Title.TextStyle.Color, p.Legend.TextStyle.Color = theme.ground, theme.ink, theme.ink
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Color, a.Tick.Color, a.Tick.Label.Color, a.Label.TextStyle.Color = theme.ink, theme.ink, theme.ink, theme.ink
	}
	return p
}

// panel plots one quantity of runs against environment steps.
func panel(title, label string, runs [][]Point, value func(Point) float64) (*plot.Plot, error) {
	p := NewPanel(title, label)
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
		return nil
	}
	thin, hue := vg.Points(0.7), color.Color(color.NRGBA{0x3b, 0x6e, 0xa8, 0x90})
	if len(runs) == 1 {
		thin, hue = vg.Points(1.5), color.Color(themeOf().ink)
	}
	for _, points := range runs {
		if err := add(lineOf(points, value), thin, hue); err != nil {
			return nil, err
		}
	}
	if len(runs) == 1 {
		return p, nil
	}
	return p, add(meanOver(runs, value), vg.Points(2), Best)
}

// lineOf returns one quantity against environment steps, where it is a number.
func lineOf(points []Point, value func(Point) float64) (line plotter.XYs) {
	for _, p := range points {
		if v := value(p); !math.IsNaN(v) {
			line = append(line, plotter.XY{X: float64(p.EnvSteps) / 1e6, Y: Drawable(v)})
		}
	}
	return line
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
			if v := value(points[i]); !math.IsNaN(v) {
				last[r] = Drawable(v)
			}
			sum += last[r]
		}
		if !math.IsNaN(sum) {
			line = append(line, plotter.XY{X: float64(runs[0][i].EnvSteps) / 1e6, Y: sum / float64(len(runs))})
		}
	}
	return line
}
