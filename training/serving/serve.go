package serving

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/live"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/logs"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/runs"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/usage"
	"github.com/polyrhythm-rl/polyrhythm/training/policies"
	"github.com/polyrhythm-rl/polyrhythm/training/rollouts"
)

// ServeOptions are the options of [Serve].
type ServeOptions struct {
	rollouts.PlayOptions // its policy chooses the actions that clients do not

	Channels   []string // sensor channels in each frame
	Infos      bool     // of live.Config
	Resolution float64  // of poses, in m and for values of quaternions; 0: exact
	Paused     bool     // begin paused

	// Resume goes on with the run in Folder where it was killed or stopped; config and the
	// options above, Frame, FPS, Warn and Infos aside, are then those of that run.
	Resume bool

	// Open is called once, before the first step, to let clients in. The function that it
	// returns is called after the last step.
	Open func(*live.Server) (closed func(), err error)

	DecisionTimeout time.Duration // of live.Config

	StateEvery time.Duration // wall time after which the state is kept again; 0: 10 s
}

// Serve runs live worlds, which clients watch and steer, until they have run all their episodes or seconds or ctx is
// cancelled; that is no error. With a folder the run can go on later, also if it is killed.
func Serve(ctx context.Context, config *configs.Config, opt ServeOptions) (played rollouts.Played, err error) {
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
	defer func() { err = errors.Join(err, r.close(started)); runs.WarnEnd(opt.Warn, r.Env) }()
	runs.WarnPolicy(opt.Warn, r.policy, r.Env)
	act, err := r.policy.Actor(r.Env, r.Config, &policies.Memory{})
	if err != nil {
		return played, err
	}
	state := &r.keeper.live
	set := live.Config{
		Env: r.Env, Act: act, Time: r.Config.Time.Settings, Configuration: string(r.Config.YAML()),
		Channels: state.Channels, Resolution: state.Resolution, State: state.Server,
		DecisionTimeout: opt.DecisionTimeout, Infos: opt.Infos,
	}
	if r.Folder != nil {
		set.Keep, set.KeepEvery = r.keeper.keep, cmp.Or(opt.StateEvery, keepLiveEvery)
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
	played.Episodes = r.Infos.Total().N
	played.Task, played.Mode = r.Config.Task.Name, r.Config.Time.Mode
	played.Steps, played.Faults = r.Env.Sim().Blocks()[0].N(), r.Env.Sim().FaultCount()
	return played, err
}

// follow makes a server follow the wall clock as opt has it, and keep the totals of its driver.
func (r *liveRun) follow(set *live.Config, opt ServeOptions, played *rollouts.Played) {
	frame := func(*runners.Driver, runners.Frame) {}
	if r.Config.Time.FreeUpdates && opt.Frame != nil {
		frame = rollouts.PlayFrames(r.Env, opt.Frame)
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
	pacing, start := runs.Pace{Settings: set.Time, FPS: opt.FPS}, time.Duration(0)
	set.Wait = func(d *runners.Driver) time.Duration { return pacing.UntilNextFrame(d, &start) }
}

// beginServe opens the worlds of a new run and, with opt.Folder, its log, which holds the
// actions: a replay asks neither clients nor the policy. After an error it leaves no file.
func beginServe(ctx context.Context, config *configs.Config, opt ServeOptions) (*liveRun, error) {
	if err := cmp.Or(usage.WantConfig(config), usage.WantPolicy(opt.Policy)); err != nil {
		return nil, err
	}
	c := *config
	err := usage.WantMode(c.Time.Mode, "live worlds follow the wall clock and skip nothing", runners.SimRealtime)
	if err != nil {
		return nil, err
	}
	worlds, err := runs.WorldOptions(ctx, opt.Policy, &c, opt.Episodes, opt.Seconds, env.Captures(&c)...)
	if err != nil {
		return nil, err
	}
	worlds.Poses, worlds.Capture = true, true
	worlds.Snapshots = runs.StateSnapshots
	r := &liveRun{policy: opt.Policy, keeper: &keeper{folder: opt.Folder}}
	r.keeper.live = runs.LiveState{Server: live.State{Paused: opt.Paused}, Channels: opt.Channels,
		Resolution: opt.Resolution}
	path := opt.Folder
	if opt.LogEvery == 0 {
		path = ""
	}
	_, err = r.Open(ctx, &c, worlds, logs.New(logs.KindLive, opt.LogEvery, opt.Policy), path, nil, 0)
	if err != nil {
		return nil, err
	}
	r.keeper.env = r.Env
	return r, nil
}

// close closes the worlds and the folder, and removes the folder's files unless the run has begun.
func (r *liveRun) close(started bool) error {
	err := r.Env.Close()
	switch {
	case r.Folder == nil:
	case started:
		err = errors.Join(err, r.keeper.close())
		r.Folder.Close()
	default:
		err = errors.Join(err, r.Folder.Discard())
	}
	return err
}
