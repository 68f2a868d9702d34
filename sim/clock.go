package sim

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sensors"
)

// Clock is the clock of a run: its schedule, the changes to it, and the role of each binding. It is immutable, so
// any number of sims and goroutines may use it.
type Clock struct {
	schedules *runners.Clock
	bindings  []Binding // with which the run begins
	start     *roles    // with which it begins
	versions  []*roles  // by version of the schedules, from the first that they have
	planned   int       // edits with which it begins
}

// roles are a schedule with the roles of its bindings resolved, one for each version of the clock. They never
// change, so all worlds share them.
type roles struct {
	schedule *runners.Schedule
	bindings []bound    // by index in the schedule
	control  runners.ID // runner whose boundaries are the control instants
	physics  *bound
	substep  runners.Rate // of physics
}

// bound is a binding with its runner resolved.
type bound struct {
	Binding
	known        int // index in Clock.bindings
	runner       runners.ID
	rate         runners.Rate
	fires        bool // it and its runner are enabled
	afterPhysics bool // it runs after physics at an instant
}

// NewClock resolves the schedule of a run's bindings, one each of the roles Act, Integrate and Observe, and the
// changes to it. It returns the errors that [New] and [Sim.Change] would, except those that depend on the model and
// its sensors. The binding of role Act always has Writes.
func NewClock(runs []runners.Runner, bindings []Binding, changes []runners.Change) (*Clock, error) {
	plain := make([]runners.Binding, len(bindings))
	for i, b := range bindings {
		plain[i] = b.Binding
		plain[i].Writes = b.Writes || b.Role == Act
	}
	schedule, err := runners.Compile(runs, plain)
	if err != nil {
		return nil, err
	}
	first, err := resolve(schedule, bindings)
	if err != nil {
		return nil, err
	}
	clock := first.alone(slices.Clone(bindings))
	for i, c := range changes {
		if err := clock.add(c, func(*roles) error { return nil }); err != nil {
			return nil, fmt.Errorf("changes[%d]: %w", i, err)
		}
	}
	clock.planned = clock.edits()
	return clock, nil
}

// alone returns a clock without changes.
func (c *roles) alone(bindings []Binding) *Clock {
	return &Clock{runners.NewClock(c.schedule), bindings, c, []*roles{c}, 0}
}

func (c *Clock) clone() *Clock {
	return &Clock{c.schedules.Clone(), c.bindings, c.start, slices.Clone(c.versions), c.planned}
}

// at returns a version that is not forgotten.
func (c *Clock) at(version int) *roles { return c.versions[version-c.schedules.First()] }

// forget drops the versions before one.
func (c *Clock) forget(version int) {
	if n := version - c.schedules.First(); n > 0 {
		c.versions = slices.Clone(c.versions[n:])
		c.schedules.Forget(version)
	}
}

// from returns the clock of the same run whose versions before one are forgotten.
func (c *Clock) from(version *runners.Version) (*Clock, error) {
	schedules, err := version.Clock()
	if err != nil {
		return nil, err
	}
	first, err := resolve(schedules.Schedule(version.Number), c.bindings)
	if err == nil && first.substep != c.start.substep {
		err = fmt.Errorf("rate of physics substeps is %v Hz, want %v Hz", first.substep, c.start.substep)
	}
	return &Clock{schedules, c.bindings, c.start, []*roles{first}, c.planned}, err
}

// edits returns how many edits the changes have that are not forgotten.
func (c *Clock) edits() (n int) {
	for _, change := range c.schedules.Changes() {
		n += len(change.Edits)
	}
	return n
}

// add appends a change, unless accept refuses what follows from it.
func (c *Clock) add(change runners.Change, accept func(*roles) error) error {
	var next *roles
	err := c.schedules.Add(change, func(schedule *runners.Schedule) (err error) {
		if next, err = c.versions[len(c.versions)-1].next(change, schedule, c.bindings); err == nil {
			err = accept(next)
		}
		return err
	})
	if err == nil {
		c.versions = append(c.versions, next)
	}
	return err
}

// Schedules returns the schedule at the start of the run and the changes to it, not to be changed.
func (c *Clock) Schedules() *runners.Clock { return c.schedules }

// Rates returns the rates of control steps and of physics substeps at the start of the run.
func (c *Clock) Rates() (control, substep runners.Rate) {
	return c.start.controlRate(), c.start.substep
}

