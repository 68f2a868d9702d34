package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// readOnly returns a function that runs train in a copy of the sources that cannot be written, as nobody can who is not
// root. Without the right to mount, the test is skipped.
func readOnly(t *testing.T) func(args ...string) (code int, errs string) {
	t.Helper()
	root := polytest.Must(filepath.Abs(".."))(t)
	const script = `mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && cd "$0" && exec "$@"`
	inside := func(args ...string) *exec.Cmd {
		return exec.Command("unshare", append([]string{"-m", "sh", "-c", script, root}, args...)...)
	}
	if out, err := inside("true").CombinedOutput(); err != nil {
		t.Skipf("%v: %s", err, out)
	}
	if out, err := inside("touch", "written").CombinedOutput(); err == nil {
		t.Fatalf("the sources can be written: %s", out)
	}
	self := polytest.Must(os.Executable())(t)
	return func(args ...string) (int, string) {
		cmd := inside(append([]string{self}, args...)...)
		cmd.Env = append(os.Environ(), asTrain+"=1")
		var errs strings.Builder
		cmd.Stderr = &errs
		cmd.Run()
		return cmd.ProcessState.ExitCode(), errs.String()
	}
}

// Nothing needs to write into the sources: what is written elsewhere is as always, and what should be written into them
// is refused in one line that says so.
func TestReadOnlySources(t *testing.T) {
	train := readOnly(t)
	out := t.TempDir()
	few := []string{"--set", "training.steps=600", "--set", "worlds=4", "--set", "evaluation.episodes=1", "--set",
		"max_steps=20"}
	run := filepath.Join(out, "run")
	for _, args := range [][]string{
		append([]string{"run", "--config", "configs/quadruped.yaml", "--out", run}, few...),
		{"check", "--config", "configs/described/gantry.yaml"},
		{"new", "configs/quadruped.xml", "--out", filepath.Join(out, "new.yaml")},
		{"rollout", "--task", "Hopper-v5", "--policy", "random", "--episodes", "2", "--out", filepath.Join(out, "data")},
		{"eval", run, "--episodes", "1"},
		{"export", filepath.Join(out, "data"), "--to", "csv", "--out", filepath.Join(out, "csv")},
	} {
		if code, errs := train(args...); code != 0 {
			t.Errorf("%s: exit %d: %s", args[0], code, errs)
		}
	}
	for _, args := range [][]string{
		append([]string{"run", "--task", "Hopper-v5"}, few...),
		append([]string{"run", "--task", "Hopper-v5", "--out", "run"}, few...),
		append([]string{"run", "--task", "Hopper-v5", "--seeds", "2", "--out", "seeds"}, few...),
		{"rollout", "--task", "Hopper-v5", "--policy", "zero", "--episodes", "1", "--out", "data"},
		{"serve", "--task", "quadruped", "--listen", "127.0.0.1:0", "--out", "served"},
		{"new", "configs/quadruped.xml", "--out", "new.yaml"},
		{"export", filepath.Join(out, "data"), "--to", "csv", "--out", "csv"},
		{"export-policy", run, "--to", "policy", "--out", "policy.bin"},
	} {
		code, errs := train(args...)
		if code == 0 || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, "read-only file system") ||
			strings.Contains(errs, "remove ") {
			t.Errorf("%s: exit %d: %s\nwant one line that says what cannot be written", strings.Join(args, " "), code, errs)
		}
	}
}
