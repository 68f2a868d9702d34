package training

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
)

// parse reads the preset of a task with changes.
func parse(t testing.TB, task string, sets ...string) *configs.Config {
	t.Helper()
	name, data, err := configs.Preset(task)
	if err != nil {
		t.Fatal(err)
	}
	c, err := configs.Parse(name, data, sets, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Of two runs that find the same empty folder one gets it. The other fails and removes
// nothing there.
func TestOneRunTakesAFolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "walk") + "/"
	first, err := TakeFolder(path, "")
	if err != nil {
		t.Fatal(err)
	}
	c := parse(t, "quadruped", "worlds=1")
	policy, err := OpenPolicy(RandomPolicy)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Train(t.Context(), c, TrainOptions{Folder: path}); err == nil || !strings.Contains(err.Error(), "is in use by another run") {
		t.Errorf("a training: %v", err)
	}
	if _, err := Rollout(t.Context(), c, RolloutOptions{Policy: policy, Episodes: 1, Folder: path}); err == nil || !strings.Contains(err.Error(), "is in use by another run") {
		t.Errorf("a rollout: %v", err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
	if err := first.Discard(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the folder was made and is still there: %v", err)
	}
}

// A run that loses a race for a folder leaves the files of the winner unchanged.
func TestSecondLogChangesNothing(t *testing.T) {
	out := t.TempDir()
	second := filepath.Join(t.TempDir(), "second.csv")
	kept := map[string]string{LogFile: "the first log", ScriptFile: "the first script"}
	for name, text := range kept {
		if err := os.WriteFile(filepath.Join(out, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(second, []byte("action[0]\n1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	l := logging{every: 1, kind: kindRollout, policy: scriptPolicy, driver: second}
	if _, err := l.create(out, parse(t, "HalfCheetah-v5"), env.OpenOptions{Episodes: 1}); err == nil {
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
		f, err := TakeFolder(filepath.Join(root, "a", "b", "c"), "")
		if err != nil {
			t.Fatal(err)
		}
		if taken {
			if err := os.WriteFile(filepath.Join(root, "a", "mine"), nil, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if err := f.Discard(); err != nil {
			t.Error(err)
		}
		left, err := filepath.Glob(filepath.Join(root, "a*", "*"))
		if _, gone := os.Stat(filepath.Join(root, "a")); err != nil || errors.Is(gone, fs.ErrNotExist) == taken || len(left) > 0 && !taken || taken && len(left) != 1 {
			t.Errorf("taken %v: %q left (%v)", taken, left, err)
		}
	}
}
