package training

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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

	// Slice, if it is not the zero value, records these worlds of the run only, for [Merge]. Episodes and Seconds are
	// still those of the whole run: a slice has those of its first Episodes episodes that its worlds run.
	Slice sim.Slice

	Wait time.Duration // of [OpenSliceRollout] for a Folder that a process has which is about to end

	// TraceFile, if it is not "", is the path of a trace of the slice's first world by the wall
	// clock; see [sim.Trace].
	TraceFile string

	// Progress, if it is not nil, is called after every segment with how much of total is done, in episodes or, with
	// Seconds, in control steps, and with the episodes that ended.
	Progress func(done, total, episodes int64)

	Warn func(string) // called with each warning of the task or the engine; may be nil
}

// Recorded counts the episodes of a [Rollout].
type Recorded struct {
	Episodes int64 `json:"episodes"` // that ended
	Faults   int64 `json:"faults"`   // of them, those that a fault ended
}

// Rollout records episodes of a policy as a dataset and counts them. If ctx is cancelled
// or a step fails, what was recorded before is still a whole dataset.
func Rollout(ctx context.Context, config *configs.Config, opt RolloutOptions) (recorded Recorded, err error) {
	r, err := openRollout(ctx, config, opt, nil)
	if err != nil {
		return recorded, err
	}
	e := r.env
	defer func() {
		err = errors.Join(err, r.close(err == nil))
		recorded = r.recorded
		if opt.TraceFile != "" {
			err = errors.Join(err, disk.Replace(disk.OS{}, opt.TraceFile, false, r.options.Trace.WriteJSON))
		}
		warnEnd(opt.Warn, e)
	}()
	opt.Policy.warn(opt.Warn, e)
	after := r.infos.progress(e, r.config.Worlds, r.options, opt.Progress)
	after()
	_, err = drive(ctx, e, paceOf(r.config.Time.Settings), r.act.step, func() {
		_ = r.unmark() // close says why not
		after()
	})
	return recorded, err
}

// openRollout opens the worlds of a rollout, at a snapshot of a slice.
func openRollout(ctx context.Context, config *configs.Config, opt RolloutOptions, snapshot []byte) (*SliceRollout,
	error) {
	if err := cmp.Or(wantConfig(config), wantPolicy(opt.Policy)); err != nil {
		return nil, err
	}
	c := *config
	worlds, err := opt.worlds(ctx, &c)
	if err != nil {
		return nil, err
	}
	r := &SliceRollout{}
	start, err := r.open(ctx, &c, worlds, opt.Policy.logging(kindRollout, opt.LogEvery), opt.Folder, snapshot,
		opt.Wait)
	if err == nil {
		r.memory = memory{Steps: start.Script, States: start.memory}
		r.act, err = opt.Policy.actor(r.env, &c, &r.memory)
	}
	if err != nil {
		return nil, errors.Join(err, r.close(false))
	}
	return r, nil
}

// worlds returns how the worlds of a rollout are opened. In c it turns recording on, and
// shortens the episodes to the policy's script, if it is one.
func (opt *RolloutOptions) worlds(ctx context.Context, c *configs.Config) (worlds env.OpenOptions, err error) {
	c.Recording.Enabled = true // to record is what a rollout is for
	if err := wantReset(c, "record episodes"); err != nil {
		return worlds, err
	}
	err = wantMode(c.Time.Mode, "a dataset cannot have gaps", runners.SimHighPerformance, runners.SimRealtime)
	if err != nil {
		return worlds, err
	}
	if worlds, err = opt.Policy.options(ctx, c, opt.Episodes, opt.Seconds); err != nil {
		return worlds, err
	}
	if !worlds.Plan.Records() {
		return worlds, usagef("bindings: the binding recorder or its runner is disabled, want both enabled for a rollout")
	}
	worlds.Slice, worlds.Dataset = opt.Slice, opt.Folder
	if opt.TraceFile != "" {
		worlds.Trace = &sim.Trace{World: opt.Slice.From, Events: traceEvents}
	}
	return worlds, nil
}

// warn calls f with each warning: those of the task about its options or, once e is closed, those of the engine.
func warn(f func(string), e *env.Env) {
	if f == nil {
		return
	}
	for _, w := range e.Warnings() {
		f(w)
	}
}

// warnEnd does so when e is closed, and calls f with the first fault of the run, if there was one.
func warnEnd(f func(string), e *env.Env) {
	warn(f, e)
	warnFirst(f, e.Sim().FirstFault())
}

// warnFirst calls f with a fault in the words of sim.Sim.FirstFault.
func warnFirst(f func(string), fault string) {
	if f != nil && fault != "" {
		f("a fault ended an episode, the first of " + fault)
	}
}

// MaxSeconds is the longest simulated time of a run, in s. In ns it fits an int64.
const MaxSeconds = 9_000_000_000

// ParseSeconds reads a simulated time, in s, exactly: more than 0, at most MaxSeconds.
func ParseSeconds(text string) (*big.Rat, error) {
	s, ok := new(big.Rat).SetString(text)
	if !ok || s.Sign() <= 0 || s.Cmp(big.NewRat(MaxSeconds, 1)) > 0 {
		return nil, fmt.Errorf("seconds is %q, want a number above 0, at most %d", text, int64(MaxSeconds))
	}
	return s, nil
}

// firstStep returns the first control step that begins at a time, in s, or after it.
func firstStep(seconds *big.Rat, control runners.Rate) int64 {
	k := new(big.Rat).Mul(seconds, big.NewRat(control.Num(), control.Den()))
	up := new(big.Int).Add(k.Num(), new(big.Int).Sub(k.Denom(), big.NewInt(1)))
	return up.Div(up, k.Denom()).Int64()
}

const traceEvents = 50_000 // that a trace holds, about ten seconds of the quadruped
