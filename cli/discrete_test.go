package cli

import "testing"

// A policy of choices is learned, evaluated, and acts in a rollout whose log replays; it
// does not fit the continuous task.
func TestLearningOfChoices(t *testing.T) {
	dir := t.TempDir()
	run := dir + "/run"
	mustTrain(t, "run", "--task", "LunarLander-v3", "--out", run, "--set", "worlds=4", "--set", "recording.enabled=false",
		"--set", "training.steps=1024", "--set", "training.segment=128", "--set", "training.normalise_observations=false",
		"--set", "evaluation.episodes=2")
	mustTrain(t, "eval", run, "--set", "evaluation.episodes=2")
	mustTrain(t,
		words("rollout --task LunarLander-v3 --policy "+run+" --episodes 4 --out "+dir+"/acted"+" --log-every 1")...)
	mustTrain(t, "replay", dir+"/acted")
	refuses(t, Usage, "rollout --task LunarLanderContinuous-v3 --policy "+run+" --episodes 1 --out "+dir+"/other",
		"it has 4 choices, want continuous actions as LunarLanderContinuous-v3 has")
}
