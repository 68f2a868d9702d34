package training

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/polyrhythm-rl/polyrhythm/internal/atomicfile"
	"github.com/polyrhythm-rl/polyrhythm/rl"
)

// writeCheckpoint writes the learner's state under its number of steps and
// points latest at it. user is the configuration.
func writeCheckpoint(folder string, learner *rl.PPO, user string) error {
	name := fmt.Sprintf("checkpoint-%012d.ckpt", learner.EnvSteps())
	err := atomicfile.Write(filepath.Join(folder, name), func(w io.Writer) error { return learner.Checkpoint(w, user) })
	if err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	link := filepath.Join(folder, LatestFile)
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

// Checkpoint is a learner's state as it was read from a file.
type Checkpoint struct {
	*rl.Checkpoint
	Path string // the file, of a run folder the latest
}

// ReadCheckpoint reads the checkpoint at path, of a run folder the latest.
func ReadCheckpoint(path string) (*Checkpoint, error) {
	folder := ""
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		folder, path = path, filepath.Join(path, LatestFile)
	}
	f, err := os.Open(path)
	if folder != "" && errors.Is(err, fs.ErrNotExist) {
		if _, run := os.Lstat(filepath.Join(folder, MetricsFile)); run == nil {
			return nil, usagef("%s holds no checkpoint: its run ended before the first one", folder)
		}
		return nil, usagef("%s holds no checkpoint, want a run folder or the file of a checkpoint", folder)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	c, err := rl.ReadCheckpoint(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &Checkpoint{c, path}, nil
}
