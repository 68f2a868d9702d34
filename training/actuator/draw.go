package actuator

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/polyrhythm-rl/polyrhythm/internal/curve"
)

// drawn is the most rows of a picture.
const drawn = 600

// Draw writes a picture to the file at path: the measured and the computed torques of the first held-out rows.
func (f *Fit) Draw(path string) error {
	p := curve.NewPanel("", "torque, N·m")
	p.X.Label.Text = "held-out row"
	for _, line := range []struct {
		name  string
		of    []float64
		color color.Color
	}{{"measured", f.Measured, color.Gray{0x90}}, {"network", f.Computed, curve.Best}} {
		points := make(plotter.XYs, min(drawn, len(line.of)))
		for i := range points {
			points[i] = plotter.XY{X: float64(i), Y: curve.Drawable(line.of[i])}
		}
		l, err := plotter.NewLine(points)
		if err != nil {
			return err
		}
		l.Color, l.Width = line.color, vg.Points(1.5)
		p.Add(l)
		p.Legend.Add(line.name, l)
	}
	p.Legend.Top = true
	return curve.Write(path, [][]*plot.Plot{{p}}, 9*vg.Inch, 4*vg.Inch, 14, 20)
}
