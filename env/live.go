package env

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/sim/runlog"
)

// Live is what a server of worlds that clients watch and steer needs of an [Env]. It is used as the env is: one
// goroutine at a time may call its methods, unless they say otherwise.
type Live struct {
	env *Env

	bodies []physics.Body // that can move
	poses  []int          // probes of their poses; nil without OpenOptions.Poses
	pushes []Push         // that act in the next control steps
	acting []acting       // while Each runs
	due    []due          // by world; nil without a runner Planner

	captured []string // runners with a binding of captures
	capture  func(int, *runners.StepContext, *sim.World)
}

// Live returns what a server of live worlds needs.
func (e *Env) Live() *Live { return &e.made().live }

// Intervention is something done to the worlds from outside, between two segments. A run log keeps it as a note, and
// a replay does it again. At most one of Change, Skip, Push, Command and Label is set; if none is, the note says only
// who gave the actions or began the episodes that follow in the log, or what happened to a decision.
type Intervention struct {
	Intent  *Intent         `json:"intent,omitempty"` // the request that caused it, if one did
	Change  *runners.Change `json:"change,omitempty"`
	Skip    *runners.Skip   `json:"skip,omitempty"`
	Push    *Push           `json:"push,omitempty"`
	Command *Command        `json:"command,omitempty"`
	Label   *Label          `json:"label,omitempty"`

	Decision *Decision `json:"decision,omitempty"` // to which it belongs, if to one
}

// Intent says which request of a client caused an intervention.
type Intent struct {
	Number int64  `json:"number"` // its place in the order of all requests, from 1
	Client string `json:"client"`
	Kind   string `json:"kind"`
	World  int    `json:"world,omitempty"`
	Note   string `json:"note,omitempty"` // such as the speed that was wanted
}

// Push acts on a body of a world from the next control step on: a force and a torque at its centre of mass for some
// steps, and a velocity that is added to its own once. All are along the axes of the world. It ends where
// [Env.ResetWorlds] begins an episode of the world.
type Push struct {
	World    int        `json:"world"`
	Body     string     `json:"body"`
	Force    [3]float64 `json:"force"`           // N
	Torque   [3]float64 `json:"torque"`          // N·m
	Velocity [3]float64 `json:"velocity"`        // m/s
	Steps    int64      `json:"steps,omitempty"` // 0: 1

	// ID, if not "", makes the push replace an earlier one with the same. Without a force, a torque and a velocity it
	// only ends that one.
	ID string `json:"id,omitempty"`
}

// Command sets a command of the task in a world, see [sim.CommandTask].
type Command struct {
	World  int       `json:"world"`
	Name   string    `json:"name"`
	Values []float64 `json:"values"` // nil: the task goes on choosing by itself
}

// Label is what a client says of an episode of a world, for datasets of the run. It changes no world.
type Label struct {
	World   int    `json:"world"`
	Episode int64  `json:"episode"`
	NS      int64  `json:"ns"`                // since the episode began, from which Task holds
	Task    string `json:"task,omitempty"`    // what the robot is to do; "": not said
	Success *bool  `json:"success,omitempty"` // nil: not said
}

// Intervene makes an intervention and logs it. After an error nothing has changed and nothing is logged. It must not
// be called while Each runs.
func (l *Live) Intervene(i Intervention) error {
	if err := l.intervene(&i); err != nil {
		return err
	}
	if l.env.log != nil {
		text, err := json.Marshal(i)
		if err != nil {
			panic(err) // cannot happen: plain data, checked to be finite
		}
		l.env.log.Note(l.env.sim.Blocks()[0].N(), string(text))
	}
	return nil
}

func (l *Live) intervene(i *Intervention) error {
	switch {
	case i.Change != nil:
		return l.env.sim.Change(*i.Change)
	case i.Skip != nil:
		if l.env.writer != nil {
			return errors.New("skip: a run that records a dataset cannot skip simulated time")
		}
		return l.env.sim.Skip(i.Skip.Intervals)
	case i.Push != nil:
		return l.push(i.Push)
	case i.Command != nil:
		return l.command(i.Command)
	case i.Label != nil:
		return l.checkLabel(i.Label)
	}
	return nil
}

func (l *Live) checkLabel(label *Label) error {
	if label.Task == "" && label.Success == nil {
		return errors.New("label: neither task nor success is given, want one of them")
	}
	if err := recorder.CheckTask(label.Task); err != nil {
		return fmt.Errorf("label: %w", err)
	}
	if err := l.checkWorld(label.World); err != nil {
		return fmt.Errorf("label: %w", err)
	}
	return nil
}

// repeat repeats the intervention in a note of a log.
func (l *Live) repeat(text string) (i Intervention, err error) {
	if err := json.Unmarshal([]byte(text), &i); err != nil {
		return i, fmt.Errorf("note %q of the run log: %w", text, err)
	}
	if i == (Intervention{}) {
		return i, fmt.Errorf("note of the run log is %q, want an intent, a change, a skip, "+
			"a push, a command, a label or a decision", text)
	}
	return i, l.Intervene(i)
}

