package env

import (
	"fmt"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/box2d"
	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco"
)

// Baseline is a bare C loop over an engine that steps a set of worlds, to compare speeds with. One goroutine at a
// time may use it.
type Baseline interface {
	// Run plays a tape of controls, steps × worlds × ControlSize. In each step, each world is first set to row
	// resets[step, world] of rows, unless that is -1, and then takes substeps physics steps with its controls.
	Run(controls []float64, resets []int32, rows []float64, substeps int) error

	// State copies the state row of a world into dst, of length StateSize.
	State(world int, dst []float64)

	// Close frees the memory of the loop.
	Close() error
}

// NewBaseline returns a bare loop over the env's model for a number of worlds, with the engine calls that the task
// requires. Close it before the env.
func (e *Env) NewBaseline(worlds int) (Baseline, error) {
	switch m := e.made().model.(type) {
	case *mujoco.Model:
		raw, err := mujoco.NewBaseline(m, worlds, e.sim.Spec().Derived...)
		if err != nil {
			return nil, err
		}
		return raw, nil
	case *box2d.Model:
		raw, err := box2d.NewBaseline(m, worlds, e.sim.Spec().Derived...)
		if err != nil {
			return nil, err
		}
		return raw, nil
	}
	return nil, fmt.Errorf("the model is a %T, want one of MuJoCo or Box2D for a bare loop", e.model)
}

// engineOf returns the name and version of the engine of a model.
func engineOf(m physics.Model) string {
	switch m.(type) {
	case *mujoco.Model:
		return "mujoco " + mujoco.Version()
	case *box2d.Model:
		return "box2d " + box2d.Version()
	}
	return fmt.Sprintf("%T", m)
}
