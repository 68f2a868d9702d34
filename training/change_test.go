package training

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// changeConfig makes a training of ten iterations, some of which end with an evaluation.
func changeConfig(t *testing.T, more ...string) *configs.Config {
	t.Helper()
	return parse(t, "HalfCheetah-v5",
		append(append(small(11*16*11), "max_steps=24", "evaluation={episodes: 1, every: 528}"), more...)...)
}

// goOnWith goes on with the training in a folder, with changed settings if there are any. The rollouts that it
// collects are counted, and it is closed before the one with the number until, unless that is 0.
func goOnWith(t *testing.T, folder string, until int, sets ...string) (rollouts int) {
	t.Helper()
	point := must(ReadState(folder))(t)
	config := must(configs.Parse(rundir.StateFile, []byte(point.Configuration()), sets, nil))(t)
	return collectUntil(t, config, TrainOptions{Continue: point, Change: len(sets) > 0}, until)
}

// collectUntil trains in two slices until before a rollout; 0: to the end.
func collectUntil(t *testing.T, config *configs.Config, opt TrainOptions, until int) (rollouts int) {
	t.Helper()
	parts := must(TrainInParts(t.Context(), config, opt, divide(config, []int{0, 8})))(t)
	c := &crew{t: t, parts: parts, collectors: make([]*Collector, 2)}
	defer c.close()
	for until == 0 || rollouts < until-1 {
		if !c.rollout(t.Context()) {
			break
		}
		rollouts++
	}
	if until > 0 && rollouts%2 == 0 { // else it is closed in an update or an evaluation
		must(parts.Weights(t.Context()))(t)
	}
	report, err := parts.Close()
	if done := report.Status == rundir.StatusDone; done != (until == 0) || done != (err == nil) {
		t.Fatalf("status %s, %v", report.Status, err)
	}
	return rollouts
}

// A training in parts that is closed goes on where it was, also if an evaluation or an update
// was going on: at most one rollout is collected again.
func TestClosedPartsGoOnWhereTheyWere(t *testing.T) {
	config := changeConfig(t)
	whole := filepath.Join(t.TempDir(), "whole")
	want := collectUntil(t, config, TrainOptions{Folder: whole}, 0)
	if _, err := os.Stat(filepath.Join(whole, rundir.StateFile)); err == nil {
		t.Error("a training that is done has a point")
	}
	folder := filepath.Join(t.TempDir(), "run")
	got := collectUntil(t, config, TrainOptions{Folder: folder}, 4) // the first rollout only fills the normalisers
	stops := 1
	for _, until := range []int{3, 4, 1, 2} {
		got += goOnWith(t, folder, until)
		stops++
	}
	got += goOnWith(t, folder, 0)
	if got > want+stops {
		t.Errorf("%d rollouts in all, want at most %d and one for each of %d stops", got, want, stops)
	}
	sameFiles(t, whole, folder, rundir.LatestFile, rundir.MetricsFile, rundir.EvaluationsFile, rundir.ConfigFile)
	sameNames(t, whole, folder)
}

// sameNames fails unless b has the files of a, and no others but checkpoints of stops.
func sameNames(t *testing.T, a, b string) {
	t.Helper()
	names := func(folder string) map[string]string {
		all := map[string]string{}
		for _, e := range must(os.ReadDir(folder))(t) {
			all[e.Name()] = ""
		}
		return all
	}
	want := names(a)
	polytest.SameFiles(t, b, polytest.WithoutStops(names(b), want), want)
}

