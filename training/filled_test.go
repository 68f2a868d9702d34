package training

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/training/policies"
	"github.com/polyrhythm-rl/polyrhythm/training/rollouts"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// recordRandom records random episodes of a task in 6 worlds, of 20 control steps at most, and returns the run folder.
func recordRandom(t *testing.T, task string, sets ...string) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "random")
	c := parse(t, task, append([]string{"worlds=6", "max_steps=20"}, sets...)...)
	must(rollouts.Rollout(t.Context(), c, rollouts.RolloutOptions{Policy: must(policies.Open(policies.Random))(t),
		Episodes: 24, Folder: folder}))(t)
	return folder
}

// A replay that begins with a dataset learns from it at once. The run has the same files for any number of workers, is
// replayed and done again, and goes on without the dataset when it has a state.
func TestReplayThatBeginsWithADataset(t *testing.T) {
	dataset, home := recordRandom(t, "HalfCheetah-v5", "recording.tables=[capture, control]"), t.TempDir()
	sets := func(more ...string) []string {
		return append([]string{"worlds=6", "block_size=2", "max_steps=20", "training.algorithm=sac", "training.steps=480",
			"training.sac={segment: 8, minibatch: 16, random_steps: 1, hidden: [8], replay: 2000}", "evaluation.episodes=2",
			"recording.enabled=false", "training.dataset=" + dataset}, more...)
	}
	run := func(name string, more ...string) (string, *rundir.Report) {
		folder := filepath.Join(home, name)
		return folder, must(Train(t.Context(), parse(t, "HalfCheetah-v5", sets(more...)...),
			TrainOptions{Folder: folder, LogEvery: 1}))(t)
	}
	whole, report := run("whole", "workers=1")
	without := []string{rundir.ReportFile, rundir.ConfigFile, rundir.EventsFile}
	want := polytest.Files(t, whole, without...)
	three, _ := run("three", "workers=3")
	polytest.SameFiles(t, "three workers", polytest.Files(t, three, without...), want)
	if _, empty := run("empty", "training.dataset="); empty.Digests.Checkpoint == report.Digests.Checkpoint {
		t.Error("the dataset changes nothing")
	}
	if r := must(Replay(t.Context(), whole, ReplayOptions{Workers: 2}))(t); r.Steps == 0 || r.Files < 3 {
		t.Errorf("replayed %+v", r)
	}
	verify := func() (Verified, error) {
		return Verify(t.Context(), parse(t, "HalfCheetah-v5", sets()...), report, func(TrainProgress) {}, func(string) {})
	}
	if v := must(verify())(t); v.Differs != "" || report.Digests.Dataset == "" {
		t.Errorf("done again it differs: %q; its dataset has the digest %q", v.Differs, report.Digests.Dataset)
	}

	stopped := filepath.Join(home, "stopped")
	paused := TrainOptions{Folder: stopped, LogEvery: 1, Until: 200}
	must(Train(t.Context(), parse(t, "HalfCheetah-v5", sets()...), paused))(t)
	noError(t, os.Rename(dataset, dataset+"-elsewhere"))
	must(Train(t.Context(), parse(t, "HalfCheetah-v5", sets()...), TrainOptions{Continue: must(ReadState(stopped))(t)}))(t)
	polytest.SameFiles(t, "stopped", polytest.WithoutStops(polytest.Files(t, stopped, without...), want), want)
	_, err := verify()
	usageError(t, err, "the dataset that the run learns from: ")
	noError(t, os.Rename(recordRandom(t, "HalfCheetah-v5", "recording.tables=[capture, control]", "seed=9"), dataset))
	_, err = verify()
	usageError(t, err, "it has changed since the run began")
	_, err = Replay(t.Context(), whole, ReplayOptions{})
	usageError(t, err, "it has changed since the run began")
}

// A dataset of another task, or without what SAC learns from, is refused before anything is learnt, and leaves nothing.
func TestReplayRefusesADatasetThatDoesNotFit(t *testing.T) {
	const both = "recording.tables=[capture, control]"
	folder := filepath.Join(t.TempDir(), "run")
	for _, c := range []struct {
		task, dataset string
		replay        int
		want          string
	}{
		{"HalfCheetah-v5", recordRandom(t, "Hopper-v5", both), 2000, "its observations have 11 values, want the 17 of HalfCheetah-v5"},
		{"Swimmer-v5", recordRandom(t, "LunarLander-v3", both), 2000, "it has 4 choices, want continuous actions as Swimmer-v5 has"},
		{"HalfCheetah-v5", recordRandom(t, "Walker2d-v5", both), 2000, "it was recorded in Walker2d-v5, want HalfCheetah-v5"},
		{"HalfCheetah-v5", recordRandom(t, "HalfCheetah-v5"), 2000, "it has no table control, want one"},
		{"HalfCheetah-v5", filepath.Join(t.TempDir(), "nothing"), 2000, "nothing is no dataset"},
		{"HalfCheetah-v5", recordRandom(t, "HalfCheetah-v5", both), 100, "training.sac.replay is 100, want at least "},
	} {
		config := parse(t, c.task, "worlds=6", "max_steps=5", "evaluation.episodes=1", "recording.enabled=false",
			"training.algorithm=sac", "training.steps=96", "training.dataset="+c.dataset,
			fmt.Sprintf("training.sac={random_steps: 1, hidden: [4], replay: %d}", c.replay))
		_, err := Train(t.Context(), config, TrainOptions{Folder: folder})
		usageError(t, err, c.want)
		if _, err := os.Stat(folder); err == nil {
			t.Errorf("%s: a folder is left behind", c.want)
		}
		if c.replay > 100 { // the rows are not read
			usageError(t, Check(t.Context(), config), c.want)
		}
	}
}
