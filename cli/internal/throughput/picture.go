package throughput

import (
	"errors"
	"fmt"
	"image/color"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"

	"github.com/polyrhythm-rl/polyrhythm/internal/curve"
)

// Draw writes a picture of a report over keys to the file at path: the rate, and the ratio to the bare loop with its
// quartiles, against the values of the first key, with a line for each set of values of the others.
func (r *Report) Draw(path string) error {
	if len(r.SweepKeys) == 0 {
		return errors.New("there is one line, want values to draw it over, such as --over worlds=16,64,256")
	}
	var panels [][]*plot.Plot
	for k, label := range []string{"environment steps/s", "ratio to the bare C loop"} {
		p := curve.NewPanel("", label)
		p.X.Label.Text = r.SweepKeys[0]
		p.Legend.Top = k == 0
		var names []string
		points := map[string]plotter.XYs{}
		for i, l := range r.Lines {
			x, err := strconv.ParseFloat(l.Values[0], 64)
			if err != nil {
				x = float64(i)
			}
			name := ""
			for j, key := range r.SweepKeys[1:] {
				name += fmt.Sprintf("%s %s, ", key, l.Values[j+1])
			}
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
			points[name] = append(points[name], plotter.XY{X: x, Y: []float64{l.EnvStepsPerS, l.RatioToRaw}[k]})
		}
		if len(points[names[0]]) > 0 && points[names[0]][0].X > 0 {
			p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
		}
		for i, name := range names {
			line, dots, err := plotter.NewLinePoints(points[name])
			if err != nil {
				return err
			}
			line.Width, line.Color = vg.Points(1.5), color.Color(plotutil.Color(i))
			dots.Color = line.Color
			p.Add(line, dots)
			p.Legend.Add(strings.TrimSuffix(name, ", "), line)
		}
		panels = append(panels, []*plot.Plot{p})
	}
	panels[0][0].Title.Text = r.Lines[0].Task + ", " + r.Processor
	return curve.Write(path, panels, 9*vg.Inch, 7*vg.Inch, 6, 12)
}