// resolve gives each binding of a schedule the role of the known one of the same name, and checks the roles.
func resolve(schedule *runners.Schedule, known []Binding) (*roles, error) {
	c := &roles{schedule: schedule}
	for _, b := range schedule.Bindings() {
		i := slices.IndexFunc(known, func(k Binding) bool { return k.Name == b.Name })
		if i < 0 {
			return nil, fmt.Errorf("binding %q is new, want one that the run began with; begin "+
				"with it disabled and enable it", b.Name)
		}
		if want := known[i].Beat; b.Beat != want {
			return nil, fmt.Errorf("beat of binding %q is %t, want %t as when the run began", b.Name, b.Beat, want)
		}
		k := bound{Binding: known[i], known: i}
		k.Binding.Binding = b
		if !b.Beat {
			k.runner, _ = schedule.Runner(b.Runner)
			k.rate = schedule.Rate(k.runner)
		}
		k.fires = !b.Disabled && (b.Beat || !schedule.Runners()[k.runner].Disabled)
		c.bindings = append(c.bindings, k)
	}

	act, err := c.only(Act, "controller", runners.Control)
	observe, err2 := c.only(Observe, "observation", runners.Acquisition)
	integrate, err3 := c.only(Integrate, "physics", runners.Physics)
	if err = cmp.Or(err, err2, err3); err != nil {
		return nil, err
	}
	c.physics = integrate
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

// placePhysics sets afterPhysics of the bindings. It returns an error when one runs after physics that needs the
// state of the instant.
func (c *roles) placePhysics() error {
	integrated := false
	for _, e := range c.schedule.Order() {
		b := &c.bindings[e.Index]
		b.afterPhysics = integrated
		switch {
		case b.Role == Integrate:
			integrated = true
		case b.Writes && integrated:
			// It would write to a state that is already past the instant.
			return fmt.Errorf("binding %q writes to physics and is in phase %v with priority %d, after physics, "+
				"want an earlier phase or lower priority",
				b.Name, b.Phase, b.Priority)
		case b.Role == Latch && integrated:
			return fmt.Errorf("binding %q is in phase %v, after physics, want %v or %v",
				b.Name, b.Phase, runners.Acquisition, runners.Control)
		}
	}
	return nil
}

// only returns the binding of a role that every run has exactly once, and checks that it and its runner are enabled
// and that it is in the given phase.
func (c *roles) only(role Role, what string, phase runners.Phase) (*bound, error) {
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
		return nil, fmt.Errorf("runner %q is disabled, want it enabled: binding %q on it is the run's %s",
			found.Runner, found.Name, what)
	case found.Phase != phase:
		return nil, fmt.Errorf("binding %q is in phase %v, want %v: it is the %s", found.Name, found.Phase, phase, what)
	}
	return found, nil
}

func (c *roles) controlRate() runners.Rate { return c.schedule.Rate(c.control) }

