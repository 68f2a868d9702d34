package sim

import (
	"fmt"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sensors"
)

// clock is a schedule with the roles of its bindings resolved. A run has one for each
// version of its plan; they never change, so all worlds share them.
type clock struct {
	schedule *runners.Schedule
	bindings []bound        // by index in the schedule
	rates    []runners.Rate // of the runners
	control  runners.ID     // runner whose boundaries are the control instants
	physics  *bound
	substep  runners.Rate // of physics
}

// bound is a binding with its runner resolved.
type bound struct {
	Binding
	runner       runners.ID
	rate         runners.Rate
	afterPhysics bool // it runs after physics at an instant
}

// NewPlan resolves the schedule of a run's bindings and the changes to it. It returns
// the errors that New and Change would, except those that depend on the model and its
// sensors. The binding of role Act always has Writes.
func NewPlan(runs []runners.Runner, bindings []Binding, changes []runners.Change) (*runners.Plan, error) {
	newest, err := newClock(runs, bindings)
	if err != nil {
		return nil, err
	}
	plan := runners.NewPlan(newest.schedule)
	for i, c := range changes {
		err := plan.Add(c, func(s *runners.Schedule) (err error) {
			newest, err = newest.next(c, s, bindings)
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("changes[%d]: %w", i, err)
		}
	}
	return plan, nil
}

func newClock(runs []runners.Runner, bindings []Binding) (*clock, error) {
	plain := make([]runners.Binding, len(bindings))
	for i, b := range bindings {
		plain[i] = b.Binding
		plain[i].Writes = b.Writes || b.Role == Act
	}
	schedule, err := runners.Compile(runs, plain)
	if err != nil {
		return nil, err
	}
	return resolve(schedule, bindings)
}

// resolve gives each binding of a schedule the role of the known binding of the same
// name, and checks the roles.
func resolve(schedule *runners.Schedule, known []Binding) (*clock, error) {
	c := &clock{schedule: schedule}
	for _, r := range schedule.Runners() {
		c.rates = append(c.rates, r.Rate)
	}
	roles := map[string]Binding{}
	for _, b := range known {
		roles[b.Name] = b
	}
	for _, b := range schedule.Bindings() {
		role, ok := roles[b.Name]
		if !ok {
			return nil, fmt.Errorf("binding %q is new, want one that the run began with; begin with it disabled and enable it", b.Name)
		}
		if b.Beat != role.Beat {
			return nil, fmt.Errorf("beat of binding %q is %t, want %t as when the run began", b.Name, b.Beat, role.Beat)
		}
		k := bound{Binding: role}
		k.Binding.Binding = b
		if !b.Beat {
			k.runner, _ = schedule.Runner(b.Runner)
			k.rate = c.rates[k.runner]
		}
		c.bindings = append(c.bindings, k)
	}

	act, err := c.only(Act, "controller", runners.Control)
	if err != nil {
		return nil, err
	}
	observe, err := c.only(Observe, "observation", runners.Acquisition)
	if err != nil {
		return nil, err
	}
	if c.physics, err = c.only(Integrate, "physics", runners.Physics); err != nil {
		return nil, err
	}
	if act.runner != observe.runner {
		return nil, fmt.Errorf("binding %q is on runner %q and %q on %q, want both on one, the control runner",
			observe.Name, observe.Runner, act.Name, act.Runner)
	}
	if c.physics.Substeps < 1 {
		return nil, fmt.Errorf("binding %q has %d substeps, want at least 1", c.physics.Name, c.physics.Substeps)
	}
	c.control = act.runner
	if c.substep, err = c.physics.rate.Times(int64(c.physics.Substeps)); err != nil {
		return nil, fmt.Errorf("binding %q: %w", c.physics.Name, err)
	}
	return c, c.placePhysics()
}

// placePhysics sets afterPhysics of the bindings. It returns an error when one runs
// after physics that needs the state of the instant.
func (c *clock) placePhysics() error {
	integrated := false
	for _, e := range c.schedule.Order() {
		b := &c.bindings[e.Index]
		b.afterPhysics = integrated
		switch {
		case b.Role == Integrate:
			integrated = true
		case b.Writes && integrated:
			// It would write to a state that is already past the instant.
			return fmt.Errorf("binding %q writes to physics and is in phase %v with priority %d, after physics, want an earlier phase or lower priority",
				b.Name, b.Phase, b.Priority)
		case b.Role == Latch && integrated:
			return fmt.Errorf("binding %q is in phase %v, after physics, want %v or %v",
				b.Name, b.Phase, runners.Acquisition, runners.Control)
		}
	}
	return nil
}

// only returns the binding of a role that every run has exactly once, and checks that
// it and its runner are enabled and that it is in the given phase.
func (c *clock) only(role Role, what string, phase runners.Phase) (*bound, error) {
	var found *bound
	for i := range c.bindings {
		b := &c.bindings[i]
		if b.Role != role {
			continue
		}
		if found != nil {
			return nil, fmt.Errorf("bindings %q and %q are both the %s, want one", found.Name, b.Name, what)
		}
		found = b
	}
	switch {
	case found == nil:
		return nil, fmt.Errorf("there is no %s binding, want one", what)
	case found.Disabled:
		return nil, fmt.Errorf("binding %q is disabled, want it enabled: it is the run's %s", found.Name, what)
	case c.schedule.Runners()[found.runner].Disabled:
		return nil, fmt.Errorf("runner %q is disabled, want it enabled: binding %q on it is the run's %s", found.Runner, found.Name, what)
	case found.Phase != phase:
		return nil, fmt.Errorf("binding %q is in phase %v, want %v: it is the %s", found.Name, found.Phase, phase, what)
	}
	return found, nil
}

// ahead returns the most substeps that physics runs ahead of an instant.
func (c *clock) ahead() int {
	return int(c.physics.rate.Reached(c.rates[c.control], 1)+1) * c.physics.Substeps
}

// Change appends a change of the clock. Each world makes it at its first decision point
// from step c.N on where it can, which for changed rates is a beat of that world, or
// when an episode begins; see [runners.Plan]. Change must not be called while Each runs.
//
// It returns an error, and leaves the run unchanged, when an edit cannot be made, a
// block has passed step N, or the run does not support the result: the rate of the
// substeps must stay, a new binding has no callback, and the memory for sensor samples
// is fixed. That memory suffices for channel rates that change by a small factor, but
// not for longer control steps.
func (s *Sim) Change(c runners.Change) error {
	next, err := s.change(s.plan, c)
	if err != nil {
		return err
	}
	s.clocks = append(s.clocks, next)
	return nil
}

// CheckChange returns the error that Change would return, and changes nothing. It must not
// be called while Each runs.
func (s *Sim) CheckChange(c runners.Change) error {
	_, err := s.change(s.plan.Clone(), c)
	return err
}

// change appends a change to a plan, and returns the clock that follows it.
func (s *Sim) change(plan *runners.Plan, c runners.Change) (next *clock, err error) {
	for _, b := range s.blocks {
		if c.N < b.n {
			return nil, fmt.Errorf("change at step %d, want step %d, which block %d has reached, or later", c.N, b.n, b.index)
		}
	}
	err = plan.Add(c, func(schedule *runners.Schedule) (err error) {
		if next, err = s.clocks[len(s.clocks)-1].next(c, schedule, s.known()); err != nil {
			return err
		}
		return s.supports(next)
	})
	return next, err
}

// resolveClocks resolves all versions of a plan and sets the number of slots for physics
// samples. For a change that the run does not support it returns a [ChangeError].
func (s *Sim) resolveClocks(plan *runners.Plan, bindings []Binding) ([]*clock, error) {
	var clocks []*clock
	for version := range len(plan.Changes()) + 1 {
		c, err := resolve(plan.Schedule(version), bindings)
		if err != nil {
			return nil, err
		}
		clocks = append(clocks, c)
		if version == 0 {
			s.slots = s.suite.Slots(c.ahead())
			s.clocks = clocks
		} else if err := s.supports(c); err != nil {
			return nil, &ChangeError{version - 1, fmt.Errorf("change at step %d: %w", plan.Changes()[version-1].N, err)}
		}
	}
	return clocks, nil
}

// ChangeError is the error of New for a change in Config.Clock that the run does not
// support.
type ChangeError struct {
	Index int // index of the change
	Err   error
}

// Error implements error.
func (e *ChangeError) Error() string { return fmt.Sprintf("changes[%d]: %v", e.Index, e.Err) }

// Unwrap returns Err.
func (e *ChangeError) Unwrap() error { return e.Err }

// next resolves the schedule that follows this clock after a change. known are the
// bindings with which the run began.
func (c *clock) next(change runners.Change, schedule *runners.Schedule, known []Binding) (*clock, error) {
	for _, e := range change.Edits {
		name := ""
		switch e := e.(type) {
		case runners.Rebind:
			name = e.Name
		case runners.RemoveBinding: // a later edit may add it on another runner
			name = e.Name
		}
		for _, b := range known {
			if b.Name == name && (b.Role == Act || b.Role == Observe) {
				return nil, fmt.Errorf("binding %q defines the control runner, want it left there; change the runner's rate instead", name)
			}
		}
	}
	next, err := resolve(schedule, known)
	if err == nil && next.substep != c.substep {
		err = fmt.Errorf("rate of physics substeps is %v Hz, want %v Hz, for which the model was compiled: a runner at %v Hz with %d substeps",
			next.substep, c.substep, c.physics.rate, c.physics.Substeps)
	}
	return next, err
}

// StepRate is the slowest control rate of the running worlds for their next step, after
// the changes due before it. The step lasts at most one period of this rate in every
// world. StepRate must not be called while Each runs.
func (s *Sim) StepRate() runners.Rate {
	newest := len(s.clocks) - 1
	slowest := runners.Rate{}
	for _, b := range s.blocks {
		for i := range b.worlds {
			w := &b.worlds[i]
			if w.state != running {
				continue
			}
			c := s.clocks[w.nextVersion(b.n)]
			if r := c.rates[c.control]; slowest.IsZero() || r.Num()*slowest.Den() < slowest.Num()*r.Den() {
				slowest = r
			}
			if newest == 0 { // there is only one clock
				return slowest
			}
		}
	}
	if slowest.IsZero() { // no world is running
		c := s.clocks[s.plan.Begin(s.blocks[0].n)]
		return c.rates[c.control]
	}
	return slowest
}

// Changes returns a copy of all changes so far, in order.
func (s *Sim) Changes() []runners.Change { return s.plan.Changes() }

// known lists the bindings with which the run began.
func (s *Sim) known() []Binding {
	var all []Binding
	for _, b := range s.clocks[0].bindings {
		all = append(all, b.Binding)
	}
	return all
}

// supports checks that the slots and sensor memory, fixed when the run began, suffice
// for a clock.
func (s *Sim) supports(next *clock) error {
	if need := s.suite.Slots(next.ahead()); need > s.slots {
		return fmt.Errorf("a control step at %v Hz needs %d physics samples, want at most %d, for control steps at %v Hz or faster",
			next.rates[next.control], need, s.slots, s.clocks[0].rates[s.clocks[0].control])
	}
	for _, b := range next.bindings {
		if b.Role == Sense {
			if err := s.suite.Supports(b.Channel, b.rate); err != nil {
				return err
			}
		}
	}
	return nil
}

// clock returns the clock that the world follows now.
func (w *World) clock() *clock { return w.block.sim.clocks[w.version] }

// arrive sets the world's instant to that of its cursor.
func (w *World) arrive() {
	id, k := w.cursor.Boundary()
	anchor := sensors.Anchor{NS: w.cursor.Anchor(), Boundary: w.anchored}
	w.now = w.block.sim.suite.At(anchor, w.clock().rates[id], k, w.cursor.NS())
	w.call = 0
	w.acting, w.written, w.changed = false, false, false
}

// reach moves a world from the beginning of a control instant to its decision point,
// without running the calls in between.
func (w *World) reach() {
	c := w.clock()
	for calls := w.cursor.Calls(); w.call < len(calls) && c.bindings[calls[w.call]].Phase == runners.Acquisition; {
		w.call++
	}
}

// nextVersion returns the version of the clock for the world's step n, which begins at
// its decision point.
func (w *World) nextVersion(n int64) int {
	s := w.block.sim
	if len(s.clocks) == w.version+1 || w.fault != physics.FaultNone {
		return w.version
	}
	c := w.cursor
	return s.plan.Follow(&c, w.version, n)
}

// follow makes the changes that are due at step n, at a decision point. The calls of
// the instant then start again, without those that already ran in Acquisition. A world
// that has failed keeps its clock until the end of its episode.
func (w *World) follow(n int64) {
	s := w.block.sim
	if len(s.clocks) == w.version+1 || w.fault != physics.FaultNone {
		return
	}
	before := w.cursor
	if w.changed { // by a skip that then failed
		before = w.before
	}
	anchor := w.cursor.Anchor()
	version := s.plan.Follow(&w.cursor, w.version, n)
	if version == w.version {
		return
	}
	if w.cursor.Anchor() != anchor {
		// A beat, so a boundary of the physics runner too.
		w.anchored = w.now.Newest
	}
	w.version = version
	w.arrive()
	w.changed, w.before = true, before
}

// ControlSeconds is the length of the world's control steps in s.
func (w *World) ControlSeconds() float64 {
	c := w.clock()
	return c.rates[c.control].Seconds()
}
