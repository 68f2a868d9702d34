package training

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/live"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/runs"
	"github.com/polyrhythm-rl/polyrhythm/training/policies"
	"github.com/polyrhythm-rl/polyrhythm/training/rollouts"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
	"github.com/polyrhythm-rl/polyrhythm/training/serving"
)

// filesOf returns the files of a run folder, or of several, that do not hold the time or the machine.
func filesOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	return polytest.Files(t, dir, rundir.ReportFile, rundir.ConfigFile, rundir.EventsFile)
}

// pointConfig makes a training of 12 iterations, half of which end with an evaluation.
func pointConfig(t *testing.T, more ...string) *configs.Config {
	return parse(t, "quadruped", append([]string{"worlds=4", "workers=2", "max_steps=25", "training.segment=16",
		"training.minibatch=32", "training.epochs=2", "training.steps=896", "training.hidden=[8]",
		"training.checkpoint_every=300",
		"evaluation={episodes: 1, every: 128}", "recording={batch_rows: 50, sync: none}"}, more...)...)
}

// What cannot be continued is refused with a reason, and can still be continued when the reason is gone.
func TestContinueRefuses(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "run")
	if _, err := Train(newCountdown(t, 500), pointConfig(t), TrainOptions{Folder: folder, LogEvery: 1,
		StateEvery: time.Nanosecond}); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	path := filepath.Join(folder, rundir.StateFile)
	data := must(os.ReadFile(path))(t)
	point := must(ReadState(folder))(t)
	goOn := TrainOptions{Continue: point}
	usageError(t, errOf(Train(t.Context(), pointConfig(t, "training.gamma=0.9"), goOn)), "the configuration differs")
	sections, _, err := runs.StateKind.Decode(data)
	noError(t, err)
	sections[0] = bytes.Replace(sections[0], []byte(`"go":"go1.`), []byte(`"go":"go0.`), 1)
	noError(t, os.WriteFile(path, runs.StateKind.Encode(sections...), 0o666))
	usageError(t, errOf(Train(t.Context(), pointConfig(t), goOn)), "was made with go go0.")
	sections, _, err = runs.StateKind.Decode(data)
	noError(t, err)
	older := bytes.Replace(sections[0], []byte(`  clip_value: true\n`), nil, 1) // by a program without that key
	polytest.Equal(t, len(sections[0])-len(older), len(`  clip_value: true\n`), "bytes of the key")
	sections[0] = older
	noError(t, os.WriteFile(path, runs.StateKind.Encode(sections...), 0o666))
	usageError(t, errOf(Train(t.Context(), pointConfig(t), goOn)), "the configuration of "+folder+" has other keys than this "+
		"program gives it: another version began the run; continue with that program, or begin another run with --out DIR")
	noError(t, os.WriteFile(path, data, 0o666))
	lock := must(rundir.LockFolder(folder))(t)
	errorContains(t, errOf(Train(t.Context(), pointConfig(t), goOn)), "in use by another run")
	lock.Close()
	for _, name := range []string{rundir.MetricsFile, rundir.LogFile, filepath.Join(rundir.DatasetFolder, "data.journal")} {
		file := filepath.Join(folder, name)
		whole := must(os.ReadFile(file))(t)
		noError(t, os.Truncate(file, 100))
		if _, err := Train(t.Context(), pointConfig(t), goOn); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s cut: error %v, want one line", name, err)
		}
		noError(t, os.WriteFile(file, whole, 0o666))
	}
	streams := must(filepath.Glob(filepath.Join(folder, rundir.DatasetFolder, "data-*.arrow")))(t)
	checkpoint := point.state.Training.Checkpoints[0].Name
	for name, want := range map[string]string{
		rundir.MetricsFile: rundir.MetricsFile + ": damaged: the checksum of its first", rundir.EventsFile: rundir.EventsFile + ": damaged: ",
		rundir.LogFile: rundir.LogFile + ": damaged: ", rundir.EvaluationsFile: rundir.EvaluationsFile + ": damaged: ",
		checkpoint: checkpoint + " is damaged: ", rundir.ConfigFile: rundir.ConfigFile + " was changed since the run began",
		filepath.Join(rundir.DatasetFolder, filepath.Base(streams[0])): "is damaged: its checksum is ",
	} {
		file := filepath.Join(folder, name)
		whole := must(os.ReadFile(file))(t)
		data := bytes.Clone(whole)
		data[len(data)/3] ^= 1
		noError(t, os.WriteFile(file, data, 0o666))
		if _, err := Train(t.Context(), pointConfig(t), goOn); err == nil {
			t.Fatalf("%s damaged: no error", name)
		} else if text := err.Error(); !strings.Contains(text, want) || strings.Contains(text, "\n") {
			t.Errorf("%s damaged: error %v, want %q in a line", name, err, want)
		}
		noError(t, os.WriteFile(file, whole, 0o666))
	}
	newest := filepath.Join(folder, rundir.CheckpointName(point.EnvSteps)) // the state has it
	whole := must(os.ReadFile(newest))(t)
	noError(t, os.WriteFile(newest, []byte("damaged"), 0o666))
	must(Train(t.Context(), pointConfig(t), goOn))(t)
	if again := must(os.ReadFile(newest))(t); !bytes.Equal(again, whole) {
		t.Error("the newest checkpoint stays damaged")
	}
}

