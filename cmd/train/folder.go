package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/rl"
)

// A run folder holds what a training run leaves behind.
const (
	configFile      = "config.yaml"      // the resolved configuration
	runFile         = "run.json"         // how it went, and on what machine
	metricsFile     = "metrics.csv"      // a line per iteration
	evaluationsFile = "evaluations.json" // those made on the way, if any
	curveFile       = "curve.png"
	latestFile      = "latest" // link to the newest checkpoint
	datasetFolder   = "dataset"
	logFile         = "run.log"     // what train replay compares with
	driverFile      = "driver.ckpt" // the checkpoint that the run began with or acted by, if any
	scriptFile      = "driver.csv"  // the script that it acted by, if any
)

// makeRunFolder makes the folder at path, which must not be there or be empty.
// Without a path it makes the first free one of runs/<task>-001, -002, ….
func makeRunFolder(path, task string) (string, error) {
	if path != "" {
		if err := os.MkdirAll(path, 0o777); err != nil {
			return "", fmt.Errorf("output folder: %w", err)
		}
		entries, err := os.ReadDir(path)
		if err != nil {
			return "", fmt.Errorf("output folder: %w", err)
		}
		if len(entries) > 0 {
			return "", fmt.Errorf("output folder: %s is not empty; want a new or an empty one", path)
		}
		return path, nil
	}
	if err := os.MkdirAll("runs", 0o777); err != nil {
		return "", fmt.Errorf("output folder: %w", err)
	}
	for n := 1; ; n++ {
		path := filepath.Join("runs", fmt.Sprintf("%s-%03d", strings.ToLower(task), n))
		err := os.Mkdir(path, 0o777)
		if err == nil {
			return path, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return "", fmt.Errorf("output folder: %w", err)
		}
	}
}

// checkFile returns an error unless a file can be at path, as far as folders go.
func checkFile(path string) error {
	if info, err := os.Stat(filepath.Dir(path)); err != nil || !info.IsDir() {
		return fmt.Errorf("want a file in a folder that is there, got %s", path)
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fmt.Errorf("want a file, got the folder %s", path)
	}
	return nil
}

// writeFile writes a file so that it is there whole or not at all.
func writeFile(path string, write func(io.Writer) error) error {
	next := path + ".next"
	f, err := os.Create(next)
	if err != nil {
		return err
	}
	err = errors.Join(write(f), f.Close())
	if err == nil {
		err = os.Rename(next, path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(next))
	}
	return nil
}

func writeJSON(path string, v any) error {
	return writeFile(path, func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(v)
	})
}

// writeCheckpoint writes the learner's state under its number of steps and
// points latest at it. user is the configuration.
func writeCheckpoint(folder string, learner *rl.PPO, user string) error {
	name := fmt.Sprintf("checkpoint-%012d.ckpt", learner.EnvSteps())
	err := writeFile(filepath.Join(folder, name), func(w io.Writer) error { return learner.Checkpoint(w, user) })
	if err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	link := filepath.Join(folder, latestFile)
	next := link + ".next"
	if err := os.Remove(next); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("checkpoint: %w", err)
	}
	if err := os.Symlink(name, next); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	if err := os.Rename(next, link); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	return nil
}

// readCheckpoint reads a checkpoint, of a run folder the latest.
func readCheckpoint(path string) (*rl.Checkpoint, error) {
	path = checkpointPath(path)
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	c, err := rl.ReadCheckpoint(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return c, nil
}

// checkpointPath is the file of a checkpoint: of a run folder the latest.
func checkpointPath(path string) string {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return filepath.Join(path, latestFile)
	}
	return path
}
