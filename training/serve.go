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
	PlayOptions // its policy chooses the actions that clients do not

	Channels   []string // sensor channels in each frame
	Resolution float64  // of poses, in m and for values of quaternions; 0: exact
	Paused     bool     // begin paused

	// Resume goes on with the run in Folder where it was killed or stopped; config and the
	// options above, Frame, FPS and Warn aside, are then those of that run.
	Resume bool

	// Open is called once, before the first step, to let clients in. The function that it
	// returns is called after the last step.
	Open func(*live.Server) (closed func(), err error)

	DecisionTimeout time.Duration // of live.Config

	keepEvery time.Duration // 0: keepLiveEvery; set by tests
}

// Serve runs live worlds, which clients watch and steer, until they have run all their episodes or seconds or ctx is
// cancelled; that is no error. With a folder the run can go on later, also if it is killed.
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
	started := opt.Resume
	defer func() { err = errors.Join(err, r.close(started)); warnEnd(opt.Warn, r.env) }()
	r.policy.warn(opt.Warn, r.env)
	act, err := r.policy.actor(r.env, r.config, &memory{})
	if err != nil {
		return played, err
	}
	state := &r.keeper.live
	set := live.Config{
		Env: r.env, Act: act, Time: r.config.Time.Settings, Configuration: string(r.config.YAML()),
		Channels: state.Channels, Resolution: state.Resolution, State: state.Server,
		DecisionTimeout: opt.DecisionTimeout,
	}
	if r.folder != nil {
		set.Keep, set.KeepEvery = r.keeper.keep, cmp.Or(opt.keepEvery, keepLiveEvery)
		if set.Key, err = liveKey(opt.Folder); err != nil {
			return played, err
		}
	}
	r.follow(&set, opt, &played)
	server, err := live.New(set)
	if err != nil {
		return played, err
	}
	closed, err := opt.Open(server)
	if err != nil {
		return played, err
	}
	started = true
	err = server.Run(ctx)
	closed()
	played.Episodes = r.infos.total().n
	played.Task, played.Mode = r.config.Task.Name, r.config.Time.Mode
	played.Steps, played.Faults = r.env.Sim().Blocks()[0].N(), r.env.Sim().FaultCount()
	return played, err
}

// follow makes a server follow the wall clock as opt has it, and keep the totals of its driver.
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
	pacing, start := pace{settings: set.Time, fps: opt.FPS}, time.Duration(0)
	set.Wait = func(d *runners.Driver) time.Duration { return pacing.untilNextFrame(d, &start) }
}

// beginServe opens the worlds of a new run and, with opt.Folder, its log, which holds the
// actions: a replay asks neither clients nor the policy. After an error it leaves no file.
func beginServe(ctx context.Context, config *configs.Config, opt ServeOptions) (*liveRun, error) {
	if err := cmp.Or(wantConfig(config), wantPolicy(opt.Policy)); err != nil {
		return nil, err
	}
	c := *config
	err := wantMode(c.Time.Mode, "live worlds follow the wall clock and skip nothing", runners.SimRealtime)
	if err != nil {
		return nil, err
	}
	worlds, err := opt.Policy.options(ctx, &c, opt.Episodes, opt.Seconds, env.Captures(&c)...)
	if err != nil {
		return nil, err
	}
	worlds.Poses, worlds.Capture = true, true
	worlds.Snapshots = snapshotsOfState
	r := &liveRun{policy: opt.Policy, keeper: &keeper{folder: opt.Folder}}
	r.keeper.live = liveState{Server: live.State{Paused: opt.Paused}, Channels: opt.Channels, Resolution: opt.Resolution}
	path := opt.Folder
	if opt.LogEvery == 0 {
		path = ""
	}
	_, err = r.open(ctx, &c, worlds, opt.Policy.logging(kindLive, opt.LogEvery), path, nil, 0)
	if err != nil {
		return nil, err
	}
	r.keeper.env = r.env
	return r, nil
}

// close closes the worlds and the folder, and removes the folder's files unless the run has begun.
func (r *liveRun) close(started bool) error {
	err := r.env.Close()
	switch {
	case r.folder == nil:
	case started:
		err = errors.Join(err, r.keeper.close())
		r.folder.Close()
	default:
		err = errors.Join(err, r.folder.Discard())
	}
	return err
}
