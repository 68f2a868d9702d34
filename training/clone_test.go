package training

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/file"
	"github.com/apache/arrow/go/v17/parquet/schema"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/training/policies"
	"github.com/polyrhythm-rl/polyrhythm/training/rollouts"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// writeLeRobot writes a dataset of LeRobot v3: what the pendulum shows, four values, what was done and earned, and the
// episode, row by row.
func writeLeRobot(t *testing.T, dir string, observed [][4]float64, done, earned []float64, episode []int64) {
	t.Helper()
	for name, text := range map[string]string{"meta/info.json": fmt.Sprintf(`{"codebase_version": "v3.0",
		"total_frames": %d, "features": {"observation.state": {"dtype": "float64", "shape": [4]}, "action": {"dtype":
		"float64", "shape": [1]}, "next.reward": {"dtype": "float64", "shape": [1]}, "next.done": {"dtype": "bool",
		"shape": [1]}}}`, len(done)), "data/chunk-000/file-000.parquet": ""} {
		noError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777))
		noError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	double, integer, truth := parquet.Types.Double, parquet.Types.Int64, parquet.Types.Boolean
	required, repeated := parquet.Repetitions.Required, parquet.Repetitions.Repeated
	var fields schema.FieldList
	for _, c := range []struct {
		name string
		kind parquet.Type
		of   parquet.Repetition
	}{{"observation.state", double, repeated}, {"action", double, required}, {"next.reward", double, required},
		{"next.done", truth, required}, {"episode_index", integer, required}} {
		node, err := schema.NewPrimitiveNode(c.name, c.of, c.kind, -1, -1)
		noError(t, err)
		fields = append(fields, node)
	}
	root := must(schema.NewGroupNode("schema", required, fields, -1))(t)
	f := must(os.Create(filepath.Join(dir, "data/chunk-000/file-000.parquet")))(t)
	w := file.NewParquetWriter(f, root)
	group := w.AppendRowGroup()
	next := func() file.ColumnChunkWriter { return must(group.NextColumn())(t) }
	var values []float64
	for _, row := range observed {
		values = append(values, row[:]...)
	}
	column := next()
	must(column.(*file.Float64ColumnChunkWriter).WriteBatch(values, slices.Repeat([]int16{1}, len(values)),
		slices.Repeat([]int16{0, 1, 1, 1}, len(observed))))(t)
	noError(t, column.Close())
	for _, of := range [][]float64{done, earned} {
		column = next()
		must(column.(*file.Float64ColumnChunkWriter).WriteBatch(of, nil, nil))(t)
		noError(t, column.Close())
	}
	column = next()
	must(column.(*file.BooleanColumnChunkWriter).WriteBatch(make([]bool, len(done)), nil, nil))(t)
	noError(t, column.Close())
	column = next()
	must(column.(*file.Int64ColumnChunkWriter).WriteBatch(episode, nil, nil))(t)
	noError(t, column.Close())
	noError(t, group.Close())
	noError(t, w.Close())
}

// What is no number is refused with its place in the dataset, and actions beyond their bounds are warned of.
func TestCloningLooksAtTheNumbers(t *testing.T) {
	const n = 60
	for _, c := range []struct {
		what          string
		observed      float64
		done, earned  float64
		refused, warn string
	}{
		{"observed", math.NaN(), 0, 0, ": observed value 2 in row 47, of episode 2, is NaN, want a finite number", ""},
		{"done", 0, math.Inf(1), 0, ": action value 0 in row 47, of episode 2, is +Inf, want a finite number", ""},
		{"earned", 0, 0, math.NaN(), ": the reward before row 48, of episode 2, is NaN, want a finite number", ""},
		{"beyond", 0, -300, 0, "", ": in 1 of 60 rows an action is beyond its bounds, farthest action value 0 of row " +
			"47, of episode 2, which is -300, and the bounds -3 and 3"},
		{"within", 0, 3, 0, "", ""},
	} {
		dir := filepath.Join(t.TempDir(), c.what)
		observed, done, earned, episode := make([][4]float64, n), make([]float64, n), make([]float64, n), make([]int64, n)
		for i := range episode {
			episode[i] = int64(i / 20)
		}
		observed[47][2], done[47], earned[47] = c.observed, c.done, c.earned
		writeLeRobot(t, dir, observed, done, earned, episode)
		var warnings []string
		_, err := Train(t.Context(), parse(t, "InvertedPendulum-v5", "worlds=2", "training={algorithm: td3bc, steps: 40, "+
			"sac: {hidden: [4], minibatch: 8}}", "evaluation.episodes=1", "max_steps=5", "recording.enabled=false"),
			TrainOptions{Folder: filepath.Join(dir, "run"), Dataset: dir, Warn: func(s string) { warnings = append(warnings, s) }})
		if c.refused != "" {
			usageError(t, err, c.refused)
			continue
		}
		noError(t, err)
		if text := strings.Join(warnings, "\n"); c.warn == "" && text != "" || !strings.Contains(text, c.warn) {
			t.Errorf("%s: the warnings are %q, want %q", c.what, text, c.warn)
		}
	}
}

