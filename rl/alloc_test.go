//go:build !asan

// The address sanitizer allocates on its own.

package rl

import (
	"context"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

func TestActAllocatesNothing(t *testing.T) {
	for _, recurrent := range []int{0, 8} {
		settings := cartSettings()
		settings.Recurrent = recurrent
		p := polytest.Must(New(newCart(16, 16, 1), settings, 1))(t)
		policy := p.Policy()
		s, dst, observation, state := policy.NewScratch(), make([]float32, 16), make([]float64, 48), make([]float32,
			16*recurrent)
		if n := testing.AllocsPerRun(100, func() {
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
		b := p.collector.env.(*cart).blocks[0]
		// The cart's reset allocates a stream; keep it from ending.
		return testing.AllocsPerRun(5, func() {
			for i := range b.worlds {
				b.length[i], b.x[i], b.v[i] = -1000, 0, 0
			}
			polytest.NoError(t, p.collector.collect(context.Background(), 0, b))
		})
	}
	for _, recurrent := range []int{0, 8} {
		if few, many := count(3, recurrent), count(30, recurrent); many != few {
			t.Errorf("%d recurrent units: %g allocations in 3 steps, %g in 30", recurrent, few, many)
		}
	}
}
