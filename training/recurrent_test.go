package training

import (
	"path/filepath"
	"reflect"
	"testing"
)

// A recurrent policy acts in evaluations, rollouts and play from a state that is zero at
// the beginning of each episode, whenever worlds begin the next one and however they are
// packed, and a replay acts as it did.
func TestRecurrentPolicyActs(t *testing.T) {
	sets := []string{"worlds=6", "max_steps=30", "training.segment=16", "training.steps=384", "training.hidden=[8]",
		"training.recurrent=7",
		"training.learning_rate=0.01", "evaluation.episodes=20"}
	run := filepath.Join(t.TempDir(), "run")
	report := must(Train(t.Context(), parse(t, "Hopper-v5", append(sets, "recording.enabled=false")...),
		TrainOptions{Folder: run, LogEvery: 1}))(t)
	checkpoint := must(ReadCheckpoint(run))(t)
	for name, set := range map[string]string{"as in training": "seed=2", "next_step": "autoreset=next_step",
		"small blocks": "block_size=2", "one worker": "workers=1"} {
		c := parse(t, "Hopper-v5", append(sets, "seed=2", set)...)
		e := must(Evaluate(t.Context(), c, checkpoint.Policy(), checkpoint.ControlSteps))(t)
		if !reflect.DeepEqual(e, report.Evaluation) {
			t.Errorf("%s: evaluated %+v, want %+v", name, e, report.Evaluation)
		}
	}

	policy := must(OpenPolicy(run))(t)
	rolled, played := filepath.Join(t.TempDir(), "rolled"), filepath.Join(t.TempDir(), "played")
	must(Rollout(t.Context(), parse(t, "Hopper-v5", sets...), RolloutOptions{Policy: policy, Episodes: 20, Folder: rolled,
		LogEvery: 1}))(t)
	must(Play(t.Context(), parse(t, "Hopper-v5", append(sets, "autoreset=next_step", "time.mode=sim_high_performance")...),
		PlayOptions{Policy: policy, Episodes: 20, Folder: played, LogEvery: 1}))(t)
	for _, folder := range []string{run, rolled, played} {
		if replayed, err := Replay(t.Context(), folder, ReplayOptions{Workers: 1}); err != nil || replayed.Steps == 0 {
			t.Errorf("%s: replayed %d steps, %v", filepath.Base(folder), replayed.Steps, err)
		}
	}
}
