package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/big"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/internal/tests/powercut"
	"github.com/polyrhythm-rl/polyrhythm/live"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/training"
	"github.com/polyrhythm-rl/polyrhythm/training/policies"
	"github.com/polyrhythm-rl/polyrhythm/training/rollouts"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
	"github.com/polyrhythm-rl/polyrhythm/training/serving"
	"github.com/polyrhythm-rl/polyrhythm/training/sweep"
)

// cutWhile are what the power is cut in, for so many cuts each.
var cutWhile = []struct {
	name string
	test func(t *testing.T, n int)

	short, long int // cuts of the two forms
}{
	{"recording", cutWhileRecording, 4, 300},
	{"training", cutWhileTraining, 4, 300},
	{"training in parts", cutWhileTrainingInParts, 1, 100},
	{"sweeping", cutWhileSweeping, 1, 100},
	{"writing folders", cutWhileWritingFolders, 4, 300},
	{"adding pictures", cutWhileAddingPictures, 1, 300},
	{"regenerating", cutWhileRegenerating, 1, 100},
	{"serving", cutWhileServing, 4, 100}, // each by the wall clock
}

func TestPowerCut(t *testing.T) {
	takesLong(t)
	for _, c := range cutWhile {
		t.Run(c.name, func(t *testing.T) { c.test(t, c.short) })
	}
}

func TestPowerCutLong(t *testing.T) {
	polytest.OnlySlow(t)
	for _, c := range cutWhile {
		n, _ := polytest.Cases(t, 10, 10, c.long)
		t.Run(c.name, func(t *testing.T) { c.test(t, n) })
	}
}

// cuts calls f with states that a disk may have after the power was cut while train ran with these arguments and wrote
// below a folder: after its last operation, and after n-1 others that are drawn. In state the folder is as it then is;
// ended says that the program had ended.
func cuts(t *testing.T, n int, command *powercut.Recording, f func(what, state string, ended bool)) {
	t.Helper()
	random := rand.New(rand.NewPCG(uint64(n), 5))
	counts := map[bool]int{}
	for i := range n {
		cut := command.Len()
		if i > 0 {
			cut = random.IntN(command.Len())
		}
		for _, choice := range powercut.Choices(3, random.Uint64()) {
			state := filepath.Join(t.TempDir(), "state")
			polytest.NoError(t, command.After(cut, choice, state))
			what := fmt.Sprintf("cut after %d of %d operations, %s", cut, command.Len(), choice.Name)
			f(what, state, cut == command.Len())
			counts[cut == command.Len()]++
			if t.Failed() {
				t.Fatalf("the first of %v states that failed is in %s", counts, keepState(t, state))
			}
			polytest.NoError(t, os.RemoveAll(state))
		}
	}
	t.Logf("%d states in %d operations", counts[true]+counts[false], command.Len())
}

// keepState copies a state to a folder that outlives the test, if POLYTEST_KEEP names one.
func keepState(t *testing.T, state string) string {
	folder := os.Getenv("POLYTEST_KEEP")
	if folder == "" {
		return "no folder: set POLYTEST_KEEP to keep it"
	}
	polytest.NoError(t, os.CopyFS(folder, os.DirFS(state)))
	return folder
}

// record runs a process under the recorder of system calls.
func record(t *testing.T, cmd *exec.Cmd, folder string) *powercut.Recording {
	t.Helper()
	return polytest.Must(powercut.Record(cmd, folder))(t)
}

// asOther is the variable that makes the test binary one of others, as NAME:FOLDER.
const asOther = "POLYTEST_AS_OTHER"

// others are what the test binary can do with a folder in place of the tests: what keeps states more often than train.
var others = map[string]func(folder string) error{
	"training":          func(folder string) error { return polytest.Err(trainInto(folder)) },
	"training in parts": func(folder string) error { return polytest.Err(trainInPartsInto(folder)) },
	"sweeping":          func(folder string) error { return sweepInto(folder, false) },
	"serving":           func(folder string) error { return serveInto(folder, false) },
	"regenerating":      func(folder string) error { return polytest.Err(regenerateInto(folder)) },
	"closing slowly":    closeSlowly,
}

