package training

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

// A run that pauses, twice, is evaluated there, and ends with the files of one that never
// paused.
func TestPausedTrainingGoesOn(t *testing.T) {
	whole := filepath.Join(t.TempDir(), "whole")
	if _, err := Train(t.Context(), pointConfig(t), TrainOptions{Folder: whole, LogEvery: 1}); err != nil {
		t.Fatal(err)
	}
	opt := TrainOptions{Folder: filepath.Join(t.TempDir(), "run"), LogEvery: 1}
	for _, pause := range []struct{ until, steps int64 }{{100, 128}, {512, 512}, {512, 512}, {600, 640}} {
		opt.Until = pause.until
		report, err := TrainAgain(t.Context(), pointConfig(t), opt)
		if err != nil {
			t.Fatal(err)
		}
		if report.Status != StatusPaused || report.EnvSteps != pause.steps || report.Evaluation == nil {
			t.Errorf("until %d: %s after %d steps, evaluation %v; want %s after %d and one", pause.until, report.Status, report.EnvSteps, report.Evaluation, StatusPaused, pause.steps)
		}
		checkpoint, err := ReadCheckpoint(opt.Folder)
		if err != nil || checkpoint.EnvSteps != pause.steps {
			t.Fatalf("until %d: its latest checkpoint is %v, %v", pause.until, checkpoint, err)
		}
		c := pointConfig(t)
		c.Seed++
		again, err := Evaluate(t.Context(), c, checkpoint.Policy(), checkpoint.ControlSteps)
		if err != nil || again.MeanReturn != report.Evaluation.MeanReturn {
			t.Errorf("until %d: its policy reaches %v, %v; the report says %v", pause.until, again, err, report.Evaluation.MeanReturn)
		}
	}
	opt.Until = 0
	report, err := TrainAgain(t.Context(), pointConfig(t), opt)
	if err != nil || report.Status != StatusDone {
		t.Fatalf("%v, %v", report, err)
	}
	wantSameFiles(t, "paused", filesOf(t, opt.Folder), filesOf(t, whole))

	// Of a run that is done there is nothing left to do.
	before, err := os.Stat(filepath.Join(opt.Folder, ReportFile))
	if err != nil {
		t.Fatal(err)
	}
	for _, opt.Until = range []int64{0, 512} {
		again, err := TrainAgain(t.Context(), pointConfig(t), opt)
		if err != nil || !reflect.DeepEqual(again.Evaluation, report.Evaluation) {
			t.Errorf("once more: %v, %v", again, err)
		}
	}
	after, err := os.Stat(filepath.Join(opt.Folder, ReportFile))
	if err != nil || !after.ModTime().Equal(before.ModTime()) {
		t.Errorf("the report was written again, %v", err)
	}
}

// A run whose end is not after the whole of its steps does not pause.
func TestPauseAtTheEnd(t *testing.T) {
	for _, until := range []int64{896, 1 << 40} {
		folder := filepath.Join(t.TempDir(), "run")
		report, err := Train(t.Context(), pointConfig(t, "recording.enabled=false"), TrainOptions{Folder: folder, Until: until})
		if err != nil || report.Status != StatusDone || report.EnvSteps != 896 {
			t.Errorf("until %d: %v, %v", until, report, err)
		}
		if _, err := os.Stat(filepath.Join(folder, PointFile)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("until %d: the point is left behind, %v", until, err)
		}
	}
}
