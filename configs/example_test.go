package configs_test

import (
	"fmt"
	"log"

	"github.com/polyrhythm-rl/polyrhythm/configs"
)

// Flags override the file. An unknown key is an error that suggests the nearest known one.
func ExampleParse() {
	file := []byte("task: {name: quadruped}\nworlds: 64\nrunners: [{name: Robot, rate: 50}]\n")
	c, err := configs.Parse("run.yaml", file, []string{"worlds=8", "runners.Robot.rate=200/3"}, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(c.Task.Name, c.Worlds, c.Runners[0].Rate)

	_, err = configs.Parse("run.yaml", file, []string{"wrlds=8"}, nil)
	fmt.Println(err)
	// Output:
	// quadruped 8 200/3
	// --set wrlds=8: wrlds: unknown key; did you mean worlds?
}
