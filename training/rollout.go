package training

import (
	"context"
	"errors"
	"math/big"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// RolloutOptions are the options of [Rollout]. Either Episodes or Seconds is given.
type RolloutOptions struct {
	Policy   *Policy  // chooses the actions
	Episodes int64    // of all worlds together
	Seconds  *big.Rat // of simulated time of each world, rounded up to a control step; nil: Episodes ends the run
	Folder   string   // the folder of the dataset, new or empty
	LogEvery int64    // control steps from one logged state to the next; 0: no log

	// Slice, if it is not the zero value, records these worlds of the run only, for [Merge].
	// Episodes and Seconds are still those of the whole run: a slice has those of its first
	// Episodes episodes that its worlds run.
	Slice sim.Slice

	// Wait is how long [OpenSliceRollout] waits for a Folder that another process has: one that
	// was given up and is about to end.
	Wait time.Duration

	// TraceFile, if it is not "", is the path of a trace of the slice's first world by the wall
	// clock; see [sim.Trace].
	TraceFile string

	// Progress, if it is not nil, is called after every segment with how much of total is
	// done, in episodes or, with Seconds, in control steps, and with the episodes that
	// ended.
	Progress func(done, total, episodes int64)

	// Warn, if it is not nil, is called with each warning of the task or the engine.
	Warn func(string)
}

// Recorded counts the episodes of a [Rollout].
type Recorded struct {
	Episodes int64 `json:"episodes"` // that ended
	Faults   int64 `json:"faults"`   // of them, those that a fault ended
}

// Rollout records episodes of a policy as a dataset and counts them. If ctx is cancelled
// or a step fails, what was recorded before is still a whole dataset.
func Rollout(ctx context.Context, config *configs.Config, opt RolloutOptions) (recorded Recorded, err error) {
	c := *config
	worlds, err := opt.worlds(ctx, &c)
	if err != nil {
		return recorded, err
	}
	folder, err := TakeFolder(opt.Folder, "")
	if err != nil {
		return recorded, err
	}
	defer folder.Close()
	log := logging{every: opt.LogEvery, kind: kindRollout, policy: opt.Policy.kind, driver: opt.Policy.path}
	header, _, err := log.header(&c, worlds)
	if err != nil {
		return recorded, errors.Join(err, folder.Discard())
	}
	defer func() { // after the dataset is closed
		if err == nil && !opt.Slice.IsAll() {
			err = writeSlice(opt.Folder, header, recorded)
		}
	}()
	if worlds.Log, err = log.create(opt.Folder, &c, worlds); err != nil {
		return recorded, errors.Join(err, folder.Discard())
	}
	e, err := env.Open(&c, worlds)
	if err != nil {
		return recorded, errors.Join(err, folder.Discard())
	}
	if opt.TraceFile != "" {
		defer func() { err = errors.Join(err, disk.Replace(disk.OS{}, opt.TraceFile, false, worlds.Trace.WriteJSON)) }()
	}
	defer func() { err = errors.Join(err, e.Close()); warn(opt.Warn, e); warnFault(opt.Warn, e) }()
	header.Model = e.ModelDigest()
	warn(opt.Warn, e)
	opt.Policy.warnModel(opt.Warn, e.ModelDigest())
	p := paceOf(c.Time.Settings, false)
	var progress func(done, episodes int64)
	if opt.Progress != nil {
		total := max(episodesOf(opt.Slice, c.Worlds, worlds.Episodes), worlds.Steps)
		progress = func(done, episodes int64) { opt.Progress(done, total, episodes) }
	}
	recorded.Episodes, _, err = roll(ctx, e, p, &c, opt.Policy, opt.Seconds != nil, progress)
	recorded.Faults = e.Sim().Faults()
	return recorded, err
}

// worlds returns how the worlds of a rollout are opened, and shortens the episodes of c to
// the policy's script, if it is one.
func (opt *RolloutOptions) worlds(ctx context.Context, c *configs.Config) (worlds env.OpenOptions, err error) {
	if !c.Recording.Enabled {
		return worlds, usagef("recording.enabled is false, want true for a rollout")
	}
	if c.Autoreset == configs.Disabled {
		return worlds, usagef("autoreset is %s, want %s or %s to record episodes", c.Autoreset, configs.SameStep, configs.NextStep)
	}
	if err := wantMode(c.Time.Mode, "a dataset cannot have gaps", runners.SimHighPerformance, runners.SimRealtime); err != nil {
		return worlds, err
	}
	plan, err := env.NewPlan(c)
	if err != nil {
		return worlds, err
	}
	if !plan.Records() {
		return worlds, usagef("bindings: the binding recorder or its runner is disabled, want both enabled for a rollout")
	}
	worlds = env.OpenOptions{Context: ctx, Slice: opt.Slice, Episodes: opt.Episodes, Dataset: opt.Folder, Plan: plan, StepOffset: opt.Policy.steps(), Accept: opt.Policy.fits}
	if opt.Seconds != nil {
		if err := plan.CheckSteady(); err != nil {
			return worlds, err
		}
		worlds.Steps = firstStep(opt.Seconds, plan.ControlRate())
	}
	if err := opt.Policy.limit(c, plan); err != nil {
		return worlds, err
	}
	if opt.TraceFile != "" {
		worlds.Trace = &sim.Trace{World: opt.Slice.From, Events: traceEvents}
	}
	return worlds, asUsage(opt.Slice.Check(c.Worlds, c.BlockSize))
}

// warn calls f with each warning: those of the task about its options or, once e is
// closed, those of the engine.
func warn(f func(string), e *env.Env) {
	if f == nil {
		return
	}
	for _, w := range e.Warnings() {
		f(w)
	}
}

// warnFault calls f with the first fault of a run, if there was one.
func warnFault(f func(string), e *env.Env) {
	warnFirst(f, e.Sim().FirstFault())
}

// warnFirst does so with a fault in the words of sim.Sim.FirstFault.
func warnFirst(f func(string), fault string) {
	if f != nil && fault != "" {
		f("a fault ended an episode, the first of " + fault)
	}
}

// MaxSeconds is the longest simulated time of a run, in s. In ns it fits an int64.
const MaxSeconds = 9_000_000_000

// firstStep returns the first control step that begins at a time, in s, or after it.
func firstStep(seconds *big.Rat, control runners.Rate) int64 {
	k := new(big.Rat).Mul(seconds, big.NewRat(control.Num(), control.Den()))
	up := new(big.Int).Add(k.Num(), new(big.Int).Sub(k.Denom(), big.NewInt(1)))
	return up.Div(up, k.Denom()).Int64()
}

// traceEvents is the number of events that a trace holds, about ten seconds of the
// quadruped.
const traceEvents = 50_000

// roll steps e under the policy until the run is over. It returns how many episodes
// ended, and the totals of the driver, if there was one. progress, if it is not nil, is
// called with how much is done, in control steps where byTime is set, otherwise in
// episodes.
func roll(ctx context.Context, e *env.Env, p pace, config *configs.Config, policy *Policy, byTime bool, progress func(done, episodes int64)) (episodes int64, total runners.Frame, err error) {
	act, err := policy.actor(e, config)
	if err != nil {
		return 0, total, err
	}
	if progress != nil {
		progress(0, 0)
	}
	ended := make([]int64, len(e.Sim().Blocks())) // episodes, by block
	step := func(w *sim.Worker, b *sim.Block) error {
		if err := act(w, b); err != nil {
			return err
		}
		if err := b.Step(w); err != nil {
			return err
		}
		ended[b.Index()] += episodesEnded(b)
		return nil
	}
	total, err = drive(ctx, e, p, step, func() {
		episodes = 0
		for _, n := range ended {
			episodes += n
		}
		if progress == nil {
			return
		}
		done := episodes
		if byTime {
			done = e.Sim().Blocks()[0].N()
		}
		progress(done, episodes)
	})
	return episodes, total, err
}

// episodesEnded returns how many episodes of a block ended in its last step.
func episodesEnded(b *sim.Block) (n int64) {
	for i := range b.Len() {
		if b.Terminated()[i] || b.Truncated()[i] {
			n++
		}
	}
	return n
}
