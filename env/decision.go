package env

import (
	"encoding/json"

	"github.com/polyrhythm-rl/polyrhythm/internal/plan"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// PlannerRunner is the name of the runner at whose boundaries decisions of slow minds, such
// as language models, are due.
const PlannerRunner = plan.PlannerRunner

// What can happen to a decision.
const (
	DecisionAsked     = "asked"     // the perception went out
	DecisionApplied   = "applied"   // the reply was applied
	DecisionRefused   = "refused"   // a reply was not applied
	DecisionTimedOut  = "timed out" // no reply came in time
	DecisionWithdrawn = "withdrawn" // the episode ended, or the client left
)

// Decision is something that happened to a decision of a slow mind, as the run log keeps
// it. It changes no world: what a reply does is in the command of the same intervention
// and in the actions of the log.
type Decision struct {
	ID     string `json:"id"` // WORLD/EPISODE/Planner/NS
	Event  string `json:"event"`
	NS     int64  `json:"ns"`               // time of the world, since its episode began
	Client string `json:"client,omitempty"` // that was asked, or whose reply it was
	Reason string `json:"reason,omitempty"` // why it was not applied

	Perception json.RawMessage `json:"perception,omitempty"` // when asked
	Reply      json.RawMessage `json:"reply,omitempty"`
}

// due is a boundary of the runner Planner that a world has reached.
type due struct {
	episode, ns int64
	is          bool
}

// decisionDue is the callback of the binding of the planner.
func (e *Env) decisionDue(ctx *runners.StepContext, w *sim.World) {
	e.due[w.Row()] = due{episode: w.Episode(), ns: ctx.NS, is: true}
}

// Decides reports whether the configuration has the runner Planner.
func (e *Env) Decides() bool { return e.due != nil }

// TakeDue returns the newest boundary of the runner Planner, in ns since the episode of a
// world began, that the world has reached since the last call in its current episode. ok is
// false if there is none. It must not be called while Each runs.
func (e *Env) TakeDue(world int) (ns int64, ok bool) {
	if e.due == nil {
		return 0, false
	}
	due := &e.due[world-e.Slice().From]
	d := *due
	due.is = false
	return d.ns, d.is && d.episode == e.sim.Episode(world)
}
