package mujoco

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco/scene"
	"github.com/polyrhythm-rl/polyrhythm/physics/terrain"
)

// everyKind is a terrain with a column of each kind.
func everyKind(seed uint64) terrain.Settings {
	s := terrain.Settings{Seed: seed, Rows: 3, Columns: len(terrain.Kinds()), Size: &[2]float64{6, 8}}
	for _, kind := range terrain.Kinds() {
		s.Kinds = append(s.Kinds, terrain.SubTerrain{Kind: kind})
	}
	return s
}

// rangers is a free body with n rangefinders in drawn directions, the first of them straight down.
func rangers(r *rand.Rand, n int) string {
	var sites, sensors strings.Builder
	for i := range n {
		axis := [3]float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64() - 1}
		if i == 0 {
			axis = [3]float64{0, 0, -1}
		}
		fmt.Fprintf(&sites, `<site name="s%d" zaxis="%v %v %v"/>`, i, axis[0], axis[1], axis[2])
		fmt.Fprintf(&sensors, `<rangefinder name="r%d" site="s%d"/>`, i, i)
	}
	return `<mujoco><worldbody><body name="eye"><freejoint/><geom size=".01" mass="1"/>` + sites.String() +
		`</body></worldbody><sensor>` + sensors.String() + `</sensor></mujoco>`
}

// The engine's rays meet the ground where [terrain.Terrain.Ray] does.
func TestTerrainAgainstEngineRays(t *testing.T) {
	const rays = 40
	r := rand.New(rand.NewPCG(3, 4))
	m := mustCompile(t, map[string]string{"eye.xml": rangers(r, rays)}, scene.Settings{
		Models: []scene.Model{{File: "eye.xml"}}, Terrain: everyKind(7),
	})
	var sources []string
	for i := range rays {
		sources = append(sources, fmt.Sprintf("sensor/r%d", i))
	}
	for i := range rays {
		sources = append(sources, fmt.Sprintf("site/s%d/matrix", i))
	}
	out := probes(t, m, sources...)
	own := stepper(t, m, 1, out)
	rows := physics.NewRows(m, 1, out, 2)
	position := polytest.Must(m.Field("qpos"))(t)
	ground := m.Terrain()
	hits := 0
	for range 1500 {
		p := [3]float64{9 * (2*r.Float64() - 1), 64 * (2*r.Float64() - 1), 0}
		p[2] = ground.Height(p[0], p[1]) + 0.02 + 1.5*r.Float64()
		copy(position.In(rows.Row(0)), append(p[:], 1, 0, 0, 0))
		step(t, own, rows, []int32{0}, nil)
		sample := rows.Sample(0, 0)
		for i := range rays {
			matrix := sample[rays+9*i:]
			d := [3]float64{matrix[2], matrix[5], matrix[8]}
			got, ok := ground.Ray(p, d, 1e6)
			want := sample[i]
			if ok != (want >= 0) || ok && math.Abs(got-want) > 1e-9 {
				t.Fatalf("from %v along %v: the ground is met after %v, %t, by the engine after %v", p, d, got, ok, want)
			}
			if ok {
				hits++
			}
		}
	}
	if hits < 30_000 {
		t.Errorf("%d of %d rays met the ground", hits, 1500*rays)
	}
}

// A ball that is dropped anywhere comes to rest on the ground, no deeper than contacts are soft.
func TestTerrainCarries(t *testing.T) {
	m := mustCompile(t, map[string]string{"ball.xml": `<mujoco><option timestep=".002"/><worldbody><body><freejoint/>
		<geom size=".05" mass=".2" condim="6" friction="1 .1 .1"/></body></worldbody></mujoco>`}, scene.Settings{
		Models: []scene.Model{{File: "ball.xml"}}, Terrain: everyKind(1),
	})
	out := probes(t, m, "qpos")
	const balls = 60
	own := stepper(t, m, balls, out)
	rows := physics.NewRows(m, balls, out, 101)
	position := polytest.Must(m.Field("qpos"))(t)
	r := rand.New(rand.NewPCG(5, 6))
	ground := m.Terrain()
	var ids, n []int32
	for id := range balls {
		x, y := 8.5*(2*r.Float64()-1), 60*(2*r.Float64()-1)
		copy(position.In(rows.Row(id)), []float64{x, y, ground.Highest(x, y, 0.1) + 0.1, 1, 0, 0, 0})
		ids, n = append(ids, int32(id)), append(n, 100)
	}
	for range 5 {
		step(t, own, rows, ids, n)
	}
	for id := range balls {
		p := position.In(rows.Row(id))
		if h := ground.Height(p[0], p[1]); p[2] < h+0.01 {
			t.Errorf("ball %d is at %v, below the ground at %v", id, p[:3], h)
		}
	}
}

