package runners

import (
	"fmt"
	"slices"
)

// SameClock reports whether two schedules have the same rates under the same
// IDs, and so the same boundaries. Their names, bindings and disabled runners may
// differ.
func (s *Schedule) SameClock(other *Schedule) bool {
	return s.rates == other.rates
}

// Adopt moves the cursor to another schedule at its instant, and reports whether it
// did. Call it at a decision point. If it returns false, the cursor is unchanged; try
// again at the next decision point.
//
// The rest of the instant then follows next. Of the cursor's Calls, those that were
// Acquired before have already run, and the others run now in order, beginning with
// any left in Acquisition. So each binding runs once, even if the change moves it
// between phases, and bindings that the change adds or enables run at this instant.
//
// With the SameClock the anchor stays, and Adopt succeeds wherever an enabled runner
// of next fires. Otherwise it succeeds only at a beat, where all runners have a
// boundary: the instant becomes the common anchor of the runners of next, which are
// all at boundary 0, and none is in the middle of a step. The anchor is the timestamp
// of the instant, a whole nanosecond, and so less than 1 ns before the exact beat.
// No error accumulates from this: timestamps are always computed from the index, and
// all runners have the same anchor, so they do not shift against one another.
func (c *Cursor) Adopt(next *Schedule) bool {
	if c.s.SameClock(next) {
		id, k := c.Boundary()
		at, ok := next.resume(c.anchor, id, k)
		if ok {
			*c = at
		}
		return ok
	}
	if !c.at.sync {
		return false
	}
	*c = Cursor{s: next, at: next.start(), anchor: c.ns, ns: c.ns}
	return true
}

// Change is a group of edits that take effect together, from control step N of the run.
type Change struct {
	N     int64 `json:"n"`
	Edits Edits `json:"edits"`
}

// Plan is the clock of a run: a schedule and the changes to it in order. Version v is
// the schedule after v changes. Each world makes a change at its first decision point
// at step N or later where its Cursor can Adopt the new version, after all earlier
// changes; or when its next episode begins.
//
// Any number of goroutines may read a Plan at the same time, but none while Add runs.
type Plan struct {
	schedules []*Schedule // by version
	changes   []Change
}

// NewPlan returns the plan of a run without changes.
func NewPlan(s *Schedule) *Plan { return &Plan{schedules: []*Schedule{s}} }

// Clone returns an independent copy of the plan.
func (p *Plan) Clone() *Plan { return &Plan{slices.Clone(p.schedules), slices.Clone(p.changes)} }

// Add appends a change. Its N must not be less than that of an earlier change, and no
// world should have passed it. The edits apply to the last version, even if no world
// has reached it yet. accept, if not nil, may refuse the new version by an error.
// After an error the plan is unchanged. Add copies the list of edits.
func (p *Plan) Add(c Change, accept func(*Schedule) error) error {
	if n := len(p.changes); c.N < 0 || n > 0 && c.N < p.changes[n-1].N {
		earliest := int64(0)
		if n > 0 {
			earliest = p.changes[n-1].N
		}
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

// Changes returns a copy of the changes in order. Change v leads from version v to
// version v+1.
func (p *Plan) Changes() []Change { return slices.Clone(p.changes) }

// Schedule returns a version, from 0 to the number of changes. It panics for others.
func (p *Plan) Schedule(version int) *Schedule { return p.schedules[version] }

// Begin returns the version with which an episode starts at step n.
func (p *Plan) Begin(n int64) (version int) {
	for version < len(p.changes) && p.changes[version].N <= n {
		version++
	}
	return version
}

// Follow makes the changes that a cursor at the given version can adopt at step n,
// and returns its new version. Call it at a decision point; Adopt describes which
// calls of the instant then remain. Follow does not allocate.
func (p *Plan) Follow(c *Cursor, version int, n int64) int {
	for version < len(p.changes) && p.changes[version].N <= n && c.Adopt(p.schedules[version+1]) {
		version++
	}
	return version
}
