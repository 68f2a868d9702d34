package rundir_test

import (
	"fmt"
	"log"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// The program has trained policies itself, which are read as those of run folders are.
func ExampleReadCheckpoint() {
	c, err := rundir.ReadCheckpoint(configs.Builtin + "halfcheetah")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d observed values, %d action values\n", c.Policy().Observation(), c.Policy().Action())
	// Output: 17 observed values, 6 action values
}
