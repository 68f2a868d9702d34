package sim

import (
	"fmt"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sensors"
)

// clock is a schedule with what the roles need in it, resolved. A run has one
// for each version of its plan; they never change, so all worlds share them.
type clock struct {
	schedule *runners.Schedule
	bindings []bound        // as the schedule numbers them
	rates    []runners.Rate // of the runners
	control  runners.ID     // runner whose boundaries are the control instants
	physics  *bound
	substep  runners.Rate // of physics
}

// bound is a binding with what its role needs, resolved.
type bound struct {
	Binding
	runner       runners.ID
	rate         runners.Rate
	afterPhysics bool // its place in the order of an instant is behind that of physics
}

// NewPlan resolves the schedule of a run's bindings and the changes to it. It
// refuses what New and Change would, but for what depends on the model and its
// sensors. The controller counts as a writer to physics whatever its binding says.
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

// resolve gives each binding of a schedule its role: that of the binding of its
// name among known.
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
			return nil, fmt.Errorf("binding %q is none of those the run began with, so there is nothing to call; begin with it disabled and enable it", b.Name)
		}
		if b.Beat != role.Beat {
			return nil, fmt.Errorf("binding %q fires at the beat: %t; it must stay %t", b.Name, b.Beat, role.Beat)
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
		return nil, fmt.Errorf("binding %q is on runner %q and %q on %q; they must share one, which is then the control runner",
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

// placePhysics finds the bindings that come after physics in the order of an
// instant. Those that need the state of the instant must not.
func (c *clock) placePhysics() error {
	integrated := false
	for _, e := range c.schedule.Order() {
		b := &c.bindings[e.Index]
		b.afterPhysics = integrated
		switch {
		case b.Role == Integrate:
			integrated = true
		case b.Writes && integrated:
			// It would write to a state that physics has already carried on.
			return fmt.Errorf("binding %q writes to physics but comes after it (phase %v, priority %d); give it an earlier place",
				b.Name, b.Phase, b.Priority)
		case b.Role == Latch && integrated:
			return fmt.Errorf("binding %q is in phase %v, after physics has left the instant; want %v or %v",
				b.Name, b.Phase, runners.Acquisition, runners.Control)
		}
	}
	return nil
}

// only returns the one binding of a role that every run must have, enabled and
// in its phase.
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
		return nil, fmt.Errorf("binding %q is disabled, want it enabled: a run cannot do without its %s", found.Name, what)
	case c.schedule.Runners()[found.runner].Disabled:
		return nil, fmt.Errorf("runner %q is disabled, want it enabled: binding %q is on it, and a run cannot do without its %s", found.Runner, found.Name, what)
	case found.Phase != phase:
		return nil, fmt.Errorf("binding %q is in phase %v, want %v: it is the %s", found.Name, found.Phase, phase, what)
	}
	return found, nil
}

// ahead bounds the substeps that physics runs in front of an instant.
func (c *clock) ahead() int {
	return int(c.physics.rate.Reached(c.rates[c.control], 1)+1) * c.physics.Substeps
}

// Change queues a change of the clock. It is resolved at once, and each world
// makes it at its first decision point from step c.N on where it may, which for
// changed rates is a beat of its time, or when an episode begins; see
// [runners.Plan]. Not while Each runs. An error leaves the run as it is: the edits
// cannot be made, a block has passed step N, or the run cannot do with the
// result. Physics keeps its substeps; a binding that the run did not begin with
// has nothing to call; and the memory for sensor samples has been allotted, with
// room for channels whose rates change a few times over, but not for control steps
// that become longer.
func (s *Sim) Change(c runners.Change) error {
	for _, b := range s.blocks {
		if c.N < b.n {
			return fmt.Errorf("change at step %d: block %d has reached step %d; want that or a later one", c.N, b.index, b.n)
		}
	}
	var next *clock
	err := s.plan.Add(c, func(schedule *runners.Schedule) (err error) {
		if next, err = s.clocks[len(s.clocks)-1].next(c, schedule, s.known()); err != nil {
			return err
		}
		return s.supports(next)
	})
	if err != nil {
		return err
	}
	s.clocks = append(s.clocks, next)
	return nil
}

// resolveClocks resolves all versions of a plan, and allots the memory for physics
// samples. A change that the run cannot do with is a [ChangeError].
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

