package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/training"
	"github.com/polyrhythm-rl/polyrhythm/training/sweep"
)

// smallSweep returns the arguments of a sweep that takes a second.
func smallSweep(out string, more ...string) []string {
	return append([]string{"sweep", "--task", "HalfCheetah-v5", "--set", "worlds=2", "--set", "max_steps=20",
		"--set", "training={steps: 320, segment: 16, epochs: 2, hidden: [4]}", "--set", "evaluation.episodes=2", "--set", "recording.enabled=false",
		"--over", "training.learning_rate=log:1e-4..1e-2", "--over", "training.gamma=0.9,0.99", "--out", out}, more...)
}

// sweepFiles returns the files of a sweep that depend on nothing but its plan.
func sweepFiles(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := files(t, dir)
	for name := range all {
		switch filepath.Base(name) {
		case training.ReportFile, training.ConfigFile, training.EventsFile, training.PointFile:
			delete(all, name)
		}
	}
	return all
}

// The command prints the trials from the best to the worst, and its trials are run folders
// for other commands.
func TestSweep(t *testing.T) {
	out := filepath.Join(t.TempDir(), "sweep")
	file := filepath.Join(t.TempDir(), "sweep.yaml")
	if err := os.WriteFile(file, []byte("method: grid\nseeds: 2\nover:\n  training.learning_rate: 1,2\n  training.clip: [0.1, 0.2]\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	printed := mustTrain(t, smallSweep(out, "--sweep", file, "--method", "halving", "--trials", "4", "--eta", "2", "--rungs", "2", "--workers", "2")...)
	if n := strings.Count(printed, "\n"); n != 1+4+2 {
		t.Errorf("%d lines are printed, want a head, 4 trials, the best and the folder: %s", n, printed)
	}
	for _, want := range []string{"trial", "training.learning_rate  training.clip  training.gamma", "best: trial ", filepath.Join(out, sweep.BestFile), "all files are in " + out} {
		if !strings.Contains(printed, want) {
			t.Errorf("it prints %q, want %q in it", printed, want)
		}
	}
	if again := mustTrain(t, "sweep", "--resume", out, "--parallel", "1"); again != printed {
		t.Errorf("all done, and resumed: it prints %q, want %q", again, printed)
	}
	trial := filepath.Join(out, "trial-001", "seed-1")
	mustTrain(t, "eval", trial)
	mustTrain(t, "replay", trial)
	mustTrain(t, "export-policy", trial, "--to", "onnx", "--out", filepath.Join(t.TempDir(), "policy.onnx"))
	mustTrain(t, "run", "--config", filepath.Join(out, sweep.BestFile), "--out", filepath.Join(t.TempDir(), "best"))
}

// The command says why a trial failed, and that all did.
func TestSweepOfFailures(t *testing.T) {
	printed := mustTrain(t, smallSweep(filepath.Join(t.TempDir(), "sweep"), "--trials", "2", "--over", "task.options.forward_reward_weight=1e308,1.1e308")...)
	for _, want := range []string{"  failed  ", "\ntrial 1 failed: ", "\nall trials failed\n"} {
		if !strings.Contains(printed, want) {
			t.Errorf("it prints %q, want %q in it", printed, want)
		}
	}
}

func TestSweepRefusesFlags(t *testing.T) {
	out := filepath.Join(t.TempDir(), "sweep")
	done := filepath.Join(t.TempDir(), "done")
	mustTrain(t, smallSweep(done, "--trials", "1")...)
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"sweep"}, Usage, "no configuration given"},
		{[]string{"sweep", "--task", "HalfCheetah-v5"}, Usage, "no key to sweep given, want --over KEY=VALUES or a file with over"},
		{smallSweep(out), Usage, "trials is 0, want 1 to 10000 for the method halton"},
		{smallSweep(out, "--over", "x"), Usage, `--over is "x", want KEY=VALUES`},
		{smallSweep(out, "--over", "training.clip=0.1"), Usage, `--over: training.clip is "0.1": 1 values are given, want a range`},
		{smallSweep(out, "--trials", "3", "--over", "training.clip=0..1"), Usage, "training.clip is swept over 0..1, but with 0: training.clip is 0, want more than 0"},
		{smallSweep(out, "--trials", "3", "--parallel", "-1"), Usage, "--parallel is -1, want 0 to 1024"},
		{smallSweep(out, "--trials", "x"), Usage, `--trials is "x", want a whole number`},
		{smallSweep(out, "--method", "chance", "--trials", "3"), Usage, `method is "chance", want one of`},
		{smallSweep(out, "--method", "grid"), Usage, "want the number of values of a grid too, such as log:1e-4..1e-2/5"},
		{smallSweep(out, "--trials", "3", "--log-every", "-1"), Usage, "--log-every is -1, want at least 0"},
		{smallSweep(out, "--sweep", "nowhere.yaml"), Usage, "nowhere.yaml: no such file or directory"},
		{smallSweep(done, "--trials", "3"), Failed, "is not empty"},
		{[]string{"sweep", "--resume", out}, Usage, out + " holds no sweep"},
		{[]string{"run", "--resume", done}, Usage, done + " holds a sweep, want train sweep --resume of it, or one of its runs"},
		{[]string{"sweep", "--resume", done, "--trials", "3"}, Usage, "--resume and --trials are given"},
		{[]string{"sweep", "--resume", done, "--set", "seed=3"}, Usage, "--resume and --set are given"},
	} {
		code, _, errs := train(t, c.args...)
		if code != c.code || !strings.Contains(errs, c.want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%q: exit %d, %q, want %d and %q", c.args, code, errs, c.code, c.want)
		}
		if _, err := os.Stat(out); err == nil {
			t.Fatalf("%q: a folder is left behind", c.args)
		}
	}
}

