package picture_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/recorder/picture"
)

// A picture shows every sample of an episode's first 100 ms at its time.
func ExampleWritePNG() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "walk")
	record(path)

	d, err := recorder.Open(path)
	if err != nil {
		log.Fatal(err)
	}
	var png bytes.Buffer
	err = picture.WritePNG(context.Background(), &png, d,
		picture.Options{Until: 100 * time.Millisecond, Columns: []string{"gyro"}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%q\n", png.Bytes()[1:4])
	// Output: "PNG"
}

// record makes a small dataset in a folder.
func record(path string) {
	envs, err := env.Make("quadruped", env.Options{Worlds: 2, Seed: 1, MaxSteps: 10, Dataset: path})
	if err != nil {
		log.Fatal(err)
	}
	for range 20 {
		envs.SampleActions()
		if err := envs.Step(); err != nil {
			log.Fatal(err)
		}
	}
	if err := envs.Close(); err != nil {
		log.Fatal(err)
	}
}
