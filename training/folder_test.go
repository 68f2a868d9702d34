package training

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/logs"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/runs"
	"github.com/polyrhythm-rl/polyrhythm/training/policies"
	"github.com/polyrhythm-rl/polyrhythm/training/rollouts"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// parse reads the preset of a task with changes.
// parse returns the preset of a task with some settings. All worlds have rows, also while a policy learns.
func parse(t testing.TB, task string, sets ...string) *configs.Config {
	t.Helper()
	name, data, err := configs.Preset(task)
	noError(t, err)
	return must(configs.Parse(name, data, append([]string{"recording.every_world=1"}, sets...), nil))(t)
}

// Of two runs that find the same empty folder one gets it. The other fails and removes nothing there.
func TestOneRunTakesAFolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "walk") + "/"
	first := must(rundir.CreateFolder(path))(t)
	c := parse(t, "quadruped", "worlds=1")
	policy := must(policies.Open(policies.Random))(t)
	errorContains(t, errOf(Train(t.Context(), c, TrainOptions{Folder: path})), "is in use by another run")
	errorContains(t, errOf(rollouts.Rollout(t.Context(), c, rollouts.RolloutOptions{Policy: policy, Episodes: 1, Folder: path})),
		"is in use by another run")
	errorContains(t, errOf(Replay(t.Context(), path, ReplayOptions{})), "goes on, want one that has ended")
	must(os.Stat(path))(t)
	noError(t, first.Discard())
	polytest.ErrorIs(t, polytest.Err(os.Stat(path)), fs.ErrNotExist)
}

// A folder that its run is about to leave is waited for, also at the beginning of a slice, but no longer than the
// caller wants.
func TestDatasetWaitsForItsFolder(t *testing.T) {
	for _, snapshot := range [][]byte{nil, {}, {1}} {
		path := filepath.Join(t.TempDir(), "data")
		first := must(rundir.CreateFolder(path))(t)
		stopped, cancel := context.WithCancel(t.Context())
		cancel()
		if err := errOf(runs.CreateDataset(stopped, path, snapshot, time.Hour)); !errors.Is(err, context.Canceled) {
			t.Errorf("%v, stopped meanwhile: %v", snapshot, err)
		}
		time.AfterFunc(60*time.Millisecond, first.Close)
		must(runs.CreateDataset(t.Context(), path, snapshot, 10*time.Second))(t).Close()
	}
}

// A pipe is no folder; nothing waits for its writer.
func TestPipeIsNoFolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	noError(t, syscall.Mkfifo(path, 0o600))
	errorContains(t, errOf(rundir.CreateFolder(path)), "is a file or in one")
}

// A run that loses a race for a folder leaves the files of the winner unchanged.
func TestSecondLogChangesNothing(t *testing.T) {
	out := t.TempDir()
	kept := map[string]string{rundir.LogFile: "the first log", rundir.ScriptFile: "the first script"}
	for name, text := range kept {
		noError(t, os.WriteFile(filepath.Join(out, name), []byte(text), 0o666))
	}
	l := logs.Logging{Every: 1, Kind: logs.KindRollout, Policy: policies.Script, Contents: []byte("action[0]\n1\n")}
	if _, err := l.Create(out, parse(t, "HalfCheetah-v5"), env.OpenOptions{Episodes: 1}, nil); err == nil {
		t.Error("a second log was begun")
	}
	for name, want := range kept {
		if got, err := os.ReadFile(filepath.Join(out, name)); err != nil || string(got) != want {
			t.Errorf("%s is %q (%v), want %q", name, got, err, want)
		}
	}
}

// A folder that comes to nothing leaves none of the folders that were made for it, but
// those that others have put something into since.
func TestDiscardRemovesParents(t *testing.T) {
	root := t.TempDir()
	for _, taken := range []bool{false, true} {
		f := must(rundir.CreateFolder(filepath.Join(root, "a", "b", "c")))(t)
		if taken {
			noError(t, os.WriteFile(filepath.Join(root, "a", "mine"), nil, 0o666))
		}
		noError(t, f.Discard())
		left, err := filepath.Glob(filepath.Join(root, "a*", "*"))
		if _, gone := os.Stat(filepath.Join(root, "a")); err != nil || errors.Is(gone, fs.ErrNotExist) == taken ||
			len(left) > 0 && !taken || taken && len(left) != 1 {
			t.Errorf("taken %v: %q left (%v)", taken, left, err)
		}
	}
}

// A run that was killed before its log had a header is cut short, as one that was killed later.
func TestReplayOfALogThatWasCutInItsHeader(t *testing.T) {
	t.Parallel()
	for _, log := range []string{"", "polyr"} {
		folder := t.TempDir()
		noError(t, os.WriteFile(filepath.Join(folder, rundir.LogFile), []byte(log), 0o644))
		_, err := Replay(t.Context(), folder, ReplayOptions{})
		if want := "cut short after 0 identical steps: "; err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("log %q: error %v, want %q", log, err, want)
		}
	}
}

func must[T any](v T, err error) func(polytest.TB) T { return polytest.Must(v, err) }

func noError(t testing.TB, err error) {
	t.Helper()
	polytest.NoError(t, err)
}

func errOf[T any](_ T, err error) error { return err }

func errorContains(t testing.TB, err error, text string) {
	t.Helper()
	polytest.ErrorContains(t, err, text)
}

// usageError fails unless err is one that the caller can correct, with a text.
func usageError(t testing.TB, err error, text string) {
	t.Helper()
	errorContains(t, err, text)
	if !errors.As(err, new(env.ConfigError)) {
		t.Errorf("error %v, want a %T", err, env.ConfigError{})
	}
}

// readTable reads a file of comma-separated values: its lines, and the column of each name.
func readTable(t testing.TB, folder, name string) (lines [][]string, column map[string]int) {
	t.Helper()
	lines = must(csv.NewReader(bytes.NewReader(must(os.ReadFile(filepath.Join(folder, name)))(t))).ReadAll())(t)
	column = map[string]int{}
	for i, name := range lines[0] {
		column[name] = i
	}
	return lines, column
}
