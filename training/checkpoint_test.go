package training

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/internal/tests/disktest"
	"github.com/polyrhythm-rl/polyrhythm/rl"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// Whichever file operation of a checkpoint fails, or is the last before a kill, the run
// folder holds this checkpoint or the one before, and the next one can be written.
func TestEveryOperationOfACheckpoint(t *testing.T) {
	c := parse(t, "HalfCheetah-v5", "worlds=2", "training.segment=16", "training.hidden=[8]", "recording.enabled=false")
	e := must(env.Open(c, env.OpenOptions{}))(t)
	defer e.Close()
	worlds := must(newLearnerEnv(e, c))(t)
	learner := must(rl.New(worlds, c.Training.Settings, c.Seed))(t)
	write := func(fsys disk.FS, folder string) error {
		var data bytes.Buffer
		noError(t, learner.Checkpoint(&data, "user"))
		return writeCheckpoint(fsys, folder, learner.EnvSteps(), data.Bytes())
	}
	before := t.TempDir()
	noError(t, write(disk.OS{}, before))
	must(learner.Iterate(t.Context()))(t)
	newCopy := func() string {
		dir := t.TempDir()
		const name = "checkpoint-000000000000.ckpt"
		data, err := os.ReadFile(filepath.Join(before, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), data, 0o666)
		}
		if err == nil {
			err = os.Symlink(name, filepath.Join(dir, rundir.LatestFile))
		}
		noError(t, err)
		return dir
	}
	steps := func(dir string) int64 {
		t.Helper()
		c := must(rundir.ReadCheckpoint(dir))(t)
		return c.EnvSteps
	}
	count := &disktest.FS{}
	noError(t, write(count, newCopy()))
	for n := range count.Count() {
		for what, fail := range map[string]func(disktest.Op) error{"killed in": disktest.Kill(n),
			"error of": disktest.Once(n, syscall.ENOSPC)} {
			dir := newCopy()
			if err := write(&disktest.FS{Fail: fail}, dir); !errors.Is(err, disktest.ErrKilled) &&
				!errors.Is(err, syscall.ENOSPC) {
				t.Errorf("%s operation %d: error %v", what, n, err)
			}
			polytest.Equal(t, steps(dir), 0, "%s operation %d: the latest checkpoint is of step", what, n)
			if err := write(disk.OS{}, dir); err != nil {
				t.Errorf("after %s operation %d: %v", what, n, err)
			}
			polytest.Equal(t, steps(dir), learner.EnvSteps(),
				"after %s operation %d: the latest checkpoint is of step", what, n)
			if left, err := filepath.Glob(filepath.Join(dir, "*.part")); err != nil || len(left) > 0 {
				t.Errorf("after %s operation %d: left %v, %v", what, n, left, err)
			}
		}
	}
}
