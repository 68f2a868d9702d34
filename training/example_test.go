package training_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/training"
	"github.com/polyrhythm-rl/polyrhythm/training/policies"
	"github.com/polyrhythm-rl/polyrhythm/training/rollouts"
)

// A rollout is recorded as a dataset, and executed again from its log.
func ExampleReplay() {
	dir, err := os.MkdirTemp("", "rollout")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	c, err := configs.Parse("run",
		[]byte("{task: {name: Hopper-v5}, worlds: 4, max_steps: 20, runners: [{name: Robot, rate: 125}]}"), nil, nil)
	if err != nil {
		log.Fatal(err)
	}
	policy, err := policies.Open(policies.Random)
	if err != nil {
		log.Fatal(err)
	}
	out := filepath.Join(dir, "hops")
	recorded, err := rollouts.Rollout(context.Background(), c, rollouts.RolloutOptions{Policy: policy, Episodes: 6,
		Folder: out, LogEvery: 1})
	if err != nil {
		log.Fatal(err)
	}
	same, err := training.Replay(context.Background(), out, training.ReplayOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d episodes; the states of %d worlds are the same again\n", recorded.Episodes, same.Worlds)
	// Output: 6 episodes; the states of 4 worlds are the same again
}
