package quadruped_test

import (
	"fmt"
	"log"

	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco"
	"github.com/polyrhythm-rl/polyrhythm/tasks/quadruped"
)

// The robot's model file comes with the package.
func Example() {
	model, err := mujoco.LoadFS(quadruped.Files, "quadruped.xml", mujoco.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer model.Close()
	fmt.Println(model.ActuatorNames()[:3], "and so on:", model.ControlSize(), "motors")
	// Output: [FL_abduction FL_hip FL_knee] and so on: 12 motors
}
