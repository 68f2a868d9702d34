package training

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// A clone has the same files for any number of workers and where it was interrupted and goes on, and PPO goes on from
// it. Datasets from which nothing can be learnt are refused, and leave nothing.
func TestCloning(t *testing.T) {
	home := t.TempDir()
	record := func(name, task string, sets ...string) string {
		folder := filepath.Join(home, name)
		c := parse(t, task, append([]string{"worlds=6", "block_size=2", "max_steps=20"}, sets...)...)
		must(Rollout(t.Context(), c, RolloutOptions{Policy: must(OpenPolicy(RandomPolicy))(t), Episodes: 24,
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
	clone := func(name string, more ...string) (string, *Report) {
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
	without := []string{ReportFile, ConfigFile, EventsFile}
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
		polytest.SameFiles(t, "interrupted", polytest.Files(t, folder, without...), want)
	}
	must(Train(t.Context(), parse(t, "quadruped", sets("training.algorithm=ppo", "training.steps=3000")...),
		TrainOptions{Folder: filepath.Join(home, "on"), From: must(ReadCheckpoint(whole))(t)}))(t)

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
			polytest.SameFiles(t, name+", interrupted", polytest.Files(t, folder, without...), want)
		}
	}
	for _, algorithm := range []string{"ppo", "sac"} {
		_, err := Train(t.Context(), parse(t, "quadruped", "training.algorithm="+algorithm, "training.chunk_size=4"),
			TrainOptions{Folder: filepath.Join(home, algorithm)})
		polytest.ErrorContains(t, err, "training.chunk_size is 4 with algorithm "+algorithm+", want 1")
	}
	_, err := Train(t.Context(), parse(t, "quadruped", sets("training.algorithm=ppo", "training.steps=3000")...),
		TrainOptions{Folder: filepath.Join(home, "on-chunks"), From: must(ReadCheckpoint(filepath.Join(home, "chunks")))(t)})
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
