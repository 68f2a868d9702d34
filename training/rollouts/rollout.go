package rollouts

import (
	"cmp"
	"context"
	"errors"
	"math/big"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/logs"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/runs"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/usage"
	"github.com/polyrhythm-rl/polyrhythm/training/policies"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// RolloutOptions are the options of [Rollout]. Either Episodes or Seconds is given.
type RolloutOptions struct {
	Policy   *policies.Policy // chooses the actions
	Episodes int64            // of all worlds together
	Seconds  *big.Rat         // of simulated time of each world, rounded up to a control step; nil: Episodes ends the run
	Folder   string           // the folder of the dataset, new or empty
	LogEvery int64            // control steps from one logged state to the next; 0: no log

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

// Rollout records episodes of a policy as a dataset and counts them. If ctx is cancelled
// or a step fails, what was recorded before is still a whole dataset.
func Rollout(ctx context.Context, config *configs.Config, opt RolloutOptions) (recorded rundir.Recorded, err error) {
	r, err := openRollout(ctx, config, opt, nil)
	if err != nil {
		return recorded, err
	}
	e := r.worker.Env
	defer func() {
		err = errors.Join(err, r.worker.Close(err == nil))
		recorded = r.worker.Recorded
		if opt.TraceFile != "" {
			err = errors.Join(err, disk.Replace(disk.OS{}, opt.TraceFile, false, r.worker.Options.Trace.WriteJSON))
		}
		runs.WarnEnd(opt.Warn, e)
	}()
	runs.WarnPolicy(opt.Warn, opt.Policy, e)
	after := runs.Progress(e, r.worker.Config.Worlds, r.worker.Options, r.worker.Infos.Count, opt.Progress)
	after()
	_, err = runs.Drive(ctx, e, runs.NewPace(r.worker.Config.Time.Settings), r.act.Step, func() {
		_ = r.worker.Unmark() // close says why not
		after()
	})
	return recorded, err
}

// openRollout opens the worlds of a rollout, at a snapshot of a slice.
func openRollout(ctx context.Context, config *configs.Config, opt RolloutOptions, snapshot []byte) (*SliceRollout,
	error) {
	if err := cmp.Or(usage.WantConfig(config), usage.WantPolicy(opt.Policy)); err != nil {
		return nil, err
	}
	c := *config
	worlds, err := opt.worlds(ctx, &c)
	if err != nil {
		return nil, err
	}
	r := &SliceRollout{}
	start, err := r.worker.Open(ctx, &c, worlds, logs.New(logs.KindRollout, opt.LogEvery, opt.Policy), opt.Folder, snapshot,
		opt.Wait)
	if err == nil {
		r.memory = policies.Memory{Steps: start.Script, States: start.Memory}
		r.act, err = opt.Policy.Actor(r.worker.Env, &c, &r.memory)
	}
	if err != nil {
		return nil, errors.Join(err, r.worker.Close(false))
	}
	return r, nil
}

// worlds returns how the worlds of a rollout are opened. In c it turns recording on, and
// shortens the episodes to the policy's script, if it is one.
func (opt *RolloutOptions) worlds(ctx context.Context, c *configs.Config) (worlds env.OpenOptions, err error) {
	c.Recording.Enabled = true // to record is what a rollout is for
	if err := usage.WantReset(c, "record episodes"); err != nil {
		return worlds, err
	}
	err = usage.WantMode(c.Time.Mode, "a dataset cannot have gaps", runners.SimHighPerformance, runners.SimRealtime)
	if err != nil {
		return worlds, err
	}
	if worlds, err = runs.WorldOptions(ctx, opt.Policy, c, opt.Episodes, opt.Seconds); err != nil {
		return worlds, err
	}
	if !worlds.Plan.Records() {
		return worlds, usage.Errorf("bindings: the binding recorder or its runner is disabled, want both enabled for a rollout")
	}
	worlds.Slice, worlds.Dataset = opt.Slice, opt.Folder
	if opt.TraceFile != "" {
		worlds.Trace = &sim.Trace{World: opt.Slice.From, Events: traceEvents}
	}
	return worlds, nil
}

const traceEvents = 50_000 // that a trace holds, about ten seconds of the quadruped
