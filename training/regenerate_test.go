package training

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/container"
	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/logs"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/runs"
	"github.com/polyrhythm-rl/polyrhythm/training/policies"
	"github.com/polyrhythm-rl/polyrhythm/training/rollouts"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// regenerated makes the dataset of a recipe again and wants it to be identical.
func regenerated(t *testing.T, recipe string, opt rollouts.RegenerateOptions) string {
	t.Helper()
	opt.Folder = filepath.Join(t.TempDir(), "again")
	if done, err := rollouts.Regenerate(t.Context(), recipe, opt); err != nil || done.Differs != "" {
		t.Fatalf("regenerated %+v, %v", done, err)
	}
	return opt.Folder
}

// With any policy, an end of any kind and a slice, with a log or without one, a dataset is made again from its recipe
// alone, or that and a large policy, byte for byte, and its recipe with it.
func TestRegenerateHasTheSameBytes(t *testing.T) {
	config := parse(t, "quadruped", "worlds=4", "block_size=2", "max_steps=25", "recording={batch_rows: 20, "+
		"tables: [capture, control]}")
	trained := func(sets ...string) string {
		folder := filepath.Join(t.TempDir(), "run")
		must(Train(t.Context(), parse(t, "quadruped", append([]string{"worlds=4", "max_steps=25", "training.segment=8",
			"training.steps=64", "evaluation.episodes=1", "recording.enabled=false"}, sets...)...),
			TrainOptions{Folder: folder}))(t)
		return folder
	}
	for name, c := range map[string]struct {
		policy string
		opt    rollouts.RolloutOptions
		beside string // what has to be beside the recipe
	}{
		"random":  {policies.Random, rollouts.RolloutOptions{Episodes: 9, LogEvery: 1}, ""},
		"seconds": {policies.Zero, rollouts.RolloutOptions{Seconds: must(runners.ParseSeconds("1.3"))(t)}, ""},
		"slice":   {policies.Random, rollouts.RolloutOptions{Episodes: 9, Slice: sim.Slice{From: 2, To: 4}}, ""},
		"small":   {trained("training.hidden=[8]", "training.recurrent=4"), rollouts.RolloutOptions{Episodes: 9}, ""},
		"large":   {trained("training.hidden=[128,64]"), rollouts.RolloutOptions{Episodes: 9, LogEvery: 3}, rundir.DriverFile},
	} {
		t.Run(name, func(t *testing.T) {
			folder := rollSlice(t, config, c.policy, c.opt)
			alone := t.TempDir()
			for _, file := range []string{rundir.RecipeFile, c.beside} {
				if file != "" {
					noError(t, os.WriteFile(filepath.Join(alone, file), must(os.ReadFile(filepath.Join(folder, file)))(t), 0o666))
				}
			}
			again := regenerated(t, alone, rollouts.RegenerateOptions{Workers: 2})
			polytest.SameFiles(t, "again", polytest.Files(t, again), polytest.Files(t, folder, rundir.LogFile))
			labels := &recorder.Labels{List: []recorder.Label{{Task: "walk"}}}
			noError(t, labels.Write(must(recorder.Open(again))(t)))
			once := regenerated(t, filepath.Join(again, rundir.RecipeFile), rollouts.RegenerateOptions{Workers: 1})
			polytest.SameFiles(t, "once more", polytest.Files(t, once), polytest.Files(t, again))
			if c.beside == "" {
				return
			}
			driver := filepath.Join(alone, c.beside)
			opt := rollouts.RegenerateOptions{Folder: filepath.Join(t.TempDir(), "refused")}
			noError(t, os.WriteFile(driver, []byte("another"), 0o666))
			usageError(t, errOf(rollouts.Regenerate(t.Context(), alone, opt)), "the policy has SHA-256 ")
			noError(t, os.Remove(driver))
			usageError(t, errOf(rollouts.Regenerate(t.Context(), alone, opt)), "want the policy of the run, a file of ")
			regenerated(t, alone, rollouts.RegenerateOptions{Policy: filepath.Join(folder, c.beside)})
			if _, err := os.Stat(opt.Folder); err == nil {
				t.Error("a regeneration that was refused leaves a folder")
			}
		})
	}
}

