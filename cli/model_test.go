package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// After a model of the user's was edited, a run of it is neither replayed nor continued,
// and its policy is evaluated with a warning.
func TestModelThatHasChangedLong(t *testing.T) {
	polytest.OnlySlow(t)
	dir := t.TempDir()
	model := filepath.Join(dir, "dog.xml")
	write := func(path, text string) {
		t.Helper()
		polytest.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	}
	own := filepath.Join(dir, "own.yaml")
	write(own, strings.Replace(described, "MODEL", model, 1))
	for name, c := range map[string]struct {
		file string
		args []string
	}{
		"described": {"../configs/quadruped.xml", []string{"--config", own}},
		"model": {"../third_party/gymnasium/assets/hopper.xml",
			[]string{"--task", "Hopper-v5", "--set", "model=" + model}},
	} {
		t.Run(name, func(t *testing.T) {
			args := c.args
			text := polytest.Must(os.ReadFile(c.file))(t)
			write(model, string(text))
			parent := t.TempDir()
			k := kind{name, args}
			whole := &stopped{t: t, kind: k, dir: filepath.Join(parent, "whole")}
			w := newWatcher(t, parent)
			whole.run(w, never)
			killed := &stopped{t: t, kind: k, dir: filepath.Join(parent, "killed")}
			checkpoints := 0
			killed.run(w, func(c change) bool {
				if c.what == "rename" && filepath.Base(c.path) == rundir.LatestFile {
					checkpoints++
				}
				return checkpoints == 3
			})
			mustTrain(t, "replay", whole.dir)
			if code, _, errs := train(t, "eval", whole.dir); code != Done || errs != "" {
				t.Errorf("eval of the same model: exit %d, %q", code, errs)
			}
			write(model, strings.Replace(string(text), "</mujoco>", `<option gravity="0 0 -9.7"/></mujoco>`, 1))
			elsewhere := filepath.Join(parent, "elsewhere")
			for _, args := range [][]string{{"run", "--resume", whole.dir, "--out", elsewhere, "--set", "training.steps=6000"},
				{"render", whole.dir, "--out", filepath.Join(parent, "clip.gif")}} {
				code, _, errs := train(t, args...)
				if want := "train: the model has changed since the run of " + whole.dir; code != Usage ||
					!strings.HasPrefix(errs, want) {
					t.Errorf("%q: exit %d, %q; want %d and %q", args, code, errs, Usage, want)
				}
			}
			if _, err := os.Stat(elsewhere); err == nil {
				t.Errorf("a run that was refused left %s", elsewhere)
			}
			for _, args := range [][]string{{"replay", whole.dir}, {"run", "--resume", killed.dir}} {
				code, _, errs := train(t, args...)
				last := lastLine(errs)
				if want := "model " + model + " has changed since the run: its digest is "; code != Usage ||
					!strings.Contains(last, want) {
					t.Errorf("%s: exit %d, %q; want %d and %q", args[0], code, errs, Usage, want)
				}
			}
			rollout := append([]string{"rollout", "--policy", whole.dir, "--episodes", "1", "--out",
				filepath.Join(parent, "rollout")}, args...)
			for _, args := range [][]string{{"eval", whole.dir}, {"eval", filepath.Join(killed.dir, rundir.LatestFile)},
				rollout} {
				code, _, errs := train(t, args...)
				if code != Done || !strings.HasPrefix(errs, "warning: the model has changed since the run of ") {
					t.Errorf("%s: exit %d, %q, want a warning", args[0], code, errs)
				}
			}
			write(model, string(text))
			mustTrain(t, "run", "--resume", killed.dir)
			polytest.SameFiles(t, "with the old model again", results(t, killed.dir), results(t, whole.dir))
		})
	}
}
