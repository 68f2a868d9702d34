package rollouts

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/internal/errtree"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sim/runlog"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/logs"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/runs"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/usage"
	"github.com/polyrhythm-rl/polyrhythm/training/policies"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// RegenerateOptions are the options of [Regenerate].
type RegenerateOptions struct {
	Folder     string        // of the dataset, new or empty, or one that an interrupted Regenerate of this recipe has left
	Policy     string        // path of the policy's file, if it is neither in the recipe nor beside it
	Workers    int           // goroutines that step worlds; 0: one per CPU
	Force      bool          // also with other versions or another processor than the run had
	StateEvery time.Duration // wall time after which a state is kept to go on from; 0: 30 s

	Progress func(done, total, episodes int64) // as that of RolloutOptions
	Note     func(string)                      // called with each difference that Force accepts; may be nil
}

// Regenerated is a dataset that was made again.
type Regenerated struct {
	rundir.Recorded
	Task    string
	Tables  int    // of the dataset
	Bytes   int64  // of their streams
	Differs string // where it differs from the first; "" if it is identical
}

// Regenerate makes the dataset of a rollout again from its recipe, the file at path or in the folder of that name, and
// compares the two. Such a dataset has the same bytes, pictures of cameras included, for any number of workers; its
// folder also has a recipe, a copy of the policy and the labels that lie beside the first recipe, but no log. Without
// Force it refuses, as what the caller can correct, other versions, kinds of processor, policies and models than those
// of the run. If ctx is cancelled, or the process ends in any way, another call with the same recipe and folder goes
// on.
func Regenerate(ctx context.Context, path string, opt RegenerateOptions) (done Regenerated, err error) {
	want, err := runs.ReadRecipe(path)
	if err != nil {
		return done, err
	}
	g := &regeneration{recipe: want, opt: opt}
	if err := g.open(ctx); err != nil {
		return done, err
	}
	err = g.run(ctx)
	err = errors.Join(err, g.worker.Close(err == nil))
	if err != nil {
		return done, err
	}
	d, err := recorder.Open(opt.Folder)
	if err != nil {
		return done, err
	}
	labels, err := d.Labels()
	if err == nil {
		labels.List, err = recorder.ReadLabels(filepath.Dir(want.Path))
	}
	if err == nil && len(labels.List) > 0 {
		err = labels.Write(d)
	}
	if err != nil {
		return done, err
	}
	digests := d.Digests()
	done = Regenerated{
		Recorded: g.worker.Recorded, Task: g.worker.Config.Task.Name, Tables: len(d.Tables),
		Differs: want.Differs(d, digests),
	}
	for _, t := range digests {
		done.Bytes += t.Bytes
	}
	state := filepath.Join(opt.Folder, rundir.RegenerateFile)
	return done, cmp.Or(disk.RemoveFile(state), disk.SyncName(disk.OS{}, state))
}

type regeneration struct {
	SliceRollout // of all worlds, if the recipe is of all
	recipe       *runs.Recipe
	opt          RegenerateOptions
}

// open opens the worlds, where an interrupted regeneration stood if there is one.
func (g *regeneration) open(ctx context.Context) error {
	h := g.recipe.Run
	config, err := configs.Parse(g.recipe.Path, []byte(h.Configuration), nil, nil)
	if err != nil {
		return usage.Mark(err)
	}
	config.Workers = g.opt.Workers
	if others := g.recipe.OtherVersions(); others != nil {
		if err := g.accept("the run had " + others[0]); err != nil {
			return err
		}
	}
	policy, err := g.recipe.Driver(g.opt.Policy)
	if err != nil {
		return err
	}
	run := RolloutOptions{Policy: policy, Episodes: h.Episodes, Slice: env.SliceOf(h), Folder: g.opt.Folder}
	worlds, err := run.worlds(ctx, config)
	if err == nil {
		worlds.Steps, err = logs.Steps(h)
	}
	if err != nil {
		return err
	}
	log := logs.New(logs.KindRollout, 0, policy)
	header := log.Header(config, worlds)
	snapshot, err := g.claim(header)
	if err != nil {
		return err
	}
	s, err := g.worker.Open(ctx, config, worlds, log, g.opt.Folder, snapshot, 0)
	if err != nil {
		return err
	}
	header.Model, header.Versions = g.worker.Env.ModelDigest(), h.Versions
	if text := logs.Mismatch(header, h, false); text != "" {
		err = g.accept("this run is another one: " + text)
	}
	if err == nil {
		g.memory = policies.Memory{Steps: s.Script, States: s.Memory}
		g.act, err = policy.Actor(g.worker.Env, config, &g.memory)
	}
	if err != nil {
		err = errors.Join(err, g.worker.Close(false))
		if snapshot == nil {
			err = errors.Join(err, g.worker.Folder.Discard())
		}
	}
	return err
}

