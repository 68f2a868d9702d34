package terms_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/physics/terrain"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// rough is a task on a terrain on which robots come far, and are told to come farther.
const rough = `
episode: 300ms
actions: [{term: joint_position, scale: 0.3}]
observations: {policy: [{term: joint_pos_rel}, {term: foot_height, feet: [".*_foot"]}, {term: base_pos_z}]}
commands:
  - {name: velocity, term: uniform_velocity, lin_vel_x: [-40, 40], lin_vel_y: [-20, 20], resampling: [100ms, 200ms]}
events:
  - {term: reset_root_state_uniform, pose_range: {x: [-0.5, 0.5], y: [-0.5, 0.5], z: [0.02, 0.1]},
     velocity_range: {x: [-25, 25], z: [1, 2]}}
rewards: [{term: base_height_l2, target_height: 0.3, weight: 1}]
scale_rewards_by_dt: false
terminations: [{term: time_out}, {term: terrain_out_of_bounds, distance_buffer: 1, truncate: true}]
infos: [{name: height, expr: "base_height"}, {name: ground, expr: "ground_height"}, {name: away, expr: "patch_distance"}]
`

const levelled = "curriculum: [{term: terrain_levels, max_init_terrain_level: 1}]\n"

const patches = "scene.terrain={num_rows: 4, num_cols: 3, size: [6, 8], border_width: 3, sub_terrains: " +
	"[{kind: pyramid_stairs}, {kind: random_grid}, {kind: pyramid_stairs_inv}], flat_patches: {num_patches: 3}}"

// watcher follows the levels of worlds by a plain rule.
type watcher struct {
	t      *testing.T
	ground *terrain.Terrain
	pose   func([]float64) []float64
	last   map[int][2]int // row and column of the world's patch
	next   map[int][2]int // least and greatest row that the next episode may have
	moves  map[string]int
}

func (o *watcher) Rewarded(*sim.World, float64) {}

func (o *watcher) Ended(w *sim.World, e sim.Episode) {
	info := w.Info()
	n := len(info)
	row, column := int(info[n-2]), int(info[n-1])
	want, known := o.next[w.Index()]
	if known && (row < want[0] || row > want[1] || column != o.last[w.Index()][1]) {
		o.t.Fatalf("world %d, episode %d: patch %d, %d after %v, want a row of %v", w.Index(), e.Number, row, column,
			o.last[w.Index()], want)
	}
	if !known && row > 1 {
		o.t.Errorf("world %d begins on level %d, want 0 or 1", w.Index(), row)
	}
	o.last[w.Index()] = [2]int{row, column}
	if !e.Complete {
		o.next[w.Index()] = [2]int{row, row}
		return
	}
	p, middle := o.pose(w.State()), [2]float64{(float64(row) - 1.5) * 6, (float64(column) - 1) * 8}
	d := math.Hypot(p[0]-middle[0], p[1]-middle[1])
	if away := info[2]; math.Abs(away-d) > 1e-12 {
		o.t.Fatalf("world %d is %v from the start of its patch, want %v", w.Index(), away, d)
	}
	switch v := info[n-5 : n-3]; {
	case d > 3 && row == 3:
		o.next[w.Index()] = [2]int{0, 3}
		o.moves["drawn"]++
	case d > 3:
		o.next[w.Index()] = [2]int{row + 1, row + 1}
		o.moves["up"]++
	case d < 0.5*0.3*math.Hypot(v[0], v[1]):
		o.next[w.Index()] = [2]int{max(row-1, 0), max(row-1, 0)}
		o.moves["down"]++
	default:
		o.next[w.Index()] = [2]int{row, row}
		o.moves["stays"]++
	}
}

