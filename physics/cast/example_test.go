package cast_test

import (
	"errors"
	"fmt"
	"log"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/cast"
	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco"
)

// The pixel in the middle of the camera that follows the quadruped shows its trunk, less than three metres away.
func ExampleCaster_Cast() {
	model, err := mujoco.Load("../../configs/quadruped.xml", mujoco.Options{})
	if err != nil {
		log.Fatal(err)
	}
	const width, height = 65, 49
	caster, err := cast.Open(model, []cast.Camera{
		{Mount: physics.Mount{Camera: "track"}, Width: width, Height: height},
	})
	if err != nil {
		log.Fatal(errors.Join(err, model.Close()))
	}
	row, pose := make([]float64, model.StateSize()), make([]float64, model.Pose().Size)
	model.InitialState(row)
	model.PoseOf(row, pose)
	pictures := cast.Pictures{Depth: make([]float32, width*height), Segmentation: make([]int32, width*height)}
	if err := caster.Cast(0, pose, pictures); err != nil {
		log.Fatal(err)
	}
	middle := height/2*width + width/2
	fmt.Println(pictures.Depth[middle] < 3, model.Describe().Geoms[pictures.Segmentation[middle]].Ref)
	if err := errors.Join(caster.Close(), model.Close()); err != nil {
		log.Fatal(err)
	}
	// Output: true trunk
}
