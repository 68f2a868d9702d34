package training

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
)

// filesOf returns the files of a run folder that do not hold the time or the machine.
func filesOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		all[strings.TrimPrefix(path, dir+"/")] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{ReportFile, ConfigFile, EventsFile} {
		delete(all, name)
	}
	return all
}

func wantSameFiles(t *testing.T, what string, got, want map[string]string) {
	t.Helper()
	for name, data := range want {
		if got[name] != data {
			t.Errorf("%s: %s differs: %d bytes, want %d", what, name, len(got[name]), len(data))
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%s: %s is there, want no such file", what, name)
		}
	}
}

// pointConfig makes a training of 12 iterations, half of which end with an evaluation.
func pointConfig(t *testing.T, more ...string) *configs.Config {
	return parse(t, "quadruped", append([]string{"worlds=4", "workers=2", "max_steps=25", "training.segment=16",
		"training.minibatch=32", "training.epochs=2", "training.steps=896", "training.hidden=[8]", "training.checkpoint_every=300",
		"evaluation={episodes: 1, every: 128}", "recording={batch_rows: 50, sync: none}"}, more...)...)
}

// A training that is interrupted at any place, its files closed, continues as if it had
// never stopped; also one that began from the checkpoint of another.
func TestInterruptedTrainingContinues(t *testing.T) {
	first := filepath.Join(t.TempDir(), "first")
	if _, err := Train(t.Context(), pointConfig(t, "training.steps=128", "recording.enabled=false"), TrainOptions{Folder: first}); err != nil {
		t.Fatal(err)
	}
	from, err := ReadCheckpoint(first)
	if err != nil {
		t.Fatal(err)
	}
	recurrent := []string{"training.recurrent=6", "training.sequence=5"}
	for name, c := range map[string]struct {
		opt  TrainOptions
		sets []string
	}{
		"from scratch":      {TrainOptions{LogEvery: 1}, nil},
		"from a checkpoint": {TrainOptions{LogEvery: 3, From: from}, nil},
		"without a log":     {TrainOptions{}, nil},
		"recurrent":         {TrainOptions{LogEvery: 1}, recurrent},
	} {
		t.Run(name, func(t *testing.T) {
			opt := c.opt
			opt.PointEvery = time.Nanosecond // at each iteration
			opt.Folder = filepath.Join(t.TempDir(), "whole")
			if _, err := Train(t.Context(), pointConfig(t, c.sets...), opt); err != nil {
				t.Fatal(err)
			}
			want := filesOf(t, opt.Folder)
			if _, ok := want[PointFile]; ok {
				t.Error("the point of a run that is done is still there")
			}
			for _, looks := range []int64{40, 371, 1100} {
				opt.Folder = filepath.Join(t.TempDir(), "run")
				if _, err := Train(newCountdown(t, looks), pointConfig(t, c.sets...), opt); !errors.Is(err, context.Canceled) {
					t.Fatalf("cancelled at look %d: %v", looks, err)
				}
				point, err := ReadPoint(opt.Folder)
				if begun := looks > 40; point != nil && point.state.Unbegun == begun {
					t.Errorf("cancelled at look %d: a point before the first iteration is %t, want %t", looks, !begun, begun)
				}
				if err != nil {
					t.Fatal(err)
				}
				for _, name := range []string{PointFile, "checkpoint-000000000123.ckpt", LatestFile} { // as of a process killed while it wrote them
					if err := os.WriteFile(filepath.Join(opt.Folder, name+".part"), nil, 0o666); err != nil {
						t.Fatal(err)
					}
				}
				if _, err := Train(t.Context(), pointConfig(t, append([]string{"workers=1"}, c.sets...)...), TrainOptions{Continue: point}); err != nil {
					t.Fatal(err)
				}
				wantSameFiles(t, name, filesOf(t, opt.Folder), want)
			}
		})
	}
}

// What cannot be continued is refused with a reason, and can still be continued when the
// reason is gone.
func TestContinueRefuses(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "run")
	if _, err := Train(newCountdown(t, 500), pointConfig(t), TrainOptions{Folder: folder, LogEvery: 1, PointEvery: time.Nanosecond}); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	path := filepath.Join(folder, PointFile)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for at := 0; at < len(data); at += len(data) / 100 {
		damaged := []byte(string(data))
		damaged[at] ^= 1
		if err := new(Point).decode(damaged); err == nil {
			t.Errorf("byte %d changed: no error", at)
		}
		if err := new(Point).decode(data[:at]); err == nil {
			t.Errorf("cut at %d: no error", at)
		}
	}
	point, err := ReadPoint(folder)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Train(t.Context(), pointConfig(t, "training.gamma=0.9"), TrainOptions{Continue: point})
	if err == nil || !errors.As(err, new(env.ConfigError)) || !strings.Contains(err.Error(), "the configuration differs") {
		t.Errorf("with another configuration: %v", err)
	}
	other := bytes.Replace(data, []byte(`"go":"go1.`), []byte(`"go":"go0.`), 1)
	binary.LittleEndian.PutUint32(other[len(other)-4:], crc32.Checksum(other[:len(other)-4], castagnoli))
	if err := os.WriteFile(path, other, 0o666); err != nil {
		t.Fatal(err)
	}
	_, err = Train(t.Context(), pointConfig(t), TrainOptions{Continue: point})
	if err == nil || !errors.As(err, new(env.ConfigError)) || !strings.Contains(err.Error(), "was made with go go0.") {
		t.Errorf("by another version: %v", err)
	}
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	lock, err := RetakeFolder(folder)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Train(t.Context(), pointConfig(t), TrainOptions{Continue: point}); err == nil || !strings.Contains(err.Error(), "in use by another run") {
		t.Errorf("while it runs: %v", err)
	}
	lock.Close()
	for _, name := range []string{MetricsFile, LogFile, filepath.Join(DatasetFolder, "data.journal")} {
		file := filepath.Join(folder, name)
		whole, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(file, 100); err != nil {
			t.Fatal(err)
		}
		if _, err := Train(t.Context(), pointConfig(t), TrainOptions{Continue: point}); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s cut: error %v, want one line", name, err)
		}
		if err := os.WriteFile(file, whole, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Train(t.Context(), pointConfig(t), TrainOptions{Continue: point}); err != nil {
		t.Errorf("in the end: %v", err)
	}
}

