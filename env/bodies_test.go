package env

import (
	"math"
	"path/filepath"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/sim/runlog"
)

func intervene(t testing.TB, e *Env, i runlog.Intervention) {
	t.Helper()
	polytest.NoError(t, e.Intervene(i))
}

// worldsOf is the preset of a task, or a file with 12 worlds.
func worldsOf(t testing.TB, task string) *configs.Config {
	t.Helper()
	if filepath.Ext(task) == "" {
		return preset(t, task)
	}
	return polytest.Must(configs.Load(task, []string{"worlds=12"}, nil))(t)
}

// A run with pushes and commands is replayed bit by bit, whether poses are read or not.
func TestReplayOfPushesAndCommands(t *testing.T) {
	for _, c := range []struct {
		task, command string
		push          runlog.Push
	}{
		{"quadruped", "velocity", runlog.Push{Body: "trunk", Force: [3]float64{0, 300, 20}, Torque: [3]float64{1, 0, 0},
			Velocity: [3]float64{0.1, 0, 0.5}}},
		{"../configs/described/quadruped_commands.yaml", "velocity",
			runlog.Push{Body: "FL_shank", Force: [3]float64{0, 0, 40}}},
		{"LunarLanderContinuous-v3", "", runlog.Push{Body: "lander", Velocity: [3]float64{1, 0.5, 0}}},
	} {
		t.Run(c.task, func(t *testing.T) {
			cfg := worldsOf(t, c.task)
			path := filepath.Join(t.TempDir(), "run.log")
			e := open(t, cfg, OpenOptions{Poses: true, Log: newLog(t, path, cfg, OpenOptions{}, withActions)})
			free := open(t, cfg, OpenOptions{})
			differ := 0
			for step := range 60 {
				if step%7 == 3 {
					c.push.World = step % 12
					intervene(t, e, runlog.Intervention{Effect: &c.push,
						Intent: &runlog.Intent{Number: int64(step), Client: "a", Kind: "push"}})
				}
				if c.command != "" && step%9 == 4 {
					values := []float64{0.1, 0, 0}
					if step%2 == 0 {
						values = nil
					}
					intervene(t, e, runlog.Intervention{Effect: &runlog.Command{World: step % 12, Name: c.command, Values: values}})
				}
				playSteps(t, e, step, step+1, 1)
				playSteps(t, free, step, step+1, 1)
			}
			for i, v := range e.Sim().Observations() {
				if v != free.Sim().Observations()[i] {
					differ++
				}
			}
			if differ == 0 {
				t.Error("pushes and commands changed no observation")
			}
			polytest.NoError(t, e.Close())
			polytest.NoError(t, free.Close())
			if steps, err := Replay(path, 1); err != nil || steps != 60 {
				t.Errorf("%d steps, %v; want 60 and no difference", steps, err)
			}
		})
	}
}

// A force acts for one control step: m·v = F·dt more than without it. Then the state has none left, bit by bit.
func TestAPushEndsWithItsStep(t *testing.T) {
	cfg := preset(t, "quadruped", "worlds=2")
	e := open(t, cfg, OpenOptions{})
	model := e.Model()
	wrench := polytest.Must(model.Field("xfrc_applied"))(t)
	velocity := polytest.Must(model.Field("joint/root/velocity"))(t)
	b := e.Sim().Blocks()[0]
	masses := polytest.Must(model.Constant("body_mass"))(t)
	mass := 0.0
	for _, m := range masses {
		mass += m
	}
	before := velocity.In(b.State(0))[2]
	intervene(t, e, runlog.Intervention{Effect: &runlog.Push{Body: "trunk", Force: [3]float64{0, 0, 50}}})
	intervene(t, e, runlog.Intervention{Effect: &runlog.Push{Body: "trunk", Force: [3]float64{0, 0, 30 * mass}}})
	polytest.NoError(t, e.Step())
	for i, v := range wrench.In(b.State(0)) {
		if v != 0 {
			t.Errorf("value %d of xfrc_applied is %v after the step, want 0", i, v)
		}
	}
	if rise := velocity.In(b.State(0))[2] - before; rise < 0.2 {
		t.Errorf("the trunk is %v m/s faster upwards after 30 m/s² for 20 ms, want more than 0.2", rise)
	}
}

