package robot_test

import (
	"math"
	"slices"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

func load(t *testing.T, file string, overrides ...string) *configs.Config {
	t.Helper()
	overrides = append([]string{"worlds=6", "recording.enabled=false"}, overrides...)
	cfg := polytest.Must(configs.Load("../../configs/"+file, overrides, nil))(t)
	return cfg
}

// open opens worlds with a call at the start of each control step.
func open(t *testing.T, cfg *configs.Config, before func(w *sim.World)) *env.Env {
	t.Helper()
	e, err := env.Open(cfg, env.OpenOptions{Workers: 1, Bindings: []sim.Binding{{
		Binding: runners.Binding{Name: "before", Runner: "Robot", Phase: runners.Control, Priority: -1000, Writes: true},
		Call:    func(_ *runners.StepContext, w *sim.World) { before(w) },
	}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// TestHalfCheetahAsDescribed compares Gymnasium's HalfCheetah-v5 with its description under
// the same actions. Each episode of the description begins in the state of the built-in task;
// its first reward is left out, since it may depend on the state before that.
func TestHalfCheetahAsDescribed(t *testing.T) {
	states, first := make([][]float64, 6), make([]bool, 6)
	a := open(t, load(t, "halfcheetah.yaml", "max_steps=60"), func(w *sim.World) {
		states[w.Index()], first[w.Index()] = slices.Clone(w.State()), w.NS() == 0
	})
	b := open(t, load(t, "described/halfcheetah.yaml", "max_steps=60"), func(w *sim.World) {
		if w.NS() == 0 {
			copy(w.State(), states[w.Index()])
		}
	})
	built, described := a.Sim(), b.Sim()
	n := built.Spec().ObservationSize
	if described.Spec().ObservationSize != n || described.Spec().ActionSize != built.Spec().ActionSize {
		t.Fatalf("%d and %d observed values, %d and %d of an action, want the same", n,
			described.Spec().ObservationSize, built.Spec().ActionSize, described.Spec().ActionSize)
	}
	ended := 0
	for i := range 150 {
		a.SampleActions()
		copy(described.Actions(), built.Actions())
		for _, e := range []*env.Env{a, b} {
			polytest.NoError(t, e.Step())
		}
		if !slices.Equal(built.Terminations(), described.Terminations()) ||
			!slices.Equal(built.Truncations(), described.Truncations()) {
			t.Fatalf("step %d: terminated %v and %v, truncated %v and %v, want the same", i,
				built.Terminations(), described.Terminations(), built.Truncations(), described.Truncations())
		}
		for w := range built.Worlds() {
			if built.Truncations()[w] {
				ended++
				continue
			}
			if x, y := built.Observations()[w*n:][:n], described.Observations()[w*n:][:n]; !slices.Equal(x, y) {
				t.Fatalf("step %d: observations are %v and %v, want the same", i, x, y)
			}
			if x, y := built.Rewards()[w], described.Rewards()[w]; !first[w] && math.Abs(x-y) > 1e-6 {
				t.Fatalf("step %d: rewards are %v and %v, want the same within 1e-6", i, x, y)
			}
		}
	}
	if ended == 0 {
		t.Error("no episode ended: the ends were not compared")
	}
}
