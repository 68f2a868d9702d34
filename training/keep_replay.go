package training

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/rl"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/runs"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// saveReplay writes what is new in a replay, if there is one, and returns the files that have all of it.
func (t *training) saveReplay(r *rl.Replay) ([]runs.ReplayFile, error) {
	if r == nil {
		return nil, nil
	}
	if err := (disk.OS{}).MkdirAll(t.file(rundir.ReplayFolder)); err != nil {
		return nil, err
	}
	steps := t.learner.ControlSteps()
	file := runs.ReplayFile{Name: fmt.Sprintf("%012d.rows", t.learner.EnvSteps()), ControlSteps: steps}
	err := disk.Replace(disk.OS{}, filepath.Join(t.file(rundir.ReplayFolder), file.Name), true, r.WriteNew)
	if err == nil {
		err = disk.OS{}.SyncDir(t.file(rundir.ReplayFolder))
	}
	if err != nil {
		return nil, fmt.Errorf("replay to continue from: %w", err)
	}
	t.replays = slices.DeleteFunc(append(t.replays, file), func(f runs.ReplayFile) bool {
		return steps-f.ControlSteps >= r.Span()
	})
	return slices.Clone(t.replays), nil
}

// readReplay reads the replay of a state; nil without one.
func (t *training) readReplay(shape rl.Shape, saved *runs.TrainingState) (*rl.Replay, error) {
	if t.config.Training.Algorithm != rl.AlgorithmSAC {
		return nil, nil
	}
	r, err := rl.NewReplay(shape, t.config.Training.Settings)
	if err != nil {
		return nil, err
	}
	for _, file := range saved.Replay {
		f, err := disk.Open(filepath.Join(t.file(rundir.ReplayFolder), file.Name))
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

// removeState removes the state of a run that is done, and its replay.
func removeState(folder string) error {
	return cmp.Or(disk.RemoveFile(filepath.Join(folder, rundir.StateFile)), removeReplay(folder))
}

// removeReplay removes the replay of a run as far as its files show that they are of one.
func removeReplay(folder string) error {
	own := func(_, name string, entry fs.DirEntry) (bool, error) {
		return rundir.Owns(folder, filepath.Join(rundir.ReplayFolder, name), entry)
	}
	_, err := disk.RemoveKnown(disk.OS{}, filepath.Join(folder, rundir.ReplayFolder), own)
	return err
}

// cutReplay removes the files of a replay that a state does not name.
func (t *training) cutReplay(files []runs.ReplayFile) error {
	entries, err := os.ReadDir(t.file(rundir.ReplayFolder))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		named := slices.ContainsFunc(files, func(f runs.ReplayFile) bool { return f.Name == e.Name() })
		if !named && !strings.HasPrefix(e.Name(), ".") {
			err = errors.Join(err, t.removeOurs(filepath.Join(rundir.ReplayFolder, e.Name())))
		}
	}
	return err
}