// open opens a task on rough ground; the watcher fails the test where a level is wrong.
func roughEnv(t *testing.T, sections string, overrides ...string) (*env.Env, *watcher) {
	o := &watcher{t: t, last: map[int][2]int{}, next: map[int][2]int{}, moves: map[string]int{}}
	c := polytest.Must(parse(t, "", sections, append([]string{patches}, overrides...)...))(t)
	c.Worlds, c.BlockSize = 6, 2
	opt := env.OpenOptions{Workers: 1}
	if sections == rough+levelled {
		opt.Observers = []sim.Observer{o}
	}
	span := func(e *env.Env) { o.pose = part(t, e, "qpos") }
	e := polytest.Must(env.Open(c, opt))(t)
	span(e)
	o.ground = e.Model().(terrain.Holder).Terrain()
	t.Cleanup(func() { polytest.NoError(t, e.Close()) })
	return e, o
}

func TestTerrainLevels(t *testing.T) {
	e, o := roughEnv(t, rough+levelled)
	for range 600 {
		step(t, e)
	}
	for _, move := range []string{"up", "down", "stays", "drawn"} {
		if o.moves[move] == 0 {
			t.Errorf("moves %v, want some %s", o.moves, move)
		}
	}
}

// Without a curriculum each episode draws its patch.
func TestPatchesAreDrawn(t *testing.T) {
	e, _ := roughEnv(t, rough)
	seen := map[[2]float64]bool{}
	n := len(e.Sim().Spec().InfoNames)
	for range 500 {
		step(t, e)
		for w := range e.Sim().Worlds() {
			seen[[2]float64(e.Sim().Infos()[w*n+n-2:])] = true
		}
	}
	if len(seen) != 12 {
		t.Errorf("episodes on %d patches, want all 12", len(seen))
	}
}

// Heights are those above the ground, and an episode begins above the ground of its patch.
func TestHeightsAboveTheGround(t *testing.T) {
	e, o := roughEnv(t, rough)
	s := e.Sim().Spec()
	n, size := len(s.InfoNames), s.ObservationSize
	apart := 0.0
	for range 100 {
		step(t, e)
		for w := range e.Sim().Worlds() {
			if e.Sim().Truncations()[w] || e.Sim().Terminations()[w] {
				p := stateOf(t, e, w, "qpos") // of the episode that begins
				info := e.Sim().Infos()[w*n:]
				middle := [2]float64{(info[n-2] - 1.5) * 6, (info[n-1] - 1) * 8}
				if math.Abs(p[0]-middle[0]) > 0.5 || math.Abs(p[1]-middle[1]) > 0.5 {
					t.Fatalf("world %d starts at %v on patch %v, want the middle, %v", w, p[:3], info[n-2:n], middle)
				}
				high := o.ground.Highest(p[0], p[1], 0.4)
				if z := p[2] - high; z < 0.301+0.02-1e-9 || z > 0.301+0.1+1e-9 {
					t.Fatalf("world %d starts %v above the ground, want 0.321 to 0.401", w, z)
				}
				continue
			}
			p := stateOf(t, e, w, "qpos")
			ground := o.ground.Height(p[0], p[1])
			info := e.Sim().Infos()[w*n:]
			if want := (p[2] - ground - 0.3) * (p[2] - ground - 0.3); math.Abs(info[0]-(p[2]-ground)) > 1e-12 ||
				math.Abs(info[1]-ground) > 1e-12 || math.Abs(info[3]-want) > 1e-9 {
				t.Fatalf("world %d at %v over %v: infos %v, want height %v and reward %v", w, p[:3], ground, info[:4],
					p[2]-ground, want)
			}
			apart = max(apart, math.Abs(ground))
			if z := float64(e.Sim().Observations()[(w+1)*size-1]); math.Abs(z-p[2]) > 1e-6 {
				t.Fatalf("base_pos_z is %v, want %v", z, p[2])
			}
		}
	}
	if apart < 0.1 {
		t.Errorf("the ground was at most %v from 0: nothing was compared", apart)
	}
}

