package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/training/exam"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

const (
	quadruped = "../configs/described/quadruped_commands.yaml"
	shortWalk = " --config " + quadruped + " --set episode=300ms --set worlds=4 --set terminations.bad_orientation.limit=0.12"
)

// An exam from a file of the form of the pages prints each cell, leaves files for other programs, and an episode of it can
// be recorded and drawn.
func TestExam(t *testing.T) {
	dir := t.TempDir()
	file, out := filepath.Join(dir, "exam.yaml"), filepath.Join(dir, "exam")
	polytest.NoError(t, os.WriteFile(file, []byte(`exam:
  success: {bad_orientation: false, reward/bounce: {max: 1}}
  axes: {push: [0N, 300N], friction: [0.1, 1]}
  episodes: {least: 5, most: 10}
`), 0o666))
	args := words("exam builtin:quadruped --exam " + file + shortWalk)
	printed := mustTrain(t, append(args, "--axis", "friction=0.5,1", "--out", out)...)
	says(t, printed, "CELL     push  friction  EPISODES", "control  -", "4        300N  1 ", "push breaks it: episode ",
		"all files are in "+out)
	if n := strings.Count(printed, "\n"); n != 1+5+1+1 {
		t.Errorf("%d lines are printed, want a head, 5 cells, a limit and the folder: %s", n, printed)
	}
	var r exam.Report
	polytest.NoError(t, json.Unmarshal(polytest.Must(os.ReadFile(filepath.Join(out, rundir.ExamReport)))(t), &r))
	if worst := r.Cells[3].Candidate; worst.Successes == worst.Episodes {
		t.Errorf("all episodes succeed in cell 3, %v, want some that fail", r.Cells[3].Values)
	}
	says(t, mustTrain(t, "runs", "--runs", dir), "exam  quadruped-commands")
	dataset := filepath.Join(dir, "episode")
	again := fmt.Sprint(r.Cells[3].Candidate.Failures[0])
	says(t, mustTrain(t, "exam", "--again", out, "--cell", "3", "--episode", again, "--out", dataset),
		"the same to the last bit", "bad_orientation")
	mustTrain(t, "inspect", dataset)
	says(t, mustTrain(t, "exam", "--resume", out), "control  -")
	says(t, mustTrain(t, "rm", out), "removed "+out)
	if _, err := os.Lstat(out); err == nil {
		t.Errorf("%s is there, want it removed", out)
	}
}

// The exit code of a gate says what it decided.
func TestExamGate(t *testing.T) {
	for _, c := range []struct {
		candidate, reference string
		episodes             string
		code                 int
		line                 string
	}{
		{"builtin:quadruped", "builtin:quadruped", "80", Done, "the gate passes"},
		{"zero", "builtin:quadruped", "80", Failed, "the gate fails: zero is worse than builtin:quadruped"},
		{"builtin:quadruped", "builtin:quadruped", "3", undecided, "the gate is undecided"},
	} {
		args := words("exam " + c.candidate + shortWalk + " --success 'reward/velocity={min: 0.5}' --margin 0.1 --against " + c.reference +
			" --episodes " + c.episodes)
		code, out, errs := train(t, append(args, "--out", filepath.Join(t.TempDir(), "exam"))...)
		if code != c.code || !strings.Contains(out+errs, c.line) {
			t.Errorf("%s against %s: exit %d and %q, want %d and %q", c.candidate, c.reference, code, out+errs, c.code, c.line)
		}
	}
}

func TestExamRefusesFlags(t *testing.T) {
	here := t.TempDir()
	wrong := filepath.Join(here, "wrong.yaml")
	polytest.NoError(t, os.WriteFile(wrong, []byte("exam: {gate: {margin: 0.1}}\n"), 0o666))
	for _, c := range []struct{ args, want string }{
		{"exam", "no POLICY given"},
		{"exam zero", "zero is no policy that was trained here, want --config FILE or --task NAME"},
		{"exam random --task quadruped --episodes 2", "the policy is random, want another"},
		{"exam builtin:quadruped --axis push", "--axis is"},
		{"exam builtin:quadruped --axis push=1kg,2kg", "axes.push is 1kg: want a number of at least 0, such as 1N"},
		{"exam builtin:halfcheetah --axis push=1N,2N", "HalfCheetah-v5 is no task that a configuration describes"},
		{"exam builtin:quadruped --success fell=false", "success.fell: quadruped-commands has no info and no end of this name"},
		{"exam builtin:quadruped --success 'return={least: 1}'", "--success: success.return.least: unknown key"},
		{"exam builtin:quadruped --success return=5", "success.return is 5, want true, false, or a mapping"},
		{"exam builtin:quadruped --margin 0.1", "--margin is given without --against, want both"},
		{"exam builtin:quadruped --episodes -1", "episodes"},
		{"exam builtin:quadruped --exam " + wrong, "exam.gate.against is not given"},
		{"exam builtin:quadruped --resume " + here, "--resume is given with a POLICY"},
		{"exam --resume " + here, "holds no exam"},
		{"exam --again " + here + " --out " + filepath.Join(here, "new"), "holds no exam"},
		{"exam --cell 3", "--cell is given without --again, want both"},
	} {
		refuses(t, Usage, c.args, c.want)
	}
}
