package scene_test

import (
	"fmt"

	"github.com/polyrhythm-rl/polyrhythm/physics/box2d/scene"
)

// The ground of an episode is written into its field of the state row: here a floor and a ramp.
func ExampleGround() {
	ground := scene.Ground{MaxShapes: 2}
	field := make([]float64, ground.Size())
	ground.Add(field, 0.5, [2]float64{-10, 0}, [2]float64{10, 0})
	ground.Add(field, 0.5, [2]float64{10, 0}, [2]float64{15, 2})
	fmt.Println(field)
	// Output: [2 2 0.5 -10 0 10 0 2 0.5 10 0 15 2]
}

// Box makes the corners of a rectangle.
func ExampleBox() {
	crate := scene.Fixture{Vertices: scene.Box(0.5, 0.25), Density: 2}
	fmt.Println(crate.Vertices)
	// Output: [[-0.5 -0.25] [0.5 -0.25] [0.5 0.25] [-0.5 0.25]]
}
