package mujoco_test

import (
	"fmt"
	"log"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco"
)

// A ball falls for a tenth of a second.
func ExampleLoadBytes() {
	model, err := mujoco.LoadBytes("ball.xml", []byte(`<mujoco><worldbody>
		<body pos="0 0 1"><freejoint/><geom size=".1"/></body></worldbody></mujoco>`), mujoco.Options{Timestep: 0.01})
	if err != nil {
		log.Fatal(err)
	}
	defer model.Close()
	stepper, err := model.NewStepper(1, physics.Outputs{})
	if err != nil {
		log.Fatal(err)
	}
	defer stepper.Close()
	qpos, err := model.Field("qpos")
	if err != nil {
		log.Fatal(err)
	}
	rows := physics.NewRows(model, 1, physics.Outputs{}, 11)
	stepper.Step(rows, []int32{0}, []int32{10})
	fmt.Printf("%.3f m\n", qpos.In(rows.Row(0))[2])
	// Output: 0.946 m
}
