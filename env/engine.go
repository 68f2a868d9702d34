package env

import (
	"fmt"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/box2d"
	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco"
)

// Baseline is a bare C loop over an engine for a set of worlds: the same physics with
// nothing around it. It is for one goroutine at a time.
type Baseline interface {
	// Run plays a tape: steps × worlds × ControlSize controls. At each step each
	// world first begins in row resets[step, world] of rows, unless that is -1,
	// then takes substeps physics steps under its controls.
	Run(controls []float64, resets []int32, rows []float64, substeps int) error

	// State copies the state row of a world into dst, of length StateSize.
	State(world int, dst []float64)

	// Close frees the loop.
	Close() error
}

// NewBaseline makes a bare loop of the env's model for worlds worlds, with the engine
// calls that the task itself requires. Close it before the env.
func (e *Env) NewBaseline(worlds int) (Baseline, error) {
	switch m := e.model.(type) {
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
	return nil, fmt.Errorf("there is no bare loop of a %T", e.model)
}

// engineOf names the engine of a model, with its version.
func engineOf(m physics.Model) string {
	switch m.(type) {
	case *mujoco.Model:
		return "mujoco " + mujoco.Version()
	case *box2d.Model:
		return "box2d " + box2d.Version()
	}
	return fmt.Sprintf("%T", m)
}
