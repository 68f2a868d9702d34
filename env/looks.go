package env

import (
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/sensors"
)

// Looks returns the parameters of the task that pictures show, those of [physics.Optical.Shows].
func (e *Env) Looks() ([]physics.Vector, error) {
	looks, _, err := sensors.Looks(e.made().model, e.sim.Spec().Parameters)
	return looks, err
}

// ReadLooks appends the values that looks, some of [Env.Looks], have in a world as it stands to dst. It must not be called
// while Each runs.
func (e *Env) ReadLooks(dst []float64, world int, looks []physics.Vector) ([]float64, error) {
	if err := e.made().checkWorld(world); err != nil {
		return dst, err
	}
	block, i := e.blockOf(world)
	values, at := block.Parameters(i), 0
	for _, source := range e.sim.Spec().Parameters {
		p, err := e.model.Parameter(source)
		if err != nil {
			return dst, err
		}
		if slices.Contains(looks, p) {
			dst = append(dst, values[at:at+p.Size]...)
		}
		at += p.Size
	}
	return dst, nil
}
