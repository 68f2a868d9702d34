package training

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/training/rollouts"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// A run that pauses, twice, is evaluated there, and ends with the files of one that never paused.
func TestPausedTrainingGoesOn(t *testing.T) {
	whole := filepath.Join(t.TempDir(), "whole")
	must(Train(t.Context(), pointConfig(t), TrainOptions{Folder: whole, LogEvery: 1}))(t)
	opt := TrainOptions{Folder: filepath.Join(t.TempDir(), "run"), LogEvery: 1}
	for _, pause := range []struct{ until, steps int64 }{{100, 128}, {512, 512}, {512, 512}, {600, 640}} {
		opt.Until = pause.until
		report := must(TrainOrResume(t.Context(), pointConfig(t), opt))(t)
		if report.Status != rundir.StatusPaused || report.EnvSteps != pause.steps || report.Evaluation == nil {
			t.Errorf("until %d: %s after %d steps, evaluation %v; want %s after %d and one", pause.until, report.Status,
				report.EnvSteps, report.Evaluation, rundir.StatusPaused, pause.steps)
		}
		checkpoint, err := rundir.ReadCheckpoint(opt.Folder)
		if err != nil || checkpoint.EnvSteps != pause.steps {
			t.Fatalf("until %d: its latest checkpoint is %v, %v", pause.until, checkpoint, err)
		}
		c := pointConfig(t)
		c.Seed++
		again, err := rollouts.Evaluate(t.Context(), c, checkpoint.Policy(), checkpoint.ControlSteps)
		if err != nil || again.MeanReturn != report.Evaluation.MeanReturn {
			t.Errorf("until %d: its policy reaches %v, %v; the report says %v", pause.until, again, err,
				report.Evaluation.MeanReturn)
		}
	}
	opt.Until = 0
	report, err := TrainOrResume(t.Context(), pointConfig(t), opt)
	if err != nil || report.Status != rundir.StatusDone {
		t.Fatalf("%v, %v", report, err)
	}
	polytest.SameFiles(t, "paused", filesOf(t, opt.Folder), filesOf(t, whole))

	// Of a run that is done there is nothing left to do.
	before := must(os.Stat(filepath.Join(opt.Folder, rundir.ReportFile)))(t)
	for _, opt.Until = range []int64{0, 512} {
		again, err := TrainOrResume(t.Context(), pointConfig(t), opt)
		if err != nil || !reflect.DeepEqual(again.Evaluation, report.Evaluation) {
			t.Errorf("once more: %v, %v", again, err)
		}
	}
	after, err := os.Stat(filepath.Join(opt.Folder, rundir.ReportFile))
	if err != nil || !after.ModTime().Equal(before.ModTime()) {
		t.Errorf("the report was written again, %v", err)
	}
}

// A replay of a training compares its configuration, metrics and checkpoints, too.
func TestReplayComparesFiles(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "run")
	config := pointConfig(t, "recording.enabled=false", "training.steps=256", "evaluation.every=0",
		"training.checkpoint_every=100")
	must(Train(t.Context(), config, TrainOptions{Folder: folder, LogEvery: 1}))(t)
	checkpoints, err := checkpointsIn(folder)
	if err != nil || len(checkpoints) != 2 {
		t.Fatalf("checkpoints %v, %v, want 2", checkpoints, err)
	}
	if r, err := Replay(t.Context(), folder, ReplayOptions{}); err != nil || r.Files != 4 {
		t.Errorf("%d files compared, %v, want 4", r.Files, err)
	}
	change := func(name, want string, change func([]byte) []byte) {
		t.Helper()
		path := filepath.Join(folder, name)
		good, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(path, change(bytes.Clone(good)), 0o666)
		}
		noError(t, err)
		err = errOf(Replay(t.Context(), folder, ReplayOptions{}))
		errorContains(t, err, path)
		errorContains(t, err, want)
		noError(t, os.WriteFile(path, good, 0o666))
	}
	flip := func(data []byte) []byte { data[len(data)/2] ^= 1; return data }
	change(checkpoints[0], "differs from what the run made", flip)
	change(checkpoints[1], "differs from what the run made", flip)
	change(rundir.ConfigFile, "", flip)
	change(rundir.ConfigFile, "is not the configuration of the run", func(text []byte) []byte {
		return bytes.Replace(text, []byte("epochs: 2"), []byte("epochs: 3"), 1)
	})
	change(rundir.MetricsFile, "differs in iteration", flip)
	change(rundir.MetricsFile, "ends before", func(text []byte) []byte { return text[:len(text)-40] })
	change(rundir.MetricsFile, "goes on after the end of the run", func(text []byte) []byte { return append(text, "1,2\n"...) })
}

// A run whose end is not after the whole of its steps does not pause.
func TestPauseAtTheEnd(t *testing.T) {
	for _, until := range []int64{896, 1 << 40} {
		folder := filepath.Join(t.TempDir(), "run")
		report, err := Train(t.Context(), pointConfig(t, "recording.enabled=false"), TrainOptions{Folder: folder,
			Until: until})
		if err != nil || report.Status != rundir.StatusDone || report.EnvSteps != 896 {
			t.Errorf("until %d: %v, %v", until, report, err)
		}
		if _, err := os.Stat(filepath.Join(folder, rundir.StateFile)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("until %d: the point is left behind, %v", until, err)
		}
	}
}
