package env

import (
	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// LiveKind is the kind, in the header of a run log, of a run that clients watch and steer. It is opened with
// OpenOptions.Capture, and so is its replay.
const LiveKind = "live"

// Values of the phase Export are taken there by bindings of this name and that of their
// runner, after others of the phase.
const (
	capturePrefix   = "capture/"
	capturePriority = 100
)

// Captures returns a binding in Export for each runner of a configuration, for [Env.OnCapture]. It panics without a
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
func (e *Env) connectCaptures(calls map[string]sim.Callback) {
	schedule := e.plan.Schedule()
	for i, r := range schedule.Runners() {
		if schedule.Binding(capturePrefix+r.Name) == nil {
			return
		}
		e.captureRunners = append(e.captureRunners, r.Name)
		calls[capturePrefix+r.Name] = func(ctx *runners.StepContext, w *sim.World) {
			if e.capture != nil {
				e.capture(i, ctx, w)
			}
		}
	}
}

// CaptureRunners returns the runners that have a binding named capture/RUNNER in Export, by the names that they began
// with; nil without OpenOptions.Capture. The caller must not modify it.
func (e *Env) CaptureRunners() []string { return e.made().captureRunners }

// OnCapture makes the binding of runner i of [Env.CaptureRunners] call f(i, …); with nil it calls nothing. f is a
// [sim.Callback] in every other respect. Physics may have run ahead of the instant, so f reads what has a timestamp:
// [sim.World.Read], [sim.World.Observation], [sim.World.Action] and [Env.Pose], not [sim.World.State]. OnCapture must
// not be called while Each runs.
func (e *Env) OnCapture(f func(i int, ctx *runners.StepContext, w *sim.World)) {
	e.made().capture = f
}

// plannerBoundaries are the newest boundaries of the runner Planner that worlds have reached, by row; nil without that
// runner.
type plannerBoundaries []struct {
	episode, ns int64
	fresh       bool // PlannerBoundary has not returned it yet
}

// reach is the callback of the binding of the planner.
func (p plannerBoundaries) reach(ctx *runners.StepContext, w *sim.World) {
	b := &p[w.Row()]
	b.episode, b.ns, b.fresh = w.Episode(), ctx.NS, true
}

// HasPlanner reports whether the configuration has the runner Planner.
func (e *Env) HasPlanner() bool { return e.made().boundaries != nil }

// PlannerBoundary returns the newest boundary of the runner Planner, in ns since the episode of a world began, that
// the world has reached since the last call in its current episode. ok is false if there is none. It must not be
// called while Each runs.
func (e *Env) PlannerBoundary(world int) (ns int64, ok bool) {
	if !e.HasPlanner() {
		return 0, false
	}
	b := &e.boundaries[world-e.sim.Slice().From]
	ok = b.fresh && b.episode == e.sim.Episode(world)
	b.fresh = false
	return b.ns, ok
}
