package scene_test

import (
	"fmt"

	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco/scene"
)

func Example() {
	s := scene.Default()
	s.Models = []scene.Model{{File: "arm.xml"}, {File: "table.xml", Prefix: "table_", Position: [3]float64{1, 0, 0}}}
	s.Actuators = []scene.Actuators{{Joints: []string{".*_joint"}, KP: 50, KD: 1}}
	fmt.Println(s.Validate())

	s.Actuators[0].KP = 0
	fmt.Println(s.Validate())
	// Output:
	// <nil>
	// actuators[0].kp is 0, want more than 0, at most 1e+09
}
