package curve

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
	"testing"
)

// near counts the pixels of about a colour in a part of a picture.
func near(m image.Image, part image.Rectangle, c color.NRGBA) (n int) {
	for y := part.Min.Y; y < part.Max.Y; y++ {
		for x := part.Min.X; x < part.Max.X; x++ {
			p := color.NRGBAModel.Convert(m.At(x, y)).(color.NRGBA)
			d := math.Abs(float64(p.R)-float64(c.R)) + math.Abs(float64(p.G)-float64(c.G)) + math.Abs(float64(p.B)-float64(c.B))
			if d < 60 {
				n++
			}
		}
	}
	return n
}

func drawSweep(t *testing.T, s Sweep) image.Image {
	t.Helper()
	var out, again bytes.Buffer
	if err := WriteSweepPNG(&out, s); err != nil {
		t.Fatal(err)
	}
	if err := WriteSweepPNG(&again, s); err != nil || !bytes.Equal(out.Bytes(), again.Bytes()) {
		t.Errorf("drawn again it differs, %v", err)
	}
	m, err := png.Decode(&out)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Each key has a panel. The best trial has a ring in each, failed ones crosses.
func TestSweepPicture(t *testing.T) {
	s := Sweep{Title: "task", Objective: "return", Best: 1,
		Axes: []Axis{{Key: "a", Low: 0, High: 1}, {Key: "b", Low: 1e-4, High: 1e-2, Log: true}, {Key: "c", Names: []string{"x", "y"}}},
		Trials: []Trial{
			{X: []float64{0, 1e-4, 0}, Value: 1, Rungs: []Point{{EnvSteps: 10, Return: 1}}, Stopped: true},
			{X: []float64{0.5, 1e-3, 1}, Value: 3, Rungs: []Point{{EnvSteps: 10, Return: 2}, {EnvSteps: 20, Return: 3}}},
			{X: []float64{1, 1e-2, 0}, Value: math.NaN()},
		},
	}
	for _, s.Rungs = range []bool{false, true} {
		m := drawSweep(t, s)
		w, h := m.Bounds().Dx()/3, m.Bounds().Dy()/2
		for i := range 3 {
			part := image.Rect(i*w, 0, (i+1)*w, h)
			if n := near(m, part, bestColor); n < 20 {
				t.Errorf("panel %d has %d pixels of the best trial's ring, want one", i, n)
			}
			if n := near(m, part, failedColor); n < 4 {
				t.Errorf("panel %d has %d pixels of the failed trial's cross, want one", i, n)
			}
		}
		if n := near(m, image.Rect(0, h, w, 2*h), bestColor); n < 50 {
			t.Errorf("the last panel has %d pixels of the best line, want one", n)
		}
	}
	s.Best = -1
	if n := near(drawSweep(t, s), image.Rect(0, 0, 400, 280), bestColor); n != 0 {
		t.Errorf("without a best trial there are %d pixels of its ring", n)
	}
}

// One trial, equal values and extreme ones are drawn, and no value is an error.
func TestSweepPictureOfLittle(t *testing.T) {
	one := func(axis Axis, x float64, values ...float64) Sweep {
		s := Sweep{Objective: "return", Axes: []Axis{axis}}
		for _, v := range values {
			trial := Trial{X: []float64{x}, Value: v}
			if !math.IsNaN(v) {
				trial.Rungs = []Point{{EnvSteps: 1, Return: v}}
			}
			s.Trials = append(s.Trials, trial)
		}
		return s
	}
	for _, s := range []Sweep{
		one(Axis{Low: 1e-4, High: 1e-2, Log: true}, 1e-4, 5),
		one(Axis{Low: 2, High: 2.5, Log: true}, 2.1, 5, 5),
		one(Axis{Low: 1, High: 1}, 1, 5, math.NaN()),
		one(Axis{Names: []string{"a", "b"}}, 0, 1e300, -1e300),
		one(Axis{Low: 1e-300, High: 1e300, Log: true}, 1, 0, 1e-300),
		one(Axis{Low: -1e307, High: 1e307}, 1, 1.7e308, -1.7e308),
	} {
		drawSweep(t, s)
		s.Rungs = true
		drawSweep(t, s)
	}
	if err := WriteSweepPNG(&bytes.Buffer{}, one(Axis{Low: 1, High: 2}, 1, math.NaN())); err == nil {
		t.Error("a sweep without a value is drawn")
	}
}
