package terrain

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// all has a column of each kind.
func all(seed uint64) Settings {
	s := Settings{Seed: seed, Rows: 4, FlatPatches: FlatPatches{Num: 3}}
	for _, kind := range Kinds() {
		s.Kinds = append(s.Kinds, SubTerrain{Kind: kind})
	}
	s.Columns = len(s.Kinds)
	return s
}

func mustMake(t testing.TB, s Settings) *Terrain {
	t.Helper()
	return polytest.Must(Make(s))(t)
}

func TestSeedDecidesAll(t *testing.T) {
	if !reflect.DeepEqual(mustMake(t, all(3)), mustMake(t, all(3))) {
		t.Error("two terrains of one seed differ")
	}
	a, b := mustMake(t, all(3)), mustMake(t, all(4))
	for i := range a.Patches {
		p, q := &a.Patches[i], &b.Patches[i]
		if p.Kind != "flat" && reflect.DeepEqual(p.Boxes, q.Boxes) && reflect.DeepEqual(p.Field, q.Field) {
			t.Errorf("%s in row %d is the same for two seeds", p.Kind, p.Row)
		}
	}
}

func TestRowsAreEverHarder(t *testing.T) {
	s := all(1)
	s.DifficultyRange = span(0.2, 0.6)
	m := mustMake(t, s)
	for i := range m.Patches {
		p := &m.Patches[i]
		low, high := 0.2+0.1*float64(p.Row), 0.3+0.1*float64(p.Row)
		if p.Difficulty < low || p.Difficulty > high || p.Kind != s.Kinds[p.Column].Kind {
			t.Errorf("patch %d, %d is %s of difficulty %v, want %v to %v", p.Row, p.Column, p.Kind, p.Difficulty, low, high)
		}
	}
}

func TestKindsShareColumns(t *testing.T) {
	s := Settings{Rows: 1, Columns: 10, Kinds: []SubTerrain{{Kind: "flat", Proportion: ptr(1.0)},
		{Kind: "wave", Proportion: ptr(3.0)}, {Kind: "random_grid", Proportion: ptr(0.0)},
		{Kind: "nested_rings", Proportion: ptr(1.0)}}}
	count := map[string]int{}
	for _, p := range mustMake(t, s).Patches {
		count[p.Kind]++
	}
	if want := map[string]int{"flat": 2, "wave": 6, "nested_rings": 2}; !reflect.DeepEqual(count, want) {
		t.Errorf("columns %v, want %v", count, want)
	}
}

