package rl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// countdown is a context that is cancelled once it has been looked at a number of times.
type countdown struct {
	context.Context
	left atomic.Int64
}

func (c *countdown) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// Wherever an iteration is interrupted, in its rollouts or its update, it ends there, and
// the learner is as it was before, to the bit.
func TestInterruptedIteration(t *testing.T) {
	for name, c := range map[string]struct{ iterations, recurrent int }{
		"the first": {0, 0}, "a later one": {2, 0}, "a later one of a recurrent policy": {2, 4},
	} {
		t.Run(name, func(t *testing.T) {
			s := cartSettings()
			s.RolloutSteps, s.Epochs, s.Schedule = 16, 3, Adaptive
			s.Recurrent = c.recurrent
			s.TargetKL, s.NormaliseObservations, s.ScaleRewards = 0.02, true, true
			p := polytest.Must(New(newCart(32, 16, 2), s, 1))(t)
			iterate(t, p, c.iterations)
			want, worlds := checkpointBytes(t, p), fmt.Sprint(p.Memory())
			for looks := int64(0); ; looks++ {
				ctx := &countdown{Context: t.Context()}
				ctx.left.Store(looks)
				_, err := p.Iterate(ctx)
				if err == nil {
					if looks < 40 {
						t.Errorf("an iteration looks %d times whether it was cancelled, want more", looks)
					}
					break
				}
				if !errors.Is(err, context.Canceled) {
					t.Fatal(err)
				}
				// each goroutine looks once more and ends
				if more := -ctx.left.Load(); more > 8 {
					t.Fatalf("cancelled at look %d, it looked %d times more", looks, more)
				}
				if !bytes.Equal(checkpointBytes(t, p), want) || fmt.Sprint(p.Memory()) != worlds {
					t.Fatalf("cancelled at look %d: the learner is another one", looks)
				}
			}
			if bytes.Equal(checkpointBytes(t, p), want) {
				t.Error("a whole iteration changed nothing")
			}
		})
	}
}
