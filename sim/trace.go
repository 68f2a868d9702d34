package sim

import (
	"fmt"
	"io"
	"math/bits"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/runners"
)

// Trace records in wall time what one world of a run does, for a timeline viewer: each call of a binding, each call
// of the engine, and the shared steps. The simulation does not depend on these readings of the clock. Set it in
// [Config.Trace]; write it with WriteJSON while no Each runs.
type Trace struct {
	World  int // run-wide index of the world
	Events int // largest number of events to record; later ones are left out

	origin time.Time
	events []event
}

// event is one interval of work, or a shared step.
type event struct {
	start, end time.Duration // since the trace began
	name       string
	schedule   *runners.Schedule // numbers the runners
	runner     runners.ID        // NoRunner for the beat
	phase      runners.Phase
	ns         int64 // timestamp of the world's instant
	step       int64
	substeps   int32        // of an engine call
	worlds     int          // in the engine call
	fired      runners.Mask // of a shared step, else 0
	sync       bool
}

// start allocates the events; it is called before the first step.
func (t *Trace) start() {
	t.origin = time.Now()
	t.events = make([]event, 0, t.Events)
}

func (t *Trace) full() bool { return len(t.events) == cap(t.events) }

// fire fires a binding and records it.
func (t *Trace) fire(w *World, b *runners.Entry) int32 {
	start := time.Since(t.origin)
	n := w.fire(b)
	if n > 0 || t.full() { // engine records the engine call
		return n
	}
	t.events = append(t.events, event{
		start: start, end: time.Since(t.origin), name: b.Name, schedule: w.Schedule(), runner: b.ID, phase: b.Phase,
		ns: w.now.NS, step: w.block.n,
	})
	return n
}

// arrived records the instant if it is a shared step.
func (t *Trace) arrived(w *World) {
	fired := w.cursor.Fired()
	if bits.OnesCount8(uint8(fired)) > 1 && !t.full() {
		t.events = append(t.events, event{start: time.Since(t.origin), schedule: w.Schedule(), runner: runners.NoRunner,
			ns: w.now.NS, fired: fired, sync: w.cursor.Sync()})
	}
}

// engine records an engine call for worlds worlds, in which the traced one took substeps substeps.
func (t *Trace) engine(w *World, start time.Duration, substeps int32, worlds int) {
	if t.full() {
		return
	}
	schedule := w.Schedule()
	t.events = append(t.events, event{
		start: start, end: time.Since(t.origin), name: schedule.Physics().Name, schedule: schedule,
		runner: schedule.Physics().ID,
		phase:  runners.Physics,
		ns:     w.now.NS, step: w.block.n, substeps: substeps, worlds: worlds,
	})
}

// Tracks: one for each runner and phase, after those without a runner.
const (
	sharedTrack = iota
	beatTrack
	firstTrack
)

func track(e event) int {
	if e.runner == runners.NoRunner {
		return beatTrack
	}
	return firstTrack + int(e.phase)*runners.MaxRunners + int(e.runner)
}

// WriteJSON writes the trace in the format of Chrome and Perfetto: a track for each runner and phase, in the order
// of the phases, with the engine's calls on the track of physics, and a mark across all tracks at each shared step.
func (t *Trace) WriteJSON(out io.Writer) error {
	w := runners.NewTraceWriter(out)
	if err := t.writeTracks(w); err != nil {
		return err
	}
	for _, e := range t.events {
		entry := runners.TraceEvent{Name: e.name, Kind: runners.TraceStep, NS: int64(e.start),
			DurNS: int64(e.end - e.start), Track: track(e)}
		switch args := map[string]any{"t_ns": e.ns, "n": e.step}; {
		case e.fired != 0:
			var names []string
			for id, r := range e.schedule.Runners() {
				if e.fired.Has(runners.ID(id)) {
					names = append(names, r.Name)
				}
			}
			entry.Name, entry.Kind, entry.Track = "shared step", runners.TraceMark, sharedTrack
			if e.sync {
				entry.Name = "beat"
			}
			entry.Args = map[string]any{"t_ns": e.ns, "runners": names, "sync": e.sync}
		case e.substeps > 0:
			entry.Name += " (engine, in C)"
			args["substeps"], args["worlds"] = e.substeps, e.worlds
			fallthrough
		default:
			entry.Args = args
		}
		if err := w.Event(entry); err != nil {
			return err
		}
	}
	return w.Close()
}

// writeTracks names the tracks that have events, in order. A track that several runners have in turn has the name of
// the last.
func (t *Trace) writeTracks(w *runners.TraceWriter) error {
	names := map[int]string{sharedTrack: "shared steps", beatTrack: "beat"}
	for _, e := range t.events {
		if e.runner != runners.NoRunner {
			r := e.schedule.Runners()[e.runner]
			names[track(e)] = fmt.Sprintf("%v: %s %v Hz", e.phase, r.Name, r.Rate)
		}
	}
	for id := range firstTrack + runners.MaxRunners*int(runners.Export+1) {
		name, ok := names[id]
		if !ok {
			continue
		}
		if err := w.Track(id, name); err != nil {
			return err
		}
		if err := w.SortTrack(id, id); err != nil {
			return err
		}
	}
	return nil
}
