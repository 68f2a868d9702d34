//go:build !asan

// The address sanitizer allocates on its own.

package rl

import (
	"context"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

func TestSeeingAllocatesNothing(t *testing.T) {
	s := cartSettings()
	s.Convolutions, s.RolloutSteps, s.Minibatch = seenConvolutions, 8, 128
	env := newSeenCart(16, 16, 1)
	p := polytest.Must(New(env, s, 1))(t)
	iterate(t, p, 1)
	policy, b := p.Policy(), env.blocks[0]
	scratch, dst := policy.NewScratch(), make([]float32, 16)
	for name, f := range map[string]func(){
		"Act":        func() { polytest.NoError(t, policy.Act(dst, b.observation, nil, 0, scratch)) },
		"observe":    func() { polytest.NoError(t, p.collector().observe(&p.collector().actors[0], b, 0)) },
		"a gradient": func() { p.gradient(t.Context(), p.order) },
	} {
		few := map[string]float64{"a gradient": 3}[name] // closures of the team, not by sample
		if n := polytest.Allocations(20, f); n > few {
			t.Errorf("%s allocates %g times, want %g", name, n, few)
		}
	}
}

func TestActAllocatesNothing(t *testing.T) {
	for _, recurrent := range []int{0, 8} {
		settings := cartSettings()
		settings.Recurrent = recurrent
		p := polytest.Must(New(newCart(16, 16, 1), settings, 1))(t)
		policy := p.Policy()
		s, dst, observation, state := policy.NewScratch(), make([]float32, 16), make([]float64, 48), make([]float32,
			16*recurrent)
		if n := polytest.Allocations(100, func() {
			polytest.NoError(t, policy.Act(dst, observation, state, 0, s))
		}); n != 0 {
			t.Errorf("Act with %d recurrent units allocates %g times, want 0", recurrent, n)
		}
	}
}

// A rollout allocates nothing per step: a rollout ten times as long costs no more allocations.
func TestRolloutAllocatesNothingPerStep(t *testing.T) {
	count := func(steps, recurrent int) float64 {
		s := cartSettings()
		s.RolloutSteps, s.Recurrent = steps, recurrent
		p := polytest.Must(New(newCart(32, 16, 1), s, 1))(t)
		b := p.collector().env.(*cart).blocks[0]
		// The cart's reset allocates a stream; keep it from ending.
		return polytest.Allocations(5, func() {
			for i := range b.worlds {
				b.length[i], b.x[i], b.v[i] = -1000, 0, 0
			}
			polytest.NoError(t, p.collector().collect(context.Background(), 0, b))
		})
	}
	for _, recurrent := range []int{0, 8} {
		if few, many := count(3, recurrent), count(30, recurrent); many != few {
			t.Errorf("%d recurrent units: %g allocations in 3 steps, %g in 30", recurrent, few, many)
		}
	}
}
