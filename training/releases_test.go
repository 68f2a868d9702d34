package training

import (
	"encoding/json"
	"errors"
	"flag"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/policy"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/sim/runlog"
	"github.com/polyrhythm-rl/polyrhythm/training/policies"
	"github.com/polyrhythm-rl/polyrhythm/training/rollouts"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

var updateRelease = flag.Bool("update", false, "write testdata/releases of this version again")

// releaseFacts are what the files of a release say, as its own program read them.
type releaseFacts struct {
	Rows     int64     // of the dataset
	Episodes int       // of the dataset
	Reward   float64   // the sum of its rows
	Returns  float64   // the sum of its episodes
	EnvSteps int64     // of the checkpoint and of the state, in the middle of a training
	Action   []float32 // of the exported policy and of the checkpoint, for observed
}

var observed = []float64{0.1, -0.2, 0.3, -0.4}

// Files of a release are read by every later version, until docs/reference/compatibility.md says otherwise: a dataset,
// a log, a checkpoint, a state with its snapshot of the worlds, and an exported policy.
func TestFilesOfReleasesAreRead(t *testing.T) {
	const releases = "testdata/releases"
	if *updateRelease {
		writeRelease(t, filepath.Join(releases, env.Version))
	}
	folders := polytest.Must(filepath.Glob(releases + "/*"))(t)
	if len(folders) == 0 {
		t.Fatal("there is no release, want its files in " + releases)
	}
	for _, folder := range folders {
		t.Run(filepath.Base(folder), func(t *testing.T) {
			there := filepath.Join(t.TempDir(), "there") // what goes on writes
			noError(t, os.CopyFS(there, os.DirFS(folder)))
			var want releaseFacts
			noError(t, json.Unmarshal(polytest.Must(os.ReadFile(filepath.Join(there, "facts.json")))(t), &want))
			checkFacts(t, readRelease(t, there), want)
			checkLog(t, filepath.Join(there, "rollout"))
			checkGoesOn(t, filepath.Join(there, "run"))
		})
	}
}

func checkFacts(t *testing.T, got, want releaseFacts) {
	t.Helper()
	polytest.Equal(t, got.Rows, want.Rows, "rows of the dataset")
	polytest.Equal(t, got.Episodes, want.Episodes, "episodes of the dataset")
	polytest.Equal(t, got.Reward, want.Reward, "the sum of its rewards")
	polytest.Equal(t, got.Returns, want.Returns, "the sum of its returns")
	polytest.Equal(t, got.EnvSteps, want.EnvSteps, "the steps of the checkpoint")
	if len(got.Action) != len(want.Action) || math.Abs(float64(got.Action[0]-want.Action[0])) > 1e-6 {
		t.Errorf("the policy acts by %v, want %v", got.Action, want.Action)
	}
}

// checkLog executes the run of a log again: whether its bits are the same depends on more than the files.
func checkLog(t *testing.T, folder string) {
	t.Helper()
	replayed, err := Replay(t.Context(), folder, ReplayOptions{Workers: 1})
	var different *runlog.Difference
	if errors.As(err, &different) {
		t.Logf("the log is read; here its run is another one: %v", err)
		return
	}
	noError(t, err)
	if replayed.Steps == 0 {
		t.Error("the log has no steps")
	}
}

// checkGoesOn lets a training go on from its state, unless versions, processor or kernels are others than its own: then
// it is refused for that alone.
func checkGoesOn(t *testing.T, folder string) {
	t.Helper()
	state := must(ReadState(folder))(t)
	c := must(configs.Parse(folder, []byte(state.Configuration()), nil, nil))(t)
	report, err := Train(t.Context(), c, TrainOptions{Continue: state})
	if err != nil {
		usageError(t, err, "want the same to continue")
		t.Logf("the state is read: %v", err)
		return
	}
	polytest.Equal(t, report.EnvSteps, c.Training.TotalSteps, "the steps of the training that went on")
}

// readRelease reads all files of a release but its log.
func readRelease(t *testing.T, folder string) (f releaseFacts) {
	t.Helper()
	d := must(recorder.Open(filepath.Join(folder, "rollout")))(t)
	f.Rows = must(d.Rows(d.Tables[0].Name))(t)
	for row, err := range d.EachRow(d.Tables[0].Name) {
		noError(t, err)
		f.Reward += row.Float("reward")
		noError(t, row.Err)
	}
	for episode, err := range d.Episodes() {
		noError(t, err)
		f.Episodes++
		f.Returns += episode.Return
	}
	exported := must(policy.Load(filepath.Join(folder, "pole.policy")))(t)
	f.Action = make([]float32, 1)
	noError(t, exported.Act(f.Action, observed))

	checkpoint := must(rundir.ReadCheckpoint(filepath.Join(folder, "run")))(t)
	f.EnvSteps = checkpoint.EnvSteps
	trained, action := must(policy.New(checkpoint.Policy().Network()))(t), make([]float32, 1)
	noError(t, trained.Act(action, observed))
	polytest.Equal(t, action[0], f.Action[0], "the action of the checkpoint, and of the policy exported from it")
	state := must(ReadState(filepath.Join(folder, "run")))(t)
	polytest.Equal(t, state.EnvSteps, f.EnvSteps, "the steps of the state")
	noError(t, state.state.Open())
	return f
}

// writeRelease writes the files of this version.
func writeRelease(t *testing.T, folder string) {
	t.Helper()
	noError(t, os.RemoveAll(folder))
	sets := []string{"worlds=2", "max_steps=20", "training.steps=256", "training.segment=32", "training.minibatch=32",
		"training.epochs=1", "training.hidden=[8]", "training.tensorboard=false", "evaluation.episodes=1", "seed=7"}
	c := parse(t, "InvertedPendulum-v5", append(sets, "recording.enabled=false")...)
	run := filepath.Join(folder, "run")
	must(Train(t.Context(), c, TrainOptions{Folder: run, LogEvery: 1, Until: 128}))(t)
	noError(t, os.Remove(filepath.Join(run, rundir.CurveFile))) // which nothing reads
	_, err := ExportPolicy(t.Context(), c, must(rundir.ReadCheckpoint(run))(t), PolicyFormats()[1],
		filepath.Join(folder, "pole.policy"))
	noError(t, err)
	must(rollouts.Rollout(t.Context(), parse(t, "InvertedPendulum-v5", sets...), rollouts.RolloutOptions{
		Policy: must(policies.Open(policies.Random))(t), Episodes: 4, LogEvery: 1, Folder: filepath.Join(folder, "rollout")}))(t)
	data := must(json.MarshalIndent(readRelease(t, folder), "", "  "))(t)
	noError(t, os.WriteFile(filepath.Join(folder, "facts.json"), append(data, '\n'), 0o666))
}
