package env

import (
	"github.com/polyrhythm-rl/polyrhythm/physics/box2d/scene"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/tasks/gymnasium"
)

// builtinTasks returns the built-in tasks. Each has a preset in configs; that of the quadruped describes it.
func builtinTasks() []Task {
	tasks := []Task{{Name: "quadruped", builtin: true}}
	for _, g := range gymnasium.Tasks() {
		t := Task{
			Name: g.Name, Control: g.Control, Substeps: g.Substeps, builtin: true, Model: g.Model,
			New: func(s Setup) (sim.Task, error) {
				return g.New(s.Model, s.Options, s.ControlSeconds, s.SubstepSeconds)
			},
		}
		if g.Scene != nil {
			t.Scene = func(s Setup) (*scene.Scene, error) { return g.Scene(s.Options, s.SubstepSeconds) }
		}
		tasks = append(tasks, t)
	}
	return tasks
}