// ChangeError says that a run cannot make one of the changes it is to begin with.
type ChangeError struct {
	Index int // of the change
	Err   error
}

// Error implements error.
func (e *ChangeError) Error() string { return fmt.Sprintf("changes[%d]: %v", e.Index, e.Err) }

// Unwrap returns why.
func (e *ChangeError) Unwrap() error { return e.Err }

// next is the clock after a change to this one that leads to a schedule, of a run that
// began with the known bindings.
func (c *clock) next(change runners.Change, schedule *runners.Schedule, known []Binding) (*clock, error) {
	for _, e := range change.Edits {
		name := ""
		switch e := e.(type) {
		case runners.Rebind:
			name = e.Name
		case runners.RemoveBinding: // it could come back elsewhere
			name = e.Name
		}
		for _, b := range known {
			if b.Name == name && (b.Role == Act || b.Role == Observe) {
				return nil, fmt.Errorf("binding %q makes its runner the control runner and keeps it; change the runner's rate instead", name)
			}
		}
	}
	next, err := resolve(schedule, known)
	if err == nil && next.substep != c.substep {
		err = fmt.Errorf("physics would take substeps at %v Hz; the model was compiled for %v Hz, so its runner must keep %v Hz with %d substeps",
			next.substep, c.substep, c.physics.rate, c.physics.Substeps)
	}
	return next, err
}

// StepRate is the slowest rate at which a running world takes its next control
// step, with the changes that it makes before: the step lasts at most one period of
// it in any world. Not while Each runs.
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
			if newest == 0 { // all have the one clock
				return slowest
			}
		}
	}
	if slowest.IsZero() { // nobody moves
		c := s.clocks[s.plan.Begin(s.blocks[0].n)]
		return c.rates[c.control]
	}
	return slowest
}

// Changes are the changes queued so far, in order.
func (s *Sim) Changes() []runners.Change { return s.plan.Changes() }

// known lists the bindings the run began with.
func (s *Sim) known() []Binding {
	var all []Binding
	for _, b := range s.clocks[0].bindings {
		all = append(all, b.Binding)
	}
	return all
}

// supports checks that what was allotted when the run began is enough for a clock.
func (s *Sim) supports(next *clock) error {
	if need := s.suite.Slots(next.ahead()); need > s.slots {
		return fmt.Errorf("a control step at %v Hz would need %d physics samples; the run has room for %d, for control steps at %v Hz or faster",
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

// clock is the one the world lives by.
func (w *World) clock() *clock { return w.block.sim.clocks[w.version] }

// arrive makes the instant the cursor stands at the world's own.
func (w *World) arrive() {
	id, k := w.cursor.Boundary()
	anchor := sensors.Anchor{NS: w.cursor.Anchor(), Boundary: w.anchored}
	w.now = w.block.sim.suite.At(anchor, w.clock().rates[id], k, w.cursor.NS())
	w.call = 0
	w.acting, w.written, w.changed = false, false, false
}

// reach puts a world that has arrived at a control instant at its decision point,
// without calling what lies before it.
func (w *World) reach() {
	c := w.clock()
	for calls := w.cursor.Calls(); w.call < len(calls) && c.bindings[calls[w.call]].Phase == runners.Acquisition; {
		w.call++
	}
}

// nextVersion is the clock by which the world takes step n, from the decision point
// it stands at.
func (w *World) nextVersion(n int64) int {
	s := w.block.sim
	if len(s.clocks) == w.version+1 || w.fault != physics.FaultNone {
		return w.version
	}
	c := w.cursor
	return s.plan.Follow(&c, w.version, n)
}

// follow makes the changes that are due at step n, at a decision point. The calls of
// the instant then begin anew, without those that ran in Acquisition before. A world
// that has failed keeps its clock to the end of its episode.
func (w *World) follow(n int64) {
	s := w.block.sim
	if len(s.clocks) == w.version+1 || w.fault != physics.FaultNone {
		return
	}
	before := w.cursor
	if w.changed { // a skip that failed has left the world here
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

// ControlSeconds is the length of the world's control steps.
func (w *World) ControlSeconds() float64 {
	c := w.clock()
	return c.rates[c.control].Seconds()
}
