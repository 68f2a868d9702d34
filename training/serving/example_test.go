package serving_test

import (
	"context"
	"fmt"
	"log"
	"math/big"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/live"
	"github.com/polyrhythm-rl/polyrhythm/training/policies"
	"github.com/polyrhythm-rl/polyrhythm/training/rollouts"
	"github.com/polyrhythm-rl/polyrhythm/training/serving"
)

// A live world runs for a fifth of a second. What lets clients in is given the server before the first step.
func ExampleServe() {
	c, err := configs.Parse("live", []byte("{task: {name: HalfCheetah-v5}, worlds: 1, time: {mode: sim_realtime}}"), nil, nil)
	if err != nil {
		log.Fatal(err)
	}
	policy, err := policies.Open(policies.Zero)
	if err != nil {
		log.Fatal(err)
	}
	played, err := serving.Serve(context.Background(), c, serving.ServeOptions{
		PlayOptions: rollouts.PlayOptions{Policy: policy, Seconds: big.NewRat(1, 5)},
		Open:        func(*live.Server) (func(), error) { return func() {}, nil },
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(played.Steps, "control steps of", played.Task)
	// Output: 10 control steps of HalfCheetah-v5
}
