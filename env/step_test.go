package env

import (
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/fstest"
	"unsafe"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

func mustMake(t testing.TB, task string, opt Options) *Env {
	t.Helper()
	return closing(t, polytest.Must(Make(task, opt))(t))
}

// walk takes steps control steps under drawn actions.
func walk(t testing.TB, e *Env, steps int) {
	t.Helper()
	for range steps {
		e.SampleActions()
		polytest.NoError(t, e.Step())
	}
}

// What worlds do under drawn actions follows from the seed, for any number of workers,
// and the arrays stay where they are.
func TestMakeIsDeterministic(t *testing.T) {
	for _, task := range []string{"HalfCheetah-v5", "LunarLander-v3", "quadruped"} {
		one := mustMake(t, task, Options{Worlds: 33, Seed: 7, Workers: 1, MaxSteps: 20})
		many := mustMake(t, task, Options{Worlds: 33, Seed: 7, Workers: 4, MaxSteps: 20})
		other := mustMake(t, task, Options{Worlds: 33, Seed: 8, MaxSteps: 20})
		shown := unsafe.SliceData(one.Sim().Observations())
		for _, e := range []*Env{one, many, other} {
			walk(t, e, 30)
		}
		if unsafe.SliceData(one.Sim().Observations()) != shown {
			t.Errorf("%s: the observations were moved", task)
		}
		if n, want := len(one.Sim().Observations()), 33*one.Sim().Spec().ObservationSize; n != want {
			t.Errorf("%s: %d observed values, want %d", task, n, want)
		}
		a, b, c := one.Sim(), many.Sim(), other.Sim()
		if !slices.Equal(a.Observations(), b.Observations()) || !slices.Equal(a.Rewards(), b.Rewards()) ||
			!slices.Equal(a.Actions(), b.Actions()) || !slices.Equal(a.EpisodeReturns(), b.EpisodeReturns()) {
			t.Errorf("%s: the number of workers decides what worlds do", task)
		}
		if slices.Equal(a.Actions(), c.Actions()) || slices.Equal(a.Observations(), c.Observations()) {
			t.Errorf("%s: seeds 7 and 8 give the same", task)
		}
	}
}

// Sampled actions lie between their bounds, or are choices, and reach all of them.
func TestSampleActions(t *testing.T) {
	bounded := mustMake(t, "HalfCheetah-v5", Options{Worlds: 50})
	low, high := math.Inf(1), math.Inf(-1)
	for range 20 {
		bounded.SampleActions()
		for _, a := range bounded.Sim().Actions() {
			low, high = min(low, float64(a)), max(high, float64(a))
		}
	}
	if low < -1 || low > -0.99 || high > 1 || high < 0.99 {
		t.Errorf("actions from %v to %v, want nearly -1 to 1", low, high)
	}
	choices := mustMake(t, "LunarLander-v3", Options{Worlds: 50})
	drawn := map[float32]int{}
	for range 20 {
		choices.SampleActions()
		for _, a := range choices.Sim().Actions() {
			drawn[a]++
		}
	}
	if len(drawn) != 4 || drawn[0] < 200 || drawn[3] < 200 {
		t.Errorf("drew %v, want the choices 0 to 3 about equally", drawn)
	}
}

// An action that cannot be taken is refused before any world moves, and the worlds go on.
func TestStepRefusesActions(t *testing.T) {
	e := mustMake(t, "Hopper-v5", Options{Worlds: 64})
	walk(t, e, 3)
	before := slices.Clone(e.Sim().Observations())
	e.Sim().Actions()[len(e.Sim().Actions())-1] = float32(math.NaN())
	polytest.ErrorContains(t, e.Step(), "value 2 of the action of world 63 is NaN")
	polytest.EqualSlices(t, before, e.Sim().Observations(), "worlds moved under actions that were refused")
	walk(t, e, 1)
	if slices.Equal(before, e.Sim().Observations()) {
		t.Error("the worlds stand still after actions that were refused")
	}
}

// Reset begins new episodes; a world that is given a seed does what the one world of an env with that seed does.
func TestResetWorlds(t *testing.T) {
	e := mustMake(t, "Hopper-v5", Options{Worlds: 3, Seed: 1})
	first := slices.Clone(e.Sim().Observations())
	walk(t, e, 5)
	polytest.NoError(t, e.Reset())
	if slices.Equal(first, e.Sim().Observations()) {
		t.Error("the second episodes begin as the first ones")
	}
	if slices.ContainsFunc(e.Sim().Rewards(), func(r float64) bool { return r != 0 }) {
		t.Errorf("rewards %v after a reset, want none", e.Sim().Rewards())
	}
	alone := mustMake(t, "Hopper-v5", Options{Seed: 99})
	polytest.NoError(t, e.ResetWorlds([]bool{false, true, false}, nil, []uint64{0, 99, 0}))
	n := e.Sim().Spec().ObservationSize
	polytest.EqualSlices(t, e.Sim().Observations()[n:2*n], alone.Sim().Observations(),
		"a world that was given seed 99 begins with")
	before := slices.Clone(e.Sim().Observations())
	other := mustMake(t, "Hopper-v5", Options{Seed: 7})
	polytest.NoError(t, e.ResetWorlds([]bool{true, true, false}, []bool{false, true, true}, []uint64{5, 7, 8}))
	now := e.Sim().Observations()
	polytest.EqualSlices(t, now[n:2*n], other.Sim().Observations(), "a world with seed 7 among others begins with")
	polytest.EqualSlices(t, now[2*n:], before[2*n:], "a world with a seed that is not reset stands at")
	if five := mustMake(t, "Hopper-v5", Options{Seed: 5}); slices.Equal(now[:n], before[:n]) ||
		slices.Equal(now[:n], five.Sim().Observations()) {
		t.Error("a world whose seed is not to count begins no new episode, or one of that seed")
	}
	polytest.ErrorContains(t, e.ResetWorlds([]bool{true}, nil, nil), "the length of mask is 1, that of seeded 0 and ")
}

func TestClosedEnv(t *testing.T) {
	e := polytest.Must(Make("Hopper-v5", Options{}))(t)
	for range 2 {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
	polytest.ErrorContains(t, e.Step(), "closed")
	polytest.ErrorContains(t, e.Reset(), "closed")
	nothing := func(*sim.Worker, *sim.Block) error { return nil }
	polytest.ErrorContains(t, e.Each(nothing), "closed")
}

// A dataset is written to a new or an empty folder, and leaves nothing behind where the worlds cannot be opened.
func TestFolderOfADataset(t *testing.T) {
	folder := t.TempDir()
	mine := filepath.Join(folder, "mine")
	polytest.NoError(t, os.WriteFile(mine, nil, 0o666))
	_, err := Make("Hopper-v5", Options{Dataset: folder})
	polytest.ErrorContains(t, err, "is not empty, want a new or an empty folder")
	polytest.NoError(t, os.Remove(mine))
	begun := func() {}
	register(t, Task{
		Name: "Underivable-v0", Model: "spinner.xml", Files: fstest.MapFS{"spinner.xml": {Data: []byte(spinnerXML)}},
		Control: "40", Substeps: 4, New: func(s Setup) (sim.Task, error) {
			begun()
			task, err := newSpinner(s)
			return underivable{task}, err
		},
	})
	for _, path := range []string{folder, filepath.Join(folder, "new")} {
		_, err := Make("Underivable-v0", Options{Dataset: path})
		polytest.ErrorContains(t, err, "no such value")
		if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
			t.Errorf("%s: %v were left (%v)", path, left, err)
		}
	}
	for _, path := range []string{folder, filepath.Join(folder, "new")} { // what somebody else puts there stays
		thesis := filepath.Join(path, "thesis.tex")
		begun = func() {
			polytest.NoError(t, os.MkdirAll(path, 0o777))
			polytest.NoError(t, os.WriteFile(thesis, []byte("x"), 0o666))
		}
		polytest.ErrorContains(t, polytest.Err(Make("Underivable-v0", Options{Dataset: path})), "no such value")
		polytest.NoError(t, os.Remove(thesis))
	}
}

// underivable is a task that wants what the engine does not have.
type underivable struct{ sim.Task }

func (u underivable) Spec() sim.Spec {
	spec := u.Task.Spec()
	spec.Derived = []string{"no such value"}
	return spec
}

// What a program hands over as options may be of any of Go's basic types; what can be no
// option is refused before anything is written.
func TestOptionsOfGoTypes(t *testing.T) {
	type weight float32
	opt := Options{Task: map[string]any{"healthy_z_range": [2]float64{0.5, math.Inf(1)},
		"healthy_angle_range": []float32{-1, 1}, "healthy_reward": weight(2)}}
	opt.Log = filepath.Join(t.TempDir(), "run.log")
	e := mustMake(t, "Hopper-v5", opt)
	walk(t, e, 1)
	for _, value := range []any{make(chan int), math.NaN(), func() {}, map[int]int{}} {
		opt := Options{Task: map[string]any{"healthy_reward": value}, Log: filepath.Join(t.TempDir(), "run.log")}
		_, err := Make("Hopper-v5", opt)
		polytest.ErrorContains(t, err, "task.options.healthy_reward")
		if _, err := os.Stat(opt.Log); err == nil {
			t.Errorf("%v: a log was left", value)
		}
	}
}

func TestMakeErrors(t *testing.T) {
	for want, c := range map[string]struct {
		task string
		opt  Options
	}{
		`the nearest known one is "Hopper-v5"`: {"Hoper-v5", Options{}},
		"worlds is -1, want":                   {"Hopper-v5", Options{Worlds: -1}},
		"task.options.reset_noise":             {"Hopper-v5", Options{Task: map[string]any{"reset_noise": 1}}},
		"autoreset is \"never\", want":         {"Hopper-v5", Options{Autoreset: "never"}},
		"workers is -1, want":                  {"Hopper-v5", Options{Workers: -1}},
		"max_steps is -1, want":                {"Hopper-v5", Options{MaxSteps: -1}},
	} {
		_, err := Make(c.task, c.opt)
		polytest.ErrorContains(t, err, want)
	}
}

// A file's own choices hold where the options say nothing.
func TestMakeFile(t *testing.T) {
	t.Setenv("POLYRHYTHM_WORLDS", "5")
	e := polytest.Must(MakeFile("../configs/quadruped.yaml", Options{MaxSteps: 4}))(t)
	walk(t, e, 4)
	if s := e.Sim(); s.Worlds() != 5 || s.Spec().MaxSteps != 4 || slices.Contains(s.Truncations(), false) {
		t.Errorf("%d worlds of at most %d steps, truncated %v", s.Worlds(), s.Spec().MaxSteps, s.Truncations())
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	polytest.ErrorContains(t, polytest.Err(MakeFile("no.yaml", Options{})), "no.yaml")
}

// A run that was stepped by Go code is executed again from its log, on any number of
// workers, resets and seeds included; a log is never written over.
func TestLogOfSteps(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.log")
	opt := Options{Worlds: 5, Seed: 3, MaxSteps: 8, Log: path}
	e := polytest.Must(Make("Hopper-v5", opt))(t)
	walk(t, e, 10)
	polytest.NoError(t, e.ResetWorlds([]bool{true, false, true, false, false}, nil, []uint64{4, 0, 5, 0, 0}))
	walk(t, e, 5)
	polytest.NoError(t, e.Close())
	for _, workers := range []int{1, 3} {
		if steps, err := Replay(path, workers); steps != 15 || err != nil {
			t.Errorf("%d workers: %d steps the same, %v; want 15", workers, steps, err)
		}
	}
	polytest.ErrorIs(t, polytest.Err(Make("Hopper-v5", opt)), fs.ErrExist)
	opt.Log, opt.Task = path+"2", map[string]any{"hop": 1}
	if _, err := Make("Hopper-v5", opt); err == nil {
		t.Error("an unknown option was taken")
	}
	polytest.ErrorIs(t, polytest.Err(os.Stat(opt.Log)), fs.ErrNotExist)
}