// A clone has the same files for any number of workers and where it was interrupted and goes on, and PPO goes on from
// it. Datasets from which nothing can be learnt are refused, and leave nothing.
func TestCloning(t *testing.T) {
	home := t.TempDir()
	record := func(name, task string, sets ...string) string {
		folder := filepath.Join(home, name)
		c := parse(t, task, append([]string{"worlds=6", "block_size=2", "max_steps=20"}, sets...)...)
		must(rollouts.Rollout(t.Context(), c, rollouts.RolloutOptions{Policy: must(policies.Open(policies.Random))(t), Episodes: 24,
			Folder: folder}))(t)
		return folder
	}
	sets := func(more ...string) []string {
		return append([]string{"worlds=6", "block_size=2", "max_steps=20", "training.segment=16", "training.minibatch=32",
			"training.epochs=2", "training.steps=2000", "training.hidden=[8]", "evaluation.episodes=2",
			"training.checkpoint_every=500", "recording.enabled=false", "training.algorithm=clone"}, more...)
	}
	both := "recording.tables=[capture, control]"
	dataset := record("data", "quadruped", both)
	clone := func(name string, more ...string) (string, *rundir.Report) {
		folder := filepath.Join(home, name)
		report := must(Train(t.Context(), parse(t, "quadruped", sets(more...)...),
			TrainOptions{Folder: folder, Dataset: dataset}))(t)
		return folder, report
	}
	whole, report := clone("whole", "workers=1")
	// Every tenth episode of 24, 9 and 19, is held out. Random actions cannot be foreseen.
	if c := report.Cloned; c == nil || c.Rows != 22*20 || c.HeldOut != 2*20 || !(c.Error > 0.3 && c.HeldOutError > 0.3) ||
		report.Digests != nil {
		t.Errorf("the report says %+v and has the digests %v", report.Cloned, report.Digests)
	}
	without := []string{rundir.ReportFile, rundir.ConfigFile, rundir.EventsFile}
	want := polytest.Files(t, whole, without...)
	three, _ := clone("three", "workers=3")
	polytest.SameFiles(t, "three workers", polytest.Files(t, three, without...), want)
	for looks := int64(2); looks < 60; looks += 13 {
		folder := filepath.Join(home, fmt.Sprint("stopped-", looks))
		if _, err := Train(newCountdown(t, looks), parse(t, "quadruped", sets()...),
			TrainOptions{Folder: folder, Dataset: dataset}); err == nil {
			t.Fatalf("not interrupted at look %d", looks)
		}
		must(Train(t.Context(), parse(t, "quadruped", sets()...), TrainOptions{Continue: must(ReadState(folder))(t)}))(t)
		polytest.SameFiles(t, "interrupted", polytest.WithoutStops(polytest.Files(t, folder, without...), want), want)
	}
	must(Train(t.Context(), parse(t, "quadruped", sets("training.algorithm=ppo", "training.steps=3000")...),
		TrainOptions{Folder: filepath.Join(home, "on"), From: must(rundir.ReadCheckpoint(whole))(t)}))(t)

	// So has one with a memory, which sees what came before, and one that decides on several actions at once.
	for name, more := range map[string][]string{
		"memory": {"training.recurrent=6", "training.sequence=8"}, "chunks": {"training.chunk_size=4"},
	} {
		whole, report := clone(name, append(more, "workers=1")...)
		if c := report.Cloned; c == nil || c.Rows != 22*20 || !(c.Error > 0.3 && c.HeldOutError > 0.3) {
			t.Errorf("%s: the report says %+v", name, report.Cloned)
		}
		want := polytest.Files(t, whole, without...)
		three, _ := clone(name+"-three", append(more, "workers=3")...)
		polytest.SameFiles(t, name+", three workers", polytest.Files(t, three, without...), want)
		for looks := int64(20); looks < 400; looks += 90 {
			folder := filepath.Join(home, fmt.Sprint(name, "-stopped-", looks))
			if _, err := Train(newCountdown(t, looks), parse(t, "quadruped", sets(more...)...),
				TrainOptions{Folder: folder, Dataset: dataset, StateEvery: 1}); err == nil {
				t.Fatalf("%s: not interrupted at look %d", name, looks)
			}
			must(Train(t.Context(), parse(t, "quadruped", sets(more...)...),
				TrainOptions{Continue: must(ReadState(folder))(t)}))(t)
			polytest.SameFiles(t, name+", interrupted",
				polytest.WithoutStops(polytest.Files(t, folder, without...), want), want)
		}
	}
	for _, algorithm := range []string{"ppo", "sac"} {
		_, err := Train(t.Context(), parse(t, "quadruped", "training.algorithm="+algorithm, "training.chunk_size=4"),
			TrainOptions{Folder: filepath.Join(home, algorithm)})
		polytest.ErrorContains(t, err, "training.chunk_size is 4 with algorithm "+algorithm+", want 1")
	}
	_, err := Train(t.Context(), parse(t, "quadruped", sets("training.algorithm=ppo", "training.steps=3000")...),
		TrainOptions{Folder: filepath.Join(home, "on-chunks"), From: must(rundir.ReadCheckpoint(filepath.Join(home, "chunks")))(t)})
	polytest.ErrorContains(t, err, "chunk_size is 1, want 4")

	choices := record("choices", "LunarLander-v3", both, "max_steps=40")
	folder := filepath.Join(home, "lander")
	_, err = Train(t.Context(), parse(t, "LunarLander-v3", sets("training.chunk_size=2")...),
		TrainOptions{Folder: folder, Dataset: choices})
	polytest.ErrorContains(t, err, "training.chunk_size is 2, want 1: the actions are choices")
	lander := must(Train(t.Context(), parse(t, "LunarLander-v3", sets()...), TrainOptions{Folder: folder,
		Dataset: choices}))(t)
	if e := lander.Cloned.Error; e < 0.5 || e > 0.8 { // of four choices, drawn at random
		t.Errorf("%.2f of the choices differ", e)
	}

	stale := record("stale", "quadruped", both)
	stopped := filepath.Join(home, "stale-run")
	_, err = Train(newCountdown(t, 20), parse(t, "quadruped", sets()...), TrainOptions{Folder: stopped, Dataset: stale})
	if err == nil {
		t.Fatal("not interrupted")
	}
	noError(t, os.RemoveAll(stale))
	record("stale", "quadruped", both, "seed=9")
	usageError(t, errOf(Train(t.Context(), parse(t, "quadruped", sets()...),
		TrainOptions{Continue: must(ReadState(stopped))(t)})), "it has changed since the run began")

	for _, c := range []struct {
		dataset string
		sets    []string
		every   int64
		want    string
	}{
		{"", sets(), 0, "there is no dataset, want train clone DATASET"},
		{dataset, sets("training.algorithm=ppo"), 0, "training.algorithm is ppo, want clone or td3bc with a dataset"},
		{dataset, sets(), 1, "log-every is 1, want 0 with training.algorithm clone"},
		{filepath.Join(home, "nothing"), sets(), 0, "is no dataset"},
		{record("capture", "quadruped"), sets(), 0, "has no table control, want one"},
		{choices, sets(), 0, "other actions than those of the configuration"},
		{dataset, sets("actions=[{term: joint_position, joints: [\".*\"], scale: 0.1}]"), 0, "other actions than those of"},
		{dataset, sets("observations={policy: [{name: gyro, term: sensor, channel: gyro, scale: 3}]}"), 0,
			"it was recorded with scale 0.25 of gyro in observations.policy, want 3"},
		{dataset, sets("observations={policy: [{name: turn, term: sensor, channel: gyro}]}"), 0,
			"it was recorded without turn in observations.policy"},
	} {
		folder := filepath.Join(home, "refused")
		_, err := Train(t.Context(), parse(t, "quadruped", c.sets...),
			TrainOptions{Folder: folder, Dataset: c.dataset, LogEvery: c.every})
		usageError(t, err, c.want)
		if _, err := os.Stat(folder); err == nil {
			t.Errorf("%s: a folder is left behind", c.want)
		}
	}
}
