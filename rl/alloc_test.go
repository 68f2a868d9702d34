//go:build !asan

// The address sanitizer allocates on its own.

package rl

import (
	"context"
	"testing"
)

func TestActAllocatesNothing(t *testing.T) {
	p, err := New(newCart(16, 16, 1), cartSettings(), 1)
	if err != nil {
		t.Fatal(err)
	}
	policy := p.Policy()
	s, dst, observation := policy.NewScratch(), make([]float32, 16), make([]float64, 48)
	if n := testing.AllocsPerRun(100, func() {
		if err := policy.Act(dst, observation, nil, 0, s); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("Act allocates %g times, want 0", n)
	}
}

// A rollout allocates nothing per step: a rollout ten times as long costs no
// more allocations.
func TestRolloutAllocatesNothingPerStep(t *testing.T) {
	count := func(steps int) float64 {
		s := cartSettings()
		s.RolloutSteps = steps
		p, err := New(newCart(32, 16, 1), s, 1)
		if err != nil {
			t.Fatal(err)
		}
		b := p.env.(*cart).blocks[0]
		// The cart's reset allocates a stream; keep it from ending.
		return testing.AllocsPerRun(5, func() {
			for i := range b.worlds {
				b.length[i], b.x[i], b.v[i] = -1000, 0, 0
			}
			if err := p.collect(context.Background(), 0, b); err != nil {
				t.Fatal(err)
			}
		})
	}
	if few, many := count(3), count(30); many != few {
		t.Errorf("%g allocations in 3 steps, %g in 30", few, many)
	}
}
