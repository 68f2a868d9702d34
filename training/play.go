package training

import (
	"context"
	"errors"
	"math/big"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/runners"
)

// PlayOptions are the options of [Play]. A run ends after Episodes, after Seconds or when
// its context is cancelled, whichever comes first.
type PlayOptions struct {
	Policy   *Policy  // chooses the actions
	Episodes int64    // of all worlds together; 0: no limit
	Seconds  *big.Rat // of the timeline, including what is skipped; nil: no limit
	Folder   string   // new or empty, for the log that Replay reads; "": no log
	LogEvery int64    // control steps from one logged state to the next; 0: no log
	FPS      float64  // frames a second of the wall clock; 0: one whenever a step is due

	// Frame, if it is not nil, is called after each frame where time.free_updates is
	// true.
	Frame func(PlayFrame)

	// Live, if it is not nil, lets clients watch and steer the run, which then wants the
	// mode SimRealtime. The options that both have are those of PlayOptions.
	Live *ServeOptions

	// Warn, if it is not nil, is called with each warning of the task or the engine.
	Warn func(string)

	clock runners.Clock // set by tests, with sleep
	sleep func(context.Context, time.Duration)
}

// PlayFrame is one frame of a run and the state of the run after it. Its Steps are
// control steps.
type PlayFrame struct {
	runners.Frame
	Number  int64         // 1 for the first
	N       int64         // control steps taken so far
	NS      int64         // position on the timeline, in ns
	Alpha   float64       // position between the newest control step and the next, in [0, 1)
	Backlog time.Duration // wall time still to be simulated
}

// Played is the result of [Play] and [Serve].
type Played struct {
	Task     string
	Mode     runners.Mode
	Episodes int64         // that ended
	Faults   int64         // of them, those that a fault ended
	Steps    int64         // control steps of each world
	Total    runners.Frame // the sum of all frames
}

// Play drives worlds frame by frame in any mode of time, and records no dataset. If ctx
// is cancelled, it returns the result so far with the error of ctx.
func Play(ctx context.Context, config *configs.Config, opt PlayOptions) (played Played, err error) {
	c := *config
	played.Task, played.Mode = c.Task.Name, c.Time.Mode
	if c.Autoreset == configs.Disabled {
		return played, usagef("autoreset is %s, want %s or %s to play", c.Autoreset, configs.SameStep, configs.NextStep)
	}
	if opt.Live != nil {
		set := *opt.Live
		set.Policy, set.Folder, set.LogEvery, set.Warn = opt.Policy, opt.Folder, opt.LogEvery, opt.Warn
		set.Episodes, set.Seconds, set.FPS, set.Frame = opt.Episodes, opt.Seconds, opt.FPS, opt.Frame
		return Serve(ctx, config, set)
	}
	plan, err := env.NewPlan(&c)
	if err != nil {
		return played, err
	}
	if err := opt.Policy.limit(&c, plan); err != nil {
		return played, err
	}
	worlds := env.OpenOptions{Context: ctx, Episodes: opt.Episodes, Plan: plan, Accept: opt.Policy.fits, StepOffset: opt.Policy.steps()}
	e, err := openPlay(&c, worlds, opt)
	if err != nil {
		return played, err
	}
	defer func() { err = errors.Join(err, e.Close()); warn(opt.Warn, e); warnFault(opt.Warn, e) }()
	warn(opt.Warn, e)
	opt.Policy.warnModel(opt.Warn, e.ModelDigest())

	p := paceOf(c.Time.Settings, false)
	p.segment, p.fps, p.sleep, p.settings.Clock = 1, opt.FPS, opt.sleep, opt.clock
	if opt.Seconds != nil {
		ns := new(big.Rat).Mul(opt.Seconds, big.NewRat(1e9, 1))
		p.until = max(1, new(big.Int).Quo(ns.Num(), ns.Denom()).Int64())
	}
	if c.Time.FreeUpdates && opt.Frame != nil {
		p.frame = playFrames(e, opt.Frame)
	}
	played.Episodes, played.Total, err = roll(ctx, e, p, &c, opt.Policy, false, nil)
	played.Steps, played.Faults = e.Sim().Blocks()[0].N(), e.Sim().Faults()
	return played, err
}

// playFrames returns what a driver calls after each frame, to pass it to f.
func playFrames(e *env.Env, f func(PlayFrame)) func(*runners.Driver, runners.Frame) {
	number, taken := int64(0), int64(0)
	return func(d *runners.Driver, of runners.Frame) {
		n := e.Sim().Blocks()[0].N()
		number, taken, of.Steps = number+1, n, n-taken // the driver counts time 0 too
		f(PlayFrame{of, number, n, d.NS(), d.Alpha(0), d.Backlog()})
	}
}

// openPlay opens the worlds and, with opt.Folder, the log of the run. After an error it
// leaves no file.
func openPlay(c *configs.Config, worlds env.OpenOptions, opt PlayOptions) (*env.Env, error) {
	if opt.Folder == "" {
		return env.Open(c, worlds)
	}
	folder, err := TakeFolder(opt.Folder, "")
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	log := logging{every: opt.LogEvery, kind: kindPlay, policy: opt.Policy.kind, driver: opt.Policy.path}
	if worlds.Log, err = log.create(opt.Folder, c, worlds); err != nil {
		return nil, errors.Join(err, folder.Discard())
	}
	e, err := env.Open(c, worlds)
	if err != nil {
		return nil, errors.Join(err, folder.Discard())
	}
	return e, nil
}
