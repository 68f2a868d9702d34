package terms_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// parse returns a task with the given sections for two robots of a model in MJCF; for the
// quadruped in its home pose if the model is "".
func parse(t testing.TB, model, sections string, overrides ...string) (*configs.Config, error) {
	t.Helper()
	file, err := filepath.Abs("../../configs/quadruped.xml")
	scene := "}]}\nstart: {keyframe: home}\n"
	if model != "" {
		file, scene = filepath.Join(t.TempDir(), "model.xml"), "}], floor: false}\n"
		err = os.WriteFile(file, []byte(model), 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	text := "task: {name: walk}\nworlds: 2\nseed: 3\nrunners: [{name: Robot, rate: 50}]\nrecording: {enabled: false}\n" +
		"scene: {models: [{file: " + file + scene + sections
	return configs.Parse("walk.yaml", []byte(text), overrides, nil)
}

// open opens a task, which the end of the test closes.
func open(t testing.TB, opt env.OpenOptions, model, sections string, overrides ...string) *env.Env {
	t.Helper()
	c := polytest.Must(parse(t, model, sections, overrides...))(t)
	e := polytest.Must(env.Open(c, opt))(t)
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// termsEnv opens a task of the quadruped.
func termsEnv(t *testing.T, sections string, overrides ...string) *env.Env {
	t.Helper()
	return open(t, env.OpenOptions{Workers: 1}, "", sections, overrides...)
}

// refusal is the error of a task that cannot be opened, nil if it can.
func refusal(t *testing.T, model, sections string, overrides ...string) error {
	t.Helper()
	c, err := parse(t, model, sections, overrides...)
	if err != nil {
		return err
	}
	e, err := env.Open(c, env.OpenOptions{Workers: 1})
	if err == nil {
		e.Close()
	}
	return err
}

// step takes a control step.
func step(t *testing.T, e *env.Env) {
	t.Helper()
	polytest.NoError(t, e.Step())
}

// swing takes a control step under actions that depend on the step.
func swing(t *testing.T, e *env.Env, n int) {
	t.Helper()
	for i := range e.Sim().Actions() {
		e.Sim().Actions()[i] = float32((n*7+i*3)%13)/5 - 1.2 // beyond the bounds too
	}
	step(t, e)
}

// watch calls a function for each world in each control step.
func watch(phase runners.Phase, priority int, call func(w *sim.World)) sim.Binding {
	names := map[int]string{-1000: "before", 1000: "after"}
	return sim.Binding{
		Binding: runners.Binding{Name: names[priority], Runner: "Robot", Phase: phase, Priority: priority},
		Call:    func(_ *runners.StepContext, w *sim.World) { call(w) },
	}
}

// part is where a field of the state row stands.
func part(t *testing.T, e *env.Env, field string) (in func(state []float64) []float64) {
	t.Helper()
	span := polytest.Must(e.Model().Field(field))(t)
	return span.In
}

// stateOf returns a part of a world's state row.
func stateOf(t *testing.T, e *env.Env, world int, field string) []float64 {
	t.Helper()
	for _, b := range e.Sim().Blocks() {
		if world >= b.First() && world < b.First()+b.Len() {
			return slices.Clone(part(t, e, field)(b.State(world - b.First())))
		}
	}
	t.Fatalf("no world %d", world)
	return nil
}
