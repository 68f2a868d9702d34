package sensors

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/physics/terrain"
)

func hills(t testing.TB) *terrain.Terrain {
	t.Helper()
	return polytest.Must(terrain.Make(terrain.Settings{Rows: 2, Columns: 2, Kinds: []terrain.SubTerrain{
		{Kind: "pyramid_stairs"}, {Kind: "wave"}}}))(t)
}

// A scan is what a plain loop over the pattern makes of heights, for rays down, and of rays, for a camera.
func TestScanAgainstPlainLoop(t *testing.T) {
	ground := hills(t)
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		s := Scan{Frame: "body/base", Alignment: alignments[r.IntN(3)], Rise: r.Float64(), MaxDistance: 1 + r.Float64(),
			Size: &[2]float64{r.Float64(), r.Float64()}, Resolution: 0.05 + 0.2*r.Float64()}
		yaw, tilt := 6*r.Float64(), 0.0
		if s.Alignment == "yaw" {
			tilt = 0.5 * r.Float64()
		}
		p := [3]float64{7 * (2*r.Float64() - 1), 7 * (2*r.Float64() - 1), 0}
		p[2] = ground.Height(p[0], p[1]) + 0.3
		// about the vertical, then about its own y axis
		q := []float64{math.Cos(yaw/2) * math.Cos(tilt/2), -math.Sin(yaw/2) * math.Sin(tilt/2),
			math.Cos(yaw/2) * math.Sin(tilt/2), math.Sin(yaw/2) * math.Cos(tilt/2)}
		if s.Alignment == "world" {
			yaw = 0
		}
		c := newCaster(s, ground)
		got := make([]float64, len(c.rays))
		c.cast(got, append(p[:], q...))
		nx, ny := int(s.Size[0]/s.Resolution)+1, int(s.Size[1]/s.Resolution)+1
		if len(got) != nx*ny {
			t.Fatalf("%v has %d rays, want %d × %d", s, len(got), nx, ny)
		}
		for j := range ny {
			for i := range nx {
				u, v := (float64(i)-float64(nx-1)/2)*s.Resolution, (float64(j)-float64(ny-1)/2)*s.Resolution
				x, y := p[0]+u*math.Cos(yaw)-v*math.Sin(yaw), p[1]+u*math.Sin(yaw)+v*math.Cos(yaw)
				height := ground.Height(x, y)
				if height > p[2]+s.Rise { // it begins below the ground
					continue
				}
				if want := min(p[2]-height, s.MaxDistance); math.Abs(got[j*nx+i]-want) > 1e-9 {
					t.Fatalf("%v: ray %d, %d is %v, want %v", s, i, j, got[j*nx+i], want)
				}
			}
		}
	}
	s := Scan{Frame: "site/eye", Pattern: "pinhole", Alignment: "base", Width: 3, Height: 3, FOV: new(60.0),
		MaxDistance: 20}
	c := newCaster(s, ground)
	got := make([]float64, 9)
	c.cast(got, []float64{-12, 0, 2, 0, 0, 1, 1, 0, 0, 0, 1, 0}) // beside the terrain, level along -z = -x
	for i, want := range []float64{20, 20, 20, 20, 20, 20} {
		polytest.Equal(t, got[i], want, "a ray above the ground")
	}
	c.cast(got, []float64{12, 0, 2, 0, 0, 1, 1, 0, 0, 0, 1, 0})
	if got[7] >= 20 || got[7] < 2 || got[4] <= got[7] {
		t.Errorf("a camera sees %v, want ground in the lower row", got)
	}
}

func TestRingOfRays(t *testing.T) {
	c := newCaster(Scan{Frame: "body/base", Pattern: "ring", Rings: []Ring{{0, 1}, {0.5, 4}}}, hills(t))
	if len(c.rays) != 5 || math.Abs(c.rays[2].origin[1]-0.5) > 1e-12 || c.rays[2].direction != [3]float64{0, 0, -1} {
		t.Errorf("rays %v", c.rays)
	}
}

func TestScanRefused(t *testing.T) {
	for want, s := range map[string]Scan{
		`scan.frame is "trunk", want site/NAME or body/NAME`: {Frame: "trunk"},
		`scan.pattern is "cone"`:                             {Frame: "body/a", Pattern: "cone"},
		`scan.ray_alignment is "up"`:                         {Frame: "body/a", Alignment: "up"},
		"scan.max_distance is -1, want 0.001 to 1000":        {Frame: "body/a", MaxDistance: -1},
		"scan.resolution is NaN":                             {Frame: "body/a", Resolution: math.NaN()},
		"scan.rings: not given":                              {Frame: "body/a", Pattern: "ring"},
		"scan.rings[0].num_samples is 0":                     {Frame: "body/a", Pattern: "ring", Rings: []Ring{{1, 0}}},
		"scan.fovy is 180, want 0.1 to 170":                  {Frame: "body/a", Pattern: "pinhole", FOV: new(180.0)},
		"scan.fovy is 0, want 0.1 to 170":                    {Frame: "body/a", FOV: new(0.0)},
		"scan.size: 1002001 rays, want 1 to 65536": {
			Frame: "body/a", Size: &[2]float64{10, 10}, Resolution: 0.01,
		},
		"scan.width is 0, want 1 to 65536": {Frame: "body/a", Pattern: "pinhole", Height: 3},
	} {
		c := Channel{Name: "a", Runner: "sensor", Scan: &s}
		polytest.ErrorContains(t, c.Validate(), want)
	}
	c := Channel{Name: "a", Runner: "sensor", Scan: &Scan{Frame: "body/a"}, Sources: []string{"qpos"}}
	polytest.ErrorContains(t, c.Validate(), "with a scan or a camera, want one of them")
}

func BenchmarkScan(b *testing.B) {
	c := newCaster(Scan{Frame: "body/base", Rise: 1}, hills(b))
	dst, pose := make([]float64, len(c.rays)), []float64{3, 2, 1, 1, 0, 0, 0}
	b.ReportMetric(float64(len(c.rays)), "rays")
	for range b.N {
		c.cast(dst, pose)
	}
}
