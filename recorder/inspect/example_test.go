package inspect_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/recorder/inspect"
)

// An inspection says what is in a dataset and whether it keeps its promises.
func ExampleDataset() {
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
	report, err := inspect.Dataset(context.Background(), d, inspect.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Metadata.Task, report.Episodes.Count, "episodes, every check passed:", report.OK)
	// Output: quadruped 4 episodes, every check passed: true
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
