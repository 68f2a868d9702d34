package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// slicesOf records the slices of a rollout, and the whole rollout.
func slicesOf(t *testing.T, slices ...string) (folders []string, whole string) {
	t.Helper()
	dir := t.TempDir()
	whole = filepath.Join(dir, "whole")
	mustTrain(t, rolling(whole, "--episodes", "24")...)
	for i, slice := range slices {
		folders = append(folders, filepath.Join(dir, fmt.Sprint(i)))
		mustTrain(t, rolling(folders[i], "--episodes", "24", "--slice", slice)...)
	}
	return folders, whole
}

// A merge that is killed at any moment leaves nothing that looks finished, and the next one makes the dataset.
func TestKilledMergeLong(t *testing.T) {
	polytest.OnlySlow(t)
	folders, whole := slicesOf(t, "0:1", "1:4")
	startTime := time.Now()
	mustTrain(t, "merge", folders[1], folders[0], "--out", filepath.Join(t.TempDir(), "merged"))
	took := time.Since(startTime)
	random := rand.New(rand.NewPCG(1, 2))
	for range 6 {
		out := filepath.Join(t.TempDir(), "merged")
		after := 3 * time.Duration(random.Int64N(int64(took))) // a process starts slowly
		cmd := start(t, append([]string{"merge", "--out", out}, folders...)...)
		if !killAfter(t, cmd, after) {
			if _, err := os.Stat(out); err == nil { // killed after it was done
				polytest.SameFiles(t, "merged", polytest.Files(t, out), polytest.Files(t, whole))
				continue
			}
		} else if !cmd.ProcessState.Success() {
			t.Fatalf("after %v: %v", after, cmd.ProcessState)
		}
		if _, err := os.Stat(out); errors.Is(err, fs.ErrNotExist) {
			mustTrain(t, append([]string{"merge", "--out", out}, folders...)...)
		}
		polytest.SameFiles(t, "merged", polytest.Files(t, out), polytest.Files(t, whole))
		if left, err := os.ReadDir(filepath.Dir(out)); len(left) != 1 {
			t.Errorf("after %v: beside the dataset there is %v, %v", after, left, err)
		}
	}
}

// A slice that was killed is refused, also when it has been recovered; made again it is merged.
func TestMergeOfAKilledSliceLong(t *testing.T) {
	polytest.OnlySlow(t)
	folders, whole := slicesOf(t, "0:2")
	killed := filepath.Join(t.TempDir(), "killed")
	cmd := start(t, rolling(killed, "--episodes", "2400", "--slice", "2:4")...)
	awaitRows(t, killed)
	if killAfter(t, cmd, 0) {
		t.Fatal("it was done before it was killed")
	}
	out := filepath.Join(t.TempDir(), "merged")
	refused := func() {
		t.Helper()
		code, _, errs := train(t, "merge", folders[0], killed, "--out", out)
		if want := "train: " + killed + " has no slice.json, want the folder of a slice that is done: "; code != Usage ||
			!strings.HasPrefix(errs, want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("exit %d: %s, want %q", code, errs, want)
		}
	}
	refused()
	wantAcknowledged(t, killed)
	refused()
	again := filepath.Join(t.TempDir(), "again")
	mustTrain(t, rolling(again, "--episodes", "24", "--slice", "2:4")...)
	text := mustTrain(t, "merge", again, folders[0], "--out", out)
	if want := "24 episodes of quadruped from 2 slices in " + out + ": "; !strings.HasPrefix(text, want) {
		t.Errorf("it says %q, want %q", text, want)
	}
	polytest.SameFiles(t, "merged", polytest.Files(t, out), polytest.Files(t, whole))
}

func TestMergeUsage(t *testing.T) {
	rolled := "rollout --task quadruped --set worlds=4 --out out --episodes 4 --slice"
	for _, c := range []struct{ args, want string }{
		{"merge", "no SLICE given, want at least 1 (see train merge --help)"},
		{"merge .", "no folder given, want --out DIR"},
		{"merge . --out c", ". has no slice.json, want the folder of a slice that is done: it is written at its end"},
		{rolled + " 1", `--slice is "1", want FROM:TO, such as 0:16`},
		{rolled + " ''", `--slice is "", want FROM:TO, such as 0:16`},
		{rolled + " 3:5", "slice is 3:5, want at least one world of 0:4"},
		{rolled + " 1:2 --set block_size=2", "slice is 1:2, want it to begin and end with a block: multiples of 2, or " +
			"the end 4"},
	} {
		refuses(t, Usage, c.args, "train: "+c.want+"\n")
	}
	polytest.ErrorIs(t, polytest.Err(os.Stat("out")), fs.ErrNotExist)
}