// A training that is to go on with other settings does so, says when, and is stopped and
// continued then to the same bytes.
func TestChangedSettings(t *testing.T) {
	sets := []string{"training.learning_rate=0.001", "training.entropy=0.01", "training.clip=0.1"}
	var folders []string
	for range 2 {
		folder := filepath.Join(t.TempDir(), "run")
		collectUntil(t, changeConfig(t), TrainOptions{Folder: folder, KeepState: true}, 5)
		folders = append(folders, folder)
	}
	old := must(os.ReadFile(filepath.Join(folders[1], rundir.ConfigFile)))(t)
	at := must(ReadState(folders[0]))(t)
	goOnWith(t, folders[0], 0, sets...)
	goOnWith(t, folders[1], 1, sets...)
	// As of a process that was killed when the point was written.
	noError(t, errors.Join(os.Remove(filepath.Join(folders[1], rundir.ChangesFile)),
		os.WriteFile(filepath.Join(folders[1], rundir.ConfigFile), old, 0o666)))
	goOnWith(t, folders[1], 3)
	goOnWith(t, folders[1], 0)
	sameFiles(t, folders[0], folders[1], rundir.LatestFile, rundir.MetricsFile, rundir.EvaluationsFile, rundir.ConfigFile, rundir.ChangesFile)
	sameNames(t, folders[0], folders[1])

	data := must(os.ReadFile(filepath.Join(folders[0], rundir.ChangesFile)))(t)
	var changes []rundir.Change
	noError(t, json.Unmarshal(data, &changes))
	want := []rundir.Change{
		{Iteration: at.Iteration, EnvSteps: at.EnvSteps, Key: "training.clip", Was: 0.2, Is: 0.1},
		{Iteration: at.Iteration, EnvSteps: at.EnvSteps, Key: "training.entropy", Was: at.Settings.Entropy, Is: 0.01},
		{Iteration: at.Iteration, EnvSteps: at.EnvSteps, Key: "training.learning_rate", Was: at.Settings.LearningRate, Is: 0.001},
	}
	if !reflect.DeepEqual(changes, want) {
		t.Errorf("changes %v, want %v", changes, want)
	}
	latest := must(rundir.ReadCheckpoint(folders[0]))(t)
	if s := latest.Settings; s.LearningRate != 0.001 || s.Entropy != 0.01 || s.Clip != 0.1 {
		t.Errorf("settings %+v", s)
	}
	unchanged := filepath.Join(t.TempDir(), "unchanged")
	collectUntil(t, changeConfig(t), TrainOptions{Folder: unchanged}, 0)
	a, errA := os.ReadFile(filepath.Join(folders[0], rundir.LatestFile))
	b, errB := os.ReadFile(filepath.Join(unchanged, rundir.LatestFile))
	if errA != nil || errB != nil || string(a) == string(b) {
		t.Errorf("the changed settings changed nothing (%v, %v)", errA, errB)
	}
}

// What may not change in a run is refused by name, and the run can go on as it was.
func TestSettingsThatMayNotChange(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "run")
	collectUntil(t, changeConfig(t), TrainOptions{Folder: folder}, 3)
	recorded := filepath.Join(t.TempDir(), "recorded")
	collectUntil(t, changeConfig(t, "recording.enabled=true"), TrainOptions{Folder: recorded}, 3)
	for _, c := range []struct{ folder, set, want string }{
		{folder, "training.hidden=[9]", "training.hidden is [9], want [8] as before in " + folder +
			": in a run only these may change: [training.clip "},
		{folder, "training.segment=8", "training.segment is 8, want 16"},
		{folder, "seed=3", "seed is 3, want 1"},
		{folder, "max_steps=9", "max_steps is 9, want 24"},
		{folder, "training.steps=20", "training.steps is 20, want more than the 352 that the checkpoint has taken"},
		{recorded, "training.clip=0.1",
			"records a dataset or a log, which have one configuration; want recording.enabled=false to change settings"},
	} {
		point := must(ReadState(c.folder))(t)
		config := must(configs.Parse(rundir.StateFile, []byte(point.Configuration()), []string{c.set}, nil))(t)
		opt := TrainOptions{Continue: point, Change: true}
		usageError(t, errOf(TrainInParts(t.Context(), config, opt, divide(config, []int{0}))), c.want)
	}
	goOnWith(t, folder, 0)
}
