package pointmass_test

import (
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/physicstest"
	"github.com/polyrhythm-rl/polyrhythm/physics/pointmass"
)

func TestConformance(t *testing.T) {
	physicstest.Run(t, func(testing.TB) physics.Model { return pointmass.New(0.01) }, physicstest.Options{
		Sources:    []string{"position", "acceleration", "velocity"},
		Derived:    []string{"power", "acceleration"},
		Constant:   "mass",
		Parameters: []string{"mass"},
		Position:   "position",
		Velocity:   "velocity",
		EngineError: func(_ physics.Model, row []float64) {
			row[0], row[2] = pointmass.Bound, 1000 // leaves the bound within a substep
		},
	})
}

// One metre a second squared for one second, by the closed form of the sum that
// semi-implicit Euler computes: after n substeps, v = n·dt and x = dt²·n(n+1)/2.
func TestConstantForce(t *testing.T) {
	const dt, n = 0.125, 8 // powers of two: exact
	m := pointmass.New(dt)
	stepper := polytest.Must(m.NewStepper(1, physics.Outputs{}))(t)
	rows := physics.NewRows(m, 1, physics.Outputs{}, n+1)
	row := rows.Row(0)
	row[4], row[5] = 1, -2
	if faults := stepper.Step(rows, []int32{0}, []int32{n}); faults != 0 {
		t.Fatal(stepper.FaultMessage(0))
	}
	x := dt * dt * n * (n + 1) / 2
	want := []float64{x, -2 * x, n * dt, -2 * n * dt, 1, -2}
	for i := range want {
		polytest.Equal(t, row[i], want[i], "state[%d]", i)
	}
}
