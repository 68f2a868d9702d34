package sim

import (
	"fmt"

	"github.com/polyrhythm-rl/polyrhythm/physics"
)

// Skip jumps every running world over whole control intervals, from the agent
// point it stands at to a later one, for a driver that has fallen behind the wall
// clock. Nothing fires in between; physics is not integrated: its state now
// belongs to the later instant. There the world acquires and observes, but no
// step is judged: steps, rewards and episodes are as if the time had not passed.
// A channel whose samples arrive late begins as after a reset.
//
// It is an error if intervals is below 1 or a clock would end, and then the
// worlds before the one it names have jumped. Not while Each runs.
func (s *Sim) Skip(intervals int64) error {
	if intervals < 1 {
		return fmt.Errorf("skip of %d control intervals, want at least 1", intervals)
	}
	for _, b := range s.blocks {
		for i := range b.worlds {
			if w := &b.worlds[i]; w.state == running {
				if err := w.skip(intervals); err != nil {
					return fmt.Errorf("world %d: %w", w.Index(), err)
				}
			}
		}
	}
	return nil
}

func (w *World) skip(intervals int64) error {
	b := w.block
	w.follow(b.n) // what is due here counts the intervals
	if err := w.cursor.Jump(w.clock().control, intervals); err != nil {
		return err
	}
	w.arrive()
	if w.fault == physics.FaultNone {
		b.bank.Skip(w.id, w.substepsBefore(w.cursor.Boundary()))
	}
	w.jumped = true
	w.walk()
	w.jumped = false
	return nil
}
