package runs

import (
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/training/policies"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// WarnPolicy calls f with each warning of worlds, and if they have another model than the run of a policy had.
func WarnPolicy(f func(string), p *policies.Policy, e *env.Env) {
	Warn(f, e)
	if p.Checkpoint() == nil || f == nil {
		return
	}
	if text := rundir.ChangedModel(p.Name(), e.ModelDigest()); text != "" {
		f(text)
	}
}

// Warn calls f with each warning: those of the task about its options or, once e is closed, those of the engine.
func Warn(f func(string), e *env.Env) {
	if f == nil {
		return
	}
	for _, w := range e.Warnings() {
		f(w)
	}
}

// WarnEnd does so when e is closed, and calls f with the first fault of the run, if there was one.
func WarnEnd(f func(string), e *env.Env) {
	Warn(f, e)
	WarnFirst(f, e.Sim().FirstFault())
}

// WarnFirst calls f with a fault in the words of sim.Sim.FirstFault.
func WarnFirst(f func(string), fault string) {
	if f != nil && fault != "" {
		f("a fault ended an episode, the first of " + fault)
	}
}