func TestTerrainReplacesTheFloor(t *testing.T) {
	s := scene.Settings{Models: []scene.Model{{File: "walker.xml"}}, Terrain: everyKind(1)}
	m := mustCompile(t, map[string]string{"walker.xml": oneLeg}, s)
	d := m.Describe()
	boxes, fields := 0, 0
	for _, g := range d.Geoms {
		switch {
		case g.Type == "plane":
			t.Error("there is a floor beside the terrain")
		case strings.HasPrefix(g.Name, "terrain_") && g.Type == "box":
			boxes++
		case strings.HasPrefix(g.Name, "terrain_") && g.Type == "hfield":
			fields++
		}
	}
	if wantFields, _ := m.Terrain().Samples(); boxes != m.Terrain().Boxes() || fields != wantFields {
		t.Errorf("%d boxes and %d fields, want %d and %d", boxes, fields, m.Terrain().Boxes(), wantFields)
	}
	s.Terrain = terrain.Settings{}
	if mustCompile(t, map[string]string{"walker.xml": oneLeg}, s).Terrain() != nil {
		t.Error("a scene without a terrain has one")
	}
}

func TestTerrainRefused(t *testing.T) {
	for want, change := range map[string]func(s *scene.Settings){
		"scene.terrain.num_rows is 0, want 1 to 1000": func(s *scene.Settings) { s.Terrain.Rows = 0 },
		"scene.terrain: the terrain of 1000 rows and 1000 columns takes about": func(s *scene.Settings) {
			s.Terrain.Rows, s.Terrain.Columns = 1000, 1000
		},
		"want at most 1 MB (scene.memory_mb)": func(s *scene.Settings) { s.MemoryMB = 1 },
		"scene.terrain.sub_terrains: a patch of pyramid_stairs_inv has": func(s *scene.Settings) {
			narrow := 0.05
			s.Terrain.Size = &[2]float64{40, 40}
			s.Terrain.Kinds = []terrain.SubTerrain{{Kind: "pyramid_stairs_inv", StepWidth: &narrow}}
		},
	} {
		s := scene.Settings{Models: []scene.Model{{File: "walker.xml"}}, Terrain: everyKind(1)}
		change(&s)
		_, err := compileFiles(t, map[string]string{"walker.xml": oneLeg}, s)
		polytest.ErrorContains(t, err, want)
	}
}

// What a robot sees from near does not depend on the ground; how far it sees does. An extent in the model's file stays.
func TestTerrainKeepsTheNearPlane(t *testing.T) {
	const eye = `<mujoco><statistic/><visual><map znear=".02" zfar="40"/></visual><worldbody>
		<geom type="plane" size="2 9 1" pos="0 0 -1" contype="0" conaffinity="0"/>
		<body name="eye" pos="0 0 1"><freejoint/><geom type="box" size=".1 .2 .3"/><site name="s" pos="0 1 -2"/>
			<body pos=".3 0 .2"><joint pos="2 0 0"/><geom size=".1" pos="0 0 .5"/></body></body>
	</worldbody></mujoco>`
	for _, c := range []struct {
		statistic string
		grows     bool
	}{{"", true}, {`extent="3"`, false}} {
		files := map[string]string{"eye.xml": strings.Replace(eye, "<statistic/>", "<statistic "+c.statistic+"/>", 1)}
		s := scene.Settings{Models: []scene.Model{{File: "eye.xml"}}, Floor: scene.No}
		want := mustCompile(t, files, s).Optics(physics.Visible{})
		s.Terrain = everyKind(7)
		m := mustCompile(t, files, s)
		got, digest := m.Optics(physics.Visible{}), m.Digest()
		if m.fileNear = 0; (m.Digest() != digest) != c.grows {
			t.Errorf("extent %q: the digest has not the near plane of the file", c.statistic)
		}
		if math.Abs(got.Near/want.Near-1) > 1e-6 || (got.Far > 5*want.Far) != c.grows || !c.grows && got.Far != want.Far {
			t.Errorf("extent %q: seen is what is %v to %v m away, want %v; without the terrain up to %v", c.statistic, got.Near,
				got.Far, want.Near, want.Far)
		}
	}
}
