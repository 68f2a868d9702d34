// Package exampletest makes what the examples of several packages read.
package exampletest

import (
	"errors"
	"log"
	"os"
	"path/filepath"

	"github.com/polyrhythm-rl/polyrhythm/env"
)

// Dataset records a small dataset of two quadrupeds. It returns the dataset's folder, and what removes it.
func Dataset() (path string, remove func()) {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	path = filepath.Join(dir, "walk")
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
	return path, func() { os.RemoveAll(dir) }
}
