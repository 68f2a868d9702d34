package runners

import (
	"fmt"
	"slices"
)

// SameClock reports whether two schedules have the same rates under the same
// IDs, and so the same boundaries: they differ at most in names, in what is
// enabled and in what is bound.
func (s *Schedule) SameClock(other *Schedule) bool {
	return s.rates == other.rates
}

// Adopt moves the cursor to another schedule at the instant it stands on, which
// is for the decision point. It reports whether it did; where it may not, the
// cursor stays as it is and the next decision point may be tried.
//
// The instant then belongs to next: of the Calls there, those that the cursor had
// Acquired before have run, and the others run now in their order, first what is
// left of Acquisition. So each binding runs once, whatever phase the change takes
// it from or to, and what the change adds or enables runs at this instant too.
//
// Under the SameClock nothing moves, and Adopt may be called anywhere that an
// enabled runner of next fires. Otherwise it must be a beat, where all runners
// have a boundary together: the instant becomes the common anchor from which
// the runners of next count, all at boundary 0 and none of them in mid-step. The
// anchor is the timestamp of the instant, so it is a whole nanosecond, less than
// one after which the beat was; that is exact from there on, since timestamps are
// always computed from the index, and the same for all runners, so it sets none
// of them off against another.
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

// Change is a group of edits that become valid together, at step N of the run.
type Change struct {
	N     int64 `json:"n"`
	Edits Edits `json:"edits"`
}

// Plan is the clock of a run and all that becomes of it: a schedule, and the
// changes to it in order. Version v is the schedule after v changes. Each world
// takes a change over at the first decision point at step N or later where its
// Cursor can Adopt it, and after all earlier ones; or with its next episode.
//
// Any number of goroutines may read a Plan; Add needs it alone.
type Plan struct {
	schedules []*Schedule // by version
	changes   []Change
}

// NewPlan returns the plan of a run without changes.
func NewPlan(s *Schedule) *Plan { return &Plan{schedules: []*Schedule{s}} }

// Clone returns a plan that goes its own way from here.
func (p *Plan) Clone() *Plan { return &Plan{slices.Clone(p.schedules), slices.Clone(p.changes)} }

// Add queues a change. Its N must not be below that of an earlier change, and
// is to be one that no world has passed. Its edits apply to the newest version,
// whether worlds have reached that or not; they are resolved here, once. accept,
// if it is not nil, is asked whether the run can do with the result. An error
// leaves the plan as it is.
func (p *Plan) Add(c Change, accept func(*Schedule) error) error {
	if n := len(p.changes); c.N < 0 || n > 0 && c.N < p.changes[n-1].N {
		earliest := int64(0)
		if n > 0 {
			earliest = p.changes[n-1].N
		}
		return fmt.Errorf("change at step %d: want step %d, that of the change before it, or later", c.N, earliest)
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

// Changes returns a copy of the changes in order: version v+1 is that after
// change v.
func (p *Plan) Changes() []Change { return slices.Clone(p.changes) }

// Schedule returns a version, 0 to the number of changes.
func (p *Plan) Schedule(version int) *Schedule { return p.schedules[version] }

// Begin returns the version that an episode which begins at step n starts with.
func (p *Plan) Begin(n int64) (version int) {
	for version < len(p.changes) && p.changes[version].N <= n {
		version++
	}
	return version
}

// Follow makes the changes that a cursor of a version can adopt at step n, and
// returns the version that it then has. It is for the decision point; what the
// instant still has to run is said at Adopt. It does not allocate.
func (p *Plan) Follow(c *Cursor, version int, n int64) int {
	for version < len(p.changes) && p.changes[version].N <= n && c.Adopt(p.schedules[version+1]) {
		version++
	}
	return version
}
