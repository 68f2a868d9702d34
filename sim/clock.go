package sim

import (
	"fmt"
	"math"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sensors"
)

// lookahead returns the most substeps that physics runs ahead of an instant.
func lookahead(s *runners.Schedule) int {
	engine := s.Physics()
	return int(engine.Rate.Reached(s.ControlRate(), 1)+1) * engine.Substeps
}

// edits returns how many edits the changes of a clock have that are not forgotten.
func edits(c *runners.Clock) (n int) {
	for _, change := range c.Changes() {
		n += len(change.Edits)
	}
	return n
}

// maxEdits is the most edits of a clock that worlds may be yet to make, besides those with which the run begins.
const maxEdits = 1024

// Change appends a change of the clock. Each world makes it at its first decision point from step c.N on where it
// can, which for changed rates is a beat of that world, or when an episode begins; see [runners.Clock]. Versions of
// the clock that no world can be in any more are forgotten. Change must not be called while Each runs.
//
// It returns an error, and leaves the run unchanged, when an edit cannot be made, a block has passed step N, or the
// run does not support the result: the rate of the substeps must stay, a new binding has no callback, and the memory
// for sensor samples is fixed. It suffices for channel rates that change by a small factor, but not for longer
// control steps. It also returns one where 1024 edits, besides those with which the run began, wait for worlds.
func (s *Sim) Change(c runners.Change) error {
	clock, err := s.changed(c)
	if err == nil {
		s.clock = clock
	}
	return err
}

// CheckChange returns the error that Change would return. It must not be called while Each runs.
func (s *Sim) CheckChange(c runners.Change) error {
	_, err := s.changed(c)
	return err
}

// changed returns the clock after a change.
func (s *Sim) changed(c runners.Change) (*runners.Clock, error) {
	for _, b := range s.blocks {
		if c.N < b.n {
			return nil, fmt.Errorf("change at step %d, want step %d, which block %d has reached, or later",
				c.N, b.n, b.index)
		}
	}
	clock := s.clock.Clone()
	clock.Forget(s.oldest())
	if n, most := edits(clock)+max(1, len(c.Edits)), maxEdits+edits(s.config.Clock); n > most {
		return nil, fmt.Errorf("%d edits of the clock would wait for worlds to make them, want at most %d; they wait for a "+
			"beat, or the next episode", n, most)
	}
	return clock, clock.Add(c, s.supports)
}

// oldest returns the earliest version of the clock in which a world is.
func (s *Sim) oldest() int {
	oldest := math.MaxInt
	for w := range s.all() {
		if w.cursor != (runners.Cursor{}) { // else it never began
			oldest = min(oldest, w.version)
		}
	}
	if oldest == math.MaxInt {
		return 0
	}
	return oldest
}

// Origin returns the version of the clock with which what is not forgotten of it begins, for [Sim.SetOrigin]; nil if
// nothing is forgotten.
func (s *Sim) Origin() *runners.Version { return origin(s.clock) }

func origin(c *runners.Clock) *runners.Version {
	if c.First() == 0 {
		return nil
	}
	return c.Version()
}

// SetOrigin replaces the clock of a run that is about to be restored by one that begins with a version of Origin. The
// changes after it are to be made then. After an error nothing has changed.
func (s *Sim) SetOrigin(version *runners.Version) error {
	clock, err := s.clock.Resume(version)
	if err == nil {
		err = s.supports(clock.Schedule(version.Number))
	}
	if err != nil {
		return fmt.Errorf("version %d of the clock: %w", version.Number, err)
	}
	s.clock = clock
	return nil
}

// checkClock sets the number of slots for physics samples. For a change that the run does not support it returns a
// [ChangeError].
func (s *Sim) checkClock() error {
	s.slots = s.suite.Slots(lookahead(s.clock.Schedule(0)))
	for i, change := range s.clock.Changes() {
		if err := s.supports(s.clock.Schedule(i + 1)); err != nil {
			return &ChangeError{i, fmt.Errorf("change at step %d: %w", change.N, err)}
		}
	}
	return nil
}

// ChangeError is the error of New for a change in Config.Clock that the run does not support.
type ChangeError struct {
	Index int // index of the change
	Err   error
}

// Error implements error.
func (e *ChangeError) Error() string { return fmt.Sprintf("changes[%d]: %v", e.Index, e.Err) }