// What each kind is, at its difficulty, in places that follow from its parameters.
func TestHeightsOfKinds(t *testing.T) {
	s := all(5)
	m := mustMake(t, s)
	sample := func(kind string, x, y float64) (d, h float64) {
		column := slices.IndexFunc(s.Kinds, func(k SubTerrain) bool { return k.Kind == kind })
		p := m.Patch(3, column)
		return p.Difficulty, m.Height(p.Origin[0]+x, p.Origin[1]+y)
	}
	step := func(d float64) float64 { return 0.05 + 0.15*d }
	for _, c := range []struct {
		kind string
		x, y float64
		want func(d float64) float64
	}{
		{"flat", 1, 2, func(float64) float64 { return 0 }},
		{"pyramid_stairs", 3.5, 0, func(float64) float64 { return 0 }},
		{"pyramid_stairs", 0, 2.85, step},
		{"pyramid_stairs", -1, 2.55, func(d float64) float64 { return 2 * step(d) }},
		{"pyramid_stairs", 1.2, 1.2, func(d float64) float64 { return 6 * step(d) }},
		{"pyramid_stairs_inv", 2.85, 1, func(d float64) float64 { return -step(d) }},
		{"pyramid_stairs_inv", 0.3, -1.2, func(d float64) float64 { return -6 * step(d) }},
		{"open_stairs", 2.8, 0, step},
		{"open_stairs", 0, 0, func(d float64) float64 { return 6 * step(d) }},
		{"nested_rings", 0, 3, func(d float64) float64 { return 0.05 + 0.2*d }},
		{"nested_rings", 0, 2.5, func(float64) float64 { return 0 }},
		{"pyramid_slope", 2.75, 0, func(d float64) float64 { return 0.5 * d }},
		{"pyramid_slope", 0, 0, func(d float64) float64 { return 0.5 * d * 2.75 }},
		{"pyramid_slope_inv", 0, 0, func(d float64) float64 { return -0.5 * d * 2.75 }},
		{"wave", 2, 3, func(d float64) float64 {
			k := 2 * math.Pi * 4 / 8
			return (0.02 + 0.18*d) / 2 * (math.Cos(k*7) + math.Sin(k*6))
		}},
		{"stepping_stones", 0.9, 0.9, func(float64) float64 { return 0 }},
	} {
		d, got := sample(c.kind, c.x, c.y)
		if want := c.want(d); math.Abs(got-want) > 1e-6 {
			t.Errorf("%s at %v, %v of difficulty %v is %v high, want %v", c.kind, c.x, c.y, d, got, want)
		}
	}
	lowest, highest := map[string]float64{}, map[string]float64{}
	for i := range m.Patches {
		p := &m.Patches[i]
		low, high := m.Around(p.Origin[0], p.Origin[1], 3.2)
		lowest[p.Kind], highest[p.Kind] = min(lowest[p.Kind], low), max(highest[p.Kind], high)
	}
	for kind, want := range map[string][2]float64{"stepping_stones": {-1, 0}, "narrow_beams": {-1, 0}} {
		if math.Abs(lowest[kind]-want[0]) > 1e-6 || math.Abs(highest[kind]-want[1]) > 1e-6 {
			t.Errorf("%s is %v to %v high, want %v", kind, lowest[kind], highest[kind], want)
		}
	}
	for kind, most := range map[string]float64{"random_grid": 0.15, "tilted_grid": 0.16, "random_uniform": 0.1,
		"perlin_noise": 0.4, "discrete_obstacles": 0.25} {
		if high, low := highest[kind], lowest[kind]; high <= 0.01 || high > most || low < -most {
			t.Errorf("%s is %v to %v high, want more than 0.01 and at most %v", kind, low, high, most)
		}
	}
}

// Neighbours meet at height 0, and starts are flat and on the ground.
func TestEdgesAndStarts(t *testing.T) {
	for seed := range uint64(5) {
		m, r := mustMake(t, all(seed)), rand.New(rand.NewPCG(seed, 1))
		flat := 0
		for i := range m.Patches {
			p := &m.Patches[i]
			corner := m.corner(p)
			for k := range 33 {
				share := float64(k) / 32
				for _, place := range [][2]float64{{corner[0] + 8*share, corner[1]}, {corner[0], corner[1] + 8*share}} {
					if h := m.Height(place[0], place[1]); math.Abs(h) > 1e-6 {
						t.Fatalf("%s in row %d is %v high at its edge", p.Kind, p.Row, h)
					}
				}
			}
			if low, high := m.Around(p.Origin[0], p.Origin[1], 0.45); math.Abs(high-p.Origin[2]) > 1e-6 || high-low > 1e-6 {
				t.Errorf("the start on %s in row %d is at %v, the ground %v to %v", p.Kind, p.Row, p.Origin[2], low, high)
			}
			for _, f := range p.Flat {
				flat++
				low, high := math.Inf(1), math.Inf(-1)
				for range 300 {
					h := m.Height(f[0]+0.5*(2*r.Float64()-1), f[1]+0.5*(2*r.Float64()-1))
					low, high = min(low, h), max(high, h)
				}
				if high-low > 0.05+1e-9 || high > f[2]+1e-9 {
					t.Errorf("a flat place on %s in row %d is %v to %v high", p.Kind, p.Row, low, high)
				}
			}
		}
		if flat < len(m.Patches) {
			t.Errorf("%d flat places in %d patches, want one and more on most", flat, len(m.Patches))
		}
	}
}

