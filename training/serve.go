package training

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/live"
	"github.com/polyrhythm-rl/polyrhythm/runners"
)

// ServeOptions are the options of [Serve].
type ServeOptions struct {
	Policy     *Policy  // chooses the actions that clients do not
	Folder     string   // new or empty, for the log that Replay reads; "": no log
	LogEvery   int64    // control steps from one logged state to the next; 0: no log
	Channels   []string // sensor channels in each frame
	Resolution float64  // of poses, in m and for values of quaternions; 0: exact
	Paused     bool     // begin paused

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

// Serve runs live worlds, which clients watch and steer, until ctx is cancelled; that is
// no error. With a folder the run can go on later, also if it is killed. It returns the
// task's name and the number of control steps.
func Serve(ctx context.Context, config *configs.Config, opt ServeOptions) (task string, steps int64, err error) {
	var r *liveRun
	if opt.Resume {
		r, err = resumeServe(opt.Folder, env.OpenOptions{Context: ctx, Poses: true})
	} else {
		r, err = beginServe(ctx, config, opt)
	}
	if err != nil {
		return "", 0, err
	}
	defer func() { err = errors.Join(err, r.close()); warn(opt.Warn, r.env) }()
	warn(opt.Warn, r.env)
	act, err := r.policy.actor(r.env, r.config)
	if err != nil {
		return "", 0, err
	}
	point := &r.keeper.point
	set := live.Config{
		Env: r.env, Act: act, Time: r.config.Time.Settings, Configuration: string(r.config.YAML()),
		Channels: point.Channels, Resolution: point.Resolution, State: point.State,
		DecisionTimeout: opt.DecisionTimeout, Span: opt.Span,
	}
	if r.folder != nil {
		set.Keep, set.KeepEvery = r.keeper.keep, cmp.Or(opt.keepEvery, keepLiveEvery)
	}
	server, err := live.New(set)
	if err != nil {
		return "", 0, err
	}
	closed, err := opt.Open(server)
	if err != nil {
		return "", 0, err
	}
	err = server.Run(ctx)
	closed()
	return r.config.Task.Name, r.env.Sim().Blocks()[0].N(), err
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
	worlds := env.OpenOptions{Context: ctx, Plan: plan, Accept: opt.Policy.fits, StepOffset: opt.Policy.steps(), Poses: true}
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

// close closes the worlds and the folder.
func (r *liveRun) close() error {
	err := r.env.Close()
	if r.folder != nil {
		r.folder.Close()
	}
	return err
}