// A point that was read while another process still had the run is not gone back to: a run
// that is done stays as it is, and one that was stopped goes on from its newest point.
func TestContinueReadsThePointAnew(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "run")
	opt := TrainOptions{Folder: folder, StateEvery: time.Nanosecond}
	if _, err := Train(newCountdown(t, 40), pointConfig(t), opt); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	first, err := ReadState(folder)
	if err != nil || !first.state.Training.Unbegun {
		t.Fatalf("%v, want a point before the first iteration", err)
	}
	opt.Continue = first
	if _, err := Train(newCountdown(t, 500), pointConfig(t), opt); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	newest, err := ReadState(folder)
	if err != nil || newest.state.Training.Unbegun {
		t.Fatalf("%v, want a point after the first iteration", err)
	}
	begun := int64(-1)
	opt.Progress = func(p TrainProgress) {
		if begun < 0 {
			begun = p.EnvSteps
		}
	}
	if _, err := Train(t.Context(), pointConfig(t), opt); err != nil || begun != newest.EnvSteps {
		t.Errorf("it went on after %d steps, want %d; %v", begun, newest.EnvSteps, err)
	}
	want := filesOf(t, folder)
	usageError(t, errOf(Train(t.Context(), pointConfig(t), opt)), "is of a run that is done")
	polytest.SameFiles(t, "done", filesOf(t, folder), want)
}

// A run that is killed while it writes its first state begins anew: with that state if it is whole, by the same command
// if it is not.
func TestKilledBeforeTheFirstState(t *testing.T) {
	config := pointConfig(t, "recording.enabled=false")
	whole := filepath.Join(t.TempDir(), "whole")
	must(Train(t.Context(), config, TrainOptions{Folder: whole, LogEvery: 1}))(t)
	folder := filepath.Join(t.TempDir(), "run")
	if _, err := Train(newCountdown(t, 40), config, TrainOptions{Folder: folder, LogEvery: 1}); !errors.Is(err,
		context.Canceled) {
		t.Fatal(err)
	}
	first := must(os.ReadFile(filepath.Join(folder, rundir.StateFile)))(t)
	left := func(files map[string][]byte) string {
		folder := t.TempDir()
		for name, data := range files {
			noError(t, os.WriteFile(filepath.Join(folder, name), data, 0o666))
		}
		return folder
	}
	part := rundir.StateFile + disk.Part
	point := must(ReadState(left(map[string][]byte{part: first})))(t)
	must(Train(t.Context(), config, TrainOptions{Continue: point}))(t)
	polytest.SameFiles(t, "a whole state", filesOf(t, point.folder), filesOf(t, whole))
	for _, data := range [][]byte{nil, first[:len(first)/2]} {
		torn := left(map[string][]byte{part: data, rundir.TeacherFile + disk.Part: nil, rundir.ClonedFile: nil})
		if _, err := ReadState(torn); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%d bytes of a state: %v, want that there is none", len(data), err)
		}
		usageError(t, errOf(rundir.ReadCheckpoint(torn)),
			"its run was killed before it began, and begins anew with the same command")
		must(Train(t.Context(), config, TrainOptions{Folder: torn, LogEvery: 1}))(t)
		polytest.SameFiles(t, "a torn state", filesOf(t, torn), filesOf(t, whole))
	}
	must(rundir.CreateFolder(left(map[string][]byte{rundir.RegenerateFile + disk.Part: first})))(t).Close()
	for _, files := range []map[string][]byte{{rundir.TeacherFile: nil}, {part: first, "notes.txt": nil}, {rundir.StateFile: first}} {
		folder := left(files)
		errorContains(t, errOf(rundir.CreateFolder(folder)), "is not empty")
		polytest.Equal(t, len(polytest.Files(t, folder)), len(files), "files that are left")
	}
}

