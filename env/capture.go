package env

import (
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// LiveKind is the kind, in the header of a run log, of a run that clients watch and steer.
// It is opened with OpenOptions.Capture, and so is its replay.
const LiveKind = "live"

// Values of the phase Export are taken there by bindings of this name and that of their
// runner, after others of the phase.
const (
	capturePrefix   = "capture/"
	capturePriority = 100
)

// captureBindings returns a binding in Export for each runner.
func (e *Env) captureBindings(all []runners.Runner) (bindings []sim.Binding) {
	for i, r := range all {
		e.captured = append(e.captured, r.Name)
		bindings = append(bindings, sim.Binding{
			Binding: runners.Binding{Name: capturePrefix + r.Name, Runner: r.Name, Phase: runners.Export, Priority: capturePriority},
			Role:    sim.Call,
			Call: func(ctx *runners.StepContext, w *sim.World) {
				if e.capture != nil {
					e.capture(i, ctx, w)
				}
			},
		})
	}
	return bindings
}

// Captured returns the runners that have a binding named capture/RUNNER in Export, by the
// names that they began with; nil without OpenOptions.Capture. The caller must not modify
// it.
func (e *Env) Captured() []string { return e.captured }

// OnCapture makes the binding of runner i of [Env.Captured] call f(i, …), nil: nothing. f
// is a [sim.Callback] in every other respect. Physics may have run ahead of the instant, so
// f reads what has a timestamp: [sim.World.Read], [sim.World.Observation],
// [sim.World.Action] and [Env.Pose], not [sim.World.State]. OnCapture must not be called
// while Each runs.
func (e *Env) OnCapture(f func(i int, ctx *runners.StepContext, w *sim.World)) { e.capture = f }
