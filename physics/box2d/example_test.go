package box2d_test

import (
	"fmt"
	"log"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/box2d"
	"github.com/polyrhythm-rl/polyrhythm/physics/box2d/scene"
)

// A crate falls for a tenth of a second.
func ExampleNew() {
	model, err := box2d.New(&scene.Scene{
		Gravity: [2]float64{0, -10}, Timestep: 0.01, VelocityIterations: 6, PositionIterations: 2,
		Bodies: []scene.Body{{Name: "crate", Position: [2]float64{0, 1},
			Fixtures: []scene.Fixture{{Vertices: scene.Box(0.1, 0.1), Density: 1}}}},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer model.Close()
	stepper, err := model.NewStepper(1, physics.Outputs{})
	if err != nil {
		log.Fatal(err)
	}
	defer stepper.Close()
	position, err := model.Field("body/crate")
	if err != nil {
		log.Fatal(err)
	}
	rows := physics.NewRows(model, 1, physics.Outputs{}, 11)
	defer rows.Close()
	stepper.Forward(rows, []int32{0})
	stepper.Step(rows, []int32{0}, []int32{10})
	fmt.Printf("%.3f m\n", position.In(rows.Row(0))[1])
	// Output: 0.945 m
}
