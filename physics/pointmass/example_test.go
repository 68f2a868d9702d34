package pointmass_test

import (
	"fmt"
	"log"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/pointmass"
)

// A point mass of 1 kg is pushed by 1 N for half a second.
func Example() {
	model := pointmass.New(0.125)
	stepper, err := model.NewStepper(1, physics.Outputs{})
	if err != nil {
		log.Fatal(err)
	}
	rows := physics.NewRows(model, 1, physics.Outputs{}, 5)
	copy(rows.Row(0)[4:], []float64{1, 0}) // position, velocity, control
	stepper.Step(rows, []int32{0}, []int32{4})
	fmt.Println(rows.Row(0))
	// Output: [0.15625 0 0.5 0 1 0]
}
