package runs

import (
	"context"
	"math/big"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/training/policies"
)

// WorldOptions returns how worlds of a configuration, with more bindings, are opened for the policy, to run so many
// episodes and, unless that is nil, for some seconds. It shortens the episodes of c to a script.
func WorldOptions(ctx context.Context, p *policies.Policy, c *configs.Config, episodes int64, seconds *big.Rat,
	bindings ...sim.Binding) (opt env.OpenOptions, err error) {
	plan, err := env.NewPlan(c, bindings...)
	if err == nil {
		err = p.Limit(c, plan)
	}
	if err != nil {
		return opt, err
	}
	opt = env.OpenOptions{Context: ctx, Plan: plan, Episodes: episodes, Accept: p.Fits, Segment: DriveSegment}
	if checkpoint := p.Checkpoint(); checkpoint != nil {
		opt.StepOffset = checkpoint.ControlSteps
	}
	if seconds != nil {
		err = plan.CheckSteady()
		opt.Steps = runners.FirstStep(seconds, plan.Schedule().ControlRate())
	}
	return opt, err
}
