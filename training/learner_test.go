package training

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/rl"
	"github.com/polyrhythm-rl/polyrhythm/training/rollouts"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// A training with staggered first episodes replays from its log, and its first rollout sees
// episodes of many lengths where all would end at once.
func TestStaggeredEpisodesOfATraining(t *testing.T) {
	lengths := map[bool]string{}
	for _, stagger := range []bool{false, true} {
		c := parse(t, "HalfCheetah-v5", "worlds=8", "max_steps=32", "training.segment=32", "training.steps=256",
			"training.minibatch=64", "training.epochs=1",
			"training.hidden=[4]", "training.normalise_observations=false", "recording.enabled=false", "evaluation.episodes=1")
		c.Training.StaggerEpisodes = stagger
		folder := filepath.Join(t.TempDir(), "run")
		must(Train(t.Context(), c, TrainOptions{Folder: folder, LogEvery: 1}))(t)
		must(Replay(t.Context(), folder, ReplayOptions{Workers: 3}))(t)
		lines, column := readTable(t, folder, rundir.MetricsFile)
		lengths[stagger] = lines[1][column["min_length"]]
	}
	if lengths[false] != "32" || len(lengths[true]) > 1 && lengths[true] >= "16" {
		t.Errorf("shortest episodes %v, want 32 and, staggered, fewer than 16", lengths)
	}
}

// The policy of a task with groups reads the group policy, the value network the group
// critic, and the policy acts in evaluations and exports.
func TestGroupsOfObservations(t *testing.T) {
	model := must(filepath.Abs("../configs/quadruped.xml"))(t)
	c := must(configs.Parse("walk.yaml", []byte(`
task: {name: walk}
worlds: 4
max_steps: 20
runners: [{name: Robot, rate: 50}]
scene: {models: [{file: `+model+`}]}
start: {keyframe: home}
actions: [{term: joint_position, scale: 0.3}]
observations:
  policy: [{term: joint_pos_rel}, {term: projected_gravity}]
  critic: [{term: joint_pos_rel}, {term: projected_gravity}, {term: base_lin_vel}]
rewards: [{name: still, expr: "-sum(square(joint_vel))", weight: 0.01}]
training: {steps: 128, segment: 16, minibatch: 32, epochs: 1, hidden: [8]}
evaluation: {episodes: 2}
recording: {enabled: false}
`), nil, nil))(t)
	folder := filepath.Join(t.TempDir(), "run")
	must(Train(t.Context(), c, TrainOptions{Folder: folder}))(t)
	from := must(rundir.ReadCheckpoint(folder))(t)
	if policy, critic := (rl.ColumnRange{First: 0, Size: 15}), (rl.ColumnRange{First: 15, Size: 18}); from.PolicyReads != policy ||
		from.CriticReads != critic || from.Observation != 33 {
		t.Errorf("of %d values the policy reads %v and the value network %v, want 33, %v and %v", from.Observation,
			from.PolicyReads, from.CriticReads, policy, critic)
	}
	if n := from.Policy().Network(); n.Inputs() != 15 {
		t.Errorf("the policy as data observes %d values, want 15", n.Inputs())
	}
	must(rollouts.Evaluate(t.Context(), c, from.Policy(), from.ControlSteps))(t)
}

// Every preset can be learned.
func TestPresetsCanBeLearned(t *testing.T) {
	for _, task := range env.TaskNames() {
		c := parse(t, task, "worlds=1", "workers=1")
		e := must(env.Open(c, env.OpenOptions{}))(t)
		worlds, err := newLearnerEnv(e, c)
		if err == nil {
			_, err = rl.New(worlds, c.Training.Settings, c.Seed)
		}
		if err := errors.Join(err, e.Close()); err != nil {
			t.Errorf("%s: %v", task, err)
		}
	}
}
