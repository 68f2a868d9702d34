package runners

import (
	"fmt"
	"io"
	"iter"
	"strings"
)

// Instant is one entry of the timeline view: the runners that fire, the length of
// their steps, and the calls in order. Times are in nanoseconds.
type Instant struct {
	NS      int64            `json:"t_ns"`
	Sync    bool             `json:"sync"`    // whether it is a beat
	Runners []string         `json:"runners"` // those that fire, by ID
	DTs     map[string]int64 `json:"dts_ns"`  // step of each of them
	Calls   []Call           `json:"calls"`   // in execution order, never nil
	// Changes holds the N of each change made at this instant. Runners, their steps
	// and the calls after the decision point are those after the changes.
	Changes []int64 `json:"changes,omitempty"`
}

// Call is one binding that runs at an instant.
type Call struct {
	Name     string `json:"name"`
	Runner   string `json:"runner"` // empty for a beat binding
	Phase    Phase  `json:"phase"`
	Priority int    `json:"priority"`
	DT       int64  `json:"dt_ns"` // as in StepContext
}

// Timeline calls yield for each instant of a schedule from time 0 up to and including
// untilNS, or to the end of the clock. With untilNS at a beat, the shared step there is
// included. An error from yield ends the walk and is returned. yield owns the Instant.
func Timeline(s *Schedule, untilNS int64, yield func(Instant) error) error {
	return NewPlan(s).Timeline(NoRunner, untilNS, yield)
}

// Timeline is like [Timeline] for a world in one episode that begins at step 0. It
// makes the changes of the plan as a world does, at boundaries of the control runner.
func (p *Plan) Timeline(control ID, untilNS int64, yield func(Instant) error) error {
	return p.walk(control, untilNS, func(m *moment) error {
		s := m.after.s
		at := Instant{
			NS: m.after.NS(), Sync: m.after.Sync(), Runners: []string{}, DTs: map[string]int64{}, Calls: []Call{}, Changes: m.changes,
		}
		for id, r := range s.runners {
			if m.after.Fired().Has(ID(id)) {
				at.Runners = append(at.Runners, r.Name)
				at.DTs[r.Name] = m.after.Step(ID(id)).DT
			}
		}
		for c, i := range m.calls() {
			b := &c.s.bindings[i]
			at.Calls = append(at.Calls, Call{b.Name, b.Runner, b.Phase, b.Priority, c.Context(i).DT})
		}
		return yield(at)
	})
}

// moment is one instant of a walk through a plan.
type moment struct {
	before, after Cursor  // before and after the changes made here; equal without changes
	changes       []int64 // their N
}

// calls yields the calls of the instant, each with the cursor of its schedule: up to
// the decision point the one before the changes, then the one after.
func (m *moment) calls() iter.Seq2[*Cursor, uint16] {
	return func(yield func(*Cursor, uint16) bool) {
		changed := m.before != m.after
		if changed {
			for _, i := range m.before.Calls() {
				if m.before.s.bindings[i].Phase == Acquisition && !yield(&m.before, i) {
					return
				}
			}
		}
		for _, i := range m.after.Calls() {
			if changed && m.before.Acquired(m.after.s.bindings[i].Name) {
				continue
			}
			if !yield(&m.after, i) {
				return
			}
		}
	}
}

// walk visits the instants from time 0 up to and including untilNS, or to the
// end of the clock.
func (p *Plan) walk(control ID, untilNS int64, visit func(*moment) error) error {
	n, version := int64(0), 0
	c := p.Schedule(0).Start()
	for c.NS() <= untilNS {
		m := moment{before: c}
		if c.Fired().Has(control) {
			was := version
			version = p.Follow(&c, was, n)
			for _, change := range p.changes[was:version] {
				m.changes = append(m.changes, change.N)
			}
			n++
		}
		m.after = c
		if err := visit(&m); err != nil {
			return err
		}
		if !c.advance() {
			return nil
		}
	}
	return nil
}

// sharedTrack is the track of the shared steps; the track of a runner is its ID plus 1.
const sharedTrack = 0

