package env

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/box2d/scene"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

const spinnerXML = `<mujoco><worldbody><body><joint name="spin"/><geom size="0.1"/></body></worldbody>
	<actuator><motor joint="spin"/></actuator></mujoco>`

// spinner turns a ball. Its observation is the angle and the option start.
type spinner struct {
	options struct {
		Start float64 `yaml:"start"`
	}
	channels int
	spin     physics.Span
	name     string
}

func newSpinner(s Setup) (sim.Task, error) {
	t := &spinner{name: s.Name, channels: s.Sensors.Len()}
	if err := s.Options(&t.options); err != nil {
		return nil, err
	}
	var err error
	t.spin, err = s.Model.Field("joint/spin/position")
	return t, err
}

func (t *spinner) Spec() sim.Spec {
	return sim.Spec{Name: t.name, ObservationSize: 2, ActionSize: 1, ActionLow: []float64{-1}, ActionHigh: []float64{1},
		MaxSteps: 10}
}
func (t *spinner) Reset(w *sim.World)                 { t.spin.In(w.State())[0] = t.options.Start }
func (t *spinner) Act(w *sim.World, action []float32) { w.Control()[0] = float64(action[0]) }
func (t *spinner) Observe(w *sim.World, dst []float64) {
	dst[0], dst[1] = t.spin.In(w.State())[0], float64(t.channels)
}
func (t *spinner) Reward(w *sim.World) (reward float64, over bool) { return 1, false }

// register registers a task until the test ends.
func register(t *testing.T, task Task) {
	t.Helper()
	Register(task)
	t.Cleanup(func() {
		registry.Lock()
		defer registry.Unlock()
		registry.tasks = slices.DeleteFunc(registry.tasks, func(other Task) bool { return other.Name == task.Name })
	})
}

// A registered task opens by its name, with its options and its clock, and by a configuration as any other.
func TestRegister(t *testing.T) {
	register(t, Task{
		Name: "Spinner-v0", Model: "models/spinner.xml",
		Files:   fstest.MapFS{"models/spinner.xml": {Data: []byte(spinnerXML)}},
		Control: "40", Substeps: 4, New: newSpinner,
	})
	if names := TaskNames(); !slices.Contains(names, "Spinner-v0") || names[0] != "quadruped" {
		t.Errorf("tasks %q", names)
	}
	e := mustMake(t, "Spinner-v0", Options{Worlds: 2, Task: map[string]any{"start": 0.5}})
	polytest.EqualSlices(t, e.Sim().Observations(), []float64{0.5, 0, 0.5, 0}, "observed")
	walk(t, e, 10)
	if slices.Contains(e.Sim().Truncations(), false) {
		t.Error("the episodes are not over after 10 steps")
	}
	if n, err := e.Plan().SubstepsPerControl(); n != 4 || err != nil || e.Plan().Schedule().ControlRate().String() != "40" {
		t.Errorf("%d substeps (%v) at %v Hz, want 4 at 40", n, err, e.Plan().Schedule().ControlRate())
	}

	name, data, err := Preset("Spinner-v0")
	polytest.NoError(t, err)
	c, err := configs.Parse(name, data, []string{"worlds=3", "task.options.start=2",
		"sensors=[{name: angle, runner: Robot, sources: [joint/spin/position]}]"}, nil)
	polytest.NoError(t, err)
	of := open(t, c, OpenOptions{})
	if got := of.Sim().Observations(); len(got) != 6 || got[0] != 2 {
		t.Errorf("observed %v, want three worlds at 2", got)
	}
	if err := of.Close(); err != nil {
		t.Error(err)
	}
	for want, options := range map[string]map[string]any{
		"task.options.stat: unknown key; did you mean task.options.start?": {"stat": 1},
		"task.options.start": {"start": "far"},
	} {
		polytest.ErrorContains(t, polytest.Err(Make("Spinner-v0", Options{Task: options})), want)
	}
}

