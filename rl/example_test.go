package rl

import (
	"context"
	"fmt"
	"log"
)

// A learner gathers a rollout from its environment and updates its policy.
func ExampleNew() {
	settings := DefaultSettings()
	settings.RolloutSteps, settings.TotalSteps, settings.Hidden = 32, 1024, []int{16}
	learner, err := New(newCart(16, 8, 2), settings, 1) // 16 worlds of an Env, seed 1
	if err != nil {
		log.Fatal(err)
	}
	for learner.EnvSteps() < settings.TotalSteps {
		if _, err := learner.Iterate(context.Background()); err != nil {
			log.Fatal(err)
		}
	}
	policy := learner.Policy()
	fmt.Println(learner.EnvSteps(), "steps;", policy.Observation(), "observed values,", policy.Action(), "action value")
	// Output: 1024 steps; 3 observed values, 1 action value
}