// processAs is the test binary as one of others.
func processAs(t *testing.T, what, folder string) *exec.Cmd {
	t.Helper()
	cmd := process(t)
	cmd.Env = append(os.Environ(), asOther+"="+what+":"+folder)
	return cmd
}

// What a journal has acknowledged with recording.sync=batch is there after a cut, as is the whole dataset of a rollout
// that has ended unless sync is none. Else the dataset is a beginning of the undisturbed one, or is refused.
func cutWhileRecording(t *testing.T, n int) {
	t.Helper()
	for _, sync := range []string{"batch", "close", "none"} {
		t.Run(sync, func(t *testing.T) {
			whole := filepath.Join(t.TempDir(), "whole")
			command := record(t, process(t, words("rollout --task HalfCheetah-v5 --policy random --episodes 6 --set worlds=2 "+
				"--set max_steps=50 --set recording.batch_rows=40 --set recording.sync="+sync+" --out "+whole)...), whole)
			tables := []string{".", "episodes"}
			cuts(t, n, command, func(what, state string, ended bool) {
				want := map[string]int64{}
				for _, table := range tables {
					switch {
					case ended && sync != "none":
						want[table] = acknowledged(t, filepath.Join(whole, table))
					case sync == "batch":
						want[table] = acknowledged(t, filepath.Join(state, table))
					}
				}
				code, _, stderr := train(t, "recover", state)
				if code != Done {
					if want["."]+want["episodes"] > 0 || strings.Count(stderr, "\n") != 1 {
						t.Errorf("%s: recover ended with %d: %s; want rows %v", what, code, stderr, want)
					}
					return
				}
				d, err := recorder.Open(state)
				if err != nil {
					t.Errorf("%s: %v", what, err)
					return
				}
				for table, name := range map[string]string{".": "capture", "episodes": "episodes"} {
					if rows, err := d.Rows(name); err != nil || rows < want[table] {
						t.Errorf("%s: table %s has %d rows, %v; want at least %d", what, name, rows, err, want[table])
						continue
					}
					got, all := shardBytes(t, filepath.Join(state, table)), shardBytes(t, filepath.Join(whole, table))
					if end := len(got) - 8; end > 0 && !bytes.HasPrefix(all, got[:end]) { // 8 bytes end a stream
						t.Errorf("%s: table %s is no beginning of the undisturbed one", what, name)
					}
				}
			})
		})
	}
}

// trainInto begins a training in a folder, or goes on with it, and keeps a state each iteration.
func trainInto(folder string) (*rundir.Report, error) {
	c, err := configs.Parse("training", []byte("{task: {name: InvertedPendulum-v5}, worlds: 4, max_steps: 40, "+
		"recording: {batch_rows: 30}, evaluation: {episodes: 2, every: 320}, training: {steps: 800, segment: 40, minibatch: 80, "+
		"epochs: 1, hidden: [8], checkpoint_every: 320}}"), nil, nil)
	if err != nil {
		return nil, err
	}
	return training.TrainOrResume(context.Background(), c, training.TrainOptions{Folder: folder, LogEvery: 20, StateEvery: 1})
}

// A training goes on after a cut, or begins again, and ends with the files of one that nothing disturbed.
func cutWhileTraining(t *testing.T, n int) {
	t.Helper()
	whole := filepath.Join(t.TempDir(), "whole")
	command := record(t, processAs(t, "training", whole), whole)
	want := results(t, whole)
	cuts(t, n, command, func(what, state string, _ bool) {
		if _, err := trainInto(state); err != nil {
			t.Errorf("%s: %v", what, err)
			return
		}
		polytest.SameFiles(t, what, results(t, state), want)
	})
}

