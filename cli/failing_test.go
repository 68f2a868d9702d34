package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/spf13/cobra"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/internal/tests/powercut"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
)

// interrupts are commands that record until they are interrupted, into a folder, and where their dataset is.
var interrupts = []struct {
	name, dataset string
	args          func(out string) []string
}{
	{"rollout", "", func(out string) []string { return rolling(out, "--episodes", "100000") }},
	{"train", "dataset", func(out string) []string {
		return append(append(words("run --task quadruped --out"), out), append(small,
			"--set", "training.steps=100000000", "--set", "recording.batch_rows=40")...)
	}},
}

const renames = "rename,renameat,renameat2"

// interruptFailing interrupts a command whose calls about some files then fail. If one fails the command says so and exits
// with 1; else it is interrupted. It never says that all is well where it is not. It returns whether one failed.
func interruptFailing(t *testing.T, args []string, out, dataset, calls, errno string, paths ...string) bool {
	t.Helper()
	cmd, errs := startUnder(t, ":", args...)
	defer cmd.Process.Kill()
	awaitRows(t, filepath.Join(out, dataset))
	for i := range paths {
		paths[i] = filepath.Join(out, paths[i])
	}
	failing := polytest.Must(powercut.Fail(cmd.Process.Pid, calls, errno, paths...))(t)
	polytest.NoError(t, cmd.Process.Signal(syscall.SIGINT))
	cmd.Wait()
	failed := polytest.Must(failing.Wait())(t)
	code, said := cmd.ProcessState.ExitCode(), errs.String()
	what := fmt.Sprintf("%s of %v fails with %s (%d times)", calls, paths, errno, len(failed))
	_, opened := recorder.Open(filepath.Join(out, dataset))
	switch {
	case code == Interrupted && opened != nil:
		t.Errorf("%s: interrupted as if all were well, and the dataset cannot be opened: %v", what, opened)
	case code != Interrupted && code != Failed:
		t.Errorf("%s: exit code %d: %s", what, code, said)
	case code == Failed && len(failed) == 0:
		t.Errorf("%s: exit code %d where nothing failed: %s", what, code, said)
	case code == Failed && (strings.Contains(said, "interrupted") || strings.Contains(said, "all files are in") ||
		strings.Contains(lastLine(said), "canceled") || !strings.HasPrefix(lastLine(said), "train: ")):
		t.Errorf("%s: it says %q, want the error alone", what, said)
	case calls == renames && (len(failed) == 0 || code != Failed):
		t.Errorf("%s: exit code %d, want %d: %s", what, code, Failed, said)
	}
	return len(failed) > 0
}

// streams are the names of the files in a dataset whose names change when it is closed.
func streams(t *testing.T, dataset string) (names []string) {
	t.Helper()
	for _, path := range polytest.Must(filepath.Glob(filepath.Join(dataset, "*", "data-*.part")))(t) {
		names = append(names, polytest.Must(filepath.Rel(dataset, path))(t))
	}
	return append(names, "data-00000.arrow.part", "state.json.part", "dataset_info.json.part")
}

// Ctrl-C hides no error of what is closed because of it.
func TestInterruptWhileClosingFails(t *testing.T) {
	takesLong(t)
	for _, c := range interrupts {
		out := filepath.Join(t.TempDir(), "out")
		interruptFailing(t, c.args(out), out, c.dataset, renames, "ENOSPC", filepath.Join(c.dataset, "data-00000.arrow.part"))
	}
}

// So it is whatever call fails, on whatever file.
func TestInterruptWhileAnyCallFailsLong(t *testing.T) {
	polytest.OnlySlow(t)
	for _, c := range interrupts {
		out := filepath.Join(t.TempDir(), "out")
		cmd, _ := startUnder(t, ":", c.args(out)...)
		awaitRows(t, filepath.Join(out, c.dataset))
		polytest.NoError(t, cmd.Process.Kill())
		cmd.Wait()
		files := map[string]bool{}
		for name := range polytest.Files(t, out) {
			files[name], files[filepath.Dir(name)] = true, true
		}
		for _, name := range streams(t, filepath.Join(out, c.dataset)) {
			files[filepath.Join(c.dataset, name)] = true
		}
		for _, more := range []string{"run.json.part", "resume.state.part", "latest.part", "metrics.csv", "curve.png.part"} {
			files[more] = files[more] || c.name == "train"
		}
		type one struct{ calls, errno, name string }
		var all []one
		for _, name := range slices.Sorted(maps.Keys(files)) {
			for _, calls := range []string{renames, "write", "fsync,fdatasync", "close", "openat", "flock", "read,pread64",
				"getdents64", "ftruncate", "unlinkat"} {
				for _, errno := range []string{"ENOSPC", "EIO"} {
					if files[name] && (calls != renames || strings.HasSuffix(name, ".arrow.part")) {
						all = append(all, one{calls, errno, name})
					}
				}
			}
		}
		random := rand.New(rand.NewPCG(7, 8))
		random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		n, _ := polytest.Cases(t, 0, 0, 160)
		failed := map[string]int{}
		for _, one := range all[:min(n, len(all))] {
			out := filepath.Join(t.TempDir(), "out")
			if interruptFailing(t, c.args(out), out, c.dataset, one.calls, one.errno, one.name) {
				failed[one.calls]++
			}
		}
		t.Logf("%s: calls that failed: %v", c.name, failed)
		if failed["write"] == 0 || failed["close"] == 0 {
			t.Errorf("%s: calls failed %v, want some of each kind", c.name, failed)
		}
	}
}

// An error that comes after the grace period is not hidden either: the command has what it takes to say it.
func TestInterruptWhileClosingFailsSlowly(t *testing.T) {
	cmd := processAs(t, "closing slowly", "")
	errs := &bytes.Buffer{}
	cmd.Stderr = errs
	polytest.NoError(t, cmd.Start())
	wantFailure(t, cmd, errs, "train: the disk is full")
}

// closeSlowly is a program that is interrupted, and whose files fail when it is about to be abandoned.
func closeSlowly(string) error {
	root := &cobra.Command{Use: "train"}
	root.RunE = func(cmd *cobra.Command, _ []string) error {
		_, err := onDisk(cmd.Context(), func() (any, error) {
			if err := syscall.Kill(os.Getpid(), syscall.SIGINT); err != nil {
				return nil, err
			}
			<-cmd.Context().Done()
			for work := cmd.Context().Value(diskKey{}).(*diskWork); work.TryRLock(); runtime.Gosched() { // nobody waits yet
				work.RUnlock()
			}
			return nil, errors.Join(context.Canceled, errors.New("the disk is full"))
		})
		for range 10000 { // what abandons the command goes first
			runtime.Gosched()
		}
		return err
	}
	executeMain(root)
	return nil
}
