// Command random steps worlds under random actions.
package main

import (
	"fmt"
	"log"

	"github.com/polyrhythm-rl/polyrhythm/env"
)

func main() {
	envs, err := env.Make("HalfCheetah-v5", env.Options{Worlds: 64, Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	defer envs.Close()
	for range 1000 {
		envs.SampleActions()
		if err := envs.Step(); err != nil {
			log.Fatal(err)
		}
		// envs.Observations(), envs.Rewards(), …: row-major, one array each, never moved
	}
	fmt.Printf("%d worlds, %d observed values, first episodes of %d steps\n",
		envs.Worlds(), len(envs.Observations()), envs.EpisodeLengths()[0])
}