// Rays from above that go straight down meet what Height says, and any ray that marches over the ground in small
// steps goes below Height where Ray says, on kinds without overhangs.
func TestRaysAgainstHeights(t *testing.T) {
	s := all(2)
	s.Kinds = slices.DeleteFunc(s.Kinds, func(k SubTerrain) bool { return k.Kind == "open_stairs" })
	m := mustMake(t, s)
	r := rand.New(rand.NewPCG(1, 2))
	half := [2]float64{16, 4 * float64(len(s.Kinds))}
	hits := 0
	for range 20_000 {
		p := [3]float64{half[0] * (2*r.Float64() - 1), half[1] * (2*r.Float64() - 1), 0}
		ground := m.Height(p[0], p[1])
		p[2] = ground + 0.05 + 3*r.Float64()
		if d, ok := m.Ray(p, [3]float64{0, 0, -1}, 10); !ok || math.Abs(p[2]-d-ground) > 1e-9 {
			t.Fatalf("a ray down from %v goes %v, %t; the ground is at %v", p, d, ok, ground)
		}
	}
	for range 2000 {
		p := [3]float64{half[0] * (2*r.Float64() - 1), half[1] * (2*r.Float64() - 1), 0}
		p[2] = m.Height(p[0], p[1]) + 0.02 + r.Float64()
		d := [3]float64{r.NormFloat64(), r.NormFloat64(), -0.3 * r.Float64()}
		n := math.Sqrt(d[0]*d[0] + d[1]*d[1] + d[2]*d[2])
		for i := range d {
			d[i] /= n
		}
		got, ok := m.Ray(p, d, 6)
		want := math.Inf(1)
		const step = 1e-3
		for s := step; s < 6; s += step {
			x, y := p[0]+s*d[0], p[1]+s*d[1]
			if !m.Inside(x, y, 0.01) {
				break
			}
			if p[2]+s*d[2] < m.Height(x, y) {
				want = s
				break
			}
		}
		if ok && want < 5.9 {
			hits++
			if math.Abs(got-want) > 0.05 {
				t.Fatalf("a ray from %v along %v goes %v, the ground is met at %v", p, d, got, want)
			}
		}
	}
	if hits < 500 {
		t.Errorf("%d rays met the ground, want most", hits)
	}
}

func TestLookingUpAllocatesNothing(t *testing.T) {
	m := mustMake(t, all(1))
	if n := polytest.Allocations(100, func() {
		m.Height(1, 2)
		m.Ray([3]float64{1, 2, 3}, [3]float64{0.1, 0.2, -1}, 10)
		m.Highest(1, 2, 0.3)
	}); n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}

func TestValidate(t *testing.T) {
	for want, change := range map[string]func(s *Settings){
		"num_rows is 0, want 1 to 1000":                func(s *Settings) { s.Rows = 0 },
		"num_cols is 2000, want 1 to 1000":             func(s *Settings) { s.Columns = 2000 },
		"size[1] is 0.5, want 1 to 1000":               func(s *Settings) { s.Size = span(8, 0.5) },
		"horizontal_scale is NaN":                      func(s *Settings) { s.HorizontalScale = math.NaN() },
		"horizontal_scale is 3, want 0.005 to 1":       func(s *Settings) { s.HorizontalScale = 3 },
		"difficulty_range[1] is 0.1, want 0.5 to 1":    func(s *Settings) { s.DifficultyRange = span(0.5, 0.1) },
		"sub_terrains is 0, want 1 to 64":              func(s *Settings) { s.Kinds = nil },
		"sub_terrains[0].kind is \"hill\", want ":      func(s *Settings) { s.Kinds[0].Kind = "hill" },
		"sub_terrains[0].depth: not of discrete":       func(s *Settings) { s.Kinds[0].Depth = ptr(1.0) },
		"sub_terrains[0].num_obstacles is -1":          func(s *Settings) { s.Kinds[0].NumObstacles = ptr(-1) },
		"obstacle_height_range[1] is 9, want 0 to 5":   func(s *Settings) { s.Kinds[0].ObstacleHeightRange = span(0, 9) },
		"platform_width is 9 with a border_width of 0": func(s *Settings) { s.Kinds[0].PlatformWidth = ptr(9.0) },
		"have proportions of 0 in all": func(s *Settings) {
			s.Kinds = []SubTerrain{{Kind: "flat", Proportion: new(float64)}}
		},
		"flat_patches.patch_radius is -1": func(s *Settings) { s.FlatPatches.Radius = -1 },
	} {
		s := all(1)
		change(&s)
		_, err := Make(s)
		polytest.ErrorContains(t, err, want)
	}
	narrow := Settings{Rows: 1, Columns: 1, Size: span(40, 40),
		Kinds: []SubTerrain{{Kind: "pyramid_stairs_inv", StepWidth: ptr(0.05)}}}
	_, err := Make(narrow)
	polytest.ErrorContains(t, err, "a patch of pyramid_stairs_inv has 1405 boxes, want at most 255")
}