// A grid of rays is a picture, once for each control step that the observation remembers.
func TestScansArePictures(t *testing.T) {
	e, _ := roughEnv(t, rough, `sensors=[{name: below, runner: Robot, scan: {frame: body/trunk, size: [0.4, 0.2]}},
		{name: round, runner: Robot, scan: {frame: body/trunk, pattern: ring, rings: [{radius: 1, num_samples: 4}]}},
		{name: ahead, runner: Robot, history: 2, scan: {frame: body/trunk, pattern: pinhole, width: 4, height: 3}}]`,
		`observations={policy: [{term: base_pos_z}, {term: sensor, channel: below, history: 2},
		{term: sensor, name: round, channel: round}], critic: [{term: sensor, channel: ahead, scale: 0.5}]}`)
	// First value, height, width and channels, name, and kind, channels, factor, scale, far end and floats of the layers.
	const want = "[{1 3 5 1 below [{distance 1 1 0 0 false}]} {16 3 5 1 below [{distance 1 1 0 0 false}]} " +
		"{35 3 4 1 critic/ahead [{distance 1 2 0 0 false}]} {47 3 4 1 critic/ahead [{distance 1 2 0 0 false}]}]"
	if s := e.Sim().Spec(); fmt.Sprint(s.Pictures) != want || s.ObservationSize != 59 {
		t.Errorf("pictures %v in %d values, want %v in 59", s.Pictures, s.ObservationSize, want)
	}
}

func TestOutOfBounds(t *testing.T) {
	e, _ := roughEnv(t, rough, "episode=20s")
	ended := 0
	for range 300 {
		before := make([][]float64, e.Sim().Worlds())
		for w := range before {
			before[w] = stateOf(t, e, w, "qpos")
		}
		step(t, e)
		for w := range e.Sim().Worlds() {
			if e.Sim().Truncations()[w] {
				ended++
				x, y := math.Abs(before[w][0]), math.Abs(before[w][1])
				if x < 12+3-1-1 && y < 12+3-1-1 {
					t.Fatalf("world %d ended near %v", w, before[w][:3])
				}
			} else if p := stateOf(t, e, w, "qpos"); math.Abs(p[0]) > 14 || math.Abs(p[1]) > 14 {
				t.Fatalf("world %d goes on at %v", w, p[:3])
			}
		}
	}
	if ended == 0 {
		t.Error("no world came near the edge")
	}
}

