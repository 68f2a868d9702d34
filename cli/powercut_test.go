package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
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
	"github.com/polyrhythm-rl/polyrhythm/training"
	"github.com/polyrhythm-rl/polyrhythm/training/policies"
	"github.com/polyrhythm-rl/polyrhythm/training/rollouts"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
	"github.com/polyrhythm-rl/polyrhythm/training/serving"
)

// cutWhile are what the power is cut in, for so many cuts each.
var cutWhile = []struct {
	name string
	test func(t *testing.T, n int)
	long int // cuts of the long form
}{
	{"recording", cutWhileRecording, 300},
	{"training", cutWhileTraining, 300},
	{"writing folders", cutWhileWritingFolders, 300},
	{"serving", cutWhileServing, 100}, // each by the wall clock
}

func TestPowerCut(t *testing.T) {
	takesLong(t)
	for _, c := range cutWhile {
		t.Run(c.name, func(t *testing.T) { c.test(t, 4) })
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

// processAs is the test binary as what the variable makes of it, in a folder.
func processAs(t *testing.T, variable, folder string) *exec.Cmd {
	t.Helper()
	cmd := process(t)
	cmd.Env = append(os.Environ(), variable+"="+folder)
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

// asTraining is the variable with the folder into which the test binary trains, and keeps a state each iteration.
const asTraining = "POLYTEST_AS_TRAINING"

// trainInto begins a training in a folder, or goes on with it.
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
	command := record(t, processAs(t, asTraining, whole), whole)
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

// asServing is the variable with the folder of the live run of the test binary, which keeps states all the time.
const asServing = "POLYTEST_AS_SERVING"

// servingSteps is the number of control steps of the run of serveInto.
const servingSteps = 20

// serveInto begins a live run in a folder, or goes on with it.
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
	command := record(t, processAs(t, asServing, run), run)
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
