package sim

import (
	"fmt"

	"github.com/polyrhythm-rl/polyrhythm/physics"
)

// Skip moves every running world over whole control intervals, from its decision point to a later one, for a driver
// that is behind the wall clock. Nothing fires in between and physics does not advance: its state becomes that of
// the later instant. There the world acquires and observes, but no step ends: steps, rewards and episodes are as if
// no time had passed. A channel with latency starts as after a reset.
//
// Skip returns an error if intervals is below 1 or a world's clock would end. The error names that world; those
// before it have moved. Skip must not be called while Each runs.
func (s *Sim) Skip(intervals int64) error {
	defer s.updated()
	if intervals < 1 {
		return fmt.Errorf("skip of %d control intervals, want at least 1", intervals)
	}
	for w := range s.all() {
		if w.state != running {
			continue
		}
		if err := w.skip(intervals); err != nil {
			return fmt.Errorf("world %d: %w", w.Index(), err)
		}
	}
	return nil
}

// skip moves the world over control intervals.
func (w *World) skip(intervals int64) error {
	b := w.block
	w.follow(b.n) // the intervals are those of the clock after the changes due here
	if err := w.cursor.Jump(w.Schedule().Control(), intervals); err != nil {
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
