package physicstest_test

import (
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/physicstest"
	"github.com/polyrhythm-rl/polyrhythm/physics/pointmass"
)

// The test of an engine hands its model to the suite.
func ExampleRun() {
	var t *testing.T // that of the test
	physicstest.Run(t, func(testing.TB) physics.Model { return pointmass.New(0.01) }, physicstest.Options{
		Sources:  []string{"position", "acceleration"},
		Derived:  []string{"power"},
		Constant: "mass",
		Position: "position",
		Velocity: "velocity",
	})
}
