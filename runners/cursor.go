package runners

import (
	"math"
	"math/bits"
)

// Cursor is a position on one world's timeline: one instant. It is a small value: a copy is independent, and two
// cursors of one schedule are equal with == when they are at the same instant. Schedule's Start and Resume return
// cursors; the zero value is not valid.
//
// The anchor is the instant at which all runners began together: time 0, or where the cursor adopted a schedule with
// other rates. Boundaries are counted from it.
//
// No method allocates. One goroutine at a time may use a cursor.
type Cursor struct {
	s     *Schedule
	fired Mask
	sync  bool
	next  [MaxRunners]int64 // by ID: index of the runner's first boundary after the instant

	anchor int64 // timestamp of boundary 0 of every runner
	ns     int64 // timestamp of the instant: the anchor plus that of its boundary
}

// origin returns a cursor where every runner has its boundary 0.
func (s *Schedule) origin(anchorNS int64) Cursor {
	c := Cursor{s: s, fired: s.enabled, sync: true, anchor: anchorNS, ns: anchorNS}
	for i := range s.runners {
		if s.all.Has(ID(i)) {
			c.next[i] = 1
		}
	}
	return c
}

// Next moves to the next instant at which an enabled runner has a boundary. It panics at the end of the clock (see
// Rate).
func (c *Cursor) Next() {
	if !c.advance() {
		panic("runners: Next past the end of the clock, 2^63 ns")
	}
}

// advance is Next, but at the end of the clock it returns false and leaves the cursor unchanged.
func (c *Cursor) advance() bool {
	s, fired := c.s, c.earliest(c.s.enabled)
	lead := fired.first()
	k := c.next[lead]
	if !c.onClock(lead, k) {
		return false
	}
	boundaries := fired
	for i := range s.runners {
		switch id := ID(i); {
		case fired.Has(id):
			c.next[i]++
		case s.all.Has(id) && !s.enabled.Has(id):
			newest, rem := s.rates[i].split(s.rates[lead], k)
			if c.next[i] = newest + 1; rem == 0 {
				boundaries |= 1 << i
			}
		}
	}
	c.fired, c.sync, c.ns = fired, boundaries == s.all, c.anchor+s.rates[lead].Timestamp(k)
	return true
}

// earliest returns those of a set of runners whose next boundary comes first, all at the same instant; none for no
// set. It compares boundaries as rationals.
func (c *Cursor) earliest(set Mask) (first Mask) {
	lead := ID(0)
	for i := range c.s.runners {
		if !set.Has(ID(i)) {
			continue
		}
		order := -1
		if first != 0 {
			order = compareBoundaries(c.s.rates[i], c.next[i], c.s.rates[lead], c.next[lead])
		}
		if order < 0 {
			lead, first = ID(i), 0
		}
		if order <= 0 {
			first |= 1 << i
		}
	}
	return first
}

// Jump moves the cursor forward by a number of steps of a runner, counted from the runner's latest boundary. It
// returns an error, and leaves the cursor unchanged, when the clock ends first or no enabled runner fires there.
func (c *Cursor) Jump(id ID, steps int64) error {
	target, err := c.s.Resume(c.anchor, id, c.boundaryOf(id)+steps)
	if err != nil {
		return err
	}
	*c = target
	return nil
}

// onClock reports whether the timestamp of boundary k of a runner, counted from the anchor, fits in an int64. k may
// be one past the last boundary of the clock.
func (c *Cursor) onClock(id ID, k int64) bool {
	return k <= c.s.last[id] && (c.anchor == 0 || c.s.rates[id].Timestamp(k) <= math.MaxInt64-c.anchor)
}

// NS returns the timestamp of the instant, in ns since time 0. Distinct instants have distinct timestamps.
func (c *Cursor) NS() int64 { return c.ns }

// Anchor returns the timestamp, in ns, of the instant from which boundaries are counted.
func (c *Cursor) Anchor() int64 { return c.anchor }

