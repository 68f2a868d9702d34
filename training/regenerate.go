package training

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sim/runlog"
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
	Recorded
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
	want, err := readRecipe(path)
	if err != nil {
		return done, err
	}
	g := &regeneration{recipe: want, opt: opt}
	if err := g.open(ctx); err != nil {
		return done, err
	}
	err = g.run(ctx)
	err = errors.Join(err, g.close(err == nil))
	if err != nil {
		return done, err
	}
	d, err := recorder.Open(opt.Folder)
	if err != nil {
		return done, err
	}
	labels, err := d.Labels()
	if err == nil {
		labels.List, err = recorder.ReadLabels(filepath.Dir(want.path))
	}
	if err == nil && len(labels.List) > 0 {
		err = labels.Write(d)
	}
	if err != nil {
		return done, err
	}
	digests := d.Digests()
	done = Regenerated{
		Recorded: g.recorded, Task: g.config.Task.Name, Tables: len(d.Tables), Differs: want.differs(d, digests),
	}
	for _, t := range digests {
		done.Bytes += t.Bytes
	}
	return done, removeFile(filepath.Join(opt.Folder, RegenerateFile))
}

type regeneration struct {
	SliceRollout // of all worlds, if the recipe is of all
	recipe       *recipe
	opt          RegenerateOptions
}

// open opens the worlds, where an interrupted regeneration stood if there is one.
func (g *regeneration) open(ctx context.Context) error {
	h := g.recipe.Run
	config, err := configs.Parse(g.recipe.path, []byte(h.Configuration), nil, nil)
	if err != nil {
		return asUsage(err)
	}
	config.Workers = g.opt.Workers
	if others := g.recipe.otherVersions(); others != nil {
		if err := g.accept("the run had " + others[0]); err != nil {
			return err
		}
	}
	policy, err := g.recipe.driver(g.opt.Policy)
	if err != nil {
		return err
	}
	run := RolloutOptions{Policy: policy, Episodes: h.Episodes, Slice: env.SliceOf(h), Folder: g.opt.Folder}
	worlds, err := run.worlds(ctx, config)
	if err == nil {
		worlds.Steps, err = stepsOf(h)
	}
	if err != nil {
		return err
	}
	log := policy.logging(kindRollout, 0)
	own := log.header(config, worlds)
	snapshot, err := g.claim(own)
	if err != nil {
		return err
	}
	s, err := g.worker.open(ctx, config, worlds, log, g.opt.Folder, snapshot, 0)
	if err != nil {
		return err
	}
	own.Model, own.Versions = g.env.ModelDigest(), h.Versions
	if text := mismatch(own, h, false); text != "" {
		err = g.accept("this run is another one: " + text)
	}
	if err == nil {
		g.memory = memory{Steps: s.Script, States: s.memory}
		g.act, err = policy.actor(g.env, config, &g.memory)
	}
	if err != nil {
		err = errors.Join(err, g.close(false))
		if snapshot == nil {
			err = errors.Join(err, g.folder.Discard())
		}
	}
	return err
}

// accept returns an error about a difference from the run, unless that is forced.
func (g *regeneration) accept(difference string) error {
	if !g.opt.Force {
		return usagef("%s: %s; want the same, or --force", g.recipe.path, difference)
	}
	if g.opt.Note != nil {
		g.opt.Note(difference)
	}
	return nil
}

// claim takes the folder for a run with this header, and returns the state from which it goes on, nil for the beginning.
// The state is there before anything else, so that what is then in the folder is known to be of this recipe.
func (g *regeneration) claim(own runlog.Header) (snapshot []byte, err error) {
	path := filepath.Join(g.opt.Folder, RegenerateFile)
	if _, err := os.Stat(path); err != nil {
		if g.folder, err = CreateFolder(g.opt.Folder, ""); err != nil {
			return nil, asUsage(err)
		}
		if err = (&state{Run: &own}).write(path); err != nil {
			err = errors.Join(err, g.folder.Discard())
		}
		return nil, err
	}
	if g.folder, err = LockFolder(g.opt.Folder); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			g.folder.Close()
		}
	}()
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	s, err := decodeState(data)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", path, err)
	case s.Run == nil:
		return nil, usagef("%s is of no rollout, want one of %s", path, g.recipe.path)
	case mismatch(*s.Run, own, false) != "":
		return nil, usagef("%s is of another run: %s", path, mismatch(*s.Run, own, false))
	case len(s.worlds) == 0: // it has to begin again
		return nil, g.folder.clear(RegenerateFile)
	}
	for _, name := range []string{SliceFile, RecipeFile} {
		if err := removeFile(filepath.Join(g.opt.Folder, name)); err != nil {
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
		every = stateEvery
	}
	total := max(episodesOf(g.options.Slice, g.config.Worlds, g.options.Episodes), g.options.Steps)
	written := time.Now()
	var newest *state // the state after the newest segment, if it was not written; nil at the end
	write := func() error {
		err := g.env.Sync()
		if err == nil {
			err = newest.write(filepath.Join(g.opt.Folder, RegenerateFile))
		}
		written, newest = time.Now(), nil
		return err
	}
	after := func() {
		if g.opt.Progress != nil && total > 0 {
			episodes := g.Recorded().Episodes
			done := episodes
			if g.options.Steps > 0 {
				done = g.env.Sim().Blocks()[0].N()
			}
			g.opt.Progress(done, total, episodes)
		}
		if newest = nil; !g.env.Active() {
			return
		}
		newest = &state{Script: slices.Clone(g.memory.Steps), memory: slices.Clone(g.memory.States)}
		err := g.fillState(newest)
		if err == nil && time.Since(written) >= every {
			err = write()
		}
		if err != nil {
			newest = nil
			cancel(err)
		}
	}
	p := paceOf(g.config.Time.Settings)
	p.settings.Mode = runners.SimHighPerformance // no wall clock is followed
	_, err := drive(ctx, g.env, p, g.act.step, after)
	if cause := context.Cause(ctx); cause != nil && errors.Is(err, context.Canceled) {
		err = cause
		if newest != nil { // interrupted after a segment, or in the next one
			err = errors.Join(err, write())
		}
	}
	return err
}