// What a merge, an export or added pictures write appears as a whole, or does not; once the command has ended, it is
// there.
func cutWhileWritingFolders(t *testing.T, n int) {
	t.Helper()
	dir := t.TempDir()
	for _, slice := range []string{"0:1", "1:2"} {
		mustTrain(t, words("rollout --task HalfCheetah-v5 --policy random --episodes 4 --set worlds=2 --set block_size=1 "+
			"--set max_steps=20 --slice "+slice+" --out "+filepath.Join(dir, slice))...)
	}
	merged := filepath.Join(dir, "merged")
	mustTrain(t, "merge", filepath.Join(dir, "0:1"), filepath.Join(dir, "1:2"), "--out", merged)
	for _, command := range []string{
		"merge " + filepath.Join(dir, "0:1") + " " + filepath.Join(dir, "1:2") + " --out", "export " + merged + " --to lerobot --out",
		"export " + merged + " --to mcap --out",
	} {
		t.Run(words(command)[0], func(t *testing.T) {
			folder := t.TempDir()
			out := filepath.Join(folder, "out")
			recording := record(t, process(t, append(words(command), out)...), folder)
			want := polytest.Files(t, out)
			cuts(t, n, recording, func(what, state string, ended bool) {
				written := filepath.Join(state, "out")
				switch _, err := os.Stat(written); {
				case errors.Is(err, fs.ErrNotExist) && !ended:
				case err != nil:
					t.Errorf("%s: %v", what, err)
				default:
					polytest.SameFiles(t, what, polytest.Files(t, written), want)
				}
			})
		})
	}
}