// Fired returns the enabled runners that have a boundary at the instant: at least one.
func (c *Cursor) Fired() Mask { return c.fired }

// Sync reports whether the instant is a beat, at which every runner, enabled or not, has a boundary.
func (c *Cursor) Sync() bool { return c.sync }

// Calls returns the bindings that run at the instant, as indices into Schedule.Bindings, in execution order. The
// slice belongs to the schedule and must not be modified.
func (c *Cursor) Calls() []uint16 {
	if c.sync {
		return c.s.beatCalls
	}
	return c.s.calls[c.fired]
}

// Boundary identifies the instant exactly: by the lowest ID of the runners that fire and the index of that runner's
// boundary, counted from the anchor.
func (c *Cursor) Boundary() (ID, int64) {
	lead := c.fired.first()
	return lead, c.next[lead] - 1
}

// NextWrite returns the first instant after this one at which an enabled binding with Writes fires, on an enabled
// runner or at the beat: by a runner that has a boundary there and its index, or NoRunner and −1 when the clock ends
// first.
func (c *Cursor) NextWrite() (ID, int64) {
	if writing := c.earliest(c.s.writers); writing != 0 {
		if id := writing.first(); c.onClock(id, c.next[id]) {
			return id, c.next[id]
		}
	} else if beat, ok := c.nextBeat(); ok && c.s.beatWrites { // a runner that writes does so no later than the beat
		return c.fired.first(), beat
	}
	return NoRunner, -1
}

// nextBeat returns the index, at the next beat, of the boundary of the runner that Boundary returns. ok is false
// when the clock ends first.
func (c *Cursor) nextBeat() (k int64, ok bool) {
	lead, k := c.Boundary()
	per := c.s.perBeat[lead]
	if per == 0 || c.s.last[lead]-k < per-k%per {
		return 0, false
	}
	next := k + per - k%per
	return next, c.onClock(lead, next)
}

// boundaryOf returns the index of a runner's latest boundary at or before the instant.
func (c *Cursor) boundaryOf(id ID) int64 { return c.next[id] - 1 }

// reachedBy reports whether the exact instant is at or before ns.
func (c *Cursor) reachedBy(ns int64) bool {
	return c.ns < ns || c.ns == ns && c.dueNS() == ns
}

// dueNS returns the exact instant rounded up to a whole nanosecond.
func (c *Cursor) dueNS() int64 {
	lead, k := c.Boundary()
	if _, rem := c.s.rates[lead].timestamp(k); rem > 0 {
		return c.ns + 1
	}
	return c.ns
}

// Acquired reports whether the binding of that name runs in the Acquisition phase of this instant, before the
// decision point; see Adopt.
func (c *Cursor) Acquired(name string) bool {
	for _, call := range c.Calls() {
		b := &c.s.entries[call]
		if b.Phase > Acquisition {
			return false
		}
		if b.Name == name {
			return true
		}
	}
	return false
}

// RunnerState is the step of one runner that contains an instant.
type RunnerState struct {
	K     int64 // index, from the anchor, of the latest boundary at or before the instant
	NS    int64 // timestamp of that boundary, in ns
	DT    int64 // length of the step that begins there, in ns
	Fired bool  // whether the runner fires at the instant
}

// Step returns the state of a runner at this instant. A disabled runner has a state, but never fires. For NoRunner
// it is the state of the beat, whose DT is math.MaxInt64 when the clock ends before the next one; for an ID without
// a runner the zero value.
func (c *Cursor) Step(id ID) RunnerState {
	if !c.s.all.Has(id) {
		if id == NoRunner {
			return c.beat()
		}
		return RunnerState{}
	}
	r := c.s.rates[id]
	k := c.boundaryOf(id)
	ns, rem := r.timestamp(k)
	return RunnerState{K: k, NS: c.anchor + ns, DT: r.dt(rem), Fired: c.fired.Has(id)}
}

