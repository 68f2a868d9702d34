package rollouts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/rl"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/runs"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/usage"
	"github.com/polyrhythm-rl/polyrhythm/training/policies"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// Evaluate runs config.Evaluation.Episodes episodes with the policy's most likely actions, in new worlds and without
// recording. It fails if the policy does not fit the task or ctx is cancelled. steps is the number of control steps
// of each world for which the policy was trained, at which the curriculum of a described task then stands.
func Evaluate(ctx context.Context, config *configs.Config, policy *rl.Policy, steps int64) (*rundir.Evaluation, error) {
	if err := cmp.Or(usage.WantConfig(config), usage.WantPolicy(policy)); err != nil {
		return nil, err
	}
	c, err := evaluated(config)
	if err != nil {
		return nil, err
	}
	opt := env.OpenOptions{Context: ctx, Episodes: int64(c.Evaluation.Episodes), StepOffset: steps}
	return evaluate(ctx, c, opt, func(e *env.Env) (policies.Actor, error) {
		if err := policies.CheckFit(policy, e.Sim().Spec()); err != nil {
			return nil, fmt.Errorf("the policy: %w", err)
		}
		return policies.NewActor(policy, e.Sim(), make([]float32, e.Sim().Worlds()*policy.State())), nil
	})
}

// EvaluatePolicy is [Evaluate] of a policy of any kind.
func EvaluatePolicy(ctx context.Context, config *configs.Config, policy *policies.Policy) (*rundir.Evaluation, error) {
	if err := cmp.Or(usage.WantConfig(config), usage.WantPolicy(policy)); err != nil {
		return nil, err
	}
	return evaluatePolicy(ctx, config, policy)
}

// evaluatePolicy is EvaluatePolicy with observers.
func evaluatePolicy(ctx context.Context, config *configs.Config, policy *policies.Policy, observers ...sim.Observer) (
	*rundir.Evaluation, error) {
	c, err := evaluated(config)
	if err != nil {
		return nil, err
	}
	opt, err := runs.WorldOptions(ctx, policy, c, int64(c.Evaluation.Episodes), nil)
	if err != nil {
		return nil, err
	}
	opt.Observers = observers
	return evaluate(ctx, c, opt, func(e *env.Env) (policies.Actor, error) {
		return policy.Actor(e, c, &policies.Memory{})
	})
}

// evaluated returns the configuration of an evaluation.
func evaluated(config *configs.Config) (*configs.Config, error) {
	c := *config
	if err := c.Validate(); err != nil {
		return nil, usage.Mark(err)
	}
	c.Worlds = min(c.Worlds, c.Evaluation.Episodes)
	return &c, usage.WantReset(&c, "evaluate")
}

// evaluate evaluates what acts in the worlds of c.
func evaluate(ctx context.Context, c *configs.Config, opt env.OpenOptions, actor func(*env.Env) (policies.Actor, error)) (
	_ *rundir.Evaluation, err error) {
	seen := runs.NewResults(c.Worlds, int64(c.Evaluation.Episodes))
	opt.Observers = append(opt.Observers, seen)
	e, err := env.Open(c, opt)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	act, err := actor(e)
	if err != nil {
		return nil, err
	}
	p := runs.NewPace(c.Time.Settings)
	frames, err := runs.Drive(ctx, e, p, act.Step, func() {})
	if err != nil {
		return nil, err
	}
	sum := seen.Total()
	n := float64(sum.N)
	result := &rundir.Evaluation{
		Model: e.ModelDigest(), Task: c.Task.Name, Seed: c.Seed, Mode: c.Time.Mode.String(), Episodes: int(sum.N),
		MeanReturn: sum.Mean, StdReturn: sum.Std(), MinReturn: sum.Least, MaxReturn: sum.Most, MeanLength: sum.Steps / n,
		Terminated: int(sum.Terminated), Truncated: int(sum.Truncated), Faults: int(sum.Faults),
	}
	if sum.Faults > 0 {
		result.FirstFault = e.Sim().FirstFault()
	}
	if p.Segment == 1 {
		result.Time = AboutTime(frames)
	}
	result.Infos = map[string]float64{}
	for i, name := range e.Sim().Spec().InfoNames {
		result.Infos[name] = sum.Infos[i] / n
	}
	return result, nil
}

// AboutTime describes the totals of a driver in one line: how the run kept up with the wall clock.
func AboutTime(f runners.Frame) string {
	return fmt.Sprintf("%v of wall time followed, %v dropped, %d control intervals skipped in %d jumps",
		f.Delta.Round(time.Millisecond), f.Dropped.Round(time.Millisecond), f.Skipped, f.Skips)
}
