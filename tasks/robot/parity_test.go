package robot_test

import (
	"math"
	"slices"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// lockstep steps two envs of the same scene under the same actions: a built-in task and
// its description. Each episode of the second begins in the state of the first.
type lockstep struct {
	builtIn, described *env.Env
	states             [][]float64 // of the first, by world, as a control step begins
	first              []bool      // the control step is the first of its episode
}

func newLockstep(t *testing.T, builtIn, described *configs.Config) *lockstep {
	t.Helper()
	l := &lockstep{states: make([][]float64, builtIn.Worlds), first: make([]bool, builtIn.Worlds)}
	before := func(name string, call func(w *sim.World)) env.OpenOptions {
		return env.OpenOptions{Workers: 1, Bindings: []sim.Binding{{
			Binding: runners.Binding{Name: name, Runner: "Robot", Phase: runners.Control, Priority: -1000, Writes: true},
			Call:    func(_ *runners.StepContext, w *sim.World) { call(w) },
		}}}
	}
	for _, side := range []struct {
		cfg  *configs.Config
		call func(w *sim.World)
		env  **env.Env
	}{
		{builtIn, func(w *sim.World) {
			l.states[w.Index()], l.first[w.Index()] = slices.Clone(w.State()), w.NS() == 0
		}, &l.builtIn},
		{described, func(w *sim.World) {
			if w.NS() == 0 {
				copy(w.State(), l.states[w.Index()])
			}
		}, &l.described},
	} {
		e, err := env.Open(side.cfg, before("before", side.call))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := e.Close(); err != nil {
				t.Error(err)
			}
		})
		*side.env = e
	}
	return l
}

// step takes one control step of each, and reports the largest differences of the
// observations and of the rewards. Episodes must end together. The first reward of an
// episode is left out, since it may depend on the state before the test changed it, and so
// is the first observation.
func (l *lockstep) step(t *testing.T) (observation, reward float64) {
	t.Helper()
	l.builtIn.SampleActions()
	copy(l.described.Actions(), l.builtIn.Actions())
	for _, e := range []*env.Env{l.builtIn, l.described} {
		if err := e.Step(); err != nil {
			t.Fatal(err)
		}
	}
	a, b := l.builtIn, l.described
	if !slices.Equal(a.Terminations(), b.Terminations()) || !slices.Equal(a.Truncations(), b.Truncations()) {
		t.Fatalf("terminated %v and %v, truncated %v and %v, want the same", a.Terminations(), b.Terminations(), a.Truncations(), b.Truncations())
	}
	n := a.Spec().ObservationSize
	for w := range a.Worlds() {
		if a.Terminations()[w] || a.Truncations()[w] {
			continue
		}
		for i := w * n; i < (w+1)*n; i++ {
			observation = math.Max(observation, math.Abs(a.Observations()[i]-b.Observations()[i]))
		}
		if !l.first[w] {
			reward = math.Max(reward, math.Abs(a.Rewards()[w]-b.Rewards()[w]))
		}
	}
	return observation, reward
}

func load(t *testing.T, file string, overrides ...string) *configs.Config {
	t.Helper()
	cfg, err := configs.Load("../../configs/"+file, append([]string{"worlds=6", "recording.enabled=false"}, overrides...), nil)
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// parity runs both for some steps and checks that the differences are at most those given.
func parity(t *testing.T, l *lockstep, steps int, observations, rewards float64) {
	t.Helper()
	if a, b := l.builtIn.Spec(), l.described.Spec(); a.ObservationSize != b.ObservationSize || a.ActionSize != b.ActionSize || a.MaxSteps != b.MaxSteps {
		t.Fatalf("%d and %d observed values, %d and %d of an action, %d and %d steps, want the same",
			a.ObservationSize, b.ObservationSize, a.ActionSize, b.ActionSize, a.MaxSteps, b.MaxSteps)
	}
	ended := 0
	for i := range steps {
		observation, reward := l.step(t)
		if observation > observations || reward > rewards {
			t.Fatalf("step %d: observations differ by %v and rewards by %v, want at most %v and %v", i, observation, reward, observations, rewards)
		}
		for w := range l.builtIn.Worlds() {
			if l.builtIn.Terminations()[w] || l.builtIn.Truncations()[w] {
				ended++
			}
		}
	}
	if ended == 0 {
		t.Error("no episode ended: the ends were not compared")
	}
}

// TestQuadrupedAsDescribed compares the built-in quadruped with its description: the
// observations have the same bits, noise of the sensors included, the rewards those of
// all terms but one, in which a quaternion is made a unit one.
func TestQuadrupedAsDescribed(t *testing.T) {
	parity(t, newLockstep(t, load(t, "quadruped.yaml"), load(t, "described/quadruped.yaml")), 400, 0, 1e-13)
	const without = "rewards.flat_orientation_l2.weight=0"
	parity(t, newLockstep(t, load(t, "quadruped.yaml", "task.options.reward.tilt=0"), load(t, "described/quadruped.yaml", without)), 200, 0, 0)
}

// TestHalfCheetahAsDescribed compares Gymnasium's HalfCheetah-v5 with its description.
func TestHalfCheetahAsDescribed(t *testing.T) {
	parity(t, newLockstep(t, load(t, "halfcheetah.yaml", "max_steps=60"), load(t, "described/halfcheetah.yaml", "max_steps=60")), 150, 0, 1e-6)
}
