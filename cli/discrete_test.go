package cli

import (
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/polyrhythm-rl/polyrhythm/recorder"
)

// A random policy on discrete actions draws every choice, as a whole number, and the
// dataset records them.
func TestRolloutOfChoices(t *testing.T) {
	dir := t.TempDir() + "/rollout"
	mustTrain(t, "rollout", "--task", "LunarLander-v3",
		"--set", "worlds=3", "--episodes", "6", "--out", dir)
	d, err := recorder.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	drawn := map[float32]int{}
	rows := 0
	for batch, err := range d.Batches("capture") {
		if err != nil {
			t.Fatal(err)
		}
		at := batch.Schema().FieldIndices("action")
		if len(at) != 1 {
			t.Fatalf("%d columns named action: %v", len(at), batch.Schema())
		}
		list := batch.Column(at[0]).(*array.FixedSizeList)
		for i := range list.Len() {
			if list.IsValid(i) {
				first, _ := list.ValueOffsets(i)
				drawn[list.ListValues().(*array.Float32).Value(int(first))]++
				rows++
			}
		}
	}
	for _, choice := range []float32{0, 1, 2, 3} {
		if n := drawn[choice]; n < rows/8 {
			t.Errorf("choice %v was drawn %d times in %d rows", choice, n, rows)
		}
	}
	if len(drawn) != 4 || rows < 200 {
		t.Errorf("%d rows with the actions %v, want the choices 0 to 3", rows, drawn)
	}
}

// A policy of choices is learned, evaluated, and acts in a rollout whose log replays; it
// does not fit the continuous task.
func TestLearningOfChoices(t *testing.T) {
	dir := t.TempDir()
	run := dir + "/run"
	mustTrain(t, "run", "--task", "LunarLander-v3", "--out", run, "--set", "worlds=4", "--set", "recording.enabled=false",
		"--set", "training.steps=1024", "--set", "training.segment=128", "--set", "training.normalise_observations=false", "--set", "evaluation.episodes=2")
	mustTrain(t, "eval", run, "--set", "evaluation.episodes=2")
	mustTrain(t, "rollout", "--task", "LunarLander-v3", "--policy", run, "--episodes", "4", "--out", dir+"/acted", "--log-every", "1")
	mustTrain(t, "replay", dir+"/acted")
	code, _, stderr := train(t, "rollout", "--task", "LunarLanderContinuous-v3", "--policy", run, "--episodes", "1", "--out", dir+"/other")
	if want := "LunarLander-v3 has continuous actions, the policy has 4 choices"; code == 0 || !strings.Contains(stderr, want) {
		t.Errorf("exit %d and %q, want an error with %q", code, stderr, want)
	}
}
