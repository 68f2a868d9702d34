package runlog

import (
	"encoding/json"
	"fmt"

	"github.com/polyrhythm-rl/polyrhythm/runners"
)

// Intervention is something done to a run from outside, between two segments. A replay makes it again. At least one
// of its parts is there.
type Intervention struct {
	Intent   *Intent   // the request of a client that caused it; nil: none did
	Decision *Decision // the event of a decision that goes with it; nil: none does
	Effect   Effect    // nil: a refusal, or an event of a decision alone
}

// Effect is what an intervention does: a *[Push], *[Command], *[Label], *[Change], *[Skip], *[Override], *[Reset],
// *[Pause], *[Speed], *[Steps] or *[Assignment].
type Effect interface {
	// Kind is the name of the effect's type in records and errors, such as "push".
	Kind() string

	// fields declares what a record has of the effect, in this order; see [field].
	fields() []field
}

// newEffects makes an empty effect of each kind.
var newEffects = []func() Effect{
	func() Effect { return &Push{} }, func() Effect { return &Command{} }, func() Effect { return &Label{} },
	func() Effect { return &Change{} }, func() Effect { return &Skip{} }, func() Effect { return &Override{} },
	func() Effect { return &Reset{} }, func() Effect { return &Pause{} }, func() Effect { return &Speed{} },
	func() Effect { return &Steps{} }, func() Effect { return &Assignment{} },
}

// Intent says which request of a client caused an intervention.
type Intent struct {
	Number  int64 // its place in the order of all requests of the run, from 1
	Client  string
	Kind    string // as the client's protocol names it
	World   int    // 0 also where the request concerns no world in particular
	Refusal string // why the request was not granted; "": it was, or its decision says why
}

func (i *Intent) fields() []field {
	return []field{{"number", &i.Number}, {"client", &i.Client}, {"kind", &i.Kind}, {"world", &i.World},
		{"refusal", &i.Refusal}}
}

// The events of a decision.
const (
	DecisionAsked     = "asked"     // the perception went out
	DecisionApplied   = "applied"   // the reply was applied
	DecisionRefused   = "refused"   // a reply was not applied
	DecisionTimedOut  = "timed out" // no reply came in time
	DecisionWithdrawn = "withdrawn" // the episode ended, or the client left
)

// MaxDecision is the most bytes that a log keeps of the perception and the reply of a decision's event, together. One
// that is longer is left out, which the event's reason says.
const MaxDecision = maxPayload - 1<<20

// Decision is an event of a decision of a slow mind. It changes no world: what a reply does is in the effects of its
// intent and in the actions of the log.
type Decision struct {
	ID     string `json:"id"` // WORLD/EPISODE/Planner/NS
	Event  string `json:"event"`
	NS     int64  `json:"ns"`               // time of the world, since its episode began
	Client string `json:"client,omitempty"` // that was asked, or whose reply it was
	Reason string `json:"reason,omitempty"` // why the reply was not applied, or why none can be

	Perception json.RawMessage `json:"perception,omitempty"` // when asked
	Reply      json.RawMessage `json:"reply,omitempty"`
}

func (d *Decision) fields() []field {
	return []field{{"id", &d.ID}, {"event", &d.Event}, {"ns", &d.NS}, {"client", &d.Client}, {"reason", &d.Reason},
		{"perception", &d.Perception}, {"reply", &d.Reply}}
}

// shorten leaves out what a log does not keep.
func (d *Decision) shorten() {
	left := MaxDecision
	for _, part := range []struct {
		name string
		text *json.RawMessage
	}{{"perception", &d.Perception}, {"reply", &d.Reply}} {
		if n := len(*part.text); n > left {
			*part.text = nil
			if d.Reason != "" {
				d.Reason += "; "
			}
			d.Reason += fmt.Sprintf("the %s has %d bytes, and a log keeps at most %d", part.name, n, left)
		}
		left -= len(*part.text)
	}
}

