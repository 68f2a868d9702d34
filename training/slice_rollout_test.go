package training

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/training/policies"
	"github.com/polyrhythm-rl/polyrhythm/training/rollouts"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// A slice whose worlds have no episode is done at once, and is merged like others.
func TestSliceRolloutWithoutAnEpisode(t *testing.T) {
	config := parse(t, "Reacher-v5", "worlds=4", "block_size=1")
	policy := must(policies.Open(policies.Random))(t)
	opt := rollouts.RolloutOptions{Policy: policy, Episodes: 2, Folder: filepath.Join(t.TempDir(), "whole")}
	must(rollouts.Rollout(t.Context(), config, opt))(t)
	whole, folders, out := opt.Folder, []string{}, filepath.Join(t.TempDir(), "merged")
	for _, slice := range []sim.Slice{{From: 0, To: 2}, {From: 2, To: 4}} {
		opt.Slice, opt.Folder = slice, filepath.Join(t.TempDir(), slice.String())
		r := must(rollouts.OpenSliceRollout(t.Context(), config, opt, nil))(t)
		for done := false; !done; {
			done = must(r.Next(t.Context()))(t)
		}
		noError(t, r.Close())
		folders = append(folders, opt.Folder)
	}
	must(rollouts.Merge(t.Context(), folders, out, rollouts.MergeOptions{}))(t)
	without := polytest.Files(t, whole)
	delete(without, rundir.LogFile)
	polytest.SameFiles(t, "merged", polytest.Files(t, out), without)
}

func TestSliceRolloutRefuses(t *testing.T) {
	config := parse(t, "Reacher-v5", "worlds=4", "block_size=1")
	policy := must(policies.Open(policies.Random))(t)
	opt := rollouts.RolloutOptions{Policy: policy, Episodes: 8, Slice: sim.Slice{From: 0, To: 2},
		Folder: filepath.Join(t.TempDir(), "data")}
	unused := must(rollouts.OpenSliceRollout(t.Context(), config, opt, nil))(t)
	noError(t, unused.Close())
	if _, err := os.Lstat(opt.Folder); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what recorded nothing leaves its folder: %v", err)
	}
	r := must(rollouts.OpenSliceRollout(t.Context(), config, opt, nil))(t)
	must(r.Next(t.Context()))(t)
	snapshot, segments, err := r.Snapshot()
	if err != nil || segments != 1 {
		t.Fatalf("%d segments after the first, %v", segments, err)
	}
	errorContains(t, errOf(rollouts.OpenSliceRollout(t.Context(), config, opt, snapshot)), "is in use by another run")
	noError(t, r.Close())
	if err := r.Close(); err != nil {
		t.Errorf("closed again: %v", err)
	}
	none := opt
	none.Folder = filepath.Join(t.TempDir(), "refused")
	script := filepath.Join(t.TempDir(), "short.csv")
	noError(t, os.WriteFile(script, []byte("action[0]\n1\n"), 0o666))
	none.Policy = must(policies.Open(script))(t)
	errorContains(t, errOf(rollouts.OpenSliceRollout(t.Context(), config, none, nil)), "it has 1 columns of actions")
	if _, err := os.Stat(none.Folder); err == nil {
		t.Error("a slice that is refused leaves a folder")
	}
	damaged := append([]byte(nil), snapshot...)
	damaged[len(damaged)/2] ^= 4
	with := func(change func(*rollouts.RolloutOptions)) rollouts.RolloutOptions {
		o := opt
		change(&o)
		return o
	}
	for _, c := range []struct {
		config   *configs.Config
		opt      rollouts.RolloutOptions
		snapshot []byte
		want     string
	}{
		{config, opt, nil, "is not empty, want a new or an empty folder"},
		{config, opt, damaged, "snapshot of a slice: damaged: its checksum is"},
		{config, with(func(o *rollouts.RolloutOptions) { o.Folder += "2" }), snapshot,
			"data2 does not exist here, want the dataset that the snapshot is of, in a folder that all machines share"},
		{config, opt, []byte("other"), `snapshot of a slice: it does not begin with "prhythm`},
		{config, with(func(o *rollouts.RolloutOptions) { o.Slice.To = 3 }), snapshot, "the snapshot is of the slice 0:2, want 0:3"},
		{config, with(func(o *rollouts.RolloutOptions) { o.Episodes = 9 }), snapshot,
			"the snapshot is of another run: it has an end after 8 episodes, the other has an end after 9 episodes"},
		{parse(t, "Reacher-v5", "worlds=4", "block_size=1", "seed=9"), opt, snapshot,
			"the snapshot is of another run: it has the seed 1, the other has the seed 9"},
		{config, with(func(o *rollouts.RolloutOptions) { o.Slice = sim.Slice{} }), nil,
			"no slice given, want one, such as 0:4 for all worlds"},
		{config, with(func(o *rollouts.RolloutOptions) { o.LogEvery = 1 }), nil, "no log and no trace"},
		{parse(t, "Reacher-v5", "time.mode=sim_realtime"), opt, nil,
			"time.mode is sim_realtime, want sim_high_performance: a rollout in segments follows no wall clock"},
	} {
		if r, err := rollouts.OpenSliceRollout(t.Context(), c.config, c.opt, c.snapshot); err == nil || !strings.Contains(err.Error(),
			c.want) {
			t.Errorf("error %v, want %q", err, c.want)
			if r != nil {
				r.Close()
			}
		}
	}
}