// trainInPartsInto begins a training in two parts in a folder, or goes on with it, and keeps a state each iteration. Each
// part records into a dataset of its own.
func trainInPartsInto(folder string) (_ *rundir.Report, err error) {
	ctx := context.Background()
	c, err := configs.Parse("training", []byte("{task: {name: InvertedPendulum-v5}, worlds: 4, block_size: 2, max_steps: 40, "+
		"recording: {batch_rows: 30, sync: batch, clip: false}, evaluation: {episodes: 2}, training: {steps: 800, segment: 40, "+
		"minibatch: 80, epochs: 1, hidden: [8], checkpoint_every: 320}}"), nil, nil)
	if err != nil {
		return nil, err
	}
	opt := training.TrainOptions{Folder: filepath.Join(folder, "run"), StateEvery: 1}
	report, err := rundir.ReadReport(opt.Folder)
	if err == nil && report.Status == rundir.StatusDone && report.Evaluation != nil {
		return report, nil
	}
	if opt.Continue, err = training.ReadState(opt.Folder); errors.Is(err, fs.ErrNotExist) {
		err = cmp.Or(os.RemoveAll(folder), os.MkdirAll(folder, 0o777))
	}
	if err != nil {
		return nil, err
	}
	again := opt.Continue != nil
	if again {
		opt.Folder = ""
	}
	parts, err := training.TrainInParts(ctx, c, opt, []sim.Slice{{From: 0, To: 2}, {From: 2, To: 4}})
	if err != nil {
		return nil, err
	}
	defer func() {
		var closed error
		report, closed = parts.Close()
		err = errors.Join(err, closed)
	}()
	weights, err := parts.Weights(ctx)
	if err != nil {
		return nil, err
	}
	var collectors []*training.Collector
	for i, assignment := range parts.Assignments() {
		opt := training.CollectorOptions{Workers: 1, Dataset: filepath.Join(folder, assignment.Slice().String())}
		if again {
			if opt.Snapshot, err = parts.Snapshot(i); err != nil {
				return nil, err
			}
		}
		collector, err := training.OpenCollector(ctx, &assignment, opt)
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, collector.Close()) }()
		collectors = append(collectors, collector)
	}
	for weights != nil {
		for _, collector := range collectors {
			part, err := collector.Collect(ctx, weights)
			if err == nil {
				err = parts.Add(part)
			}
			if err != nil {
				return nil, err
			}
		}
		if weights, err = parts.Weights(ctx); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// The run folder of a training in parts is then that of an undisturbed one, and so are the datasets of its slices, unless
// the training was done and its collectors were not: those are recovered.
func cutWhileTrainingInParts(t *testing.T, n int) {
	t.Helper()
	whole := filepath.Join(t.TempDir(), "whole")
	command := record(t, processAs(t, "training in parts", whole), whole)
	cuts(t, n, command, func(what, state string, ended bool) {
		done := isDone(t, filepath.Join(state, "run"))
		if _, err := trainInPartsInto(state); err != nil {
			t.Errorf("%s: %v", what, err)
			return
		}
		same := []string{"run", "0:2", "2:4"}
		if done && !ended {
			mustTrain(t, "recover", filepath.Join(state, same[1]))
			mustTrain(t, "recover", filepath.Join(state, same[2]))
			same = same[:1]
		}
		for _, folder := range same {
			got, want := results(t, filepath.Join(state, folder)), results(t, filepath.Join(whole, folder))
			delete(got, rundir.StateFile) // the removal may be lost
			polytest.SameFiles(t, what+", "+folder, got, want)
		}
	})
}

// sweepInto begins a sweep in a folder, or goes on with it.
func sweepInto(folder string, resume bool) error {
	plan := sweep.Default()
	plan.Configuration = "{task: {name: InvertedPendulum-v5}, worlds: 2, max_steps: 20, recording: {enabled: false, clip: false}, " +
		"evaluation: {episodes: 2}, training: {steps: 160, segment: 20, minibatch: 40, epochs: 1, hidden: [4]}}"
	plan.SearchOptions, plan.Seeds = sweep.SearchOptions{Method: sweep.Halving, Trials: 4, Eta: 2}, 2
	rate, err := sweep.ParseRange("training.learning_rate", "log:1e-4..1e-2")
	if err != nil {
		return err
	}
	plan.Over = []sweep.Range{rate}
	if resume {
		if plan, err = sweep.Read(folder); err != nil {
			return err
		}
	}
	_, err = sweep.Run(context.Background(), plan, sweep.Options{Folder: folder, Continue: resume, Parallel: 1, Workers: 1})
	return err
}

// A sweep goes on after a cut, and ends with the files of one that nothing disturbed. Before it has a state it has trained
// nothing.
func cutWhileSweeping(t *testing.T, n int) {
	t.Helper()
	whole := filepath.Join(t.TempDir(), "whole")
	command := record(t, processAs(t, "sweeping", whole), whole)
	files := func(folder string) map[string]string { // the states of trials have the time
		return polytest.Files(t, folder, rundir.ReportFile, rundir.ConfigFile, rundir.EventsFile, rundir.StateFile)
	}
	want := files(whole)
	cuts(t, n, command, func(what, state string, ended bool) {
		if !exists(filepath.Join(state, sweep.StateFile)) {
			err := sweepInto(state, true)
			reports := polytest.Must(filepath.Glob(filepath.Join(state, "trial-*", "seed-*", rundir.ReportFile)))(t)
			if ended || len(reports) > 0 || err == nil || !strings.Contains(err.Error(), "holds no sweep") {
				t.Errorf("%s: without a state and with %d reports: %v", what, len(reports), err)
			}
			return
		}
		if err := sweepInto(state, true); err != nil {
			t.Errorf("%s: %v", what, err)
			return
		}
		polytest.SameFiles(t, what, polytest.WithoutStops(files(state), want), want)
	})
}

// Pictures that are added, or take the place of others, are there as a whole or not at all, and once the command has ended
// they are there. Nothing else of the dataset changes, and the command can be called again.
func cutWhileAddingPictures(t *testing.T, n int) {
	t.Helper()
	dataset := recordToDraw(t)
	without := polytest.Files(t, dataset)
	args := append([]string{"render", "--into", dataset, "--force"}, words("--camera track --kinds rgb,depth --size")...)
	for _, size := range []string{"16x12", "12x8"} { // the second in place of the first
		before := polytest.Files(t, dataset)
		command := record(t, process(t, append(args, size)...), dataset)
		after := polytest.Files(t, dataset)
		if len(after) == len(without) {
			t.Fatal("no pictures were added")
		}
		cuts(t, n, command, func(what, state string, ended bool) {
			got := polytest.Files(t, state)
			maps.DeleteFunc(got, func(name, _ string) bool { return strings.HasPrefix(name, ".") }) // what the command had not ended
			want := after
			if !ended && got["camera-track/polyrhythm.json"] == before["camera-track/polyrhythm.json"] {
				want = before
			}
			polytest.SameFiles(t, what, got, want)
			mustTrain(t, append([]string{"render", "--into", state, "--force"}, append(words("--camera track --kinds rgb,depth --size"),
				size)...)...)
			polytest.SameFiles(t, what+", and again", polytest.Files(t, state), after)
		})
	}
}

// regenerateInto makes the dataset of the rollout beside a folder again, or goes on with it, and keeps states all the time.
func regenerateInto(folder string) (rollouts.Regenerated, error) {
	return rollouts.Regenerate(context.Background(), filepath.Join(filepath.Dir(folder), "first"),
		rollouts.RegenerateOptions{Folder: folder, Workers: 1, StateEvery: 1})
}

// A regeneration goes on after a cut, or begins again, unless the dataset is whole.
func cutWhileRegenerating(t *testing.T, n int) {
	t.Helper()
	dir := t.TempDir()
	first, again := filepath.Join(dir, "first"), filepath.Join(dir, "again")
	mustTrain(t, words("rollout --task HalfCheetah-v5 --policy random --episodes 8 --set worlds=2 --set max_steps=40 "+
		"--set recording.batch_rows=40 --log-every 0 --out "+first)...)
	command := record(t, processAs(t, "regenerating", again), again)
	want := polytest.Files(t, first)
	polytest.SameFiles(t, "undisturbed", polytest.Files(t, again), want)
	cuts(t, n, command, func(what, state string, ended bool) {
		polytest.NoError(t, os.RemoveAll(again))
		polytest.NoError(t, os.CopyFS(again, os.DirFS(state))) // beside the first
		done, err := regenerateInto(again)
		switch {
		case err == nil && done.Differs == "" && !ended:
		case err == nil || !strings.Contains(err.Error(), "is not empty"): // it must be done
			t.Errorf("%s: %q, %v", what, done.Differs, err)
		}
		polytest.SameFiles(t, what, polytest.Files(t, again), want)
	})
}

// servingSteps is the number of control steps of the run of serveInto.
const servingSteps = 20

// serveInto begins a live run in a folder, or goes on with it, and keeps states all the time.
func serveInto(folder string, resume bool) error {
	c, err := configs.Parse("live", []byte("{task: {name: HalfCheetah-v5}, worlds: 1, time: {mode: sim_realtime}}"), nil,
		nil)
	if err != nil {
		return err
	}
	policy, err := policies.Open(policies.Random)
	if err != nil {
		return err
	}
	_, err = serving.Serve(context.Background(), c, serving.ServeOptions{
		PlayOptions: rollouts.PlayOptions{Policy: policy, Seconds: big.NewRat(servingSteps, 50), Folder: folder, LogEvery: 1},
		Resume:      resume,
		Open:        func(*live.Server) (func(), error) { return func() {}, nil },
		StateEvery:  time.Millisecond,
	})
	return err
}

// A live run goes on from the newest state that was forced to the disk, to its end, and its log replays.
func cutWhileServing(t *testing.T, n int) {
	t.Helper()
	run := filepath.Join(t.TempDir(), "run")
	command := record(t, processAs(t, "serving", run), run)
	resumed := 0
	cuts(t, n, command, func(what, state string, ended bool) {
		if !exists(filepath.Join(state, rundir.LiveStateFile)) {
			if err := serveInto(state, true); ended || err == nil || !strings.Contains(err.Error(), "holds no live run") {
				t.Errorf("%s: without a state: %v", what, err)
			}
			return
		}
		if err := serveInto(state, true); err != nil {
			t.Errorf("%s: %v", what, err)
			return
		}
		resumed++
		replayed, err := training.Replay(t.Context(), state, training.ReplayOptions{})
		if err != nil || replayed.Steps+replayed.After != servingSteps {
			t.Errorf("%s: replayed %d steps and %d, %v; want %d", what, replayed.Steps, replayed.After, err, servingSteps)
		}
	})
	if resumed == 0 {
		t.Error("no live run went on")
	}
}
