package curve

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"testing"

	"gonum.org/v1/plot/plotutil"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

func picture(t *testing.T, points []Point) image.Image {
	t.Helper()
	path := filepath.Join(t.TempDir(), "curve.png")
	polytest.NoError(t, Draw(path, "cart", points))
	return polytest.Must(png.Decode(bytes.NewReader(polytest.Must(os.ReadFile(path))(t))))(t)
}

func TestWritePNGShowsThePoints(t *testing.T) {
	rising := []Point{{0, math.NaN(), math.NaN()}, {2048, -60, 13}, {4096, 0, 30}, {6144, 20, 40}}
	falling := []Point{{2048, 20, 13}, {4096, 0, 30}, {6144, -60, 40}}
	a, b := picture(t, rising), picture(t, falling)
	if a.Bounds() != b.Bounds() || a.Bounds().Dx() < 600 {
		t.Fatalf("pictures of %v and %v, want the same size, at least 600 wide", a.Bounds(), b.Bounds())
	}
	differ := [2]int{} // pixels, in the upper and the lower half
	for y := range a.Bounds().Dy() {
		for x := range a.Bounds().Dx() {
			if a.At(x, y) != b.At(x, y) {
				differ[2*y/a.Bounds().Dy()]++
			}
		}
	}
	if differ[0] < 200 || differ[1] != 0 {
		t.Errorf("%d pixels of the returns differ and %d of the lengths, want at least 200 and none", differ[0], differ[1])
	}
}

// Evaluations are dots of their run's colour, at their place, whether or not an episode has ended.
func TestDrawNamedShowsEvaluations(t *testing.T) {
	none := []Point{{2048, math.NaN(), math.NaN()}}
	line, evaluated := []Point{{2048, -60, 13}, {6144, 40, 13}}, []Point{{4096, 30, 13}}
	path := filepath.Join(t.TempDir(), "curve.png")
	coloured := func(runs ...Named) (pixels int) { // of the second colour, in the upper half but not in the legend
		polytest.NoError(t, DrawNamed(path, runs))
		picture := polytest.Must(png.Decode(bytes.NewReader(polytest.Must(os.ReadFile(path))(t))))(t)
		for y := range picture.Bounds().Dy() / 2 {
			for x := picture.Bounds().Dx() / 4; x < picture.Bounds().Dx(); x++ {
				if color.RGBAModel.Convert(picture.At(x, y)) == color.RGBAModel.Convert(plotutil.Color(1)) {
					pixels++
				}
			}
		}
		return pixels
	}
	first := Named{"a", line, nil}
	without, with := coloured(first, Named{"b", none, nil}), coloured(first, Named{"b", none, evaluated})
	if without != 0 || with < 20 {
		t.Errorf("%d pixels of a run without evaluations, %d with one, want none and at least 20", without, with)
	}
	drawn := coloured(first, Named{"b", line, nil})
	if dotted := coloured(first, Named{"b", line, evaluated}); dotted < drawn+20 {
		t.Errorf("%d pixels of a line, %d with an evaluation above it, want at least 20 more", drawn, dotted)
	}
	coloured(Named{"a", none, nil})
	coloured()
}

// Returns of any size can be drawn, constant ones too.
func TestLargeReturns(t *testing.T) {
	picture(t, []Point{{2048, 1, 10}})
	for _, lines := range [][2]float64{
		{1e20, 1e20}, {-1e20, -1e20}, {1e20, 1e20 + 16384}, {0, 0}, {5e-324, 1e-323}, {1e16, 1e16 + 2}, {3, 3},
		{-math.MaxFloat64, math.MaxFloat64}, {math.Inf(-1), math.Inf(1)}, {1e300, math.NaN()},
	} {
		run := []Point{{2048, lines[0], 1}, {4096, lines[1], 1}}
		picture(t, run)
		polytest.NoError(t, Draw(filepath.Join(t.TempDir(), "curve.png"), "cart", run, run))
	}
}

// The mean over runs begins where each has had an episode, and counts a run without one with its value before.
func TestMeanOver(t *testing.T) {
	none := math.NaN()
	runs := [][]Point{
		{{10, none, none}, {20, 2, 0}, {30, none, 0}, {40, 6, 0}, {50, 1, 0}},
		{{10, 1, 0}, {20, 4, 0}, {30, 8, 0}, {40, 0, 0}},
	}
	got := meanOver(runs, func(p Point) float64 { return p.Return })
	want := []float64{3, 5, 3}
	if len(got) != len(want) {
		t.Fatalf("%v, want %v", got, want)
	}
	for i := range got {
		if got[i].Y != want[i] || got[i].X != float64(20+10*i)/1e6 {
			t.Errorf("point %d: %v, want a mean of %v", i, got[i], want[i])
		}
	}
	path := filepath.Join(t.TempDir(), "curve.png")
	for _, points := range [][]Point{nil, {{10, none, none}}} {
		polytest.NoError(t, Draw(path, "cart", points))
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%v: a picture without an episode", points)
		}
	}
	for _, runs := range [][][]Point{runs, {{{10, none, none}}, {{10, 1, 1}}}} {
		polytest.NoError(t, Draw(path, "cart", runs...))
	}
}