// stepArgs are the details of one step in the trace.
type stepArgs struct {
	K      int64    `json:"k"`
	NS     int64    `json:"t_ns"`
	DT     int64    `json:"dt_ns"`
	Shared bool     `json:"shared"`
	Sync   bool     `json:"sync"`
	Calls  []string `json:"calls"`
}

// sharedArgs are the details of one mark on the track of shared steps.
type sharedArgs struct {
	NS      int64    `json:"t_ns"`
	Runners []string `json:"runners"`
	Sync    bool     `json:"sync"`
	Calls   []string `json:"calls"`
}

// WriteTrace writes the Timeline of a schedule as a trace for Chrome and Perfetto: a
// JSON object whose traceEvents hold one track per runner with its steps, and one
// track with a mark, drawn across all tracks, at each instant that several runners
// share or that changes the clock. Each step lists the calls of its runner, and each
// mark of a shared step lists all calls, as "Phase/priority name" in execution order.
func WriteTrace(w io.Writer, s *Schedule, untilNS int64) error {
	return NewPlan(s).WriteTrace(w, NoRunner, untilNS)
}

// WriteTrace is like [WriteTrace] for the plan's Timeline.
func (p *Plan) WriteTrace(w io.Writer, control ID, untilNS int64) error {
	t := NewTraceWriter(w)
	if err := t.Track(sharedTrack, "shared steps"); err != nil {
		return err
	}
	for id, name := range trackNames(p) {
		if name != "" {
			if err := t.Track(id+1, name); err != nil {
				return err
			}
		}
	}
	if err := p.walk(control, untilNS, func(m *moment) error { return traceInstant(m, t) }); err != nil {
		return err
	}
	return t.Close()
}

// trackNames returns a name for each runner ID: all runners and rates that the ID has
// in turn, or "" for an ID that is never used.
func trackNames(p *Plan) (names [MaxRunners]string) {
	for _, s := range p.schedules {
		for id, r := range s.runners {
			if r.Rate.IsZero() {
				continue
			}
			name := fmt.Sprintf("%s %s Hz", r.Name, r.Rate)
			switch {
			case names[id] == "":
				names[id] = name
			case !strings.HasSuffix(names[id], name):
				names[id] += ", then " + name
			}
		}
	}
	return names
}

// traceInstant writes the steps that begin at an instant and a mark for each change,
// beat or shared step.
func traceInstant(m *moment, t *TraceWriter) error {
	c, s := &m.after, m.after.s
	all := []string{} // every call here, beat bindings too
	own := make([][]string, len(s.runners))
	for id := range own {
		own[id] = []string{}
	}
	for at, i := range m.calls() {
		b := &at.s.bindings[i]
		text := fmt.Sprintf("%s/%d %s", b.Phase, b.Priority, b.Name)
		all = append(all, text)
		if id := at.s.owners[i]; int(id) < len(own) {
			own[id] = append(own[id], text)
		}
	}

	names := []string{}
	for id, r := range s.runners {
		if c.Fired().Has(ID(id)) {
			names = append(names, r.Name)
		}
	}
	shared := len(names) > 1
	color := ""
	if shared {
		color = "terrible" // the format's red, as shared steps are usually drawn
	}
	for id, r := range s.runners {
		if !c.Fired().Has(ID(id)) {
			continue
		}
		step := c.Step(ID(id))
		err := t.Event(TraceEvent{
			Name: r.Name, Kind: TraceStep, NS: step.NS, DurNS: step.DT, Track: id + 1, Color: color,
			Args: stepArgs{step.K, step.NS, step.DT, shared, c.Sync(), own[id]},
		})
		if err != nil {
			return err
		}
	}
	for _, n := range m.changes {
		if err := t.Event(TraceEvent{Name: fmt.Sprintf("change of step %d", n), Kind: TraceMark, NS: c.NS(), Track: sharedTrack}); err != nil {
			return err
		}
	}
	if !shared && !c.Sync() {
		return nil
	}
	name := "shared step"
	if c.Sync() {
		name = "beat"
	}
	return t.Event(TraceEvent{
		Name: name, Kind: TraceMark, NS: c.NS(), Track: sharedTrack, Color: color,
		Args: sharedArgs{c.NS(), names, c.Sync(), all},
	})
}
