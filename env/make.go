package env

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/internal/runlog"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// Options choose the worlds that [Make] and [MakeFile] open. The zero value is one world
// that is not recorded.
type Options struct {
	Worlds  int    // number of worlds; 0: the configuration's, of Make 1
	Seed    uint64 // decides every draw of the worlds and of SampleActions; of MakeFile 0: the configuration's
	Workers int    // goroutines that step worlds; 0: the configuration's, of Make one per CPU

	// MaxSteps is the number of control steps after which an episode is truncated; 0:
	// the configuration's or the task's own.
	MaxSteps int

	// Autoreset says when a world begins its next episode: [configs.SameStep],
	// [configs.NextStep] or [configs.Disabled]; "": the configuration's, of Make SameStep.
	Autoreset string

	// Task holds options of the task by their names in a configuration, such as
	// "reset_noise_scale"; see [TaskConfig]. They replace those of a file.
	Task map[string]any

	// Dataset is a folder, new or empty, to record to; "": nothing is recorded.
	Dataset string

	// Log is a file, not there yet, for actions and states, so that [Replay] can execute
	// the run again; "": there is no log.
	Log string
}

// Make opens worlds of a task by its name: "quadruped", one of Gymnasium's such as
// "HalfCheetah-v5", or a task that was registered, see [Register]. They run by the
// configuration of the task by itself, see [TaskConfig]. Close the env when done.
func Make(task string, opt Options) (*Env, error) {
	c, err := TaskConfig(task, opt.Task)
	if err != nil {
		return nil, ConfigError{Err: err}
	}
	c.Worlds, c.Seed, c.Workers = max(opt.Worlds, 1), opt.Seed, opt.Workers
	if opt.Worlds < 0 {
		c.Worlds = opt.Worlds // which is refused
	}
	c.Recording.Enabled = opt.Dataset != ""
	return makeOf(&c, opt)
}

// MakeFile opens the worlds of a configuration file, changed by the environment's
// POLYRHYTHM_ variables and then by the options. Close the env when done.
func MakeFile(path string, opt Options) (*Env, error) {
	c, err := configs.Load(path, nil, os.Environ())
	if err != nil {
		return nil, ConfigError{Err: err}
	}
	for key, value := range opt.Task {
		c.Task.Options = with(c.Task.Options, key, value)
	}
	if opt.Worlds != 0 {
		c.Worlds = opt.Worlds
	}
	if opt.Seed != 0 {
		c.Seed = opt.Seed
	}
	if opt.Workers != 0 {
		c.Workers = opt.Workers
	}
	return makeOf(c, opt)
}

// makeOf opens a configuration with those options that mean the same to every caller.
func makeOf(c *configs.Config, opt Options) (*Env, error) {
	if opt.MaxSteps != 0 {
		c.MaxSteps = opt.MaxSteps
	}
	if opt.Autoreset != "" {
		c.Autoreset = opt.Autoreset
	}
	if c.BlockSize == 0 && opt.Dataset == "" { // the rows of a dataset stand in block order
		c.BlockSize = StepBlockSize(c.Worlds)
	}
	if err := c.Validate(); err != nil {
		return nil, ConfigError{Err: err}
	}
	discard, err := emptyFolder(opt.Dataset)
	if err != nil {
		return nil, err
	}
	open := OpenOptions{Dataset: opt.Dataset}
	if opt.Log != "" {
		if open.Log, err = createLog(opt.Log, c); err != nil {
			return nil, err
		}
	}
	e, err := Open(c, open)
	if err != nil && opt.Log != "" {
		err = errors.Join(err, os.Remove(opt.Log))
	}
	if err != nil {
		return nil, errors.Join(err, discard())
	}
	return e, nil
}

// emptyFolder checks that a dataset's folder is new or empty; path may be "". What it
// returns makes it so again.
func emptyFolder(path string) (discard func() error, err error) {
	if path == "" {
		return func() error { return nil }, nil
	}
	entries, err := os.ReadDir(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return func() error { return os.RemoveAll(path) }, nil
	case err != nil:
		return nil, fmt.Errorf("dataset: %w", err)
	case len(entries) > 0:
		return nil, fmt.Errorf("dataset: %s is not empty, want a new or an empty folder", path)
	}
	return func() error {
		entries, err := os.ReadDir(path)
		for _, e := range entries {
			err = errors.Join(err, os.RemoveAll(filepath.Join(path, e.Name())))
		}
		return err
	}, nil
}

// createLog begins a run log with actions in a new file.
func createLog(path string, c *configs.Config) (*runlog.Log, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o666)
	if err != nil {
		return nil, fmt.Errorf("run log: %w", err)
	}
	h := LogHeader(c, OpenOptions{})
	h.Actions = true
	log, err := runlog.Create(f, h)
	if err != nil {
		return nil, errors.Join(err, f.Close(), os.Remove(path))
	}
	return log, nil
}

// StepBlockSize is the number of worlds in a block that suits a caller for whom all
// worlds wait after every step, as those of [Env.Step] do: what the last block keeps
// them waiting for is its length. It is smaller than [sim.BlockSize], by which workers
// take their blocks through many steps.
func StepBlockSize(worlds int) int { return min(sim.MaxBlockSize, max(1, worlds/32)) }
