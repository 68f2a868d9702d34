package cli

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// replays checks that a run replays identically on several numbers of workers.
func replays(t *testing.T, run, want string) {
	t.Helper()
	for _, workers := range []int{1, 2, 4, 8} {
		polytest.Equal(t, mustTrain(t, "replay", run, "--workers", fmt.Sprint(workers)), want, "%d workers", workers)
	}
}

// records checks that the tables of a rollout are made again, byte for byte, where nothing is left of them but what
// says which bytes they had; and that other bytes are noticed.
func records(t *testing.T, run string, tables ...string) {
	t.Helper()
	kept, again := filepath.Join(t.TempDir(), "kept"), filepath.Join(t.TempDir(), "again")
	polytest.NoError(t, os.CopyFS(kept, os.DirFS(run)))
	polytest.NoError(t, filepath.WalkDir(kept, func(path string, _ fs.DirEntry, err error) error {
		if filepath.Ext(path) == ".arrow" || filepath.Ext(path) == ".journal" {
			return os.Remove(path)
		}
		return err
	}))
	label := []byte(`{"labels": [{"episode": 0, "task": "turn"}]}`)
	polytest.NoError(t, os.WriteFile(filepath.Join(kept, recorder.LabelsFile), label, 0o666))
	out := mustTrain(t, "replay", kept, "--record", again)
	want := fmt.Sprintf("recorded in %s, %d tables with the bytes that the run recorded\n", again, len(tables))
	if !strings.HasSuffix(out, want) {
		t.Errorf("%q, want %q", out, want)
	}
	files := polytest.Files(t, run, rundir.LogFile, rundir.DriverFile, rundir.RecipeFile)
	made := polytest.Files(t, again)
	if !strings.Contains(made[recorder.LabelsFile], "turn") {
		t.Errorf("the labels are %q", made[recorder.LabelsFile])
	}
	delete(made, recorder.LabelsFile)
	polytest.SameFiles(t, "again", made, files)
	refuses(t, Usage, "replay "+kept+" --record "+again, "is not empty, want a new or an empty folder")
	state := filepath.Join(kept, "state.json")
	text := strings.Replace(string(polytest.Must(os.ReadFile(state))(t)), `_fingerprint": "`, `_fingerprint": "0`, 1)
	polytest.NoError(t, os.WriteFile(state, []byte(text), 0o666))
	refuses(t, Failed, "replay "+kept+" --record "+again+"2", `the table "capture" in `+again+"2 has other bytes")
}

func TestReplayOfTrainingAndRollouts(t *testing.T) {
	takesLong(t)
	dir := t.TempDir()
	first, second := filepath.Join(dir, "first"), filepath.Join(dir, "second")
	mustTrain(t, append([]string{"run", "--task", "quadruped", "--out", first, "--workers", "2"}, small...)...)
	replays(t, first, "identical, 280 steps of 6 worlds, and 3 files of the run\n")

	// A resumed run replays without the folder of the run that it continues.
	mustTrain(t, "run", "--resume", first, "--out", second, "--set", "training.steps=2000", "--log-every", "7")
	acted := filepath.Join(dir, "acted")
	mustTrain(t, words("rollout --task quadruped --set worlds=4 --set max_steps=25 --policy "+first+" --episodes 6 "+
		"--out "+acted+" --workers 2")...)
	polytest.NoError(t, os.RemoveAll(first))
	records(t, acted, "capture", "episodes")
	replays(t, second, "identical, 77 steps of 6 worlds, and 3 files of the run; "+
		"3 control steps after the last logged state were not compared\n")
	replays(t, acted, "identical, 64 steps of 4 worlds\n")

	for policy, log := range map[string][2]string{
		"random": {"1", "identical, 128 steps of 3 worlds\n"},
		"zero": {"50", "identical, 100 steps of 3 worlds; 28 control steps after the last logged state were not " +
			"compared\n"},
	} {
		out := filepath.Join(dir, policy)
		mustTrain(t, words("rollout --task HalfCheetah-v5 --set worlds=3 --set max_steps=30 --policy "+policy+
			" --episodes 7 --out "+out+" --log-every "+log[0])...)
		replays(t, out, log[1])
	}

	// A different checkpoint under the same name is an error.
	other := filepath.Join(dir, "random")
	data := polytest.Must(os.ReadFile(filepath.Join(acted, rundir.DriverFile)))(t)
	data[len(data)/2] ^= 1
	polytest.NoError(t, os.WriteFile(filepath.Join(acted, rundir.DriverFile), data, 0o666))
	code, _, errs := train(t, "replay", acted)
	if code != Failed || !strings.Contains(errs, "it is not the checkpoint of the run") {
		t.Errorf("exit %d: %s", code, errs)
	}
	path := filepath.Join(other, rundir.LogFile)
	data = polytest.Must(os.ReadFile(path))(t)
	data[len(data)/2] ^= 8
	polytest.NoError(t, os.WriteFile(path, data, 0o666))
	refuses(t, Failed, "replay "+other, "train: log damaged at offset ")
}

func TestReplayErrors(t *testing.T) {
	dir := t.TempDir()
	polytest.NoError(t, os.WriteFile(filepath.Join(dir, rundir.LogFile), []byte("no log, but of some length"), 0o666))
	unlogged := filepath.Join(dir, "unlogged")
	mustTrain(t,
		words("rollout --task HalfCheetah-v5 --set worlds=1"+
			" --set max_steps=3 --episodes 1 --out "+unlogged+" --log-every 0")...)
	for _, c := range []struct {
		code int
		args string
		want string
	}{
		{Usage, "replay", "no RUN given, want one"},
		{Usage, "replay " + filepath.Join(dir, "nothing"), "nothing: no such file"},
		{Usage, "replay " + unlogged, "holds no run log"},
		{Usage, "replay " + dir + " --workers -1", "--workers is -1, want 0 to 1024"},
		{Usage, "replay " + dir + " --set recording.tables=[control]", "--set is given without --record, want both"},
		{Failed, "replay " + dir, "no run log"},
		{Usage, "run --task quadruped --log-every -1", "--log-every is -1, want at least 0"},
		{Usage, "rollout --task HalfCheetah-v5 --episodes 1 --out " + unlogged, "is not empty"},
	} {
		refuses(t, c.code, c.args, c.want)
	}
	if _, err := os.Stat(filepath.Join(unlogged, rundir.LogFile)); err == nil {
		t.Error("a refused rollout left its log")
	}
}
