package curve

import (
	"bytes"
	"image"
	"image/png"
	"math"
	"testing"
)

func picture(t *testing.T, points []Point) image.Image {
	t.Helper()
	var b bytes.Buffer
	if err := WritePNG(&b, "cart", points); err != nil {
		t.Fatal(err)
	}
	p, err := png.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	return p
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

func TestWritePNGOfOnePoint(t *testing.T) {
	picture(t, []Point{{2048, 1, 10}})
}

func TestWritePNGRefusesNothing(t *testing.T) {
	for _, points := range [][]Point{nil, {{10, math.NaN(), math.NaN()}}} {
		if err := WritePNG(new(bytes.Buffer), "cart", points); err == nil {
			t.Errorf("%v: no error", points)
		}
	}
}
