package env

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/sim/runlog"
)

// Options are the options of [Make] and [MakeFile]. A zero field keeps the value of the configuration file in
// MakeFile, and has the default stated below in Make.
type Options struct {
	Worlds  int    // number of worlds; default 1
	Seed    uint64 // determines every draw of the worlds and of SampleActions; default 0
	Workers int    // goroutines that step worlds; default one per CPU

	// MaxSteps is the number of control steps after which an episode is truncated; by default that of the task.
	MaxSteps int

	// Autoreset sets when a world begins its next episode; default [sim.SameStep].
	Autoreset sim.Autoreset

	// Task holds options of the task by their names in a configuration, such as "reset_noise_scale"; see [TaskConfig].
	// They replace those of a file.
	Task map[string]any

	// Dataset is a folder, new or empty, to record to; "" for no recording.
	Dataset string

	// Log is a new file for the actions and states, from which [Replay] can repeat the run; "" for no log.
	Log string
}

// Make opens worlds of a task by its name: "quadruped", a task of Gymnasium such as "HalfCheetah-v5", or a
// registered one, see [Register]. Their configuration is that of [TaskConfig]. Close the env when done.
func Make(task string, opt Options) (*Env, error) {
	c, err := TaskConfig(task, opt.Task)
	if err != nil {
		return nil, ConfigError{Err: err}
	}
	c.Worlds, c.Seed, c.Workers = cmp.Or(opt.Worlds, 1), opt.Seed, opt.Workers
	c.Recording.Enabled = opt.Dataset != ""
	return makeOf(&c, opt)
}

// MakeFile opens the worlds of a configuration file. The POLYRHYTHM_ variables of the environment override the file,
// and the options override both. Close the env when done.
func MakeFile(path string, opt Options) (*Env, error) {
	c, err := configs.Load(path, nil, os.Environ())
	if err != nil {
		return nil, ConfigError{Err: err}
	}
	for key, value := range opt.Task {
		c.Task.Options = with(c.Task.Options, key, value)
	}
	c.Worlds, c.Workers = cmp.Or(opt.Worlds, c.Worlds), cmp.Or(opt.Workers, c.Workers)
	c.Seed = cmp.Or(opt.Seed, c.Seed)
	return makeOf(c, opt)
}

// makeOf opens a configuration after applying the options that Make and MakeFile treat alike.
func makeOf(c *configs.Config, opt Options) (*Env, error) {
	c.MaxSteps, c.Autoreset = cmp.Or(opt.MaxSteps, c.MaxSteps), cmp.Or(opt.Autoreset, c.Autoreset)
	if c.BlockSize == 0 && opt.Dataset == "" { // the order of a dataset's rows depends on the block size
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

// emptyFolder checks that the folder of a dataset is new or empty; path may be "". The returned function restores
// that, as far as the recorder has written what is there then.
func emptyFolder(path string) (discard func() error, err error) {
	if path == "" {
		return func() error { return nil }, nil
	}
	entries, err := os.ReadDir(path)
	found := err == nil
	switch {
	case len(entries) > 0:
		return nil, fmt.Errorf("dataset: %s is not empty, want a new or an empty folder", path)
	case !found && !errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("dataset: %w", err)
	}
	return func() error {
		h, err := disk.Hold(path, recorder.Owns)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		return errors.Join(disk.RemoveFiles(disk.OS{}, h.Ours), h.RemoveFolders(disk.OS{}, found))
	}, nil
}

// createLog creates a run log with actions in a new file.
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

// StepBlockSize returns the best number of worlds per block for callers that step all worlds once per call, as
// [Env.Step] does: the smaller the blocks, the shorter the wait for the last one. [sim.BlockSize] is for workers
// that step each block many times.
func StepBlockSize(worlds int) int { return min(sim.MaxBlockSize, max(1, worlds/256)) }
