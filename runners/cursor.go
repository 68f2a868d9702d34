package runners

import (
	"math"
	"math/bits"
)

// Cursor stands on one instant of one world's timeline. It is a small value:
// a copy is an independent cursor at the same instant, and two cursors of one
// schedule are equal with == when they stand on the same instant. Schedule's
// Start, At and Resume make cursors; the zero value is not one.
//
// The anchor is the instant at which all runners began together: time 0, or
// where the cursor adopted a schedule with other rates. Boundaries are counted
// from it; timestamps are those of the schedule plus the anchor's.
//
// No method allocates. One goroutine at a time may use a cursor.
type Cursor struct {
	s  *Schedule
	at instant

	anchor int64 // timestamp of boundary 0 of every runner
	ns     int64 // timestamp of the instant: the anchor plus that of its boundary

	// place in the stored beat; unused when it is stepped by arithmetic
	cycle int64
	row   int32
}

// Next moves to the next instant: the first at which an enabled runner has a
// boundary. It panics past the end of the clock (see Rate).
func (c *Cursor) Next() {
	if !c.advance() {
		panic("runners: Next past the end of the clock, 2^63 ns")
	}
}

// advance is Next that reports false, and leaves the cursor as it was, where the
// clock ends.
func (c *Cursor) advance() bool {
	s := c.s
	next, cycle, row := instant{}, c.cycle, c.row
	if s.rows == nil {
		var ok bool
		if next, ok = s.after(c.at); !ok {
			return false
		}
	} else {
		row++
		if int(row) == len(s.rows) {
			row = 0
			cycle++
		}
		r := s.rows[row]
		next = instant{k: cycle*s.perBeat[r.fired.first()] + r.k, fired: r.fired, sync: row == 0}
	}
	lead := next.fired.first()
	if next.k > s.last[lead] {
		return false
	}
	timestamp := s.rates[lead].Timestamp(next.k)
	if timestamp > math.MaxInt64-c.anchor {
		return false
	}
	c.at, c.ns, c.cycle, c.row = next, c.anchor+timestamp, cycle, row
	return true
}

// onClock reports whether the timestamp of a boundary, counted from the cursor's
// anchor, fits an int64. The index itself may be one past the clock's last.
func (c *Cursor) onClock(id ID, k int64) bool {
	return k <= c.s.last[id] && (c.anchor == 0 || c.s.rates[id].Timestamp(k) <= math.MaxInt64-c.anchor)
}

// NS returns the timestamp of the instant, in nanoseconds since time 0. Distinct
// instants have distinct timestamps.
func (c *Cursor) NS() int64 { return c.ns }

// Anchor returns the timestamp of the instant from which boundaries are counted: 0
// until the cursor adopts a schedule with other rates.
func (c *Cursor) Anchor() int64 { return c.anchor }

// Fired returns the enabled runners that have a boundary here: at least one.
func (c *Cursor) Fired() Mask { return c.at.fired }

// Sync reports whether the instant is a beat: every registered runner,
// enabled or not, has a boundary here.
func (c *Cursor) Sync() bool { return c.at.sync }

// Calls returns what runs here, as indices into Bindings in resolved order.
// The slice belongs to the schedule and must not be changed.
func (c *Cursor) Calls() []uint16 {
	if c.at.sync {
		return c.s.beatCalls
	}
	return c.s.calls[c.at.fired]
}

// Boundary names the instant exactly: the runner with the lowest ID of those
// that fire here, and the index of its boundary, counted from the anchor.
func (c *Cursor) Boundary() (ID, int64) { return c.at.fired.first(), c.at.k }

// NextWrite returns the next instant, strictly after this one, at which an
// enabled binding with Writes fires on an enabled runner or at the beat, named
// as Boundary names it. When there is none before the end of the clock it
// returns NoRunner and −1.
func (c *Cursor) NextWrite() (ID, int64) {
	s := c.s
	lead, k := c.Boundary()
	id, next := s.earliest(s.writers, lead, k)
	if s.beatWrites && id == NoRunner { // a runner that writes does so no later than the beat
		if beat, ok := c.nextBeat(); ok {
			id, next = lead, beat
		}
	}
	if id == NoRunner || !c.onClock(id, next) {
		return NoRunner, -1
	}
	at := s.instantAt(id, next)
	return at.fired.first(), at.k
}

// nextBeat returns the index of the boundary that the runner of Boundary has
// at the next beat, not ok when the clock ends before.
func (c *Cursor) nextBeat() (k int64, ok bool) {
	lead, k := c.Boundary()
	per := c.s.perBeat[lead]
	if per == 0 || c.s.last[lead]-k < per-k%per {
		return 0, false
	}
	next := k + per - k%per
	return next, c.onClock(lead, next)
}

// boundaryOf returns the index of a runner's newest boundary at or before the
// instant.
func (c *Cursor) boundaryOf(id ID) int64 {
	lead, k := c.Boundary()
	if id == lead {
		return k
	}
	return c.s.rates[id].Newest(c.s.rates[lead], k)
}

