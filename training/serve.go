package training

import (
	"context"
	"errors"

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

	// Open is called once, before the first step, to let clients in. The function that it
	// returns is called after the last step.
	Open func(*live.Server) (closed func(), err error)

	// Warn, if it is not nil, is called with each warning of the task or the engine.
	Warn func(string)
}

// Serve runs live worlds, which clients watch and steer, until ctx is cancelled; that is
// no error. It returns the number of control steps.
func Serve(ctx context.Context, config *configs.Config, opt ServeOptions) (steps int64, err error) {
	c := *config
	if err := wantMode(c.Time.Mode, "live worlds follow the wall clock and skip nothing", runners.SimRealtime); err != nil {
		return 0, err
	}
	plan, err := env.NewPlan(&c)
	if err != nil {
		return 0, err
	}
	if err := opt.Policy.limit(&c, plan); err != nil {
		return 0, err
	}
	worlds := env.OpenOptions{Context: ctx, Plan: plan, Accept: opt.Policy.fits, StepOffset: opt.Policy.steps(), Poses: true}
	e, err := openServe(&c, worlds, opt)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, e.Close()); warn(opt.Warn, e) }()
	warn(opt.Warn, e)
	act, err := opt.Policy.actor(e, &c)
	if err != nil {
		return 0, err
	}
	server, err := live.New(live.Config{
		Env: e, Act: act, Time: c.Time.Settings, Configuration: string(c.YAML()),
		Channels: opt.Channels, Resolution: opt.Resolution, State: live.State{Paused: opt.Paused},
	})
	if err != nil {
		return 0, err
	}
	closed, err := opt.Open(server)
	if err != nil {
		return 0, err
	}
	err = server.Run(ctx)
	closed()
	return e.Sim().Blocks()[0].N(), err
}

// openServe opens the worlds and, with opt.Folder, the log of the run, which holds the
// actions: a replay asks neither clients nor the policy. After an error it leaves no file.
func openServe(c *configs.Config, worlds env.OpenOptions, opt ServeOptions) (*env.Env, error) {
	if opt.Folder == "" {
		return env.Open(c, worlds)
	}
	folder, err := TakeFolder(opt.Folder, "")
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	log := logging{every: opt.LogEvery, kind: kindLive, policy: opt.Policy.kind, driver: opt.Policy.path}
	if worlds.Log, err = log.create(opt.Folder, c, worlds); err != nil {
		return nil, errors.Join(err, folder.Discard())
	}
	e, err := env.Open(c, worlds)
	if err != nil {
		return nil, errors.Join(err, folder.Discard())
	}
	return e, nil
}
