package runners

import (
	"fmt"
	"io"
)

// Instant is one line of the timeline view: who fires when, with what step,
// and what runs then in which order. Times are in nanoseconds.
type Instant struct {
	NS      int64            `json:"t_ns"`
	Sync    bool             `json:"sync"`
	Runners []string         `json:"runners"` // that fire, by ID
	DTs     map[string]int64 `json:"dts_ns"`  // step of each of them
	Calls   []Call           `json:"calls"`   // in resolved order, never nil
}

// Call is one binding that runs at an instant.
type Call struct {
	Name     string `json:"name"`
	Runner   string `json:"runner"` // empty for a beat binding
	Phase    Phase  `json:"phase"`
	Priority int    `json:"priority"`
	DT       int64  `json:"dt_ns"` // as in StepContext
}

// Timeline yields the instants from time 0 up to and including untilNS, so
// that the shared step at the end of a whole beat is seen; past the end of the
// clock there are none. An error from yield ends the walk and is returned. The
// caller owns each Instant.
func Timeline(s *Schedule, untilNS int64, yield func(Instant) error) error {
	return walk(s, untilNS, func(c *Cursor) error {
		at := Instant{NS: c.NS(), Sync: c.Sync(), Runners: []string{}, DTs: map[string]int64{}, Calls: []Call{}}
		for id, r := range s.runners {
			if c.Fired().Has(ID(id)) {
				at.Runners = append(at.Runners, r.Name)
				at.DTs[r.Name] = c.Step(ID(id)).DT
			}
		}
		for _, i := range c.Calls() {
			b := &s.bindings[i]
			at.Calls = append(at.Calls, Call{b.Name, b.Runner, b.Phase, b.Priority, c.Context(i).DT})
		}
		return yield(at)
	})
}

// walk visits the instants from time 0 up to and including untilNS, or to the
// end of the clock.
func walk(s *Schedule, untilNS int64, visit func(*Cursor) error) error {
	for c := s.Start(); c.NS() <= untilNS; c.Next() {
		if err := visit(&c); err != nil {
			return err
		}
		if _, ok := s.after(c.at); !ok {
			return nil
		}
	}
	return nil
}

// sharedTrack is the track of the shared steps; runner id has track id+1.
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

// WriteTrace writes the timeline up to and including untilNS as a trace that
// Chrome and Perfetto open: a JSON object whose traceEvents hold one track per
// runner with its steps, and one with a mark, drawn across all tracks, at each
// instant that several runners share. Calls are listed as "Phase/priority
// name" in resolved order, on the step of their runner and, for shared steps,
// merged on the mark.
func WriteTrace(w io.Writer, s *Schedule, untilNS int64) error {
	t := NewTraceWriter(w)
	if err := t.Track(sharedTrack, "shared steps"); err != nil {
		return err
	}
	for id, r := range s.runners {
		if r.Name == "" {
			continue
		}
		if err := t.Track(id+1, fmt.Sprintf("%s %s Hz", r.Name, r.Rate)); err != nil {
			return err
		}
	}
	if err := walk(s, untilNS, func(c *Cursor) error { return traceInstant(s, c, t) }); err != nil {
		return err
	}
	return t.Close()
}

// traceInstant emits the steps that begin at an instant and, when several do,
// the mark that says so.
func traceInstant(s *Schedule, c *Cursor, t *TraceWriter) error {
	all := []string{} // every call here, beat bindings too
	own := make([][]string, len(s.runners))
	for id := range own {
		own[id] = []string{}
	}
	for _, i := range c.Calls() {
		b := &s.bindings[i]
		text := fmt.Sprintf("%s/%d %s", b.Phase, b.Priority, b.Name)
		all = append(all, text)
		if id := s.owners[i]; id != NoRunner {
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
