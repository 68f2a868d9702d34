package runners

import (
	"math"
	"math/bits"
)

// Cursor is a position on one world's timeline: one instant. It is a small value:
// a copy is an independent cursor at the same instant, and two cursors of one
// schedule are equal with == when they are at the same instant. Schedule's Start,
// At and Resume return cursors; the zero value is not valid.
//
// The anchor is the instant at which all runners began together: time 0, or the
// instant at which the cursor adopted a schedule with other rates. Boundaries are
// counted from it, and its timestamp is added to those of the schedule.
//
// No method allocates. One goroutine at a time may use a cursor.
type Cursor struct {
	s  *Schedule
	at instant

	anchor int64 // timestamp of boundary 0 of every runner
	ns     int64 // timestamp of the instant: the anchor plus that of its boundary

	// position in the stored beat; unused when the schedule stores none
	cycle int64
	row   int32
}

// Next moves to the next instant at which an enabled runner has a boundary. It
// panics at the end of the clock (see Rate).
func (c *Cursor) Next() {
	if !c.advance() {
		panic("runners: Next past the end of the clock, 2^63 ns")
	}
}

// advance is like Next, but at the end of the clock it returns false and leaves the
// cursor unchanged.
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

// onClock reports whether the timestamp of boundary k of a runner, counted from the
// cursor's anchor, fits in an int64. k may be one past the last boundary of the clock.
func (c *Cursor) onClock(id ID, k int64) bool {
	return k <= c.s.last[id] && (c.anchor == 0 || c.s.rates[id].Timestamp(k) <= math.MaxInt64-c.anchor)
}

// NS returns the timestamp of the instant, in ns since time 0. Distinct instants
// have distinct timestamps.
func (c *Cursor) NS() int64 { return c.ns }

// Anchor returns the timestamp, in ns, of the instant from which boundaries are
// counted: 0 until the cursor adopts a schedule with other rates.
func (c *Cursor) Anchor() int64 { return c.anchor }

// Fired returns the enabled runners that have a boundary at the instant: at least one.
func (c *Cursor) Fired() Mask { return c.at.fired }

// Sync reports whether the instant is a beat, at which every registered runner,
// enabled or not, has a boundary.
func (c *Cursor) Sync() bool { return c.at.sync }

// Calls returns the bindings that run at the instant, as indices into
// Schedule.Bindings, in execution order. The slice belongs to the schedule and must
// not be modified.
func (c *Cursor) Calls() []uint16 {
	if c.at.sync {
		return c.s.beatCalls
	}
	return c.s.calls[c.at.fired]
}

// Boundary identifies the instant exactly: by the lowest ID of the runners that fire
// and the index of that runner's boundary, counted from the anchor.
func (c *Cursor) Boundary() (ID, int64) { return c.at.fired.first(), c.at.k }

// NextWrite returns the first instant after this one at which an enabled binding
// with Writes fires, on an enabled runner or at the beat. The results are those of
// Boundary at that instant, or NoRunner and −1 when the clock ends first.
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

// nextBeat returns the index, at the next beat, of the boundary of the runner that
// Boundary returns. ok is false when the clock ends first.
func (c *Cursor) nextBeat() (k int64, ok bool) {
	lead, k := c.Boundary()
	per := c.s.perBeat[lead]
	if per == 0 || c.s.last[lead]-k < per-k%per {
		return 0, false
	}
	next := k + per - k%per
	return next, c.onClock(lead, next)
}

// boundaryOf returns the index of a runner's latest boundary at or before the
// instant.
func (c *Cursor) boundaryOf(id ID) int64 {
	lead, k := c.Boundary()
	if id == lead {
		return k
	}
	return c.s.rates[id].Newest(c.s.rates[lead], k)
}

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

// Acquired reports whether the binding of that name runs in the Acquisition phase of
// this instant, before the decision point. After a cursor adopts another schedule at
// this instant, the binding must not run a second time; see Adopt.
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

// RunnerState is the step of one runner that contains an instant.
type RunnerState struct {
	K     int64 // index, from the anchor, of the latest boundary at or before the instant
	NS    int64 // timestamp of that boundary, in ns
	DT    int64 // length of the step that begins there, in ns
	Fired bool  // whether the runner fires at the instant
}

// Step returns the state of a runner at this instant. A disabled runner has
// boundaries, and so a state, but never fires. For NoRunner, Step returns the state
// of the beat, whose DT is math.MaxInt64 when the clock ends before the next beat.
// For an ID without a runner it returns the zero value.
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
	return RunnerState{K: k, NS: c.anchor + ns, DT: r.dt(rem), Fired: c.at.fired.Has(id)}
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

// Alpha returns the fraction of a runner's step, or for NoRunner of the beat, that
// has passed at this instant, in [0, 1). It is the exact fraction correctly rounded,
// but a fraction that would round to 1 becomes the largest float64 below 1. Where
// beats are more than 292 years apart it is approximate. It is 0 on a boundary and
// for an ID without a runner.
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

// StepContext describes one step to a callback. It refers to the world's cursor and
// is valid only while the callback runs.
type StepContext struct {
	// DT is the length of this step in ns, and Seconds the constant period in s.
	// Both are those of the binding's own runner, also on a shared step, or of the
	// beat for a beat binding. The DT of the beat is math.MaxInt64 when the clock
	// ends before the next beat.
	DT      int64
	Seconds float64
	// ID is the binding's runner, NoRunner for a beat binding; Phase is the phase
	// in which it runs.
	ID    ID
	Phase Phase
	// NS is the timestamp of the instant in ns; Sync says that it is a beat.
	NS   int64
	Sync bool

	cursor *Cursor
}

// Context returns the step context of a call, one of Calls at this instant.
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

// Runner returns the ID of the runner of that name in the schedule that this world
// now follows. ok is false when there is none.
func (x *StepContext) Runner(name string) (id ID, ok bool) { return x.cursor.s.Runner(name) }

// Step returns the state of a runner at this instant, as Cursor.Step does.
func (x *StepContext) Step(id ID) RunnerState { return x.cursor.Step(id) }

// Alpha returns the fraction of a runner's step that has passed, in [0, 1), as
// Cursor.Alpha does.
func (x *StepContext) Alpha(id ID) float64 { return x.cursor.Alpha(id) }
