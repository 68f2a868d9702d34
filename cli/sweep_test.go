package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
	"github.com/polyrhythm-rl/polyrhythm/training/sweep"
)

// smallSweep returns the arguments of a sweep that takes a second.
func smallSweep(out string, more ...string) []string {
	return append([]string{"sweep", "--task", "HalfCheetah-v5", "--set", "worlds=2", "--set", "max_steps=20",
		"--set", "training={steps: 320, segment: 16, epochs: 2, hidden: [4]}", "--set", "evaluation.episodes=2", "--set",
		"recording.enabled=false",
		"--over", "training.learning_rate=log:1e-4..1e-2", "--over", "training.gamma=0.9,0.99", "--out", out}, more...)
}

// The command prints the trials from the best to the worst, and its trials are run folders for other commands.
func TestSweep(t *testing.T) {
	takesLong(t)
	out := filepath.Join(t.TempDir(), "sweep")
	file := filepath.Join(t.TempDir(), "sweep.yaml")
	polytest.NoError(t, os.WriteFile(file, []byte("method: grid\nseeds: 2\nover:\n  training.learning_rate: 1,2\n  "+
		"training.clip: [0.1, 0.2]\n"), 0o666))
	printed := mustTrain(t, smallSweep(out, "--sweep", file, "--method", "halving", "--trials", "4", "--eta", "2",
		"--rungs", "2", "--workers", "2")...)
	if n := strings.Count(printed, "\n"); n != 1+4+2 {
		t.Errorf("%d lines are printed, want a head, 4 trials, the best and the folder: %s", n, printed)
	}
	says(t, printed, "trial", "training.learning_rate  training.clip  training.gamma", "best: trial ",
		filepath.Join(out, sweep.BestFile), "all files are in "+out)
	polytest.Equal(t, mustTrain(t, "sweep", "--resume", out, "--parallel", "1"), printed,
		"all done, and resumed: it prints")
	trial := filepath.Join(out, "trial-001", "seed-1")
	mustTrain(t, "eval", trial)
	mustTrain(t, "replay", trial)
	mustTrain(t, "export-policy", trial, "--to", "onnx", "--out", filepath.Join(t.TempDir(), "policy.onnx"))
	mustTrain(t, "run", "--config", filepath.Join(out, sweep.BestFile), "--out", filepath.Join(t.TempDir(), "best"))
}

// The command says why a trial failed, and that all did.
func TestSweepOfFailures(t *testing.T) {
	printed := mustTrain(t, smallSweep(filepath.Join(t.TempDir(), "sweep"), "--trials", "2", "--over",
		"task.options.forward_reward_weight=1e308,1.1e308")...)
	says(t, printed, "  failed  ", "\ntrial 1 failed: ", "\nall trials failed\n")
}

func TestSweepRefusesFlags(t *testing.T) {
	out := filepath.Join(t.TempDir(), "sweep")
	done := filepath.Join(t.TempDir(), "done")
	mustTrain(t, smallSweep(done, "--trials", "1")...)
	args := smallSweep("")
	small := "'" + strings.Join(args[:len(args)-1], "' '") + "'"
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"sweep", Usage, "no configuration given"},
		{"sweep --task HalfCheetah-v5", Usage, "no key to sweep given, want --over KEY=VALUES or a file with over"},
		{small + " " + out, Usage, "trials is 0, want 1 to 10000 for the method halton"},
		{small + " " + out + " --over x", Usage, `--over is "x", want KEY=VALUES`},
		{small + " " + out + " --over training.clip=0.1", Usage,
			`--over: training.clip is "0.1": 1 values are given, want a range`},
		{small + " " + out + " --trials 3 --over training.clip=0..1", Usage,
			"training.clip is swept over 0..1, but with 0: training.clip is 0, want more than 0"},
		{small + " " + out + " --trials 3 --parallel -1", Usage, "--parallel is -1, want 0 to 1024"},
		{small + " " + out + " --trials x", Usage, `--trials is "x", want a whole number`},
		{small + " " + out + " --method chance --trials 3", Usage, `method is "chance", want one of`},
		{small + " " + out + " --method grid", Usage, "want the number of values of a grid too, such as log:1e-4..1e-2/5"},
		{small + " " + out + " --trials 3 --log-every -1", Usage, "--log-every is -1, want at least 0"},
		{small + " " + out + " --sweep nowhere.yaml", Usage, "nowhere.yaml: no such file or directory"},
		{small + " " + done + " --trials 3", Usage, "is not empty"},
		{"sweep --resume " + out, Usage, out + ": no such file or directory"},
		{"run --resume " + done, Usage, done + " holds a sweep, want train sweep --resume of it, or one of its runs"},
		{"sweep --resume " + done + " --trials 3", Usage, "--trials is given with --resume, want it without"},
		{"sweep --resume " + done + " --set seed=3", Usage, "--resume and --set are given"},
	} {
		refuses(t, c.code, c.args, c.want)
		if _, err := os.Stat(out); err == nil {
			t.Fatalf("%q: a folder is left behind", c.args)
		}
	}
}

// On a full disk a sweep ends with one message, what is done is kept, and with room it goes on.
func TestSweepOnAFullDisk(t *testing.T) {
	more := []string{"--trials", "4", "--parallel", "2"}
	whole := filepath.Join(t.TempDir(), "whole")
	mustTrain(t, smallSweep(whole, more...)...)
	out := filepath.Join(t.TempDir(), "sweep")
	cmd, errs := startUnder(t, "ulimit -f 8", smallSweep(out, more...)...) // pictures are larger
	wantFailure(t, cmd, errs, "train: trial ", "file too large", out)
	mustTrain(t, "sweep", "--resume", out)
	timed := []string{rundir.ReportFile, rundir.ConfigFile, rundir.EventsFile, rundir.StateFile}
	polytest.SameFiles(t, "with room again", polytest.Files(t, out, timed...), polytest.Files(t, whole, timed...))
}
