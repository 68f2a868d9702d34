package cli

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/training"
)

// continued makes a training of a second or so that records, logs, evaluates on the way
// and writes checkpoints.
func continued(task, out string, more ...string) []string {
	return append([]string{"run", "--task", task, "--out", out,
		"--set", "worlds=6", "--set", "max_steps=37",
		"--set", "training={steps: 9000, segment: 40, epochs: 2, minibatch: 64, hidden: [16], checkpoint_every: 1000}",
		"--set", "evaluation={episodes: 2, every: 2500}",
		"--set", "recording={batch_rows: 100, flush_segments: 3, tables: [capture, control], compression: lz4, sync: none, clip: false}"}, more...)
}

// results returns the files of a run folder that do not hold the time, the machine or the
// number of workers.
func results(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := files(t, dir)
	for _, name := range []string{training.ReportFile, training.ConfigFile, training.EventsFile} {
		if _, ok := all[name]; !ok {
			t.Errorf("%s is missing", name)
		}
		delete(all, name)
	}
	return all
}

// wantSame reports files that differ.
func wantSame(t *testing.T, what string, got, want map[string]string) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if got[name] != want[name] {
			t.Errorf("%s: %s differs: %d bytes, want %d", what, name, len(got[name]), len(want[name]))
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%s: %s is there, want no such file", what, name)
		}
	}
}

// isDone reports whether a run's folder says that its training is done.
func isDone(t *testing.T, dir string) bool {
	t.Helper()
	path := filepath.Join(dir, training.ReportFile)
	if _, err := os.Stat(path); err != nil {
		return false
	}
	var report training.Report
	readJSON(t, path, &report)
	return report.Status == training.StatusDone
}

// A training is killed at random moments, and continued each time with another number of
// workers, until it is done. Its checkpoints, metrics, dataset, log and pictures are then
// those of a training that was never stopped, byte for byte. POLYTEST_KILLS sets the
// number of trainings.
func TestKilledTrainingContinues(t *testing.T) {
	runs := 3
	if text := os.Getenv("POLYTEST_KILLS"); text != "" {
		var err error
		if runs, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	for _, task := range []string{"quadruped", "LunarLanderContinuous-v3"} {
		t.Run(task, func(t *testing.T) {
			whole := filepath.Join(t.TempDir(), "whole")
			mustTrain(t, continued(task, whole, "--workers", "1")...) // warms the cache of files up
			begin := time.Now()
			again := filepath.Join(t.TempDir(), "again")
			mustTrain(t, continued(task, again, "--workers", "2")...)
			length := time.Since(begin)
			want := results(t, whole)
			wantSame(t, "2 workers", results(t, again), want)
			r := rand.New(rand.NewPCG(1, 2))
			for run := range runs {
				dir := filepath.Join(t.TempDir(), "run")
				args, kills := continued(task, dir, "--workers", "2"), 0
				for kills < 20 {
					if _, err := os.Stat(filepath.Join(dir, training.PointFile)); err == nil {
						args = []string{"run", "--resume", dir, "--workers", strconv.Itoa(1 + kills%2)}
					} else if isDone(t, dir) { // killed between its last file and its end
						break
					} else if err := os.RemoveAll(dir); err != nil { // it had not begun
						t.Fatal(err)
					}
					cmd := start(t, args...)
					if killAfter(t, cmd, time.Duration(r.Float64()*float64(length))) {
						if code := cmd.ProcessState.ExitCode(); code != Done {
							t.Fatalf("exit %d after %d kills: %q", code, kills, args)
						}
						break
					}
					kills++
				}
				wantSame(t, fmt.Sprintf("run %d, %d kills", run, kills), results(t, dir), want)
			}
			if out := mustTrain(t, "replay", whole); out == "" {
				t.Error("no replay")
			}
		})
	}
}