// So does a rollout that is killed before a segment is done and a row is safe, and a live run before its first state.
// What was done, or is somebody else's, stays.
func TestKilledBeforeThereIsAnythingToKeep(t *testing.T) {
	home := t.TempDir()
	begins := map[string]string{"data-00000.arrow.part": "\xff\xff\xff\xff", "driver.ckpt.part": "prhyt", "live.state.part": "prhythm\n",
		"run.log.1": "prrunlog", "sweep.json.part": "{"}
	copied := func(from, name string, more ...string) string {
		to := filepath.Join(home, name)
		noError(t, os.CopyFS(to, os.DirFS(from)))
		for _, name := range more {
			f := must(os.OpenFile(filepath.Join(to, name), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666))(t)
			must(f.WriteString(cmp.Or(begins[name], "more")))(t)
			noError(t, f.Close())
		}
		return to
	}
	policy := must(policies.Open(policies.Random))(t)
	config := parse(t, "quadruped", "worlds=2", "workers=2", "max_steps=100",
		"recording={tables: [capture, control], batch_rows: 20, sync: none}")
	whole := filepath.Join(home, "whole")
	opt := rollouts.RolloutOptions{Policy: policy, Episodes: 4, Folder: whole, LogEvery: 1}
	calls := 0
	opt.Progress = func(int64, int64, int64) {
		if calls++; calls <= 2 {
			copied(whole, []string{"", "begun", "a segment"}[calls])
		}
	}
	must(rollouts.Rollout(t.Context(), config, opt))(t)
	opt.Progress = nil
	begun, mark := filepath.Join(home, "begun"), rundir.RecipeFile+disk.Part
	must(os.Lstat(filepath.Join(begun, "control", "data.journal")))(t)
	want := filesOf(t, whole)
	early := t.TempDir()
	noError(t, os.WriteFile(filepath.Join(early, mark), nil, 0o666))
	for _, opt.Folder = range []string{
		copied(begun, "again"), copied(begun, "rows", "data-00000.arrow.part", "driver.ckpt.part"), early,
	} {
		must(rollouts.Rollout(t.Context(), config, opt))(t)
		polytest.SameFiles(t, opt.Folder, filesOf(t, opt.Folder), want)
	}
	unmarked := copied(begun, "unmarked")
	noError(t, os.Remove(filepath.Join(unmarked, mark)))
	for _, opt.Folder = range []string{
		filepath.Join(home, "a segment"), copied(whole, "done", mark), copied(begun, "noted", "notes.txt"),
		copied(begun, "noted below", "control/notes.txt"), copied(begun, "another's log", "run.log.1", "clip.gif"), copied(begun, "safe", "control/data.journal"), unmarked,
	} {
		before := polytest.Files(t, opt.Folder)
		errorContains(t, errOf(rollouts.Rollout(t.Context(), config, opt)), "is not empty")
		polytest.SameFiles(t, opt.Folder, polytest.Files(t, opt.Folder), before)
	}
	if _, has := want[mark]; has {
		t.Errorf("the whole one has %s", mark)
	}

	first := filepath.Join(home, "live")
	served := serving.ServeOptions{PlayOptions: rollouts.PlayOptions{Policy: policy, Folder: first, LogEvery: 1}}
	config = parse(t, "quadruped", "worlds=1", "workers=1", "time.mode=sim_realtime")
	stopped := errors.New("it is killed")
	served.Open = func(*live.Server) (func(), error) {
		copied(first, "killed")
		copied(first, "killed in its state", rundir.LiveStateFile+disk.Part, rundir.LogFile+".1")
		return nil, stopped
	}
	polytest.ErrorIs(t, errOf(serving.Serve(t.Context(), config, served)), stopped)
	for _, name := range []string{"killed", "killed in its state"} {
		served.Folder = filepath.Join(home, name)
		usageError(t, errOf(serving.Serve(t.Context(), nil, serving.ServeOptions{PlayOptions: served.PlayOptions, Resume: true})),
			"it was killed before it began, and begins anew with the same command")
		serveFor(t, config, served).end(t)
		must(runs.ReadState(served.Folder, rundir.LiveStateFile))(t)
		errorContains(t, errOf(serving.Serve(t.Context(), config, served)), "is not empty")
	}
	must(rundir.CreateFolder(copied(t.TempDir(), "sweep", rundir.SweepFile+disk.Part)))(t).Close()
}

