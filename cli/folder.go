package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

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

// runFolder is a folder that was empty when this process took it. While it is
// open no other run takes it, so all there is in it is this run's.
type runFolder struct {
	path string
	made bool     // it was not there before
	lock *os.File // the folder itself, under an flock
}

// makeRunFolder takes the folder at path, which must not be there or be empty.
// Without a path it makes the first free one of runs/<task>-001, -002, ….
func makeRunFolder(path, task string) (*runFolder, error) {
	f := &runFolder{path: filepath.Clean(path)}
	var err error
	if path != "" {
		err = f.makeNamed()
	} else {
		err = f.makeNext(task)
	}
	if err == nil {
		err = f.take()
	}
	if err != nil {
		return nil, fmt.Errorf("output folder: %w", err)
	}
	return f, nil
}

func (f *runFolder) makeNamed() error {
	if err := os.MkdirAll(filepath.Dir(f.path), 0o777); err != nil {
		return err
	}
	err := os.Mkdir(f.path, 0o777)
	f.made = err == nil
	if errors.Is(err, fs.ErrExist) {
		return nil // take sees what it is
	}
	return err
}

func (f *runFolder) makeNext(task string) error {
	if err := os.MkdirAll("runs", 0o777); err != nil {
		return err
	}
	f.made = true
	for n := 1; ; n++ {
		f.path = filepath.Join("runs", fmt.Sprintf("%s-%03d", strings.ToLower(task), n))
		if err := os.Mkdir(f.path, 0o777); !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
}

// take locks the folder and looks whether it is empty.
func (f *runFolder) take() (err error) {
	if f.lock, err = os.Open(f.path); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.close()
		}
	}()
	locked := syscall.Flock(int(f.lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	entries, err := f.lock.ReadDir(-1)
	switch {
	case err != nil:
		return err
	case len(entries) > 0:
		return fmt.Errorf("%s is not empty; want a new or an empty one", f.path)
	case errors.Is(locked, syscall.EWOULDBLOCK): // a file system without locks guards nothing
		return fmt.Errorf("%s is another run's, which has just begun", f.path)
	}
	return nil
}

// close lets go of the folder. Further calls do nothing.
func (f *runFolder) close() { f.lock.Close() }

// discard removes what is in the folder, and the folder where it was not there
// before, and lets go of it.
func (f *runFolder) discard() error {
	defer f.close()
	entries, err := os.ReadDir(f.path)
	for _, e := range entries {
		err = errors.Join(err, os.RemoveAll(filepath.Join(f.path, e.Name())))
	}
	if err == nil && f.made {
		err = os.Remove(f.path)
	}
	return err
}

// checkFile returns an error unless a file can be at path, as far as folders go.
func checkFile(path string) error {
	if info, err := os.Stat(filepath.Dir(path)); err != nil || !info.IsDir() {
		return fmt.Errorf("want a file in a folder that is there, got %s", path)
	}
	switch info, err := os.Stat(path); {
	case err != nil || info.Mode().IsRegular():
		return nil
	case info.IsDir():
		return fmt.Errorf("want a file, got the folder %s", path)
	default: // writeFile would put a file in its place
		return fmt.Errorf("want a file, got the device or pipe %s", path)
	}
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