// CheckIntervention returns the error that Intervene would return for a push, a command or a label. Unlike other
// methods it may be called on any goroutine.
func (l *Live) CheckIntervention(i Intervention) error {
	switch {
	case i.Push != nil:
		return l.checkPush(i.Push)
	case i.Command != nil:
		_, err := l.checkCommand(i.Command)
		return err
	case i.Label != nil:
		return l.checkLabel(i.Label)
	}
	return nil
}

// LiveKind is the kind, in the header of a run log, of a run that clients watch and steer. It is opened with
// OpenOptions.Capture, and so is its replay.
const LiveKind = "live"

// Values of the phase Export are taken there by bindings of this name and that of their
// runner, after others of the phase.
const (
	capturePrefix   = "capture/"
	capturePriority = 100
)

// Captures returns a binding in Export for each runner of a configuration, for [Live.OnCapture]. It panics without a
// configuration.
func Captures(cfg *configs.Config) (bindings []sim.Binding) {
	mustHave(cfg, "Captures")
	for _, r := range cfg.Runners {
		b := runners.Binding{Name: capturePrefix + r.Name, Runner: r.Name, Phase: runners.Export,
			Priority: capturePriority}
		bindings = append(bindings, sim.Binding{Binding: b})
	}
	return bindings
}

// connectCaptures adds what the bindings of captures call, if the plan has them.
func (l *Live) connectCaptures(calls map[string]sim.Callback) {
	for i, r := range l.env.plan.runners {
		if l.env.plan.binding(capturePrefix+r.Name) == nil {
			return
		}
		l.captured = append(l.captured, r.Name)
		calls[capturePrefix+r.Name] = func(ctx *runners.StepContext, w *sim.World) {
			if l.capture != nil {
				l.capture(i, ctx, w)
			}
		}
	}
}

// Captured returns the runners that have a binding named capture/RUNNER in Export, by the names that they began
// with; nil without OpenOptions.Capture. The caller must not modify it.
func (l *Live) Captured() []string { return l.captured }

// OnCapture makes the binding of runner i of [Live.Captured] call f(i, …), nil: nothing. f is a [sim.Callback] in
// every other respect. Physics may have run ahead of the instant, so f reads what has a timestamp: [sim.World.Read],
// [sim.World.Observation], [sim.World.Action] and [Live.Pose], not [sim.World.State]. OnCapture must not be called
// while Each runs.
func (l *Live) OnCapture(f func(i int, ctx *runners.StepContext, w *sim.World)) { l.capture = f }

// What can happen to a decision.
const (
	DecisionAsked     = "asked"     // the perception went out
	DecisionApplied   = "applied"   // the reply was applied
	DecisionRefused   = "refused"   // a reply was not applied
	DecisionTimedOut  = "timed out" // no reply came in time
	DecisionWithdrawn = "withdrawn" // the episode ended, or the client left
)

// Decision is something that happened to a decision of a slow mind, as the run log keeps it. It changes no world:
// what a reply does is in the command of the same intervention and in the actions of the log.
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
func (l *Live) decisionDue(ctx *runners.StepContext, w *sim.World) {
	l.due[w.Row()] = due{episode: w.Episode(), ns: ctx.NS, is: true}
}

// Decides reports whether the configuration has the runner Planner.
func (l *Live) Decides() bool { return l.due != nil }

// TakeDue returns the newest boundary of the runner Planner, in ns since the episode of a world began, that the
// world has reached since the last call in its current episode. ok is false if there is none. It must not be called
// while Each runs.
func (l *Live) TakeDue(world int) (ns int64, ok bool) {
	if l.due == nil {
		return 0, false
	}
	due := &l.due[world-l.env.sim.Slice().From]
	d := *due
	due.is = false
	return d.ns, d.is && d.episode == l.env.sim.Episode(world)
}

// CatchUp repeats what a log holds after the place at which the worlds stand, up to its last whole segment: a killed
// run stands there again. The log of the env compares with the same file. seen is called after each segment with the
// interventions before it, and whether it only restarted worlds. It returns where the last segment ends, in bytes
// from the beginning of what in reads.
func (l *Live) CatchUp(in *runlog.Reader, seen func(made []Intervention, restart bool)) (end int64, err error) {
	if in == nil || seen == nil {
		return 0, errors.New("env: CatchUp without a reader or a function (nil), want both")
	}
	end = in.Offset()
	err = l.again(in, func(made []Intervention, restart bool) {
		end = in.Offset()
		seen(made, restart)
	})
	if err == io.EOF || errors.Is(err, runlog.ErrEnd) || errors.As(err, new(*Damage)) {
		err = nil // cut short where the run was killed
	}
	return end, err
}

// NextFile goes on with the log in another file; see [runlog.Log.NextFile].
func (l *Live) NextFile(w io.WriteCloser) (runlog.Position, error) {
	if w == nil || l.env.log == nil {
		return runlog.Position{}, errors.New("env: NextFile without a file or of a run without a log, want both")
	}
	return l.env.log.NextFile(w)
}
