package cli

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// A policy that goes out as ONNX and comes back is the same policy: in an evaluation, a rollout that is made again and a
// run that is replayed, for any number of workers.
func TestPolicyAsONNX(t *testing.T) {
	t.Chdir(t.TempDir())
	few := []string{"--set", "max_steps=40", "--set", "worlds=4", "--set", "evaluation.episodes=4"}
	with := func(args ...string) []string { return append(args, few...) }
	mustTrain(t, "export-policy", "builtin:halfcheetah", "--to", "onnx", "--out", "run.onnx")
	var own, read rundir.Evaluation
	polytest.NoError(t, json.Unmarshal([]byte(mustTrain(t, with("eval", "builtin:halfcheetah", "--seed", "3", "--format", "json")...)), &own))
	polytest.NoError(t, json.Unmarshal([]byte(mustTrain(t, with("eval", "--task", own.Task, "--policy", "run.onnx", "--seed", "3",
		"--format", "json")...)), &read))
	if d := math.Abs(own.MeanReturn - read.MeanReturn); own.Episodes != 4 || read.Episodes != 4 || d > 1e-3*math.Abs(own.MeanReturn) {
		t.Errorf("%+v, want %+v", read, own)
	}

	for _, workers := range []string{"1", "3"} {
		mustTrain(t, with("rollout", "--task", own.Task, "--policy", "run.onnx", "--episodes", "6", "--workers", workers, "--out",
			"rows"+workers, "--log-every", "1")...)
	}
	polytest.SameFiles(t, "with three workers", polytest.Files(t, "rows3"), polytest.Files(t, "rows1"))
	polytest.NoError(t, os.Remove("run.onnx"))
	mustTrain(t, "regenerate", "rows1", "--out", "again")
	mustTrain(t, "replay", "rows1")
	mustTrain(t, with("play", "--task", own.Task, "--policy", "rows1/"+rundir.ModelFile, "--seconds", "1", "--mode",
		"sim_high_performance", "--out", "played")...)
	mustTrain(t, "replay", "played")
}

// Policies of Stable-Baselines3 act where they were trained, and one of rsl_rl with a memory and a history where an
// adapter says what it sees.
func TestPoliciesOfOthers(t *testing.T) {
	exports := polytest.Must(filepath.Abs("../policy/onnx/testdata"))(t)
	t.Chdir(t.TempDir())
	few := []string{"--set", "max_steps=20", "--set", "worlds=4", "--episodes", "4"}
	for _, name := range []string{"sb3_ppo.onnx", "sb3_sac.onnx"} {
		mustTrain(t, append([]string{"eval", "--task", "Reacher-v5", "--policy", filepath.Join(exports, name)}, few...)...)
	}
	lstm := polytest.Must(os.ReadFile(filepath.Join(exports, "rsl_rl_lstm.onnx")))(t)
	polytest.NoError(t, os.WriteFile("lstm.onnx", lstm, 0o666))
	refuses(t, Usage, "eval --task Hopper-v5 --policy lstm.onnx", "it observes 10 values, want the 11 of Hopper-v5")
	polytest.NoError(t, os.WriteFile("lstm.adapter.yaml", []byte(`
observations:
  - {values: ['observation\[[0-3]\]', 'observation[10]'], scale: 0.5}
history: {frames: 2}
actions: {values: ['action[2]', 'action[0]', 'action[1]'], scale: 0.5, clip: 2}
`), 0o666))
	for _, workers := range []string{"1", "4"} {
		mustTrain(t, append([]string{"rollout", "--task", "Hopper-v5", "--policy", "lstm.onnx", "--workers", workers, "--out",
			"rows" + workers}, few...)...)
	}
	polytest.SameFiles(t, "with four workers", polytest.Files(t, "rows4"), polytest.Files(t, "rows1"))
	mustTrain(t, "regenerate", "rows1", "--out", "again")
	refuses(t, Usage, "eval --task Reacher-v5 --policy lstm.onnx", `actions.values[0]`)
	refuses(t, Usage, "eval --task Reacher-v5 --policy none.onnx", "want random, zero, a checkpoint")
}
