package live

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/sim/runlog"
)

// What a server keeps of its decisions: the newest traces, and this many events of each.
const (
	keptDecisions = 100
	keptEvents    = 50
)

// DecisionTrace says what was asked and what became of it: why a world did what it did. It
// is plain data that nothing changes.
type DecisionTrace struct {
	ID    string `json:"id"` // as in wire.Decision
	World int    `json:"world"`

	// Perception is what the decision was based on: {"observation": […], "tracks": {NAME: […]}}.
	Perception json.RawMessage `json:"perception,omitempty"`

	Events []TraceEvent `json:"events"` // in order; the first is "asked"

	askTime time.Time
}

// TraceEvent is an event of a decision, without the perception.
type TraceEvent struct {
	runlog.Decision
	N      int64   `json:"n"`       // control steps that the run had taken
	WallMS float64 `json:"wall_ms"` // since it was asked
}

// trace adds an event of a decision at a step. Replies to decisions that are not kept are left out.
func (h *hub) trace(e *runlog.Decision, n int64) {
	now := time.Now()
	h.mu.Lock()
	defer h.mu.Unlock()
	i := slices.IndexFunc(h.traces, func(d DecisionTrace) bool { return d.ID == e.ID })
	if i < 0 {
		world, _, err := parseDecisionID(e.ID)
		if e.Event != runlog.DecisionAsked || err != nil {
			return
		}
		if len(h.traces) == keptDecisions {
			h.traces = slices.Delete(h.traces, 0, 1)
		}
		i = len(h.traces)
		h.traces = append(h.traces, DecisionTrace{ID: e.ID, World: world, Perception: e.Perception, askTime: now})
	}
	d := &h.traces[i]
	if len(d.Events) >= keptEvents && e.Event == runlog.DecisionRefused {
		return
	}
	event := TraceEvent{*e, n, float64(now.Sub(d.askTime).Microseconds()) / 1000}
	event.Perception = nil
	d.Events = append(slices.Clip(d.Events), event) // a new array: those that were returned keep the old one
}

// Decisions returns the traces of the newest 100 decisions, the newest last. It may be called from any goroutine.
func (s *Server) Decisions() []DecisionTrace {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	return append([]DecisionTrace{}, s.hub.traces...) // not nil: JSON has a list
}
