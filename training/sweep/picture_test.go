package sweep

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/internal/curve"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
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

// drawn draws trials with the given values of ranges and objectives.
func drawn(t *testing.T, over []string, values [][]string, objectives ...float64) *sweep {
	t.Helper()
	s := &sweep{plan: &Plan{Over: rangesOf(t, over...), Objective: Return, config: new(configs.Config)}}
	s.report.Folder = t.TempDir()
	for i, v := range objectives {
		s.report.Trials = append(s.report.Trials, &Trial{Values: values[i], Mean: v, State: Trained})
	}
	return s
}

func pictureOf(t *testing.T, s *sweep) image.Image {
	t.Helper()
	path := filepath.Join(s.report.Folder, PictureFile)
	polytest.NoError(t, s.draw())
	data := polytest.Must(os.ReadFile(path))(t)
	if polytest.NoError(t, s.draw()); !bytes.Equal(polytest.Must(os.ReadFile(path))(t), data) {
		t.Error("drawn again it differs")
	}
	return polytest.Must(png.Decode(bytes.NewReader(data)))(t)
}

// Each key has a panel, in which the best trial and the failed ones can be told.
func TestSweepPicture(t *testing.T) {
	s := drawn(t, []string{"0..1", "log:1e-4..1e-2", "x,y"}, [][]string{{"0", "1e-4", "x"}, {"0.5", "1e-3", "y"},
		{"1", "1e-2", "x"}}, 1, 3, math.NaN())
	s.report.Trials[0].State, s.report.Best = Stopped, s.report.Trials[1]
	m := pictureOf(t, s)
	w, h := m.Bounds().Dx()/3, m.Bounds().Dy()
	for i := range 3 {
		part := image.Rect(i*w, 0, (i+1)*w, h)
		if best, failed := near(m, part, curve.Best), near(m, part, failedColor); best < 20 || failed < 4 {
			t.Errorf("panel %d has %d pixels of the best trial and %d of the failed one, want both", i, best, failed)
		}
	}
	s.report.Best = nil
	if n := near(pictureOf(t, s), image.Rect(0, 0, 3*w, h), curve.Best); n != 0 {
		t.Errorf("without a best trial there are %d pixels of one", n)
	}
}

// One trial, equal values and extreme ones are drawn.
func TestSweepPictureOfLittle(t *testing.T) {
	for _, c := range []struct {
		over, value string
		objectives  []float64
	}{
		{"log:1e-4..1", "1e-4", []float64{5}},
		{"log:1..3", "2.1", []float64{5, 5}},
		{"0..1", "1", []float64{5, math.NaN()}},
		{"a,b", "a", []float64{1e300, -1e300}},
		{"log:1..2", "1", []float64{0, 1e-300}},
		{"-1e307..1", "-1e307", []float64{1.7e308, -1.7e308}},
		{"0..1", "0", []float64{-math.MaxFloat64, math.Inf(1)}},
	} {
		values := [][]string{{c.value}, {c.value}}
		pictureOf(t, drawn(t, []string{c.over}, values, c.objectives...))
	}
	s := drawn(t, []string{"0..1"}, [][]string{{"1"}}, math.NaN())
	if polytest.NoError(t, s.draw()); len(polytest.Must(os.ReadDir(s.report.Folder))(t)) != 0 {
		t.Error("a sweep without a value is drawn")
	}
}