// reachedBy reports whether the exact instant is not after a timestamp.
func (c *Cursor) reachedBy(ns int64) bool {
	return c.ns < ns || c.ns == ns && c.dueNS() == ns
}

// dueNS returns the first whole nanosecond that is not before the exact instant.
func (c *Cursor) dueNS() int64 {
	lead, k := c.Boundary()
	if _, rem := c.s.rates[lead].timestamp(k); rem > 0 {
		return c.ns + 1
	}
	return c.ns
}

// Acquired reports whether the binding of a name runs at this instant in
// Acquisition, before the decision point. A cursor that adopts another schedule
// there must not run it again; see Adopt.
func (c *Cursor) Acquired(name string) bool {
	for _, call := range c.Calls() {
		b := &c.s.bindings[call]
		if b.Phase > Acquisition {
			return false
		}
		if b.Name == name {
			return true
		}
	}
	return false
}

// RunnerState is one runner's entry in the swarm: its step at an instant.
type RunnerState struct {
	K     int64 // index, from the anchor, of the newest boundary at or before the instant
	NS    int64 // timestamp of that boundary
	DT    int64 // length of the step that begins there, in ns
	Fired bool  // whether the runner fires at the instant
}

// Step returns the state of a runner of the schedule at this instant, and for
// NoRunner that of the beat, whose DT is the largest int64 when the clock ends
// before the next. Disabled runners have boundaries, and so a state, but never
// fire. The state of a runner that is not there is zero.
func (c *Cursor) Step(id ID) RunnerState {
	if !c.s.all.Has(id) {
		if id == NoRunner {
			return c.beat()
		}
		return RunnerState{}
	}
	r := c.s.rates[id]
	newest := c.boundaryOf(id)
	ns, rem := r.timestamp(newest)
	return RunnerState{K: newest, NS: c.anchor + ns, DT: r.dt(rem), Fired: c.at.fired.Has(id)}
}

// beat is Step for NoRunner.
func (c *Cursor) beat() RunnerState {
	lead, k := c.Boundary()
	r, per := c.s.rates[lead], c.s.perBeat[lead]
	b := RunnerState{DT: math.MaxInt64, Fired: c.at.sync}
	if per > 0 {
		b.K = k / per
	}
	began := r.Timestamp(b.K * per)
	b.NS = c.anchor + began
	if next, ok := c.nextBeat(); ok {
		b.DT = r.Timestamp(next) - began
	}
	return b
}

// Alpha returns how far the instant lies between the newest boundary of a runner,
// or for NoRunner the newest beat, and the next, in [0, 1): the exact fraction
// correctly rounded, except that what would round to 1 is the float64 before it;
// beats more than 292 years apart are not exact. It is 0 on a boundary, and for a
// runner that is not there.
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
	of, r := c.s.rates[lead], c.s.rates[id]
	_, rem := r.split(of, k)
	return fraction(rem, uint64(of.num*r.den))
}

// fraction returns num/den, 0 ≤ num < den, correctly rounded but below 1.
func fraction(num, den uint64) float64 {
	if den < 1<<53 { // both are float64s, so one rounding happens, and never to 1
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
		q |= 1 // what is dropped must still break ties
	}
	return min(math.Ldexp(float64(q), -64-shift), math.Nextafter(1, 0))
}

// StepContext is what a callback is told. It refers to its world's cursor and
// is valid while the callback runs.
type StepContext struct {
	// DT is the length of this step in ns, and Seconds the constant period:
	// of the binding's own runner, also on a shared step. A beat binding gets
	// those of the beat, and as DT the largest int64 when the clock ends
	// before the next beat.
	DT      int64
	Seconds float64
	// ID of the binding's runner, NoRunner for a beat binding, and the phase that
	// it runs in.
	ID    ID
	Phase Phase
	// NS is the timestamp of the instant and Sync whether it is a beat.
	NS   int64
	Sync bool

	cursor *Cursor
}

// Context returns the step context of one of the calls at this instant.
func (c *Cursor) Context(call uint16) StepContext {
	ctx := StepContext{ID: c.s.owners[call], Phase: c.s.bindings[call].Phase, NS: c.ns, Sync: c.at.sync, cursor: c}
	ctx.DT = c.Step(ctx.ID).DT
	if ctx.ID == NoRunner {
		ctx.Seconds = c.s.beatSeconds
	} else {
		ctx.Seconds = c.s.rates[ctx.ID].Seconds()
	}
	return ctx
}

// Runner returns the ID that the runner of a name has in the clock as it is now,
// after the changes that this world has made.
func (x *StepContext) Runner(name string) (ID, bool) { return x.cursor.s.Runner(name) }

// Step returns a runner's entry in the swarm at this instant, for NoRunner that of
// the beat. A runner that is not there has the zero entry.
func (x *StepContext) Step(id ID) RunnerState { return x.cursor.Step(id) }

// Alpha returns how far a runner is towards its next boundary, or for NoRunner
// how far it is to the next beat, in [0, 1). For a runner that is not there it is 0.
func (x *StepContext) Alpha(id ID) float64 { return x.cursor.Alpha(id) }
