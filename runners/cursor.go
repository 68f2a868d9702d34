package runners

import (
	"math"
	"math/bits"
)

// Cursor stands on one instant of one world's timeline. It is a small value:
// a copy is an independent cursor at the same instant, and two cursors of one
// schedule are equal with == when they stand on the same instant. Schedule's
// Start and At make cursors; the zero value is not one.
//
// No method allocates. One goroutine at a time may use a cursor.
type Cursor struct {
	s  *Schedule
	at instant
	ns int64

	// place in the stored beat; unused when it is stepped by arithmetic
	cycle int64
	row   int32
}

// Next moves to the next instant: the first at which an enabled runner has a
// boundary. It panics past the end of the clock (see Rate).
func (c *Cursor) Next() {
	s := c.s
	if s.rows == nil {
		next, ok := s.after(c.at)
		if !ok {
			panic("runners: Next past the end of the clock, 2^63 ns")
		}
		c.at = next
	} else {
		c.row++
		if int(c.row) == len(s.rows) {
			c.row = 0
			c.cycle++
		}
		r := s.rows[c.row]
		c.at = instant{k: c.cycle*s.perBeat[r.fired.first()] + r.k, fired: r.fired, sync: c.row == 0}
	}
	c.ns = s.rates[c.at.fired.first()].Label(c.at.k)
}

// NS returns the label of the instant, in nanoseconds from the anchor. In one
// schedule distinct instants have distinct labels.
func (c *Cursor) NS() int64 { return c.ns }

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
// that fire here, and the index of its boundary.
func (c *Cursor) Boundary() (ID, int64) { return c.at.fired.first(), c.at.k }

// NextWrite returns the next instant, strictly after this one, at which an
// enabled binding with Writes fires on an enabled runner or at the beat, named
// as Boundary names it. When there is none before the end of the clock it
// returns NoRunner and −1.
func (c *Cursor) NextWrite() (ID, int64) {
	s := c.s
	lead, k := c.Boundary()
	id, next := s.earliest(s.writers, lead, k)
	if s.beatWrites {
		beat, ok := c.nextBeat()
		if ok && (id == NoRunner || compareBoundaries(s.rates[lead], beat, s.rates[id], next) < 0) {
			id, next = lead, beat
		}
	}
	if id == NoRunner {
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
	if per == 0 || c.s.rates[lead].lastBoundary()-k < per-k%per {
		return 0, false
	}
	return k + per - k%per, true
}

// RunnerState is one runner's entry in the swarm: its step at an instant.
type RunnerState struct {
	K     int64 // index of the newest boundary at or before the instant
	NS    int64 // label of that boundary
	DT    int64 // length of the step that begins there, in ns
	Fired bool  // whether the runner fires at the instant
}

// Step returns the state of a runner of the schedule at this instant. Disabled
// runners have boundaries, and so a state, but never fire.
func (c *Cursor) Step(id ID) RunnerState {
	lead, k := c.Boundary()
	r := c.s.rates[id]
	newest := r.Newest(c.s.rates[lead], k)
	ns, rem := r.label(newest)
	return RunnerState{K: newest, NS: ns, DT: r.dt(rem), Fired: c.at.fired.Has(id)}
}

// Alpha returns how far the instant lies between the runner's newest boundary
// and its next, in [0, 1): the exact fraction correctly rounded, except that
// what would round to 1 is the float64 before it. It is 0 on a boundary.
func (c *Cursor) Alpha(id ID) float64 {
	lead, k := c.Boundary()
	of, r := c.s.rates[lead], c.s.rates[id]
	_, rem := r.split(of, k)
	return fraction(rem, uint64(of.num*r.den))
}

// fraction returns num/den, 0 ≤ num < den < 2⁶², correctly rounded but below 1.
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
	// ID of the binding's runner, NoRunner for a beat binding.
	ID ID
	// NS is the label of the instant and Sync whether it is a beat.
	NS   int64
	Sync bool

	cursor *Cursor
}

// Context returns the step context of one of the calls at this instant.
func (c *Cursor) Context(call uint16) StepContext {
	ctx := StepContext{ID: c.s.owners[call], NS: c.ns, Sync: c.at.sync, cursor: c}
	if ctx.ID == NoRunner {
		ctx.DT, ctx.Seconds = c.beatDT(), c.s.beatSeconds
		return ctx
	}
	ctx.DT, ctx.Seconds = c.Step(ctx.ID).DT, c.s.rates[ctx.ID].Seconds()
	return ctx
}

// beatDT returns the ns from this beat to the next, math.MaxInt64 when the
// clock ends before it.
func (c *Cursor) beatDT() int64 {
	k, ok := c.nextBeat()
	if !ok {
		return math.MaxInt64
	}
	return c.s.rates[c.at.fired.first()].Label(k) - c.ns
}

// Step returns a runner's entry in the swarm at this instant.
func (x *StepContext) Step(id ID) RunnerState { return x.cursor.Step(id) }

// Alpha returns how far a runner is towards its next boundary, in [0, 1).
func (x *StepContext) Alpha(id ID) float64 { return x.cursor.Alpha(id) }