// One that was interrupted goes on from any state, also in the folder of a process that was killed; not with another
// recipe, and never in a folder that holds something else.
func TestRegenerateGoesOn(t *testing.T) {
	config := parse(t, "HalfCheetah-v5", "worlds=3", "block_size=1", "max_steps=90", "recording={batch_rows: 30, "+
		"tables: [capture, control, sensors]}")
	folder := rollSlice(t, config, policies.Random, rollouts.RolloutOptions{Episodes: 40})
	other := rollSlice(t, config, policies.Random, rollouts.RolloutOptions{Episodes: 41})
	want := polytest.Files(t, folder, rundir.LogFile)
	usageError(t, errOf(rollouts.Regenerate(t.Context(), folder, rollouts.RegenerateOptions{Folder: folder})), "is not empty")
	polytest.SameFiles(t, "the first", polytest.Files(t, folder, rundir.LogFile), want)

	interrupt := func(path string, opt rollouts.RegenerateOptions, calls int, f func()) error {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		opt.Folder = path
		opt.Progress = func(int64, int64, int64) {
			if calls--; calls == 0 {
				f()
				cancel()
			}
		}
		_, err := rollouts.Regenerate(ctx, folder, opt)
		return err
	}
	for _, every := range []int{1, 1 << 60} { // a state after each segment, or that of the beginning
		path, killed := filepath.Join(t.TempDir(), "again"), filepath.Join(t.TempDir(), "killed")
		for calls := 1; calls < 4; calls++ {
			err := interrupt(path, rollouts.RegenerateOptions{StateEvery: 1, Workers: calls}, calls, func() {
				if every > 1 {
					noError(t, (&runs.State{Run: must(runs.DecodeState(must(os.ReadFile(filepath.Join(path, rundir.RegenerateFile)))(t)))(t).Run}).
						Write(filepath.Join(path, rundir.RegenerateFile)))
				}
				noError(t, os.RemoveAll(killed))
				noError(t, os.CopyFS(killed, os.DirFS(path)))
			})
			if !errors.Is(err, context.Canceled) {
				t.Fatalf("interrupted: %v", err)
			}
		}
		usageError(t, errOf(rollouts.Regenerate(t.Context(), other, rollouts.RegenerateOptions{Folder: path})),
			"is of another run: it has an end after 40 episodes, the other has an end after 41 episodes")
		for _, left := range []string{path, killed} {
			if done, err := rollouts.Regenerate(t.Context(), folder, rollouts.RegenerateOptions{Folder: left}); err != nil || done.Differs != "" ||
				done.Episodes != 40 || done.Tables != 4 {
				t.Errorf("going on: %+v, %v", done, err)
			}
			polytest.SameFiles(t, "went on", polytest.Files(t, left), want)
		}
	}
	path := filepath.Join(t.TempDir(), "soon") // long before it keeps a state by itself
	if err := interrupt(path, rollouts.RegenerateOptions{}, 2, func() {}); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	kept := must(runs.DecodeState(must(os.ReadFile(filepath.Join(path, rundir.RegenerateFile)))(t)))(t)
	if len(kept.WorldBytes) == 0 {
		t.Error("an interrupted regeneration begins again, want it to go on after the second segment")
	}
	path = filepath.Join(t.TempDir(), "torn")
	if err := interrupt(path, rollouts.RegenerateOptions{StateEvery: 1}, 2, func() {}); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	noError(t, os.Truncate(filepath.Join(path, rundir.RegenerateFile), 300))
	errorContains(t, errOf(rollouts.Regenerate(t.Context(), folder, rollouts.RegenerateOptions{Folder: path})), rundir.RegenerateFile+": cut short")
}

