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

// Two collectors, which may be in other processes, collect for one learner. What goes to them and back is bytes.
func ExampleParts() {
	settings := DefaultSettings()
	settings.RolloutSteps, settings.TotalSteps, settings.Hidden = 32, 1024, []int{16}
	env := newCart(16, 8, 1)
	var collectors []*RolloutCollector
	for _, slice := range []Env{env.cut(0, 8), env.cut(8, 16)} {
		c, err := NewRolloutCollector(slice, settings, 1)
		if err != nil {
			log.Fatal(err)
		}
		collectors = append(collectors, c)
	}
	collect := func(ctx context.Context, o *Weights) (parts []*RolloutPart, err error) {
		weights := o.Encode()
		for _, c := range collectors {
			received, err := ReadWeights(weights)
			if err != nil {
				return nil, err
			}
			part, err := c.Collect(ctx, received)
			if err != nil {
				return nil, err
			}
			arrived, _, err := ReadPart(part.Encode())
			if err != nil {
				return nil, err
			}
			parts = append(parts, arrived)
		}
		return parts, nil
	}
	learner, err := NewLearner(Parts{Of: env.Shape(), Collect: collect}, settings, 1)
	if err != nil {
		log.Fatal(err)
	}
	for learner.EnvSteps() < settings.TotalSteps {
		if _, err := learner.Iterate(context.Background()); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(learner.EnvSteps(), "steps")
	// Output: 1024 steps
}