// A preset brings its own clock and sensors; a configuration's own model takes the place of the task's.
func TestRegisterWithPreset(t *testing.T) {
	register(t, Task{
		Name: "Spinner-v1", Model: "no.xml", Substeps: 2, New: newSpinner,
		Preset: "task: {name: Spinner-v1, options: {start: 3}}\nrunners: [{name: Robot, rate: 10}]\n" +
			"sensors: [{name: angle, runner: Robot, sources: [qpos]}]\n",
	})
	polytest.EqualSlices(t, polytest.Must(PresetAlgorithms("Spinner-v1"))(t), []string{"ppo"}, "algorithms")
	name, _, err := AlgorithmPreset("Spinner-v1", "ppo")
	polytest.NoError(t, err)
	polytest.Equal(t, name, "the preset of Spinner-v1", "name of the preset by ppo")
	name, _, err = AlgorithmPreset("HalfCheetah-v5", "")
	polytest.NoError(t, err)
	polytest.Equal(t, name, "halfcheetah.yaml", "name of the preset of no algorithm")
	_, _, err = AlgorithmPreset("Spinner-v1", "sac")
	polytest.ErrorContains(t, err, `no preset of Spinner-v1 for the algorithm "sac", want one of ppo`)

	// The hint leads to a training that can be, and so to none for choices.
	const advice = "training.algorithm=sac, which learns it with the defaults"
	for task, learns := range map[string]bool{"quadruped": true, "LunarLander-v3": false} {
		_, _, err = AlgorithmPreset(task, "sac")
		polytest.ErrorContains(t, err, `no preset of `+task+` for the algorithm "sac"`)
		polytest.Equal(t, strings.Contains(err.Error(), advice), learns, "advice for %s", task)
	}
	polytest.ErrorContains(t, polytest.Err(Make("Spinner-v1", Options{})),
		"no.xml of task Spinner-v1 is in none of the folders")
	path := filepath.Join(t.TempDir(), "spinner.xml")
	polytest.NoError(t, os.WriteFile(path, []byte(spinnerXML), 0o666))
	c := polytest.Must(TaskConfig("Spinner-v1", nil))(t)
	c.Model = path
	e := open(t, &c, OpenOptions{})
	polytest.EqualSlices(t, e.Sim().Observations()[:2], []float64{3, 1}, "observed")
}

// A relative model lies in the working folder, else in the folder of the program.
func TestModelPath(t *testing.T) {
	t.Chdir(t.TempDir())
	task := Task{Name: "Spinner-v0", Model: "spinner.xml"}
	if path, err := task.modelPath(); err == nil {
		t.Errorf("found %s, which is not there", path)
	}
	program := polytest.Must(os.Executable())(t)
	beside := filepath.Join(filepath.Dir(program), "spinner.xml")
	if err := os.WriteFile(beside, nil, 0o666); err != nil {
		t.Skipf("the folder of this program cannot be written: %v", err)
	}
	defer os.Remove(beside)
	if path, err := task.modelPath(); err != nil || path != beside {
		t.Errorf("found %s (%v), want %s", path, err, beside)
	}
	polytest.NoError(t, os.WriteFile("spinner.xml", nil, 0o666))
	if path, err := task.modelPath(); err != nil || path == beside {
		t.Errorf("found %s (%v), want the one in the working folder", path, err)
	}
}

func TestRegisterPanics(t *testing.T) {
	good := Task{Name: "Spinner-v2", Model: "spinner.xml", Control: "40", Substeps: 4, New: newSpinner}
	for want, change := range map[string]func(*Task){
		`task "": want a name of a letter`:                          func(t *Task) { t.Name = "" },
		`task "a b": want a name`:                                   func(t *Task) { t.Name = "a b" },
		`task "../x": want a name`:                                  func(t *Task) { t.Name = "../x" },
		`task "Hopper-v5" is registered already, want another name`: func(t *Task) { t.Name = "Hopper-v5" },
		"want either Model or Scene":                                func(t *Task) { t.Model = "" },
		"want either Model or Scene ": func(t *Task) {
			t.Scene = func(Setup) (*scene.Scene,
				error) {
				return nil, nil
			}
		},
		"New is nil":                     func(t *Task) { t.New = nil },
		"Substeps is 0, want 1 to 65536": func(t *Task) { t.Substeps = 0 },
		"Control: ":                      func(t *Task) { t.Control = "" },
		"Control: rate":                  func(t *Task) { t.Control = "fast" },
		`task.name in the field Preset is "quadruped", want "`: func(t *Task) { t.Preset = "task: {name: quadruped}" },
		"Preset: wrlds: unknown key":                           func(t *Task) { t.Preset = "wrlds: 3" },
	} {
		task := good
		change(&task)
		said := func() (said any) {
			defer func() { said = recover() }()
			register(t, task)
			return nil
		}()
		if text, _ := said.(string); !strings.Contains(text, strings.TrimSpace(want)) ||
			!strings.HasPrefix(text, "env.Register: ") {
			t.Errorf("%+v: panic %v, want %q", task, said, want)
		}
	}
	register(t, good)
	defer func() {
		if text, _ := recover().(string); !strings.Contains(text, "is registered already, want another name") {
			t.Errorf("the same task again: panic %q", text)
		}
	}()
	Register(good)
}
