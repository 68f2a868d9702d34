package cli

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/runlog"
	"github.com/polyrhythm-rl/polyrhythm/training"
)

// replays checks that a run replays identically on several numbers of workers.
func replays(t *testing.T, run, want string) {
	t.Helper()
	for _, workers := range []int{1, 2, 4, 8} {
		if out := mustTrain(t, "replay", run, "--workers", fmt.Sprint(workers)); out != want {
			t.Errorf("%d workers: %q, want %q", workers, out, want)
		}
	}
}

func TestReplayOfTrainingAndRollouts(t *testing.T) {
	dir := t.TempDir()
	first, second := filepath.Join(dir, "first"), filepath.Join(dir, "second")
	mustTrain(t, append([]string{"run", "--task", "quadruped", "--out", first, "--workers", "2"}, small...)...)
	replays(t, first, "identical, 280 steps of 6 worlds\n")

	// A resumed run replays without the folder of the run that it continues.
	mustTrain(t, "run", "--resume", first, "--out", second, "--set", "training.steps=2000", "--log-every", "7")
	acted := filepath.Join(dir, "acted")
	mustTrain(t, "rollout", "--task", "quadruped", "--set", "worlds=4", "--set", "max_steps=25",
		"--policy", first, "--episodes", "6", "--out", acted, "--workers", "2")
	if err := os.RemoveAll(first); err != nil {
		t.Fatal(err)
	}
	replays(t, second, "identical, 77 steps of 6 worlds\n")
	replays(t, acted, "identical, 64 steps of 4 worlds\n")

	for _, policy := range []string{"random", "zero"} {
		out := filepath.Join(dir, policy)
		mustTrain(t, "rollout", "--task", "HalfCheetah-v5", "--set", "worlds=3", "--set", "max_steps=30",
			"--policy", policy, "--episodes", "7", "--out", out)
		replays(t, out, "identical, 128 steps of 3 worlds\n")
	}

	// A different checkpoint under the same name is an error.
	other := filepath.Join(dir, "random")
	data, err := os.ReadFile(filepath.Join(acted, training.DriverFile))
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/2] ^= 1
	if err := os.WriteFile(filepath.Join(acted, training.DriverFile), data, 0o666); err != nil {
		t.Fatal(err)
	}
	code, _, errs := train(t, "replay", acted)
	if code != Failed || !strings.Contains(errs, "it is not the checkpoint of the run") {
		t.Errorf("exit %d: %s", code, errs)
	}
	testDamage(t, other)
}

// testDamage flips a bit of a run's log, and changes one with its checksum.
func testDamage(t *testing.T, run string) {
	path := filepath.Join(run, training.LogFile)
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	put := func(data []byte) {
		t.Helper()
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	bad := append([]byte(nil), good...)
	bad[len(bad)/2] ^= 8
	put(bad)
	code, out, errs := train(t, "replay", run)
	if code != Failed || out != "" || !strings.Contains(errs, "train: log damaged at offset ") || strings.Count(errs, "\n") != 1 {
		t.Errorf("a flipped bit: exit %d: %q %q", code, out, errs)
	}

	put(good[:len(good)-30])
	code, out, errs = train(t, "replay", run)
	if code != Failed || out != "" || !strings.Contains(errs, "cut short") || !strings.HasSuffix(errs, "; the 64 steps before are identical\n") {
		t.Errorf("a cut log: exit %d: %q %q", code, out, errs)
	}

	// A whole log with a different state of world 1 after step 50.
	put(altered(t, good, 50, 1, runlog.Physics))
	code, out, errs = train(t, "replay", run)
	if want := "train: diverged after 50 control steps: world 1, physics\n"; code != Failed || out != "" || !strings.HasSuffix(errs, want) {
		t.Errorf("another log: exit %d: %q %q, want %q", code, out, errs, want)
	}
}

// altered is a log with another hash of one part of a world after step n, and
// checksums that are right: the log of a run that differed there.
func altered(t *testing.T, log []byte, n uint64, world uint32, part runlog.Part) []byte {
	t.Helper()
	le := binary.LittleEndian
	log = slices.Clone(log)
	for at := 12; at < len(log); {
		end := at + 5 + int(le.Uint32(log[at+1:]))
		payload := log[at+5 : end]
		if log[at] == byte(runlog.KindState) && le.Uint64(payload) == n {
			if first := le.Uint32(payload[8:]); first <= world && world < first+le.Uint32(payload[12:]) {
				payload[16+8*(int(world-first)*runlog.NumParts+int(part))]++
				le.PutUint32(log[end:], crc32.Checksum(log[at:end], crc32.MakeTable(crc32.Castagnoli)))
				return log
			}
		}
		at = end + 4
	}
	t.Fatalf("the log has no state of world %d after %d steps", world, n)
	return nil
}

func TestReplayErrors(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, training.LogFile), []byte("no log, but of some length"), 0o666); err != nil {
		t.Fatal(err)
	}
	unlogged := filepath.Join(dir, "unlogged")
	mustTrain(t, "rollout", "--task", "HalfCheetah-v5", "--set", "worlds=1", "--set", "max_steps=3", "--episodes", "1", "--out", unlogged, "--log-every", "0")
	for _, c := range []struct {
		code int
		args []string
		want string
	}{
		{Usage, []string{"replay"}, "no RUN given, want one"},
		{Usage, []string{"replay", filepath.Join(dir, "nothing")}, "holds no run log"},
		{Usage, []string{"replay", unlogged}, "holds no run log"},
		{Usage, []string{"replay", dir, "--workers", "-1"}, "--workers is -1, want at least 0"},
		{Failed, []string{"replay", dir}, "no run log"},
		{Usage, []string{"run", "--task", "quadruped", "--log-every", "-1"}, "--log-every is -1, want at least 0"},
		{Failed, []string{"rollout", "--task", "HalfCheetah-v5", "--episodes", "1", "--out", unlogged}, "is not empty"},
	} {
		code, out, errs := train(t, c.args...)
		if code != c.code || out != "" || !strings.Contains(errs, c.want) {
			t.Errorf("%q: exit %d: %q %q, want %d and %q", c.args, code, out, errs, c.code, c.want)
		}
	}
	if _, err := os.Stat(filepath.Join(unlogged, training.LogFile)); err == nil {
		t.Error("a refused rollout left its log")
	}
}
