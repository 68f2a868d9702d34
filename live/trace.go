package live

import (
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/env"
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

	// Perception is what the decision was based on: {"observation": […], "tracks": {NAME:
	// […]}}.
	Perception json.RawMessage `json:"perception,omitempty"`

	Events []TraceEvent `json:"events"` // in order; the first is "asked"
}

// TraceEvent is an event of a decision.
type TraceEvent struct {
	Event  string          `json:"event"`   // as in env.Decision
	N      int64           `json:"n"`       // control steps that the run had taken
	NS     int64           `json:"ns"`      // since the world's episode began
	WallMS float64         `json:"wall_ms"` // since it was asked
	Client string          `json:"client"`
	Reason string          `json:"reason,omitempty"`
	Reply  json.RawMessage `json:"reply,omitempty"`
}

// traces are the traces of the newest decisions. The goroutine of Run adds to them, any
// goroutine may read them.
type traces struct {
	mu    sync.Mutex
	list  []DecisionTrace // oldest first
	asked []time.Time     // when each was
}

// add adds an event at a step. Replies to decisions that are not kept are left out.
func (t *traces) add(e *env.Decision, n int64) {
	now := time.Now()
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.IndexFunc(t.list, func(d DecisionTrace) bool { return d.ID == e.ID })
	if i < 0 {
		world, _, err := parseDecisionID(e.ID)
		if e.Event != env.DecisionAsked || err != nil {
			return
		}
		if len(t.list) == keptDecisions {
			t.list, t.asked = slices.Delete(t.list, 0, 1), slices.Delete(t.asked, 0, 1)
		}
		i = len(t.list)
		t.list = append(t.list, DecisionTrace{ID: e.ID, World: world, Perception: e.Perception})
		t.asked = append(t.asked, now)
	}
	d := &t.list[i]
	if len(d.Events) >= keptEvents && e.Event == env.DecisionRefused {
		return
	}
	wall := float64(now.Sub(t.asked[i]).Microseconds()) / 1000
	// A new array, since those that were returned keep the old one.
	d.Events = append(slices.Clip(d.Events), TraceEvent{e.Event, n, e.NS, wall, e.Client, e.Reason, e.Reply})
}

// Decisions returns the traces of the newest 100 decisions, the newest last, without their
// perceptions. It may be called from any goroutine.
func (s *Server) Decisions() []DecisionTrace {
	s.traces.mu.Lock()
	defer s.traces.mu.Unlock()
	list := slices.Clone(s.traces.list)
	for i := range list {
		list[i].Perception = nil
	}
	return list
}

// Decision returns the trace of a decision, if it is one of the newest 100.
func (s *Server) Decision(id string) (DecisionTrace, bool) {
	s.traces.mu.Lock()
	defer s.traces.mu.Unlock()
	i := slices.IndexFunc(s.traces.list, func(d DecisionTrace) bool { return d.ID == id })
	if i < 0 {
		return DecisionTrace{}, false
	}
	return s.traces.list[i], true
}