// Push acts on a body of a world from the next control step on: a force and a torque at its centre of mass for some
// steps, and a velocity that is added to its own once. All are along the axes of the world. It ends where a restart
// from outside begins an episode of the world.
type Push struct {
	World    int        `json:"world"`
	Body     string     `json:"body"`
	Force    [3]float64 `json:"force"`           // N
	Torque   [3]float64 `json:"torque"`          // N·m
	Velocity [3]float64 `json:"velocity"`        // m/s
	Steps    int64      `json:"steps,omitempty"` // control steps; 0: 1

	// ID, if not "", makes the push replace an earlier one with the same. Without a force, a torque and a velocity it
	// only ends that one.
	ID string `json:"id,omitempty"`
}

// Kind implements [Effect].
func (*Push) Kind() string { return "push" }

func (p *Push) fields() []field {
	return []field{{"world", &p.World}, {"body", &p.Body}, {"force", &p.Force}, {"torque", &p.Torque},
		{"velocity", &p.Velocity}, {"steps", &p.Steps}, {"id", &p.ID}}
}

// Command sets a command of the task in a world.
type Command struct {
	World  int       `json:"world"`
	Name   string    `json:"name"`
	Values []float64 `json:"values"` // nil: the task goes on choosing by itself
}

// Kind implements [Effect].
func (*Command) Kind() string { return "command" }

func (c *Command) fields() []field {
	return []field{{"world", &c.World}, {"name", &c.Name}, {"values", &c.Values}}
}

// Label is what a client says of an episode of a world, for datasets of the run. It changes no world.
type Label struct {
	World   int
	Episode int64
	NS      int64  // since the episode began, from which Task holds
	Task    string // what the robot is to do; "": not said
	Success *bool  // nil: not said
}

// Kind implements [Effect].
func (*Label) Kind() string { return "label" }

func (l *Label) fields() []field {
	return []field{{"world", &l.World}, {"episode", &l.Episode}, {"ns", &l.NS}, {"task", &l.Task},
		{"success", &l.Success}}
}

// Change changes the clock.
type Change runners.Change

// Kind implements [Effect].
func (*Change) Kind() string { return "change" }

func (c *Change) fields() []field { return []field{{"n", &c.N}, {"edits", &c.Edits}} }

// Skip skips control intervals, in all worlds.
type Skip runners.Skip

// Kind implements [Effect].
func (*Skip) Kind() string { return "skip" }

func (s *Skip) fields() []field {
	return []field{{"n", &s.N}, {"intervals", &s.Intervals}, {"from_ns", &s.FromNS}, {"to_ns", &s.ToNS}}
}

// Override makes a client decide the actions of a world in place of the policy. The log has the actions besides.
type Override struct {
	World int
	Steps int64 // control steps; 0: the policy acts again
}

// Kind implements [Effect].
func (*Override) Kind() string { return "override" }

func (o *Override) fields() []field { return []field{{"world", &o.World}, {"steps", &o.Steps}} }

// Reset begins new episodes. The log has them as restarts besides.
type Reset struct {
	World int  // the one that begins a new episode, unless
	All   bool // all do
}

// Kind implements [Effect].
func (*Reset) Kind() string { return "reset" }

func (r *Reset) fields() []field { return []field{{"world", &r.World}, {"all", &r.All}} }

// Pause pauses a run that follows the wall clock, or lets it go on.
type Pause struct{ Paused bool }

// Kind implements [Effect].
func (*Pause) Kind() string { return "pause" }

func (p *Pause) fields() []field { return []field{{"paused", &p.Paused}} }

// Speed sets the speed of a run that follows the wall clock.
type Speed struct{ Factor float64 } // simulated time in a second of wall time

// Kind implements [Effect].
func (*Speed) Kind() string { return "speed" }

func (s *Speed) fields() []field { return []field{{"factor", &s.Factor}} }

// Steps asks a paused run for control steps.
type Steps struct{ Count int64 }

// Kind implements [Effect].
func (*Steps) Kind() string { return "steps" }

func (s *Steps) fields() []field { return []field{{"count", &s.Count}} }

// Assignment makes a client decide for worlds, as a slow mind.
type Assignment struct{ Worlds []uint32 } // nil: all

// Kind implements [Effect].
func (*Assignment) Kind() string { return "assignment" }

func (a *Assignment) fields() []field { return []field{{"worlds", &a.Worlds}} }
