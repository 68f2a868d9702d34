package training

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/training/policies"
	"github.com/polyrhythm-rl/polyrhythm/training/rollouts"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// rolledSlices records the slices of a run.
func rolledSlices(t testing.TB) (folders []string) {
	config := parse(t, "Reacher-v5", "worlds=4", "block_size=2", "max_steps=5")
	policy := must(policies.Open(policies.Random))(t)
	for w := 0; w < 4; w += 2 {
		folder := filepath.Join(t.TempDir(), "data")
		must(rollouts.Rollout(t.Context(), config, rollouts.RolloutOptions{
			Policy: policy, Episodes: 4, Slice: sim.Slice{From: w, To: w + 2}, Folder: folder,
		}))(t)
		folders = append(folders, folder)
	}
	return folders
}

// mergedOrRefused merges slices. An error has one line and leaves nothing.
func mergedOrRefused(t testing.TB, folders []string, what string) (files map[string]string) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "merged")
	_, err := rollouts.Merge(t.Context(), folders, out, rollouts.MergeOptions{})
	if err == nil {
		return polytest.Files(t, out)
	}
	left, _ := os.ReadDir(filepath.Dir(out))
	if strings.ContainsAny(err.Error(), "\n\r") || len(left) > 0 {
		t.Errorf("%s: %q, and %d files are left, want one line and none", what, err, len(left))
	}
	return nil
}

// A flipped bit in the record of a slice, a cut, or the record of another slice is noticed.
func TestDamagedSliceFileLong(t *testing.T) {
	folders := rolledSlices(t)
	want := mergedOrRefused(t, folders, "as they were")
	path := filepath.Join(folders[1], rundir.SliceFile)
	sound := must(os.ReadFile(path))(t)
	damaged := func(what string, data []byte) {
		t.Helper()
		noError(t, os.WriteFile(path, data, 0o666))
		if got := mergedOrRefused(t, folders, what); got != nil {
			t.Errorf("%s was not noticed", what)
		}
	}
	damaged("the record of another slice", must(os.ReadFile(filepath.Join(folders[0], rundir.SliceFile)))(t))
	tries, _ := polytest.Cases(t, 100, 300, 8*len(sound))
	random := rand.New(rand.NewPCG(27, 1))
	for i := range tries {
		bit := i
		if tries < 8*len(sound) {
			bit = random.IntN(8 * len(sound))
		}
		data := bytes.Clone(sound)
		data[bit/8] ^= 1 << (bit % 8)
		damaged(fmt.Sprintf("bit %d of byte %d, in %q", bit%8, bit/8, around(sound, bit/8)), data)
	}
	for range tries / 10 {
		n := random.IntN(len(sound))
		damaged(fmt.Sprintf("a cut at %d", n), sound[:n])
	}
	noError(t, os.WriteFile(path, sound, 0o666))
	polytest.SameFiles(t, "whole again", mergedOrRefused(t, folders, "whole again"), want)
}

func around(data []byte, at int) string { return string(data[max(0, at-12):min(len(data), at+12)]) }

// Whatever is in the record of a slice, it is merged, or refused in one line.
func FuzzSliceFile(f *testing.F) {
	folders := rolledSlices(f)
	path := filepath.Join(folders[1], rundir.SliceFile)
	f.Add(must(os.ReadFile(path))(f))
	f.Add([]byte(`{"run": {"worlds": 9223372036854775807, "from": -1, "to": 1, "block_size": 1}}`))
	f.Add([]byte(`{"run": {"worlds": 4, "from": 0, "to": 4, "block_size": 0, "driver": null}, "recorded": []}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		noError(t, os.WriteFile(path, data, 0o666))
		mergedOrRefused(t, folders, "fuzzed")
	})
}
