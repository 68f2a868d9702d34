package training

import (
	"cmp"
	"context"
	"errors"
	"math/big"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/live"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// ServeOptions are the options of [Serve].
type ServeOptions struct {
	Policy     *Policy  // chooses the actions that clients do not
	Folder     string   // new or empty, for the log that Replay reads; "": no log
	LogEvery   int64    // control steps from one logged state to the next; 0: no log
	Channels   []string // sensor channels in each frame
	Resolution float64  // of poses, in m and for values of quaternions; 0: exact
	Paused     bool     // begin paused

	// The run ends after Episodes, after Seconds or when its context is cancelled,
	// whichever comes first.
	Episodes int64    // of all worlds together; 0: no limit
	Seconds  *big.Rat // of simulated time, rounded up to a control step; nil: no limit

	// FPS and Frame are those of PlayOptions.
	FPS   float64
	Frame func(PlayFrame)

	// Resume goes on with the run in Folder where it was killed or stopped; config and the
	// options above are then those of that run.
	Resume bool

	// Open is called once, before the first step, to let clients in. The function that it
	// returns is called after the last step.
	Open func(*live.Server) (closed func(), err error)

	// DecisionTimeout and Span are those of live.Config.
	DecisionTimeout time.Duration
	Span            func(live.Span)

	// Warn, if it is not nil, is called with each warning of the task or the engine.
	Warn func(string)

	keepEvery time.Duration // 0: keepLiveEvery; set by tests
}

// Serve runs live worlds, which clients watch and steer, until they have run all their
// episodes or seconds or ctx is cancelled; that is no error. With a folder the run can go
// on later, also if it is killed.
func Serve(ctx context.Context, config *configs.Config, opt ServeOptions) (played Played, err error) {
	var r *liveRun
	if opt.Resume {
		r, err = resumeServe(opt.Folder, env.OpenOptions{Context: ctx, Poses: true, Capture: true})
	} else {
		r, err = beginServe(ctx, config, opt)
	}
	if err != nil {
		return played, err
	}
	begun := opt.Resume
	defer func() { err = errors.Join(err, r.close(begun)); warn(opt.Warn, r.env); warnFault(opt.Warn, r.env) }()
	warn(opt.Warn, r.env)
	r.policy.warnModel(opt.Warn, r.env.ModelDigest())
	act, err := r.policy.actor(r.env, r.config)
	if err != nil {
		return played, err
	}
	point := &r.keeper.point
	set := live.Config{
		Env: r.env, Act: act, Time: r.config.Time.Settings, Configuration: string(r.config.YAML()),
		Channels: point.Channels, Resolution: point.Resolution, State: point.State,
		DecisionTimeout: opt.DecisionTimeout, Span: opt.Span,
	}
	if r.folder != nil {
		set.Keep, set.KeepEvery = r.keeper.keep, cmp.Or(opt.keepEvery, keepLiveEvery)
		if set.Key, err = liveKey(opt.Folder); err != nil {
			return played, err
		}
	}
	ended := make([]int64, len(r.env.Sim().Blocks())) // episodes, by block
	set.Stepped = func(b *sim.Block) { ended[b.Index()] += episodesEnded(b) }
	r.follow(&set, opt, &played)
	server, err := live.New(set)
	if err != nil {
		return played, err
	}
	closed, err := opt.Open(server)
	if err != nil {
		return played, err
	}
	begun = true
	err = server.Run(ctx)
	closed()
	for _, n := range ended {
		played.Episodes += n
	}
	played.Task, played.Mode = r.config.Task.Name, r.config.Time.Mode
	played.Steps, played.Faults = r.env.Sim().Blocks()[0].N(), r.env.Sim().Faults()
	return played, err
}

// follow makes a server follow the wall clock as opt has it, and keep the totals of its
// driver.
func (r *liveRun) follow(set *live.Config, opt ServeOptions, played *Played) {
	frame := func(*runners.Driver, runners.Frame) {}
	if r.config.Time.FreeUpdates && opt.Frame != nil {
		frame = playFrames(r.env, opt.Frame)
	}
	set.Framed = func(d *runners.Driver, f runners.Frame) {
		played.Total = d.Total()
		frame(d, f)
	}
	if opt.FPS == 0 {
		return
	}
	if set.Time.Clock == nil {
		set.Time.Clock = runners.NewSystemClock()
	}
	p, begun := pace{settings: set.Time, fps: opt.FPS}, time.Duration(0)
	set.Wait = func(d *runners.Driver) time.Duration { return p.untilNextFrame(d, &begun) }
}

// beginServe opens the worlds of a new run and, with opt.Folder, its log, which holds the
// actions: a replay asks neither clients nor the policy. After an error it leaves no file.
func beginServe(ctx context.Context, config *configs.Config, opt ServeOptions) (*liveRun, error) {
	c := *config
	if err := wantMode(c.Time.Mode, "live worlds follow the wall clock and skip nothing", runners.SimRealtime); err != nil {
		return nil, err
	}
	plan, err := env.NewPlan(&c)
	if err != nil {
		return nil, err
	}
	if err := opt.Policy.limit(&c, plan); err != nil {
		return nil, err
	}
	r := &liveRun{config: &c, policy: opt.Policy, keeper: &keeper{folder: opt.Folder}}
	r.keeper.point = livePoint{State: live.State{Paused: opt.Paused}, Channels: opt.Channels, Resolution: opt.Resolution}
	worlds := env.OpenOptions{Context: ctx, Episodes: opt.Episodes, Plan: plan, Accept: opt.Policy.fits, StepOffset: opt.Policy.steps(), Poses: true, Capture: true}
	if opt.Seconds != nil {
		if err := plan.CheckSteady(); err != nil {
			return nil, err
		}
		worlds.Steps = firstStep(opt.Seconds, plan.ControlRate())
	}
	if opt.Folder == "" || opt.LogEvery == 0 {
		r.env, err = env.Open(&c, worlds)
		return r, err
	}
	if r.folder, err = TakeFolder(opt.Folder, ""); err != nil {
		return nil, err
	}
	log := logging{every: opt.LogEvery, kind: kindLive, policy: opt.Policy.kind, driver: opt.Policy.path}
	if worlds.Log, err = log.create(opt.Folder, &c, worlds); err == nil {
		r.env, err = env.Open(&c, worlds)
	}
	if err != nil {
		return nil, errors.Join(err, r.folder.Discard())
	}
	r.keeper.env = r.env
	return r, nil
}

// close closes the worlds and the folder, and removes the folder's files unless the run
// has begun.
func (r *liveRun) close(begun bool) error {
	err := r.env.Close()
	switch {
	case r.folder == nil:
	case begun:
		err = errors.Join(err, r.keeper.close())
		r.folder.Close()
	default:
		err = errors.Join(err, r.folder.Discard())
	}
	return err
}