// beat is Step for NoRunner.
func (c *Cursor) beat() RunnerState {
	lead, k := c.Boundary()
	r, per := c.s.rates[lead], c.s.perBeat[lead]
	b := RunnerState{DT: math.MaxInt64, Fired: c.sync}
	if per > 0 {
		b.K = k / per
	}
	start := r.Timestamp(b.K * per)
	b.NS = c.anchor + start
	if next, ok := c.nextBeat(); ok {
		b.DT = r.Timestamp(next) - start
	}
	return b
}

// Alpha returns the fraction of a runner's step, or for NoRunner of the beat, that has passed at this instant, in
// [0, 1): correctly rounded, but at most the largest float64 below 1. Where beats are more than 292 years apart it
// is approximate. It is 0 for an ID without a runner.
func (c *Cursor) Alpha(id ID) float64 {
	lead, k := c.Boundary()
	if !c.s.all.Has(id) {
		per := c.s.perBeat[lead]
		switch {
		case id != NoRunner:
			return 0
		case per == 0:
			return min(float64(k)*c.s.rates[lead].Seconds()/c.s.beatSeconds, math.Nextafter(1, 0))
		}
		return fraction(uint64(k%per), uint64(per))
	}
	leading, r := c.s.rates[lead], c.s.rates[id]
	_, rem := r.split(leading, k)
	return fraction(rem, uint64(leading.num*r.den))
}

// fraction returns num/den, 0 ≤ num < den, correctly rounded but below 1.
func fraction(num, den uint64) float64 {
	if den < 1<<53 { // both are exact float64s, so the division rounds once, and never to 1
		return float64(num) / float64(den)
	}
	if num == 0 {
		return 0
	}
	// shift both so that the quotient below has its top bit set
	shift := bits.LeadingZeros64(num) - bits.LeadingZeros64(den)
	num <<= shift
	if num >= den {
		num >>= 1
		shift--
	}
	q, rem := bits.Div64(num, 0, den)
	if rem != 0 {
		q |= 1 // the dropped remainder decides ties when q is rounded
	}
	return min(math.Ldexp(float64(q), -64-shift), math.Nextafter(1, 0))
}

// StepContext describes one step to a callback. It refers to the world's cursor and is valid only while the callback
// runs.
type StepContext struct {
	// DT is the length of this step in ns, and Seconds the constant period in s: of the binding's own runner, also on a
	// shared step, or of the beat for a beat binding. The DT of the beat is math.MaxInt64 when the clock ends before
	// the next one.
	DT      int64
	Seconds float64
	// ID is the binding's runner, NoRunner for a beat binding.
	ID    ID
	Phase Phase
	// NS is the timestamp of the instant in ns; Sync says that it is a beat.
	NS   int64
	Sync bool

	cursor *Cursor
}

// Context returns the step context of a call, one of Calls at this instant.
func (c *Cursor) Context(call uint16) StepContext {
	b := &c.s.entries[call]
	ctx := StepContext{ID: b.ID, Phase: b.Phase, NS: c.ns, Sync: c.sync, cursor: c}
	ctx.DT = c.Step(ctx.ID).DT
	if ctx.ID == NoRunner {
		ctx.Seconds = c.s.beatSeconds
	} else {
		ctx.Seconds = c.s.rates[ctx.ID].Seconds()
	}
	return ctx
}

// Runner returns the ID of the runner of that name in the schedule that this world now follows.
func (x *StepContext) Runner(name string) (id ID, ok bool) { return x.cursor.s.Runner(name) }

// Step returns the state of a runner at this instant, as Cursor.Step does.
func (x *StepContext) Step(id ID) RunnerState { return x.cursor.Step(id) }

// Alpha returns the fraction of a runner's step that has passed, as Cursor.Alpha does.
func (x *StepContext) Alpha(id ID) float64 { return x.cursor.Alpha(id) }