// A sweep that is killed again and again goes on to the files of one that never was.
func TestKilledSweepGoesOn(t *testing.T) {
	more := []string{"--method", "halving", "--trials", "6", "--eta", "2", "--seeds", "2", "--parallel", "2"}
	whole := filepath.Join(t.TempDir(), "whole")
	printed := mustTrain(t, smallSweep(whole, more...)...)
	out := filepath.Join(t.TempDir(), "sweep")
	cmd := start(t, smallSweep(out, more...)...)
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		if _, err := os.Stat(filepath.Join(out, sweep.StateFile)); err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the sweep did not begin in a minute")
		}
	}
	killAfter(t, cmd, 200*time.Millisecond)
	for after := 300 * time.Millisecond; ; after += 200 * time.Millisecond {
		cmd := start(t, "sweep", "--resume", out, "--parallel", "2")
		if killAfter(t, cmd, after) {
			if code := cmd.ProcessState.ExitCode(); code != Done {
				t.Fatalf("it ends with %d", code)
			}
			break
		}
	}
	got, want := sweepFiles(t, out), sweepFiles(t, whole)
	for name, data := range want {
		if got[name] != data {
			t.Errorf("%s differs: %d bytes, want %d", name, len(got[name]), len(data))
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%s is there, want no such file", name)
		}
	}
	if again := mustTrain(t, "sweep", "--resume", out); strings.ReplaceAll(again, out, whole) != printed {
		t.Errorf("it prints %q, want %q", again, printed)
	}
}

// On a full disk a sweep ends with one message, what is done is kept, and with room it goes
// on.
func TestSweepOnAFullDisk(t *testing.T) {
	more := []string{"--trials", "4", "--parallel", "2"}
	whole := filepath.Join(t.TempDir(), "whole")
	mustTrain(t, smallSweep(whole, more...)...)
	out := filepath.Join(t.TempDir(), "sweep")
	cmd, errs := under(t, "ulimit -f 8", smallSweep(out, more...)...) // pictures are larger
	wantFailure(t, cmd, errs, "train: trial ", "file too large", out)
	mustTrain(t, "sweep", "--resume", out)
	got := sweepFiles(t, out)
	for name, data := range sweepFiles(t, whole) {
		if got[name] != data {
			t.Errorf("%s differs: %d bytes, want %d", name, len(got[name]), len(data))
		}
	}
}