// ahead returns the most substeps that physics runs ahead of an instant.
func (c *roles) ahead() int {
	return int(c.physics.rate.Reached(c.controlRate(), 1)+1) * c.physics.Substeps
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
func (s *Sim) changed(c runners.Change) (*Clock, error) {
	for _, b := range s.blocks {
		if c.N < b.n {
			return nil, fmt.Errorf("change at step %d, want step %d, which block %d has reached, or later",
				c.N, b.n, b.index)
		}
	}
	clock := s.clock.clone()
	clock.forget(s.oldest())
	if n, most := clock.edits()+max(1, len(c.Edits)), maxEdits+clock.planned; n > most {
		return nil, fmt.Errorf("%d edits of the clock would wait for worlds to make them, want at most %d; they wait for a "+
			"beat, or the next episode", n, most)
	}
	return clock, clock.add(c, s.supports)
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
func (s *Sim) Origin() *runners.Version { return s.clock.origin() }

func (c *Clock) origin() *runners.Version {
	if c.schedules.First() == 0 {
		return nil
	}
	return c.schedules.Version()
}

// SetOrigin replaces the clock of a run that is about to be restored by one that begins with a version of Origin. The
// changes after it are to be made then. After an error nothing has changed.
func (s *Sim) SetOrigin(version *runners.Version) error {
	clock, err := s.clock.from(version)
	if err == nil {
		err = s.supports(clock.versions[0])
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
	c := s.clock
	s.slots = s.suite.Slots(c.versions[0].ahead())
	for i, next := range c.versions[1:] {
		if err := s.supports(next); err != nil {
			return &ChangeError{i, fmt.Errorf("change at step %d: %w", c.schedules.Changes()[i].N, err)}
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

// next resolves the schedule that follows after a change. known are the bindings with which the run began.
func (c *roles) next(change runners.Change, schedule *runners.Schedule, known []Binding) (*roles, error) {
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
				return nil, fmt.Errorf("binding %q defines the control runner, want it left there; "+
					"change the runner's rate instead", name)
			}
		}
	}
	next, err := resolve(schedule, known)
	if err == nil && next.substep != c.substep {
		err = fmt.Errorf("rate of physics substeps is %v Hz, want %v Hz, for which the model was "+
			"compiled: a runner at %v Hz with %d substeps",
			next.substep, c.substep, c.physics.rate, c.physics.Substeps)
	}
	return next, err
}

// StepRate is the slowest control rate of the running worlds for their next step, after the changes due before it:
// the step lasts at most one period of it in every world. StepRate must not be called while Each runs.
func (s *Sim) StepRate() runners.Rate {
	slowest := runners.Rate{}
	for w := range s.all() {
		if w.state != running {
			continue
		}
		version, _ := w.following(w.block.n)
		if r := s.clock.at(version).controlRate(); slowest.IsZero() || r.Num()*slowest.Den() < slowest.Num()*r.Den() {
			slowest = r
		}
		if len(s.clock.versions) == 1 { // there are no changes
			return slowest
		}
	}
	if slowest.IsZero() { // no world is running
		return s.beginning().controlRate()
	}
	return slowest
}

// Changes returns a copy of the changes so far that are not forgotten, in order.
func (s *Sim) Changes() []runners.Change { return s.clock.schedules.Changes() }

// supports checks that the slots and sensor memory, fixed when the run began, suffice for the next roles.
func (s *Sim) supports(next *roles) error {
	if need := s.suite.Slots(next.ahead()); need > s.slots {
		return fmt.Errorf("a control step at %v Hz needs %d physics samples, want at most "+
			"%d, for control steps at %v Hz or faster",
			next.controlRate(), need, s.slots, s.clock.start.controlRate())
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

// roles returns the roles that the world follows now.
func (w *World) roles() *roles { return w.block.sim.clock.at(w.version) }

// arrive sets the world's instant to that of its cursor.
func (w *World) arrive() {
	id, k := w.cursor.Boundary()
	anchor := sensors.Anchor{NS: w.cursor.Anchor(), Boundary: w.anchored}
	w.now = w.block.sim.suite.At(anchor, w.roles().schedule.Rate(id), k, w.cursor.NS())
	w.call = 0
	w.acting, w.written, w.changed = false, false, false
}

// reach moves a world from the beginning of a control instant to its decision point, without running the calls in
// between.
func (w *World) reach() {
	c := w.roles()
	for calls := w.cursor.Calls(); w.call < len(calls) && c.bindings[calls[w.call]].Phase == runners.Acquisition; {
		w.call++
	}
}

// following returns the version of the clock and the cursor for the world's step n, which begins at its decision
// point. A world that has failed keeps its clock until the end of its episode.
func (w *World) following(n int64) (version int, c runners.Cursor) {
	clock := w.block.sim.clock
	version, c = w.version, w.cursor
	if version+1 < clock.schedules.First()+len(clock.versions) && w.fault == physics.FaultNone {
		version = clock.schedules.Follow(&c, version, n)
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
	before := w.cursor
	if w.changed { // by a skip that then failed
		before = w.before
	}
	if cursor.Anchor() != w.cursor.Anchor() {
		// A beat, so a boundary of the physics runner too.
		w.anchored = w.now.Newest
	}
	was := w.roles()
	w.version, w.cursor = version, cursor
	w.switchOff(was, w.roles())
	w.arrive()
	w.changed, w.before = true, before
}

// switchOff switches off the channels that are sampled before a change and not after it.
func (w *World) switchOff(before, next *roles) {
	for i := range before.bindings {
		if b := &before.bindings[i]; b.Role == Sense && b.fires && !next.samples(b.Channel) {
			w.block.bank.SwitchOff(b.Channel, w.id)
		}
	}
}

// samples reports whether samples are taken of a channel.
func (c *roles) samples(channel int) bool {
	takes := func(b bound) bool { return b.Role == Sense && b.Channel == channel && b.fires }
	return slices.ContainsFunc(c.bindings, takes)
}

// ControlSeconds is the length of the world's control steps in s.
func (w *World) ControlSeconds() float64 { return w.roles().controlRate().Seconds() }