// A push replaces the one before it with the same ID, and ends it where it has no force: a client
// that stalls and then sends ten at once pushes once. It lasts for its steps, also where another
// process goes on with the worlds in the middle; a reset ends it.
func TestAPushReplacesTheOneWithItsID(t *testing.T) {
	cfg := preset(t, "quadruped", "worlds=2")
	push := func(id string, up float64) *runlog.Push {
		return &runlog.Push{Body: "trunk", Force: [3]float64{0, 0, up}, Steps: 3, ID: id}
	}
	heights := map[string]float64{}
	for name, c := range map[string]struct {
		made  []*runlog.Push
		reset bool
		moves bool // to another env after one step
	}{
		"none":         {},
		"one":          {made: []*runlog.Push{push("a/1", 300)}},
		"ten":          {made: []*runlog.Push{push("a/1", 100), push("a/1", 200), push("a/1", 900), push("a/1", 300)}},
		"ended":        {made: []*runlog.Push{push("a/1", 300), push("a/1", 0)}},
		"reset":        {made: []*runlog.Push{push("a/1", 300)}, reset: true},
		"moved":        {made: []*runlog.Push{push("a/1", 300)}, moves: true},
		"another ID":   {made: []*runlog.Push{push("a/1", 100), push("a/2", 200)}},
		"without IDs":  {made: []*runlog.Push{push("", 100), push("", 200)}},
		"of one steps": {made: []*runlog.Push{{Body: "trunk", Force: [3]float64{0, 0, 300}}}},
	} {
		e := open(t, cfg, OpenOptions{})
		for _, p := range c.made {
			intervene(t, e, runlog.Intervention{Effect: p})
		}
		if c.reset {
			polytest.NoError(t, e.ResetWorlds([]bool{true, false}, nil, []uint64{cfg.Seed, 0}))
		}
		for step := range 5 {
			if step == 1 && c.moves {
				at := polytest.Must(e.State())(t)
				e.Close()
				e = open(t, cfg, OpenOptions{Continue: &at})
			}
			polytest.NoError(t, e.Step())
		}
		height := polytest.Must(e.Model().Field("joint/root/position"))(t)
		heights[name] = height.In(e.Sim().Blocks()[0].State(0))[2]
		e.Close()
	}
	for _, same := range [][]string{{"one", "ten", "moved", "another ID", "without IDs"}, {"none", "ended"}} {
		for _, name := range same {
			if heights[name] != heights[same[0]] {
				t.Errorf("%s: the trunk is at %v m, want %v as with %s", name, heights[name], heights[same[0]], same[0])
			}
		}
	}
	if !(heights["one"] > heights["of one steps"] && heights["of one steps"] > heights["none"]) ||
		heights["reset"] == heights["one"] {
		t.Errorf("the trunk is at %v", heights)
	}
}

// Poses are those of the state at the decision point, also right after a reset and a restored snapshot.
func TestPosesAreThoseOfTheState(t *testing.T) {
	cfg := preset(t, "quadruped", "worlds=3", "max_steps=7")
	e := open(t, cfg, OpenOptions{Poses: true})
	root := polytest.Must(e.Model().Field("joint/root/position"))(t)
	pose := make([]float64, e.PoseSize()*len(e.Bodies()))
	if len(pose) != 7*13 {
		t.Fatalf("poses have %d values, want 7 of 13 bodies", len(pose))
	}
	check := func(step int) {
		for world := range 3 {
			e.Sim().At(world, func(w *sim.World) { e.Pose(w, pose) })
			want := root.In(e.Sim().Blocks()[world].State(0))
			for i, v := range want {
				if math.Abs(v-pose[i]) > 1e-12 {
					t.Fatalf("after step %d: value %d of the trunk's pose is %v, that of the state is %v", step, i, pose[i], v)
				}
			}
		}
	}
	check(0)
	for step := range 20 {
		playSteps(t, e, step, step+1, 1)
		check(step + 1)
	}
	at := e.Sim().Snapshot()
	other := open(t, cfg, OpenOptions{Poses: true})
	defer other.Close()
	polytest.NoError(t, other.Sim().Restore(at))
	polytest.NoError(t, e.Close())
	e = other
	check(20)
}

func TestInterventionsAreChecked(t *testing.T) {
	e := open(t, preset(t, "quadruped"), OpenOptions{})
	nan := math.NaN()
	for _, c := range []struct {
		effect runlog.Effect
		want   string
	}{
		{&runlog.Push{Body: "trunc"}, `push: unknown body "trunc": the nearest known one is "trunk"`},
		{&runlog.Push{Body: "trunk", World: 12}, "push: world is 12, want 0 to 11"},
		{&runlog.Push{Body: "trunk", Force: [3]float64{nan, 0, 0}}, "push: a value is NaN, want finite numbers"},
		{&runlog.Push{Body: e.Bodies()[1], Velocity: [3]float64{1, 0, 0}},
			"want a force: the body is held by joints"},
		{&runlog.Command{Name: "speed"}, `unknown command "speed"`},
		{&runlog.Command{Name: "velocity", World: -1}, "command velocity: world is -1, want 0 to 11"},
		{&runlog.Command{Name: "velocity", Values: []float64{1}},
			"command velocity: 1 values, want 3: [lin_vel_x lin_vel_y ang_vel_z]"},
		{&runlog.Command{Name: "velocity", Values: []float64{0.5, nan, 0}},
			"command velocity: lin_vel_y is NaN, want"},
		{&runlog.Command{Name: "velocity", Values: []float64{9, 0, 0}},
			"command velocity: lin_vel_x is 9, want 0 to 0.8"},
	} {
		for _, err := range []error{e.CheckEffect(c.effect), e.Intervene(runlog.Intervention{Effect: c.effect})} {
			polytest.ErrorContains(t, err, c.want)
		}
	}
}
