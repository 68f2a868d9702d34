package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/training"
)

// After a model of the user's was edited, a run of it is neither replayed nor continued,
// and its policy is evaluated with a warning.
func TestModelThatHasChanged(t *testing.T) {
	dir := t.TempDir()
	model := filepath.Join(dir, "dog.xml")
	text, err := os.ReadFile("../tasks/quadruped/quadruped.xml")
	if err != nil {
		t.Fatal(err)
	}
	write := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write(model, string(text))
	own := filepath.Join(dir, "own.yaml")
	write(own, strings.Replace(described, "MODEL", model, 1))
	for name, args := range map[string][]string{"described": {"--config", own}, "model": {"--task", "quadruped", "--set", "model=" + model}} {
		t.Run(name, func(t *testing.T) {
			write(model, string(text))
			parent := t.TempDir()
			k := kind{name, args}
			whole := &stopped{t: t, kind: k, dir: filepath.Join(parent, "whole")}
			w := newWatcher(t, parent)
			whole.run(w, never)
			killed := &stopped{t: t, kind: k, dir: filepath.Join(parent, "killed")}
			checkpoints := 0
			killed.run(w, func(c change) bool {
				if c.what == "rename" && filepath.Base(c.path) == training.LatestFile {
					checkpoints++
				}
				return checkpoints == 3
			})
			mustTrain(t, "replay", whole.dir)
			if code, _, errs := train(t, "eval", whole.dir); code != Done || errs != "" {
				t.Errorf("eval of the same model: exit %d, %q", code, errs)
			}
			write(model, strings.Replace(string(text), "</mujoco>", `<option gravity="0 0 -9.7"/></mujoco>`, 1))
			for _, args := range [][]string{{"replay", whole.dir}, {"run", "--resume", killed.dir}} {
				code, _, errs := train(t, args...)
				if want := "train: model " + model + " has changed since the run: its digest is "; code != Usage || !strings.HasPrefix(lastLine(errs), want) {
					t.Errorf("%s: exit %d, %q; want %d and %q", args[0], code, errs, Usage, want)
				}
			}
			rollout := append([]string{"rollout", "--policy", whole.dir, "--episodes", "1", "--out", filepath.Join(parent, "rollout")}, args...)
			for _, args := range [][]string{{"eval", whole.dir}, {"eval", filepath.Join(killed.dir, training.LatestFile)}, rollout} {
				code, _, errs := train(t, args...)
				if code != Done || !strings.HasPrefix(errs, "warning: the model has changed since the run of ") {
					t.Errorf("%s: exit %d, %q, want a warning", args[0], code, errs)
				}
			}
			write(model, string(text))
			mustTrain(t, "run", "--resume", killed.dir)
			wantSame(t, "with the old model again", results(t, killed.dir), results(t, whole.dir))
		})
	}
}
