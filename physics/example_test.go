package physics_test

import (
	"fmt"
	"log"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/pointmass"
)

// The state of a block of worlds is rows of numbers; a stepper advances the rows it is handed in one call.
func ExampleStepper() {
	model := pointmass.New(0.125)
	stepper, err := model.NewStepper(2, physics.Outputs{})
	if err != nil {
		log.Fatal(err)
	}
	defer stepper.Close()
	control, err := model.Field("control")
	if err != nil {
		log.Fatal(err)
	}
	rows := physics.NewRows(model, 2, physics.Outputs{}, 5)
	control.In(rows.Row(1))[0] = 1                   // push world 1 along x
	stepper.Step(rows, []int32{0, 1}, []int32{4, 4}) // four substeps of each
	fmt.Println(rows.Row(0)[:2], rows.Row(1)[:2])
	// Output: [0 0] [0.15625 0]
}