// Recipes that are damaged, of a version to come, or of other machines are refused with a line; and what differs is
// said.
func TestRegenerateRefusesAndCompares(t *testing.T) {
	config := parse(t, "Reacher-v5", "worlds=2", "max_steps=20", "recording.batch_rows=8")
	folder := rollSlice(t, config, policies.Random, rollouts.RolloutOptions{Episodes: 10})
	data := must(os.ReadFile(filepath.Join(folder, rundir.RecipeFile)))(t)
	if len(data) > 8<<10 {
		t.Errorf("the recipe has %d bytes, want some kilobytes", len(data))
	}
	path, out := filepath.Join(t.TempDir(), "changed.recipe"), ""
	try := func(data []byte, force bool) (rollouts.Regenerated, []string, error) {
		noError(t, os.WriteFile(path, data, 0o666))
		var notes []string
		out = filepath.Join(t.TempDir(), "again")
		done, err := rollouts.Regenerate(t.Context(), path, rollouts.RegenerateOptions{Folder: out, Force: force,
			Note: func(text string) { notes = append(notes, text) }})
		return done, notes, err
	}
	with := func(pairs ...string) []byte {
		sections, _, err := runs.RecipeKind.Decode(data)
		noError(t, err)
		text := strings.NewReplacer(pairs...).Replace(string(sections[0]))
		if text == string(sections[0]) {
			t.Fatalf("%q changes nothing in %s", pairs, text)
		}
		return runs.RecipeKind.Encode([]byte(text), sections[1])
	}
	future := container.Format{Name: runs.RecipeKind.Name, Version: 2, Sections: runs.RecipeKind.Sections}
	flipped := bytes.Clone(data)
	flipped[len(flipped)/2] ^= 1
	for _, c := range []struct {
		data  []byte
		usage bool
		want  string
	}{
		{data[:len(data)/2], false, "changed.recipe: cut short: "},
		{nil, false, "changed.recipe: cut short: 0 bytes"},
		{flipped, false, "changed.recipe: damaged: its checksum is "},
		{future.Encode([]byte("{}")), false, "changed.recipe: its version is 2, want 1"},
		{runs.RecipeKind.Encode([]byte("{")), false, "unexpected end of JSON"},
		{runs.RecipeKind.Encode([]byte("{}")), false, `a run of the kind "", want "rollout"`},
		{with(`"go":"go1.`, `"go":"go0.`), true, "the run had go go0."},
		{with(`"processor":"`, `"processor":"Other `), true, "the run had processor Other "},
		{with(`"policy":"random"`, `"policy":"fast"`), false, `the policy is "fast", want random, zero`},
		{with(`"episodes":10,"every"`, `"episodes":11,"every"`, `"seed":1`, `"seed":2`), true,
			"it has the seed 1, the other has the seed 2"},
		{with(`seed: 1\n`, `seeds: 1\n`), true, "seeds"},
	} {
		_, _, err := try(c.data, false)
		errorContains(t, err, c.want)
		if c.usage {
			usageError(t, err, c.want)
		}
		if strings.Contains(err.Error(), "\n") {
			t.Errorf("%q, want one line", err)
		}
		if _, err := os.Stat(out); err == nil {
			t.Errorf("%s: it leaves a folder", c.want)
		}
	}
	usageError(t, errOf(rollouts.Regenerate(t.Context(), t.TempDir(), rollouts.RegenerateOptions{Folder: out})), "want a dataset.recipe")

	done, notes, err := try(with(`"go":"go1.`, `"go":"go0.`), true)
	if err != nil || done.Differs != "" || len(notes) != 1 || !strings.HasPrefix(notes[0], "the run had go go0.") {
		t.Errorf("forced: %+v, %q, %v", done, notes, err)
	}
	r := must(runs.ReadRecipe(filepath.Join(folder, rundir.RecipeFile)))(t)
	table := r.Tables[0]
	if len(table.Tenths) < 5 {
		t.Fatalf("%+v, want a table of several batches", table)
	}
	for want, changed := range map[string][]byte{
		`the table "capture" differs first in rows `: with(table.Tenths[3].CRC, "00000000"),
		`its schema or its division into files`:      with(table.Digest, strings.Repeat("0", 64)),
		"polyrhythm.json differs":                    with(r.Document, strings.Repeat("0", 64)),
	} {
		if done, _, err := try(changed, false); err != nil || !strings.Contains(done.Differs, want) {
			t.Errorf("%+v, %v, want %q", done, err, want)
		}
	}
}