// A robot on a slope is upright as far as it stands at right angles to the slope, and its episode ends where its patch
// does.
func TestSlopesAndEdges(t *testing.T) {
	e, o := roughEnv(t, strings.NewReplacer("terrain_out_of_bounds, distance_buffer: 1",
		"terrain_edge_reached, threshold_fraction: 0.9", "base_height_l2, target_height: 0.3",
		"upright, std: 0.4, feet: [FL_foot, FR_foot, RL_foot]", "{term: base_pos_z}", "{term: base_pos_z}, "+
			"{name: FL_at, expr: geom.FL_foot.position}, {name: FR_at, expr: geom.FR_foot.position}, "+
			"{name: RL_at, expr: geom.RL_foot.position}").Replace(rough), "episode=20s",
		"scene.terrain.sub_terrains=[{kind: pyramid_slope, slope_range: [0.1, 0.7], platform_width: 1}]")
	e.SampleActions()
	n := len(e.Sim().Spec().InfoNames)
	ended, sloping := 0, 0
	for range 300 {
		starts := make([][2]float64, e.Sim().Worlds())
		for w := range starts {
			info := e.Sim().Infos()[w*n+n-2:]
			starts[w] = [2]float64(o.ground.Patch(int(info[0]), int(info[1])).Origin[:2])
		}
		seen := map[int][]float64{}
		step(t, e)
		for w := range e.Sim().Worlds() {
			if e.Sim().Truncations()[w] {
				ended++
				continue
			}
			p := stateOf(t, e, w, "qpos")
			if math.Abs(p[0]-starts[w][0]) > 0.9*3 || math.Abs(p[1]-starts[w][1]) > 0.9*4 {
				t.Fatalf("world %d goes on at %v, its patch is about %v", w, p[:3], starts[w])
			}
			seen[w] = p
		}
		for w, p := range seen {
			// three points fit a plane: its normal is their cross product
			var at [3][]float64
			for i, leg := range []string{"FL", "FR", "RL"} {
				at[i] = observed(e, w, leg+"_at[")
				at[i][2] = o.ground.Height(at[i][0], at[i][1])
			}
			a, b := make([]float64, 3), make([]float64, 3)
			for k := range 3 {
				a[k], b[k] = at[0][k]-at[2][k], at[1][k]-at[2][k]
			}
			normal := []float64{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
			if math.Abs(normal[2]) < 1e-3 {
				continue // nearly on a line
			}
			body := (&outcome{q: p}).inBase(normal)
			want := math.Exp(-(square(body[0]) + square(body[1])) / square(length(normal)) / 0.16)
			if got := e.Sim().Rewards()[w]; math.Abs(got-want) > 1e-6 {
				t.Fatalf("world %d: the reward on the normal %v is %v, want %v", w, normal, got, want)
			}
			sloping += int(one(math.Abs(normal[2]) < 0.99*length(normal)))
		}
	}
	if ended == 0 || sloping == 0 {
		t.Errorf("%d episodes ended at edges, %d times on a slope: the rollout tests nothing", ended, sloping)
	}
}

func TestStartsOnFlatPatches(t *testing.T) {
	flat := "events: [{term: reset_root_state_from_flat_patches, pose_range: {yaw: [-3, 3]}}]\n"
	task := "episode: 40ms\nactions: [{term: joint_position}]\nobservations: {policy: [{term: joint_pos_rel}]}\n" +
		"rewards: [{term: is_alive, weight: 1}]\nterminations: [{term: time_out}]\n"
	e, o := roughEnv(t, task+flat)
	places := map[[2]float64]bool{}
	n := len(e.Sim().Spec().InfoNames)
	for range 100 {
		step(t, e)
		for w := range e.Sim().Worlds() {
			if !e.Sim().Truncations()[w] {
				continue
			}
			p, info := stateOf(t, e, w, "qpos"), e.Sim().Infos()[w*n:]
			found := false
			for _, f := range o.ground.Patch(int(info[n-2]), int(info[n-1])).Flat {
				found = found || math.Hypot(p[0]-f[0], p[1]-f[1]) < 1e-9
			}
			if z := p[2] - o.ground.Highest(p[0], p[1], 0.4); !found || math.Abs(z-0.301) > 1e-9 {
				t.Fatalf("world %d starts at %v, %v above the ground, want a flat place of patch %v", w, p[:3], z, info[n-2:n])
			}
			places[[2]float64(p[:2])] = true
		}
	}
	if len(places) < 15 {
		t.Errorf("starts at %d places, want most of 36", len(places))
	}
}

func TestTerrainTermsAreRefused(t *testing.T) {
	for want, change := range map[string]string{
		"curriculum[0]: needs scene.terrain":   levelled,
		"terminations[0]: needs scene.terrain": "terminations: [{term: terrain_out_of_bounds}]\n",
		"events[0]: needs scene.terrain":       "events: [{term: reset_root_state_from_flat_patches}]\n",
		"curriculum[0].max_init_terrain_level is -1, want 0": "curriculum: [{term: terrain_levels, " +
			"max_init_terrain_level: -1}]\n",
		"curriculum[0].command: no command \"speed\"": "curriculum: [{term: terrain_levels, command: speed}]\n",
		"terminations[0].distance_buffer is -1, want 0 to 1e+09": "terminations: [{term: terrain_out_of_bounds, " +
			"distance_buffer: -1}]\n",
	} {
		task := "actions: [{term: joint_position}]\nobservations: {policy: [{term: joint_pos_rel}]}\n" +
			"rewards: [{term: is_alive, weight: 1}]\ncommands: [{name: velocity, term: uniform_velocity}]\n"
		polytest.ErrorContains(t, refusal(t, "", task+change), want)
	}
}
