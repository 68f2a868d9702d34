package env

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/internal/runlog"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// openLogged opens worlds with a log that has the actions, at path.
func openLogged(t testing.TB, path string, cfg *configs.Config, opt OpenOptions) *Env {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	h := LogHeader(cfg, opt)
	h.Actions = true
	if opt.Log, err = runlog.Create(f, h); err != nil {
		t.Fatal(err)
	}
	return open(t, cfg, opt)
}

func intervene(t testing.TB, e *Env, i Intervention) {
	t.Helper()
	if err := e.Intervene(i); err != nil {
		t.Fatal(err)
	}
}

// worldsOf is the preset of a task, or a file with 12 worlds.
func worldsOf(t testing.TB, task string) *configs.Config {
	t.Helper()
	if filepath.Ext(task) == "" {
		return preset(t, task)
	}
	cfg, err := configs.Load(task, []string{"worlds=12"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// A run with pushes and commands is replayed bit by bit, whether poses are read or not.
func TestReplayOfPushesAndCommands(t *testing.T) {
	for _, c := range []struct {
		task, command string
		push          Push
	}{
		{"quadruped", "velocity", Push{Body: "trunk", Force: [3]float64{0, 300, 20}, Torque: [3]float64{1, 0, 0}, Velocity: [3]float64{0.1, 0, 0.5}}},
		{"../configs/described/quadruped.yaml", "velocity", Push{Body: "FL_shank", Force: [3]float64{0, 0, 40}}},
		{"LunarLanderContinuous-v3", "", Push{Body: "lander", Velocity: [3]float64{1, 0.5, 0}}},
	} {
		t.Run(c.task, func(t *testing.T) {
			cfg := worldsOf(t, c.task)
			path := filepath.Join(t.TempDir(), "run.log")
			e := openLogged(t, path, cfg, OpenOptions{Poses: true})
			free := open(t, cfg, OpenOptions{})
			differ := 0
			for step := range 60 {
				if step%7 == 3 {
					c.push.World = step % 12
					intervene(t, e, Intervention{Push: &c.push, Intent: &Intent{Number: int64(step), Client: "a", Kind: "push"}})
				}
				if c.command != "" && step%9 == 4 {
					values := []float64{0.1, 0, 0}
					if step%2 == 0 {
						values = nil
					}
					intervene(t, e, Intervention{Command: &Command{World: step % 12, Name: c.command, Values: values}})
				}
				playSteps(t, e, step, step+1, 1)
				playSteps(t, free, step, step+1, 1)
			}
			for i, v := range e.Observations() {
				if v != free.Observations()[i] {
					differ++
				}
			}
			if differ == 0 {
				t.Error("pushes and commands changed no observation")
			}
			if err := e.Close(); err != nil {
				t.Fatal(err)
			}
			if err := free.Close(); err != nil {
				t.Fatal(err)
			}
			if steps, err := Replay(path, 1); err != nil || steps != 60 {
				t.Errorf("%d steps, %v; want 60 and no difference", steps, err)
			}
		})
	}
}

// A force acts for one control step: m·v = F·dt more than without it. Then the state has
// none left, bit by bit.
func TestAPushEndsWithItsStep(t *testing.T) {
	cfg := preset(t, "quadruped", "worlds=2")
	e := open(t, cfg, OpenOptions{})
	defer e.Close()
	model := e.Model()
	wrench, err := model.Field("xfrc_applied")
	if err != nil {
		t.Fatal(err)
	}
	velocity, err := model.Field("joint/root/velocity")
	if err != nil {
		t.Fatal(err)
	}
	b := e.Sim().Blocks()[0]
	masses, err := model.Constant("body_mass")
	if err != nil {
		t.Fatal(err)
	}
	mass := 0.0
	for _, m := range masses {
		mass += m
	}
	before := velocity.In(b.State(0))[2]
	intervene(t, e, Intervention{Push: &Push{Body: "trunk", Force: [3]float64{0, 0, 50}}})
	intervene(t, e, Intervention{Push: &Push{Body: "trunk", Force: [3]float64{0, 0, 30 * mass}}})
	if err := e.Step(); err != nil {
		t.Fatal(err)
	}
	for i, v := range wrench.In(b.State(0)) {
		if v != 0 {
			t.Errorf("value %d of xfrc_applied is %v after the step, want 0", i, v)
		}
	}
	if rise := velocity.In(b.State(0))[2] - before; rise < 0.2 {
		t.Errorf("the trunk is %v m/s faster upwards after 30 m/s² for 20 ms, want more than 0.2", rise)
	}
}

// Poses are those of the state at the decision point, also right after a reset and a
// restored snapshot.
func TestPosesAreThoseOfTheState(t *testing.T) {
	cfg := preset(t, "quadruped", "worlds=3", "max_steps=7")
	e := open(t, cfg, OpenOptions{Poses: true})
	defer e.Close()
	root, err := e.Model().Field("joint/root/position")
	if err != nil {
		t.Fatal(err)
	}
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
	if err := other.Sim().Restore(at); err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	e = other
	check(20)
}

func TestInterventionsAreChecked(t *testing.T) {
	e := open(t, preset(t, "quadruped"), OpenOptions{})
	defer e.Close()
	nan := math.NaN()
	for _, c := range []struct {
		i    Intervention
		want string
	}{
		{Intervention{Push: &Push{Body: "trunc"}}, `push: unknown body "trunc": the nearest known one is "trunk"`},
		{Intervention{Push: &Push{Body: "trunk", World: 12}}, "push: world is 12, want 0 to 11"},
		{Intervention{Push: &Push{Body: "trunk", Force: [3]float64{nan, 0, 0}}}, "push: a value is NaN, want finite numbers"},
		{Intervention{Push: &Push{Body: e.Bodies()[1], Velocity: [3]float64{1, 0, 0}}}, "want a force: the body is held by joints"},
		{Intervention{Command: &Command{Name: "speed"}}, `unknown command "speed"`},
		{Intervention{Command: &Command{Name: "velocity", World: -1}}, "command velocity: world is -1, want 0 to 11"},
		{Intervention{Command: &Command{Name: "velocity", Values: []float64{1}}}, "command velocity: 1 values, want 3: [forward left yaw_rate]"},
		{Intervention{Command: &Command{Name: "velocity", Values: []float64{0.5, nan, 0}}}, "command velocity: left is NaN, want"},
		{Intervention{Command: &Command{Name: "velocity", Values: []float64{9, 0, 0}}}, "command velocity: forward is 9, want 0 to 0.8"},
	} {
		for _, err := range []error{e.CheckIntervention(c.i), e.Intervene(c.i)} {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		}
	}
}