// A model of the user's that was edited, or is gone, is refused.
func TestRegenerateWithAnotherModel(t *testing.T) {
	text := string(must(os.ReadFile("../configs/quadruped.xml"))(t))
	model := filepath.Join(t.TempDir(), "dog.xml")
	noError(t, os.WriteFile(model, []byte(text), 0o666))
	folder := rollSlice(t, parse(t, "quadruped", "worlds=2", "max_steps=10", "scene.models=[{file: "+model+"}]"),
		policies.Random, rollouts.RolloutOptions{Episodes: 2})
	regenerated(t, folder, rollouts.RegenerateOptions{})
	opt := rollouts.RegenerateOptions{Folder: filepath.Join(t.TempDir(), "refused")}
	noError(t, os.WriteFile(model, []byte(strings.Replace(text, "</mujoco>", `<option gravity="0 0 -9.7"/></mujoco>`, 1)),
		0o666))
	usageError(t, errOf(rollouts.Regenerate(t.Context(), folder, opt)), "it has a model with digest ")
	noError(t, os.Remove(model))
	errorContains(t, errOf(rollouts.Regenerate(t.Context(), folder, opt)), "dog.xml")
	if _, err := os.Stat(opt.Folder); err == nil {
		t.Error("a regeneration that was refused leaves a folder")
	}
}

// A merged dataset has the recipe of the whole, unless its slices are of different processors.
func TestRegenerateAfterMerge(t *testing.T) {
	config := parse(t, "Reacher-v5", "worlds=4", "block_size=2", "max_steps=9")
	whole := rollSlice(t, config, policies.Random, rollouts.RolloutOptions{Episodes: 10})
	var folders []string
	for _, slice := range []sim.Slice{{From: 0, To: 2}, {From: 2, To: 4}} {
		folders = append(folders, rollSlice(t, config, policies.Random, rollouts.RolloutOptions{Episodes: 10, Slice: slice}))
	}
	merge := func(folders []string, mixed bool) string {
		out := filepath.Join(t.TempDir(), "merged")
		must(rollouts.Merge(t.Context(), folders, out, rollouts.MergeOptions{Mixed: mixed}))(t)
		return out
	}
	merged := merge(folders, false)
	polytest.SameFiles(t, "merged", polytest.Files(t, merged), polytest.Files(t, whole, rundir.LogFile))
	again := []string{regenerated(t, folders[0], rollouts.RegenerateOptions{}), regenerated(t, folders[1], rollouts.RegenerateOptions{})}
	polytest.SameFiles(t, "slices made again", polytest.Files(t, merge(again, false)), polytest.Files(t, whole, rundir.LogFile))
	slice := filepath.Join(folders[1], rundir.SliceFile)
	var record runs.SliceRecord
	noError(t, disk.ReadJSON(slice, &record))
	record.Run.Versions[logs.ProcessorVersion] = "another"
	noError(t, disk.Replace(disk.OS{}, slice, false, disk.JSON(record.Signed())))
	if _, err := os.Stat(filepath.Join(merge(folders, true), rundir.RecipeFile)); err == nil {
		t.Error("slices of two processors have a recipe, which one machine cannot follow")
	}
}
