package training

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/rl"
)

// replayFile is a file in [ReplayFolder]: what a replay was given between two states. One that is read no more, since
// the replay has newer rows in place of all of its own, is removed once a state says so.
type replayFile struct {
	Name         string `json:"name"`
	ControlSteps int64  `json:"control_steps"` // of every world, when it was written
}

// saveReplay writes what is new in a replay, if there is one, and returns the files that have all of it.
func (t *training) saveReplay(r *rl.Replay) ([]replayFile, error) {
	if r == nil {
		return nil, nil
	}
	if err := (disk.OS{}).MkdirAll(t.file(ReplayFolder)); err != nil {
		return nil, err
	}
	steps := t.learner.ControlSteps()
	file := replayFile{fmt.Sprintf("%012d.rows", t.learner.EnvSteps()), steps}
	err := disk.Replace(disk.OS{}, filepath.Join(t.file(ReplayFolder), file.Name), true, r.WriteNew)
	if err != nil {
		return nil, fmt.Errorf("replay to continue from: %w", err)
	}
	t.replays = slices.DeleteFunc(append(t.replays, file), func(f replayFile) bool {
		return steps-f.ControlSteps >= r.Span()
	})
	return slices.Clone(t.replays), nil
}

// readReplay reads the replay of a state; nil without one.
func (t *training) readReplay(shape rl.Shape, saved *trainingState) (*rl.Replay, error) {
	if t.config.Training.Algorithm != rl.AlgorithmSAC {
		return nil, nil
	}
	r, err := rl.NewReplay(shape, t.config.Training.Settings)
	if err != nil {
		return nil, err
	}
	for _, file := range saved.Replay {
		f, err := os.Open(filepath.Join(t.file(ReplayFolder), file.Name))
		if err != nil {
			return nil, err
		}
		if err := errors.Join(r.Read(f), f.Close()); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name(), err)
		}
	}
	t.replays = slices.Clone(saved.Replay)
	return r, nil
}

// cutReplay removes the files of a replay that a state does not name.
func (t *training) cutReplay(files []replayFile) error {
	entries, err := os.ReadDir(t.file(ReplayFolder))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		named := slices.ContainsFunc(files, func(f replayFile) bool { return f.Name == e.Name() })
		if !named && !strings.HasPrefix(e.Name(), ".") {
			err = errors.Join(err, os.Remove(filepath.Join(t.file(ReplayFolder), e.Name())))
		}
	}
	return err
}
