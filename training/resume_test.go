package training

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// A resumed run uses the configuration that it is given: with more steps than the first
// run had, the linear schedule continues.
func TestResumeWithMoreSteps(t *testing.T) {
	sets := []string{"worlds=4", "max_steps=50", "training.segment=16", "training.steps=500", "training.hidden=[8]",
		"evaluation.episodes=1", "recording.enabled=false"}
	first := filepath.Join(t.TempDir(), "first")
	must(Train(t.Context(), parse(t, "HalfCheetah-v5", sets...), TrainOptions{Folder: first}))(t)
	from := must(rundir.ReadCheckpoint(first))(t)
	c := parse(t, "HalfCheetah-v5", append(sets, "training.steps=1024", "training.learning_rate=1e-3",
		"training.segment=32", "training.gamma=0.9")...)
	more := filepath.Join(t.TempDir(), "more")
	must(Train(t.Context(), c, TrainOptions{Folder: more, From: from, LogEvery: 1}))(t)
	lines, column := readTable(t, more, rundir.MetricsFile)
	for i, line := range lines[1:] {
		rate, err := strconv.ParseFloat(line[column["learning_rate"]], 64)
		begun := float64(512 + 128*i) // steps before the iteration
		if want := 1e-3 * (1 - begun/1024); err != nil || rate != want {
			t.Errorf("iteration %d learns at a rate of %v (%v), want %v", i, rate, err, want)
		}
		polytest.Equal(t, line[column["env_steps"]], strconv.Itoa(512+128*(i+1)), "iteration %d ends at step", i)
	}
	if len(lines) != 1+4 {
		t.Errorf("%d iterations, want 4", len(lines)-1)
	}
	if replayed, err := Replay(t.Context(), more, ReplayOptions{Workers: 1}); err != nil || replayed.Steps == 0 {
		t.Errorf("replayed %d steps, %v", replayed.Steps, err)
	}

	for set, want := range map[string]string{
		"training.steps=500":                    "training.steps is 500, want more than the 512 that the checkpoint",
		"training.hidden=[16]":                  "training.hidden is [16], want [8] as in the checkpoint",
		"training.initial_std=0.5":              "training.initial_std is 0.5, want 0.6 as in the checkpoint",
		"training.normalise_observations=false": "training.normalise_observations is false, want true as in the checkpoint",
		"training.scale_rewards=false":          "training.scale_rewards is false, want true as in the checkpoint",
	} {
		folder := filepath.Join(t.TempDir(), "refused")
		_, err := Train(t.Context(), parse(t, "HalfCheetah-v5", append(append(sets, "training.steps=1024"), set)...),
			TrainOptions{Folder: folder, From: from})
		usageError(t, err, want)
		if _, err := os.Stat(folder); err == nil {
			t.Errorf("%s: a folder is left behind", set)
		}
	}
}

// What somebody else has put into a run folder stays when the run goes on and ends, whatever its name; what a kill has left
// there goes.
func TestResumeLeavesFilesOfOthers(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "run")
	c := parse(t, "InvertedPendulum-v5", "training={algorithm: sac, steps: 256, hidden: [8], "+
		"sac: {segment: 4, minibatch: 16, replay: 1000, random_steps: 64}}", "worlds=2", "workers=1", "evaluation.episodes=1", "recording.enabled=false")
	report := must(Train(t.Context(), c, TrainOptions{Folder: folder, Until: 128}))(t)
	polytest.Equal(t, report.Status, rundir.StatusPaused, "the status")
	replay := func(name string) string { return filepath.Join(rundir.ReplayFolder, name) }
	const magic = "prhythm\n and more"
	ours := map[string]string{"checkpoint-000000000900.ckpt.part": magic, rundir.StateFile + ".part": "prhy",
		replay("000000000900.rows"): magic, replay("000000000901.rows.part"): magic}
	others := map[string]string{"film.mp4.part": "half a download", "notes.part": "dear diary", "checkpoint-of-mine.part": "mine",
		replay("notes.txt"): "look here", replay("000000000902.rows"): "my own rows"}
	for _, files := range []map[string]string{ours, others} {
		for name, text := range files {
			noError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o666))
		}
	}
	state := must(ReadState(folder))(t)
	report = must(Train(t.Context(), c, TrainOptions{Folder: folder, Continue: state}))(t)
	polytest.Equal(t, report.Status, rundir.StatusDone, "the status")
	for name := range ours {
		if _, err := os.Lstat(filepath.Join(folder, name)); err == nil {
			t.Errorf("%s is left", name)
		}
	}
	for name, text := range others {
		if got, err := os.ReadFile(filepath.Join(folder, name)); string(got) != text {
			t.Errorf("%s holds %q (%v), want %q", name, got, err, text)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(folder, replay("*.rows"))); len(left) != 1 {
		t.Errorf("of the replay of a run that is done %q are left", left)
	}
}

// A run of an earlier version does not begin anew in place of going on.
func TestStateOfAnEarlierVersion(t *testing.T) {
	folder := t.TempDir()
	noError(t, os.WriteFile(filepath.Join(folder, "resume.point"), []byte("old"), 0o666))
	errorContains(t, errOf(ReadState(folder)), "resume.point is a state of version 1, want version 5")
	_, err := TrainOrResume(t.Context(), parse(t, "HalfCheetah-v5"), TrainOptions{Folder: folder})
	errorContains(t, err, "version 1")
	must(os.Stat(filepath.Join(folder, "resume.point")))(t)
}
