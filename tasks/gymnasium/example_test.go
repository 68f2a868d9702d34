package gymnasium_test

import (
	"fmt"

	"github.com/polyrhythm-rl/polyrhythm/tasks/gymnasium"
)

// The scene of a Box2D task is data, made from the task's options.
func ExampleLunarLanderScene() {
	options := gymnasium.DefaultLunarLanderOptions()
	options.Gravity = -5
	scene := gymnasium.LunarLanderScene(options, 0.02)
	for _, body := range scene.Bodies {
		fmt.Println(body.Name, len(body.Fixtures))
	}
	fmt.Println(scene.Gravity)
	// Output:
	// lander 1
	// leg0 1
	// leg1 1
	// [0 -5]
}