// A point that was read while another process still had the run is not gone back to: a run
// that is done stays as it is, and one that was stopped goes on from its newest point.
func TestContinueReadsThePointAnew(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "run")
	opt := TrainOptions{Folder: folder, PointEvery: time.Nanosecond}
	if _, err := Train(newCountdown(t, 40), pointConfig(t), opt); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	first, err := ReadPoint(folder)
	if err != nil || !first.state.Unbegun {
		t.Fatalf("%v, want a point before the first iteration", err)
	}
	opt.Continue = first
	if _, err := Train(newCountdown(t, 500), pointConfig(t), opt); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	newest, err := ReadPoint(folder)
	if err != nil || newest.state.Unbegun {
		t.Fatalf("%v, want a point after the first iteration", err)
	}
	begun := int64(-1)
	opt.Progress = func(p TrainProgress) {
		if begun < 0 {
			begun = p.EnvSteps
		}
	}
	if _, err := Train(t.Context(), pointConfig(t), opt); err != nil || begun != newest.EnvSteps {
		t.Errorf("it went on after %d steps, want %d; %v", begun, newest.EnvSteps, err)
	}
	want := filesOf(t, folder)
	if _, err := Train(t.Context(), pointConfig(t), opt); err == nil || !errors.As(err, new(env.ConfigError)) || !strings.Contains(err.Error(), "is of a run that is done") {
		t.Errorf("after the run: error %v", err)
	}
	wantSameFiles(t, "done", filesOf(t, folder), want)
}

// The link best leads to the checkpoint with the highest mean return of all evaluations.
func TestBestCheckpointIsKept(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "run")
	report, err := Train(t.Context(), pointConfig(t, "recording.enabled=false"), TrainOptions{Folder: folder})
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(folder, EvaluationsFile))
	if err != nil {
		t.Fatal(err)
	}
	var all []Intermediate
	if err := json.Unmarshal(data, &all); err != nil || len(all) < 3 {
		t.Fatalf("%d evaluations, %v", len(all), err)
	}
	best := Intermediate{report.EnvSteps, *report.Evaluation}
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].MeanReturn >= best.MeanReturn {
			best = all[i]
		}
	}
	c, err := ReadCheckpoint(filepath.Join(folder, BestFile))
	if err != nil {
		t.Fatal(err)
	}
	if c.EnvSteps != best.EnvSteps {
		t.Errorf("the best checkpoint is of step %d, want %d", c.EnvSteps, best.EnvSteps)
	}
}

// If a point cannot be written, the training ends with one message, and continues from
// the point before once it can.
func TestPointThatCannotBeWritten(t *testing.T) {
	whole := filepath.Join(t.TempDir(), "whole")
	if _, err := Train(t.Context(), pointConfig(t), TrainOptions{Folder: whole, LogEvery: 1}); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(t.TempDir(), "run")
	obstacle := filepath.Join(folder, PointFile+".part", "file")
	opt := TrainOptions{Folder: folder, LogEvery: 1, PointEvery: time.Nanosecond}
	opt.Progress = func(p TrainProgress) {
		if p.EnvSteps > 500 {
			if err := os.MkdirAll(obstacle, 0o777); err != nil {
				t.Error(err)
			}
		}
	}
	_, err := Train(t.Context(), pointConfig(t), opt)
	if err == nil || !strings.Contains(err.Error(), "point to continue from: ") || strings.Contains(err.Error(), "\n") {
		t.Fatalf("error %v, want one line about the point", err)
	}
	if err := os.RemoveAll(filepath.Dir(obstacle)); err != nil {
		t.Fatal(err)
	}
	point, err := ReadPoint(folder)
	if err != nil {
		t.Fatal(err)
	}
	if point.EnvSteps == 0 || point.EnvSteps > 600 {
		t.Errorf("a point after %d steps, want that before the obstacle", point.EnvSteps)
	}
	if _, err := Train(t.Context(), pointConfig(t), TrainOptions{Continue: point}); err != nil {
		t.Fatal(err)
	}
	wantSameFiles(t, "continued", filesOf(t, folder), filesOf(t, whole))
}
