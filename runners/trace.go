package runners

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
)

// TraceWriter writes the Trace Event Format of Chrome's tracing page and Perfetto: one JSON object with one event
// per line. One goroutine at a time may use it. It buffers: an error of the underlying writer is returned by a later
// Event, or by Close.
type TraceWriter struct {
	out       *bufio.Writer
	separator string
}

// TraceEvent is one event of a trace. Times are in ns, and are written exactly, in µs with three decimals.
type TraceEvent struct {
	Name  string
	Kind  TraceKind
	NS    int64 // beginning
	DurNS int64 // length of a TraceStep
	Track int
	Color string // one of the format's named colours; "" for the viewer's choice
	Args  any    // details, marshalled as JSON; nil for none
}

// TraceKind is the kind of an event, which the format calls its phase.
type TraceKind string

const (
	TraceStep TraceKind = "X" // an interval on its track
	TraceMark TraceKind = "i" // a moment, drawn across all tracks
	traceMeta TraceKind = "M" // metadata of a track
)

// NewTraceWriter returns a writer and begins the trace. Close it when done.
func NewTraceWriter(w io.Writer) *TraceWriter {
	t := &TraceWriter{out: bufio.NewWriter(w), separator: "\n"}
	fmt.Fprint(t.out, `{"displayTimeUnit":"ns","traceEvents":[`)
	return t
}

// Track names a track.
func (t *TraceWriter) Track(id int, name string) error {
	return t.Event(TraceEvent{Name: "thread_name", Kind: traceMeta, Track: id, Args: map[string]string{"name": name}})
}

// SortTrack sets the position of a track among the others, lowest first.
func (t *TraceWriter) SortTrack(id, place int) error {
	return t.Event(TraceEvent{Name: "thread_sort_index", Kind: traceMeta, Track: id,
		Args: map[string]int{"sort_index": place}})
}

// Event writes an event. The error is that of its Args or of the underlying writer.
func (t *TraceWriter) Event(e TraceEvent) error {
	line := traceLine{Name: e.Name, Kind: e.Kind, TS: micros(e.NS), TID: e.Track, Color: e.Color, Args: e.Args}
	switch e.Kind {
	case TraceStep:
		line.Dur = micros(e.DurNS)
	case TraceMark:
		line.Scope = "p" // the whole process
	case traceMeta:
		line.TS = "0"
	}
	text, err := json.Marshal(line)
	if err != nil {
		return fmt.Errorf("trace event %q: %w", e.Name, err)
	}
	_, err = fmt.Fprintf(t.out, "%s%s", t.separator, text)
	t.separator = ",\n"
	return err
}

// Close ends the trace; the underlying writer stays open.
func (t *TraceWriter) Close() error {
	fmt.Fprint(t.out, "\n]}\n")
	return t.out.Flush()
}

// traceLine is the JSON form of an event.
type traceLine struct {
	Name  string      `json:"name"`
	Kind  TraceKind   `json:"ph"`
	TS    json.Number `json:"ts"`
	Dur   json.Number `json:"dur,omitempty"`
	PID   int         `json:"pid"`
	TID   int         `json:"tid"`
	Scope string      `json:"s,omitempty"`
	Color string      `json:"cname,omitempty"`
	Args  any         `json:"args,omitempty"`
}

// micros formats nanoseconds as microseconds, exactly.
func micros(ns int64) json.Number {
	return json.Number(fmt.Sprintf("%d.%03d", ns/1000, ns%1000))
}