// The link best leads to the checkpoint with the highest mean return of all evaluations that choose it, whose episodes
// are not those of the evaluation at the end.
func TestBestCheckpointIsKept(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "run")
	report := must(Train(t.Context(), pointConfig(t, "recording.enabled=false"), TrainOptions{Folder: folder}))(t)
	data := must(os.ReadFile(filepath.Join(folder, rundir.EvaluationsFile)))(t)
	all, err := rundir.ReadEvaluations(bytes.NewReader(data))
	if err != nil || len(all) < 3 {
		t.Fatalf("%d evaluations, %v", len(all), err)
	}
	for i := range all {
		if all[i].Seed != all[0].Seed || all[i].Seed == report.Evaluation.Seed {
			t.Errorf("evaluation %d has the seed %d, the last one %d: want one seed, other than the last", i, all[i].Seed,
				report.Evaluation.Seed)
		}
	}
	config := pointConfig(t, "recording.enabled=false")
	config.Seed = all[0].Seed
	last := must(rundir.ReadCheckpoint(folder))(t)
	e := must(rollouts.Evaluate(t.Context(), config, last.Policy(), last.ControlSteps))(t)
	best := rundir.Intermediate{EnvSteps: report.EnvSteps, Evaluation: *e}
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].MeanReturn >= best.MeanReturn {
			best = all[i]
		}
	}
	c := must(rundir.ReadCheckpoint(filepath.Join(folder, rundir.BestFile)))(t)
	polytest.Equal(t, c.EnvSteps, best.EnvSteps, "the best checkpoint is of step")
}

// If a point cannot be written, the training ends with one message, and continues from the point before once it can.
func TestPointThatCannotBeWritten(t *testing.T) {
	whole := filepath.Join(t.TempDir(), "whole")
	must(Train(t.Context(), pointConfig(t), TrainOptions{Folder: whole, LogEvery: 1}))(t)
	folder := filepath.Join(t.TempDir(), "run")
	obstacle := filepath.Join(folder, rundir.StateFile+".part", "file")
	opt := TrainOptions{Folder: folder, LogEvery: 1, StateEvery: time.Nanosecond}
	opt.Progress = func(p TrainProgress) {
		if p.EnvSteps > 500 {
			noError(t, os.MkdirAll(obstacle, 0o777))
		}
	}
	_, err := Train(t.Context(), pointConfig(t), opt)
	if err == nil || !strings.Contains(err.Error(), "state to continue from: ") || strings.Contains(err.Error(), "\n") {
		t.Fatalf("error %v, want one line about the state", err)
	}
	noError(t, os.RemoveAll(filepath.Dir(obstacle)))
	point := must(ReadState(folder))(t)
	if point.EnvSteps == 0 || point.EnvSteps > 600 {
		t.Errorf("a point after %d steps, want that before the obstacle", point.EnvSteps)
	}
	must(Train(t.Context(), pointConfig(t), TrainOptions{Continue: point}))(t)
	polytest.SameFiles(t, "continued", filesOf(t, folder), filesOf(t, whole))
}