// accept returns an error about a difference from the run, unless that is forced.
func (g *regeneration) accept(difference string) error {
	if !g.opt.Force {
		return usage.Errorf("%s: %s; want the same, or --force", g.recipe.Path, difference)
	}
	if g.opt.Note != nil {
		g.opt.Note(difference)
	}
	return nil
}

// claim takes the folder for a run with this header, and returns the state from which it goes on, nil for the beginning.
// The state is there before anything else, so that what is then in the folder is known to be of this recipe.
func (g *regeneration) claim(own runlog.Header) (snapshot []byte, err error) {
	path := filepath.Join(g.opt.Folder, rundir.RegenerateFile)
	if _, err := os.Stat(path); err != nil {
		if g.worker.Folder, err = rundir.CreateFolder(g.opt.Folder); err != nil {
			return nil, err
		}
		if err = (&runs.State{Run: &own}).Write(path); err != nil {
			err = errors.Join(err, g.worker.Folder.Discard())
		}
		return nil, err
	}
	if g.worker.Folder, err = rundir.LockFolder(g.opt.Folder); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			g.worker.Folder.Close()
		}
	}()
	s, data, err := runs.ReadStateFile(path)
	switch {
	case err != nil:
		return nil, err
	case s.Run == nil:
		return nil, usage.Errorf("%s is of no rollout, want one of %s", path, g.recipe.Path)
	case logs.Mismatch(*s.Run, own, false) != "":
		return nil, usage.Errorf("%s is of another run: %s", path, logs.Mismatch(*s.Run, own, false))
	case len(s.WorldBytes) == 0: // it has to begin again
		return nil, g.worker.Folder.Clear(rundir.RegenerateFile)
	}
	for _, name := range []string{rundir.SliceFile, rundir.RecipeFile} {
		if err := disk.RemoveFile(filepath.Join(g.opt.Folder, name)); err != nil {
			return nil, err
		}
	}
	return data, nil
}

// run records to the end, and keeps states on the way.
func (g *regeneration) run(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	every := g.opt.StateEvery
	if every == 0 {
		every = runs.StateEvery
	}
	progress := runs.Progress(g.worker.Env, g.worker.Config.Worlds, g.worker.Options,
		func() int64 { return g.Recorded().Episodes }, g.opt.Progress)
	written := time.Now()
	var newest *runs.State // the state after the newest segment, if it was not written; nil at the end
	write := func() error {
		err := g.worker.Env.Sync()
		if err == nil {
			err = newest.Write(filepath.Join(g.opt.Folder, rundir.RegenerateFile))
		}
		written, newest = time.Now(), nil
		return err
	}
	after := func() {
		progress()
		if newest = nil; !g.worker.Env.Active() {
			return
		}
		newest = &runs.State{Script: slices.Clone(g.memory.Steps), Memory: slices.Clone(g.memory.States)}
		err := g.worker.FillState(newest)
		if err == nil && time.Since(written) >= every {
			err = write()
		}
		if err != nil {
			newest = nil
			cancel(err)
		}
	}
	p := runs.NewPace(g.worker.Config.Time.Settings)
	p.Settings.Mode = runners.SimHighPerformance // no wall clock is followed
	_, err := runs.Drive(ctx, g.worker.Env, p, g.act.Step, after)
	if cause := context.Cause(ctx); cause != nil && errors.Is(err, context.Canceled) {
		if errtree.Only(err, context.Canceled) {
			err = cause
		}
		if newest != nil { // interrupted after a segment, or in the next one
			err = errors.Join(err, write())
		}
	}
	return err
}
