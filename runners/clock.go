package runners

import (
	"fmt"
	"slices"
)

// Adopt moves the cursor to another schedule at its instant, and reports whether it did. Call it at a decision
// point. If it returns false, the cursor is unchanged; try again at the next one.
//
// The rest of the instant then follows next. Of the cursor's Calls, those that were Acquired before have already
// run, and the others run now in order, beginning with any left in Acquisition. So each binding runs once, even if
// the change moves it between phases, and bindings that the change adds or enables run at this instant.
//
// With the same rates the anchor stays, and Adopt succeeds wherever an enabled runner of next fires. Otherwise it
// succeeds only at a beat, which becomes the common anchor of the runners of next: all are at boundary 0, and none
// is in the middle of a step. The anchor is the timestamp of the instant, and so less than 1 ns before the exact
// beat. No error accumulates: timestamps are computed from the index, and all runners have the same anchor.
func (c *Cursor) Adopt(next *Schedule) bool {
	if c.s.rates == next.rates {
		id, k := c.Boundary()
		cursor, ok := next.resume(c.anchor, id, k)
		if ok {
			*c = cursor
		}
		return ok
	}
	if !c.sync {
		return false
	}
	*c = next.origin(c.ns)
	return true
}

// Change is a group of edits that take effect together, from control step N of the run.
type Change struct {
	N     int64 `json:"n"`
	Edits Edits `json:"edits"`
}

// Clock is the clock of a run: a schedule and the changes to it in order. Version v is the schedule after v changes.
// Each world makes a change at its first decision point at step N or later where its Cursor can Adopt the new
// version, after all earlier changes; or when its next episode begins. Any number of goroutines may read a Clock,
// but none while Add or Forget runs.
type Clock struct {
	first     int         // version of the first schedule: those before it are forgotten
	schedules []*Schedule // by version, from first
	changes   []Change    // change i leads from schedule i to the next
}

// Version is a version of a clock as plain data, by which a run goes on whose earlier ones are forgotten.
type Version struct {
	Number   int       `json:"version"`
	Runners  []*Runner `json:"runners"` // by ID; nil where one was removed
	Bindings []Binding `json:"bindings"`
}

// NewClock returns the clock of a run without changes.
func NewClock(s *Schedule) *Clock { return &Clock{schedules: []*Schedule{s}} }

// Resume returns the clock of the same run that begins with a version: its bindings have the roles that they had when
// the run began. It returns the errors of Compile, and one for a negative number or another rate of physics substeps.
func (p *Clock) Resume(v *Version) (*Clock, error) {
	if v.Number < 0 {
		return nil, fmt.Errorf("version of the clock is %d, want at least 0", v.Number)
	}
	list := make([]Runner, len(v.Runners))
	for i, r := range v.Runners {
		if r == nil {
			continue
		}
		if list[i] = *r; r.Name == "" {
			return nil, fmt.Errorf("runner %d has no name, want one", i)
		}
	}
	run := p.schedules[0]
	s, err := compile(list, v.Bindings, run.first)
	if err == nil && s.substep != run.substep {
		err = fmt.Errorf("rate of physics substeps is %v Hz, want %v Hz", s.substep, run.substep)
	}
	if err != nil {
		return nil, err
	}
	return &Clock{first: v.Number, schedules: []*Schedule{s}}, nil
}

// Clone returns an independent copy of the clock.
func (p *Clock) Clone() *Clock {
	return &Clock{p.first, slices.Clone(p.schedules), slices.Clone(p.changes)}
}

// Forget drops the versions before one that the clock has, and the changes that led to it. No world may be at an
// earlier version then. An earlier version than First is none to forget.
func (p *Clock) Forget(version int) {
	if n := version - p.first; n > 0 {
		p.first, p.schedules, p.changes = version, slices.Clone(p.schedules[n:]), slices.Clone(p.changes[n:])
	}
}

// First returns the number of the earliest version that is not forgotten, 0 unless [Clock.Forget] was called.
func (p *Clock) First() int { return p.first }

// Version returns the version First as data, which belongs to the caller.
func (p *Clock) Version() *Version {
	v := &Version{Number: p.first, Bindings: p.schedules[0].Bindings()}
	for _, r := range p.schedules[0].Runners() {
		if r.Name == "" {
			v.Runners = append(v.Runners, nil)
		} else {
			v.Runners = append(v.Runners, &r)
		}
	}
	return v
}

// Add appends a change. Its N must not be less than that of an earlier change, and no world should have passed it.
// The edits, of which it keeps a copy, apply to the last version, even if no world has reached it yet. accept, if
// not nil, may refuse the new version by an error. After an error the clock is unchanged.
func (p *Clock) Add(c Change, accept func(*Schedule) error) error {
	earliest := int64(0)
	if n := len(p.changes); n > 0 {
		earliest = p.changes[n-1].N
	}
	if c.N < earliest {
		return fmt.Errorf("change at step %d, want step %d, that of the change before it, or later", c.N, earliest)
	}
	next, err := p.schedules[len(p.schedules)-1].Apply(c.Edits...)
	if err == nil && accept != nil {
		err = accept(next)
	}
	if err != nil {
		return fmt.Errorf("change at step %d: %w", c.N, err)
	}
	c.Edits = slices.Clone(c.Edits)
	p.schedules = append(p.schedules, next)
	p.changes = append(p.changes, c)
	return nil
}

// Changes returns a copy of the changes in order. Change i leads from version First()+i to the next.
func (p *Clock) Changes() []Change { return slices.Clone(p.changes) }

// Schedule returns a version, from First to Last. It panics for others.
func (p *Clock) Schedule(version int) *Schedule { return p.schedules[version-p.first] }

// Last returns the number of the version after the last change.
func (p *Clock) Last() int { return p.first + len(p.changes) }

// Begin returns the version with which an episode starts at step n.
func (p *Clock) Begin(n int64) (version int) {
	i := 0
	for i < len(p.changes) && p.changes[i].N <= n {
		i++
	}
	return p.first + i
}

// Follow makes the changes that a cursor at the given version can adopt at step n, and returns its new version. Call
// it at a decision point; Adopt describes which calls of the instant then remain. It does not allocate.
func (p *Clock) Follow(c *Cursor, version int, n int64) int {
	i := version - p.first
	for i < len(p.changes) && p.changes[i].N <= n && c.Adopt(p.schedules[i+1]) {
		i++
	}
	return p.first + i
}
