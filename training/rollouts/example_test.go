package rollouts_test

import (
	"context"
	"fmt"
	"log"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/training/rollouts"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// A trained policy that comes with the program is evaluated in two episodes.
func ExampleEvaluate() {
	trained, err := rundir.ReadCheckpoint(configs.Builtin + "halfcheetah")
	if err != nil {
		log.Fatal(err)
	}
	c, err := configs.Parse("evaluation",
		[]byte("{task: {name: HalfCheetah-v5}, worlds: 2, max_steps: 200, evaluation: {episodes: 2}}"), nil, nil)
	if err != nil {
		log.Fatal(err)
	}
	e, err := rollouts.Evaluate(context.Background(), c, trained.Policy(), trained.ControlSteps)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d episodes of %g steps; it runs: %v\n", e.Episodes, e.MeanLength, e.MeanReturn > 300)
	// Output: 2 episodes of 200 steps; it runs: true
}
