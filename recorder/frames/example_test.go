package frames_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"path/filepath"

	"github.com/polyrhythm-rl/polyrhythm/internal/tests/exampletest"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/recorder/frames"
	"github.com/polyrhythm-rl/polyrhythm/sensors"
)

// A recorded dataset gets the depth that the camera "track" would have seen, a picture for each row.
func ExampleAdd() {
	path, remove := exampletest.Dataset()
	defer remove()
	d, err := recorder.Open(path)
	if err != nil {
		log.Fatal(err)
	}
	model, err := mujoco.Load("../../configs/quadruped.xml", mujoco.Options{})
	if err != nil {
		log.Fatal(err)
	}
	folder, rows, err := frames.Add(context.Background(), d, model, frames.Options{
		Camera:  sensors.Camera{Name: "track", Width: 64, Height: 64, Kinds: []string{physics.Depth}},
		Workers: 2,
	})
	if err := errors.Join(err, model.Close()); err != nil {
		log.Fatal(err)
	}
	fmt.Println(filepath.Base(folder), rows)
	// Output: camera-track 24
}
