package recovery_test

import (
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/recorder/recovery"
)

// A dataset that was closed is opened as it is; one of a run that was killed would be
// recovered first, and the second value would say what is missing.
func ExampleOpen() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "walk")
	record(path)

	d, recovered, err := recovery.Open(path)
	if err != nil {
		log.Fatal(err)
	}
	rows, err := d.Rows("episodes")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(rows, "episodes, recovered:", recovered != nil)
	// Output: 4 episodes, recovered: false
}

// record makes a small dataset in a folder.
func record(path string) {
	envs, err := env.Make("quadruped", env.Options{Worlds: 2, Seed: 1, MaxSteps: 10, Dataset: path})
	if err != nil {
		log.Fatal(err)
	}
	for range 20 {
		envs.SampleActions()
		err = errors.Join(err, envs.Step())
	}
	if err := errors.Join(err, envs.Close()); err != nil {
		log.Fatal(err)
	}
}