// Any settings are refused, or make a terrain in which heights are finite and rays end.
func FuzzMake(f *testing.F) {
	f.Add(uint64(1), uint8(3), 8.0, 0.1, 0.3, 2.0, 0.5)
	f.Add(uint64(2), uint8(9), 1.0, 0.24, 0.05, 0.0, 1.0)
	f.Fuzz(func(t *testing.T, seed uint64, index uint8, size, scale, width, platform, d float64) {
		kind := SubTerrain{Kind: Kinds()[int(index)%len(makers)], PlatformWidth: &platform}
		v := reflect.ValueOf(&kind).Elem()
		for i := range v.NumField() {
			key, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("yaml"), ",")
			if strings.HasSuffix(key, "_width") && slices.Contains(makers[kind.Kind].keys, key) && key != "border_width" &&
				key != "platform_width" {
				v.Field(i).Set(reflect.ValueOf(&width))
			}
		}
		s := Settings{Seed: seed, Rows: 2, Columns: 1, Size: span(size, size), HorizontalScale: scale,
			DifficultyRange: span(d, d), Kinds: []SubTerrain{kind}}
		if s.Validate() != nil || s.Bytes() > 1<<26 {
			return
		}
		m, err := Make(s)
		if err != nil {
			return
		}
		for k := range 20 {
			x, y := size*(float64(k)/10-1), size*(float64(k*7%20)/20-0.5)
			h := m.Height(x, y)
			if !(math.Abs(h) < 1e4) {
				t.Fatalf("%s is %v high at %v, %v", kind.Kind, h, x, y)
			}
			if got, ok := m.Ray([3]float64{x, y, h + 1}, [3]float64{0, 0, -1}, 1e5); !ok || math.Abs(got-1) > 1e-6 {
				t.Fatalf("%s: a ray down to %v at %v, %v goes %v, %t", kind.Kind, h, x, y, got, ok)
			}
		}
	})
}

func ExampleMake() {
	t, err := Make(Settings{Seed: 1, Rows: 3, Columns: 2, Kinds: []SubTerrain{{Kind: "pyramid_stairs"}, {Kind: "wave"}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	p := t.Patch(2, 0)
	height := t.Height(p.Origin[0], p.Origin[1])
	fmt.Printf("%s, difficulty %.2f, %.2f m high in the middle\n", p.Kind, p.Difficulty, height)
	// Output: pyramid_stairs, difficulty 0.85, 1.07 m high in the middle
}

func BenchmarkRay(b *testing.B) {
	m := mustMake(b, all(1))
	r := rand.New(rand.NewPCG(1, 2))
	var places [1024][3]float64
	for i := range places {
		places[i] = [3]float64{16 * (2*r.Float64() - 1), 60 * (2*r.Float64() - 1), 3}
	}
	for i := range b.N {
		m.Ray(places[i%1024], [3]float64{0, 0, -1}, 10)
	}
}
