package rollouts

import (
	"cmp"
	"context"
	"errors"
	"math/big"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/logs"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/runs"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/usage"
	"github.com/polyrhythm-rl/polyrhythm/training/policies"
)

// PlayOptions are the options of [Play], and some of serving.Serve. A run ends after Episodes, after
// Seconds or when its context is cancelled, whichever comes first.
type PlayOptions struct {
	Policy   *policies.Policy // chooses the actions
	Episodes int64            // of all worlds together; 0: no limit
	Seconds  *big.Rat         // of the timeline, including what is skipped; of Serve to a control step; nil: no limit
	Folder   string           // new or empty, for the log that Replay reads; "": no log
	LogEvery int64            // control steps from one logged state to the next; 0: no log
	FPS      float64          // frames a second of the wall clock; 0: one whenever a step is due

	Frame func(PlayFrame) // called after each frame where time.free_updates is true; may be nil
	Warn  func(string)    // called with each warning of the task or the engine; may be nil

	Clock runners.WallClock                    // that the run follows; nil: the system's
	Sleep func(context.Context, time.Duration) // waits on Clock, or until the context is cancelled; nil: as the system does
}

// PlayFrame is one frame of a run and the state of the run after it. Its Steps are control steps.
type PlayFrame struct {
	runners.Frame
	Number  int64         // 1 for the first
	N       int64         // control steps taken so far
	NS      int64         // position on the timeline, in ns
	Alpha   float64       // position between the newest control step and the next, in [0, 1)
	Backlog time.Duration // wall time still to be simulated
}

// Played is the result of [Play] and serving.Serve.
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
	if err := cmp.Or(usage.WantConfig(config), usage.WantPolicy(opt.Policy)); err != nil {
		return played, err
	}
	c := *config
	played.Task, played.Mode = c.Task.Name, c.Time.Mode
	if err := usage.WantReset(&c, "play"); err != nil {
		return played, err
	}
	worlds, err := runs.WorldOptions(ctx, opt.Policy, &c, opt.Episodes, nil)
	if err != nil {
		return played, err
	}
	r := &runs.Worker{}
	_, err = r.Open(ctx, &c, worlds, logs.New(logs.KindPlay, opt.LogEvery, opt.Policy), opt.Folder, nil, 0)
	if err != nil {
		return played, err
	}
	e := r.Env
	defer func() { err = errors.Join(err, r.Close(false)); runs.WarnEnd(opt.Warn, e) }()
	runs.WarnPolicy(opt.Warn, opt.Policy, e)
	act, err := opt.Policy.Actor(e, &c, &policies.Memory{})
	if err == nil {
		err = r.Unmark() // what somebody does there is not done again
	}
	if err != nil {
		return played, err
	}
	p := runs.NewPace(c.Time.Settings)
	p.Segment, p.FPS, p.Sleep, p.Settings.Clock = 1, opt.FPS, opt.Sleep, opt.Clock
	if opt.Seconds != nil {
		ns := new(big.Rat).Mul(opt.Seconds, big.NewRat(1e9, 1))
		p.Until = max(1, new(big.Int).Quo(ns.Num(), ns.Denom()).Int64())
	}
	if c.Time.FreeUpdates && opt.Frame != nil {
		p.Frame = PlayFrames(e, opt.Frame)
	}
	played.Total, err = runs.Drive(ctx, e, p, act.Step, func() {})
	played.Steps, played.Faults, played.Episodes = e.Sim().Blocks()[0].N(), e.Sim().FaultCount(), r.Infos.Total().N
	return played, err
}

// PlayFrames returns what a driver calls after each frame, to pass it to f.
func PlayFrames(e *env.Env, f func(PlayFrame)) func(*runners.Driver, runners.Frame) {
	number, steps := int64(0), int64(0)
	return func(d *runners.Driver, frame runners.Frame) {
		n := e.Sim().Blocks()[0].N()
		number, steps, frame.Steps = number+1, n, n-steps // the driver counts time 0 too
		f(PlayFrame{frame, number, n, d.NS(), d.Alpha(0), d.Backlog()})
	}
}
