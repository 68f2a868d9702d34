package terms_test

import (
	"fmt"

	"github.com/polyrhythm-rl/polyrhythm/tasks/terms"
)

// Parse checks entries of a configuration without a model.
func ExampleParse() {
	_, err := terms.Parse(terms.Rewards, "rewards", []terms.Entry{
		{"term": "track_lin_vel_xy_exp", "weight": 1.5, "command": "velocity", "std": 0.5},
		{"term": "track_lin_vel_xy", "weight": 1},
	})
	fmt.Println(err)
	// Output: rewards[1].term: no reward "track_lin_vel_xy"; did you mean track_lin_vel_xy_exp?
}
