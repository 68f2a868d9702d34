package robot_test

import (
	"fmt"

	"github.com/polyrhythm-rl/polyrhythm/tasks/robot"
	"github.com/polyrhythm-rl/polyrhythm/tasks/terms"
)

// Settings are checked without a model; [robot.New] checks the rest.
func ExampleSettings_Validate() {
	s := robot.Settings{
		Actions:      []terms.Entry{{"term": "joint_position", "scale": 0.25}},
		Observations: map[string]robot.Group{"policy": {Noise: true, Terms: []terms.Entry{{"term": "joint_pos_rel"}}}},
		Rewards:      []terms.Entry{{"name": "calm", "expr": "sum(square(joint_vel))"}},
	}
	fmt.Println(s.Validate())
	// Output: rewards[0].weight: not given, want a number
}
