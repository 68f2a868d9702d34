package export_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/recorder/export"
)

// A dataset is written anew as Parquet.
func ExampleExport() {
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
	parquet, err := export.FormatOf("parquet")
	if err != nil {
		log.Fatal(err)
	}
	result, err := export.Export(context.Background(), d, parquet, filepath.Join(dir, "parquet"), export.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Episodes, "episodes,", result.Incomplete, "incomplete")
	// Output: 4 episodes, 0 incomplete
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
