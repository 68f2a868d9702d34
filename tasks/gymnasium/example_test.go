package gymnasium_test

import (
	"fmt"
	"log"

	"github.com/polyrhythm-rl/polyrhythm/tasks/gymnasium"
)

// The scene of a Box2D task is data, made from the task's options, here the defaults.
func ExampleTasks() {
	for _, task := range gymnasium.Tasks() {
		if task.Name != "LunarLander-v3" {
			continue
		}
		fmt.Printf("%+v\n", task.Options)
		scene, err := task.Scene(func(options any) error { return nil }, 0.02)
		if err != nil {
			log.Fatal(err)
		}
		for _, body := range scene.Bodies {
			fmt.Println(body.Name, len(body.Fixtures))
		}
	}
	// Output:
	// {Continuous:false Gravity:-10 EnableWind:false WindPower:15 TurbulencePower:1.5}
	// lander 1
	// leg0 1
	// leg1 1
}
