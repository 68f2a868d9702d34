package terrain

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestNotes: a terrain says what it does not have though it was asked for.
func TestNotes(t *testing.T) {
	notesOf := func(s Settings) string { return strings.Join(mustMake(t, s).Notes(), "\n") }
	s := all(1)
	s.FlatPatches.Num = 0
	if got := notesOf(s); got != "" {
		t.Errorf("notes of all kinds are %q, want none", got)
	}
	for name, c := range map[string]struct {
		s    Settings
		want []string // one for each line
	}{
		"columns": {Settings{Rows: 2, Columns: 2, Kinds: []SubTerrain{{Kind: "flat"}, {Kind: "wave", Proportion: ptr(0.0001)},
			{Kind: "pyramid_stairs", Proportion: ptr(0.0)}, {Kind: "random_grid"}}},
			[]string{"sub_terrains[1]: wave has none of the 2 columns; a larger num_cols or proportion"}},
		"rings": {Settings{Rows: 3, Columns: 1, Kinds: []SubTerrain{{Kind: "nested_rings", RingWidth: ptr(2.0)}}},
			[]string{"sub_terrains[0]: nested_rings is flat in 3 of 3 patches"}},
		"noise": {Settings{Rows: 2, Columns: 2, Kinds: []SubTerrain{{Kind: "flat"}, {Kind: "random_uniform",
			NoiseRange: span(0, 0.01), NoiseStep: ptr(0.005)}}},
			[]string{"sub_terrains[1]: random_uniform is flat in 1 of 2 patches"}},
		"stones": {Settings{Rows: 10, Columns: 1, Kinds: []SubTerrain{{Kind: "stepping_stones", StoneDistanceRange: span(0, 0.2)}}},
			[]string{"sub_terrains[0]: stepping_stones is flat in 1 of 10 patches",
				"sub_terrains[0]: stepping_stones has a stone_distance_range below horizontal_scale, 0.1 m, in 4 of 10 patches, " +
					"so that samples miss"}},
		"no gaps": {Settings{Rows: 1, Columns: 1, Kinds: []SubTerrain{{Kind: "stepping_stones", StoneDistanceRange: span(0, 0)}}},
			[]string{"sub_terrains[0]: stepping_stones is flat in 1 of 1 patches"}},
		"places": {Settings{Rows: 2, Columns: 2, Kinds: []SubTerrain{{Kind: "flat"}}, FlatPatches: FlatPatches{Num: 1, Radius: 5}},
			[]string{"flat_patches: no place of patch_radius 5 m is flat in 4 of 4 patches"}},
		"beams": {Settings{Rows: 1, Columns: 1, HorizontalScale: 0.5, Kinds: []SubTerrain{{Kind: "narrow_beams",
			BeamWidthRange: span(0.3, 0.3)}}},
			[]string{"sub_terrains[0]: narrow_beams has a beam_width_range below horizontal_scale, 0.5 m, in 1 of 1 patches"}},
	} {
		got := strings.Split(notesOf(c.s), "\n")
		for i, want := range c.want {
			if len(got) != len(c.want) || !strings.HasPrefix(got[i], want) {
				t.Errorf("%s: notes %q, want %q", name, got, c.want)
			}
		}
	}
}

// The extent of a square is that of many places in it, and no less.
func TestExtentOfSquares(t *testing.T) {
	m := mustMake(t, all(7))
	r := rand.New(rand.NewPCG(1, 2))
	for i := range m.Patches {
		p := &m.Patches[i]
		for range 20 {
			half := 0.05 + 0.6*r.Float64()
			x, y := p.Origin[0]+(4-half)*(2*r.Float64()-1), p.Origin[1]+(4-half)*(2*r.Float64()-1)
			low, high := p.extent(x, y, half, math.Inf(1))
			least, greatest := math.Inf(1), math.Inf(-1)
			const n = 60
			for k := range (n + 1) * (n + 1) {
				h := m.Height(x+half*(float64(k/(n+1))/n*2-1), y+half*(float64(k%(n+1))/n*2-1))
				least, greatest = min(least, h), max(greatest, h)
			}
			if least < low-1e-9 || greatest > high+1e-9 {
				t.Errorf("%s: the square of %v about %v, %v is %v to %v high, want %v to %v", p.Kind, half, x, y, low, high,
					least, greatest)
			}
			// a field rises by at most its steepest slope between two of the places
			if p.Field != nil && (least-low)+(high-greatest) > 0.5*half+0.02 {
				t.Errorf("%s: the square of %v about %v, %v is %v to %v high, beyond %v to %v", p.Kind, half, x, y, low, high,
					least, greatest)
			}
		}
	}
	// the least and the greatest height are reached: on Perlin noise, at samples and on the sides
	column := 0
	for m.Patches[column].Kind != "perlin_noise" {
		column++
	}
	for range 200 {
		p := m.Patch(3, column)
		x, y := p.Origin[0]+3*(2*r.Float64()-1), p.Origin[1]+3*(2*r.Float64()-1)
		low, high := p.extent(x, y, 0.5, math.Inf(1))
		least, greatest := math.Inf(1), math.Inf(-1)
		const n = 1000
		for k := range n + 1 {
			for j := -10; j <= 10; j++ {
				h := m.Height(x+0.5*(2*float64(k)/n-1), y+float64(j)*0.05)
				least, greatest = min(least, h), max(greatest, h)
			}
		}
		if low > least+1e-9 || high < greatest-1e-9 {
			t.Errorf("a square of Perlin noise is %v to %v high, want %v to %v at least", low, high, least, greatest)
		}
	}
}