// Unwrap returns Err.
func (e *ChangeError) Unwrap() error { return e.Err }

// StepRate is the slowest control rate of the running worlds for their next step, after the changes due before it:
// the step lasts at most one period of it in every world. StepRate must not be called while Each runs.
func (s *Sim) StepRate() runners.Rate {
	slowest := runners.Rate{}
	for w := range s.all() {
		if w.state != running {
			continue
		}
		version, _ := w.following(w.block.n)
		if r := s.clock.Schedule(version).ControlRate(); slowest.IsZero() || r.Num()*slowest.Den() < slowest.Num()*r.Den() {
			slowest = r
		}
		if s.clock.First() == s.clock.Last() { // there are no changes
			return slowest
		}
	}
	if slowest.IsZero() { // no world is running
		return s.Schedule().ControlRate()
	}
	return slowest
}

// Changes returns a copy of the changes so far that are not forgotten, in order.
func (s *Sim) Changes() []runners.Change { return s.clock.Changes() }

// supports checks that the slots and sensor memory, fixed when the run began, suffice for the next schedule.
func (s *Sim) supports(next *runners.Schedule) error {
	if need := s.suite.Slots(lookahead(next)); need > s.slots {
		return fmt.Errorf("a control step at %v Hz needs %d physics samples, want at most "+
			"%d, for control steps at %v Hz or faster",
			next.ControlRate(), need, s.slots, s.config.Clock.Schedule(0).ControlRate())
	}
	for _, e := range next.Entries() {
		if e.Role == runners.Sense {
			if err := s.suite.Supports(e.Channel, e.Rate); err != nil {
				return err
			}
		}
	}
	return nil
}

// arrive sets the world's instant to that of its cursor.
func (w *World) arrive() {
	id, k := w.cursor.Boundary()
	anchor := sensors.Anchor{NS: w.cursor.Anchor(), Boundary: w.anchored}
	w.now = w.block.sim.suite.At(anchor, w.Schedule().Rate(id), k, w.cursor.NS())
	w.call = 0
	w.acting, w.dirty, w.changed = false, false, false
}

// reach moves a world from the beginning of a control instant to its decision point, without running the calls in
// between.
func (w *World) reach() {
	entries := w.Schedule().Entries()
	for calls := w.cursor.Calls(); w.call < len(calls) && entries[calls[w.call]].Phase == runners.Acquisition; {
		w.call++
	}
}

// following returns the version of the clock and the cursor for the world's step n, which begins at its decision
// point. A world that has failed keeps its clock until the end of its episode.
func (w *World) following(n int64) (version int, c runners.Cursor) {
	clock := w.block.sim.clock
	version, c = w.version, w.cursor
	if version < clock.Last() && w.fault == physics.FaultNone {
		version = clock.Follow(&c, version, n)
	}
	return version, c
}

// follow makes the changes that are due at step n, at a decision point. The calls of the instant then start again,
// without those that already ran in Acquisition.
func (w *World) follow(n int64) {
	version, cursor := w.following(n)
	if version == w.version {
		return
	}
	previous := w.cursor
	if w.changed { // by a skip that then failed
		previous = w.previous
	}
	if cursor.Anchor() != w.cursor.Anchor() {
		// A beat, so a boundary of the physics runner too.
		w.anchored = w.now.Newest
	}
	schedule := w.Schedule()
	w.version, w.cursor = version, cursor
	w.switchOff(schedule, w.Schedule())
	w.arrive()
	w.changed, w.previous = true, previous
}

// switchOff switches off the channels that are sampled before a change and not after it.
func (w *World) switchOff(previous, next *runners.Schedule) {
	for _, e := range previous.Entries() {
		if e.Role == runners.Sense && e.Enabled && !samples(next, e.Channel) {
			w.block.bank.SwitchOff(e.Channel, w.id)
		}
	}
}

// samples reports whether samples are taken of a channel under a schedule.
func samples(s *runners.Schedule, channel int) bool {
	return slices.ContainsFunc(s.Entries(), func(e runners.Entry) bool {
		return e.Role == runners.Sense && e.Channel == channel && e.Enabled
	})
}

// ControlSeconds is the length of the world's control steps in s.
func (w *World) ControlSeconds() float64 { return w.Schedule().ControlRate().Seconds() }
