package runners

import (
	"fmt"
	"io"
	"iter"
	"math/bits"
	"strings"
)

// Instant is one entry of the timeline view: the runners that fire, the length of their steps, and the calls in
// order. Times are in ns.
type Instant struct {
	NS      int64            `json:"t_ns"`
	Sync    bool             `json:"sync"`    // whether it is a beat
	Runners []string         `json:"runners"` // those that fire, by ID
	DTs     map[string]int64 `json:"dts_ns"`  // step of each of them
	Calls   []Call           `json:"calls"`   // in execution order, never nil
	// Changes holds the N of each change made at this instant. Runners, their steps and the calls after the decision
	// point are those after the changes.
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

// Timeline calls yield for each instant of a world in one episode that begins at step 0, from time 0 up to and
// including untilNS, or to the end of the clock. It makes the changes of the clock as a world does, at boundaries of
// the control runner, from the version First on; none without roles. An error from yield ends the walk and is
// returned. yield owns the Instant.
func (p *Clock) Timeline(untilNS int64, yield func(Instant) error) error {
	return p.walk(untilNS, func(m *moment) error {
		s := m.current.s
		instant := Instant{
			NS: m.current.NS(), Sync: m.current.Sync(), Runners: []string{}, DTs: map[string]int64{}, Calls: []Call{},
			Changes: m.changes,
		}
		for id, r := range s.runners {
			if m.current.Fired().Has(ID(id)) {
				instant.Runners = append(instant.Runners, r.Name)
				instant.DTs[r.Name] = m.current.Step(ID(id)).DT
			}
		}
		for c, i := range m.calls() {
			b := &c.s.entries[i]
			instant.Calls = append(instant.Calls, Call{b.Name, b.Runner, b.Phase, b.Priority, c.Context(i).DT})
		}
		return yield(instant)
	})
}

// moment is one instant of a walk along a clock.
type moment struct {
	old, current Cursor  // before and after the changes made here; equal without changes
	changes      []int64 // their N
}

// calls yields the calls of the instant, each with the cursor of its schedule: up to the decision point the one
// before the changes, then the one after.
func (m *moment) calls() iter.Seq2[*Cursor, uint16] {
	return func(yield func(*Cursor, uint16) bool) {
		changed := m.old != m.current
		if changed {
			for _, i := range m.old.Calls() {
				if m.old.s.entries[i].Phase == Acquisition && !yield(&m.old, i) {
					return
				}
			}
		}
		for _, i := range m.current.Calls() {
			if changed && m.old.Acquired(m.current.s.entries[i].Name) {
				continue
			}
			if !yield(&m.current, i) {
				return
			}
		}
	}
}

// walk visits the instants from time 0 up to and including untilNS, or to the end of the clock.
func (p *Clock) walk(untilNS int64, visit func(*moment) error) error {
	n, version := int64(0), p.first
	c := p.Schedule(version).Start()
	for c.NS() <= untilNS {
		m := moment{old: c}
		if c.Fired().Has(c.s.control) {
			previous := version
			version = p.Follow(&c, previous, n)
			for _, change := range p.changes[previous-p.first : version-p.first] {
				m.changes = append(m.changes, change.N)
			}
			n++
		}
		m.current = c
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

// WriteTrace writes the Timeline as a trace for Chrome and Perfetto: a JSON object whose traceEvents hold one track
// per runner with its steps, and one with a mark, drawn across all tracks, at each instant that several runners
// share or that changes the clock. Each step lists the calls of its runner, and each mark of a shared step all
// calls, as "Phase/priority name" in execution order.
func (p *Clock) WriteTrace(w io.Writer, untilNS int64) error {
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
	if err := p.walk(untilNS, func(m *moment) error { return traceInstant(m, t) }); err != nil {
		return err
	}
	return t.Close()
}

// trackNames returns a name for each runner ID: all runners and rates that the ID has in turn, or "".
func trackNames(p *Clock) (names [MaxRunners]string) {
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

// traceInstant writes the steps that begin at an instant and a mark for each change, beat or shared step.
func traceInstant(m *moment, t *TraceWriter) error {
	c, s := &m.current, m.current.s
	all := []string{} // every call here, beat bindings too
	byRunner := make([][]string, len(s.runners))
	for id := range byRunner {
		byRunner[id] = []string{}
	}
	for cursor, i := range m.calls() {
		b := &cursor.s.entries[i]
		text := fmt.Sprintf("%s/%d %s", b.Phase, b.Priority, b.Name)
		all = append(all, text)
		if id := b.ID; int(id) < len(byRunner) {
			byRunner[id] = append(byRunner[id], text)
		}
	}

	shared, color := bits.OnesCount8(uint8(c.Fired())) > 1, ""
	if shared {
		color = "terrible" // the format's red, as shared steps are usually drawn
	}
	names := []string{}
	for id, r := range s.runners {
		if !c.Fired().Has(ID(id)) {
			continue
		}
		names = append(names, r.Name)
		step := c.Step(ID(id))
		args := map[string]any{"k": step.K, "t_ns": step.NS, "dt_ns": step.DT, "shared": shared, "sync": c.Sync(),
			"calls": byRunner[id]}
		if err := t.Event(TraceEvent{Name: r.Name, Kind: TraceStep, NS: step.NS, DurNS: step.DT, Track: id + 1,
			Color: color, Args: args}); err != nil {
			return err
		}
	}
	for _, n := range m.changes {
		if err := t.Event(TraceEvent{Name: fmt.Sprintf("change of step %d", n), Kind: TraceMark, NS: c.NS(),
			Track: sharedTrack}); err != nil {
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
	args := map[string]any{"t_ns": c.NS(), "runners": names, "sync": c.Sync(), "calls": all}
	return t.Event(TraceEvent{Name: name, Kind: TraceMark, NS: c.NS(), Track: sharedTrack, Color: color, Args: args})
}
