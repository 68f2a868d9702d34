package scene

import (
	"slices"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

func TestGround(t *testing.T) {
	g := Ground{MaxShapes: 2, MaxVertices: 3}
	if g.Stride() != 8 || g.Size() != 17 {
		t.Errorf("stride %d, size %d; want 8, 17", g.Stride(), g.Size())
	}
	polytest.Equal(t, (Ground{MaxShapes: 3}).Size(), 1+3*6, "size of 3 edges")
	field := slices.Repeat([]float64{9}, 17)
	g.Clear(field)
	g.Add(field, 0.5, [2]float64{1, 2}, [2]float64{3, 4})
	g.Add(field, 0.25, [2]float64{1, 2}, [2]float64{3, 4}, [2]float64{5, 6})
	if want := []float64{2, 2, 0.5, 1, 2, 3, 4, 0, 0, 3, 0.25, 1, 2, 3, 4, 5, 6}; !slices.Equal(field, want) {
		t.Errorf("got  %v\nwant %v", field, want)
	}
	for name, misuse := range map[string]func(){
		"a third shape":   func() { g.Add(field, 0, [2]float64{}, [2]float64{1, 1}) },
		"one vertex":      func() { g.Clear(field); g.Add(field, 0, [2]float64{}) },
		"four vertices":   func() { g.Clear(field); g.Add(field, 0, make([][2]float64, 4)...) },
		"another field":   func() { g.Add(field[1:], 0, [2]float64{}, [2]float64{1, 1}) },
		"too many shapes": func() { field[0] = 1e9; g.Add(field, 0, [2]float64{}, [2]float64{1, 1}) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			misuse()
		}()
	}
	if n := polytest.Allocations(10, func() {
		g.Clear(field)
		g.Add(field, 1, [2]float64{1, 2},
			[2]float64{3, 4})
	}); n != 0 {
		t.Errorf("filling a ground makes %v allocations", n)
	}
}
