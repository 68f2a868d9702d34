package training

import (
	"cmp"
	"context"
	"errors"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/rl"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// Evaluation holds the statistics of episodes. Lengths are in control steps; the
// standard deviation divides by the number of episodes.
type Evaluation struct {
	Task       string  `json:"task"`
	Seed       uint64  `json:"seed"`
	Episodes   int     `json:"episodes"`
	MeanReturn float64 `json:"mean_return"`
	StdReturn  float64 `json:"std_return"`
	MinReturn  float64 `json:"min_return"`
	MaxReturn  float64 `json:"max_return"`
	MeanLength float64 `json:"mean_length"`
	Terminated int     `json:"terminated"` // ended by the task's own rules
	Truncated  int     `json:"truncated"`  // by the time limit
	Faults     int     `json:"faults"`
	FirstFault string  `json:"first_fault,omitempty"` // see sim.Sim.FirstFault
	Mode       string  `json:"mode"`                  // of time, see runners.Mode
	Time       string  `json:"time,omitempty"`        // how the wall clock was followed, if it was

	// Infos are the infos of the task, by name: for each, the mean over episodes of its
	// mean over the control steps of an episode.
	Infos map[string]float64 `json:"infos"`

	Model string `json:"-"` // env.Env.ModelDigest
}

// Evaluate runs config.Evaluation.Episodes episodes with the policy's most likely actions, in new worlds and without
// recording. It fails if the policy does not fit the task or ctx is cancelled. steps is the number of control steps
// of each world for which the policy was trained, at which the curriculum of a described task then stands.
func Evaluate(ctx context.Context, config *configs.Config, policy *rl.Policy, steps int64) (_ *Evaluation, err error) {
	if err := cmp.Or(wantConfig(config), wantPolicy(policy)); err != nil {
		return nil, err
	}
	c := *config
	if err := c.Validate(); err != nil {
		return nil, asUsage(err)
	}
	c.Worlds = min(c.Worlds, c.Evaluation.Episodes)
	if err := wantReset(&c, "evaluate"); err != nil {
		return nil, err
	}
	seen := newResults(c.Worlds, int64(c.Evaluation.Episodes))
	e, err := env.Open(&c, env.OpenOptions{
		Context: ctx, Episodes: int64(c.Evaluation.Episodes), StepOffset: steps, Observers: []sim.Observer{seen},
	})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	if err := policyFits(policy, e.Sim().Spec()); err != nil {
		return nil, err
	}
	act := actBy(policy, e.Sim(), make([]float32, e.Sim().Worlds()*policy.State()))
	p := paceOf(c.Time.Settings)
	frames, err := drive(ctx, e, p, act.step, func() {})
	if err != nil {
		return nil, err
	}
	sum := seen.total()
	n := float64(sum.n)
	result := &Evaluation{
		Model: e.ModelDigest(), Task: c.Task.Name, Seed: c.Seed, Mode: c.Time.Mode.String(), Episodes: int(sum.n),
		MeanReturn: sum.mean, StdReturn: sum.std(), MinReturn: sum.least, MaxReturn: sum.most, MeanLength: sum.steps / n,
		Terminated: int(sum.terminated), Truncated: int(sum.truncated), Faults: int(sum.faults),
	}
	if sum.faults > 0 {
		result.FirstFault = e.Sim().FirstFault()
	}
	if p.segment == 1 {
		result.Time = AboutTime(frames)
	}
	result.Infos = map[string]float64{}
	for i, name := range e.Sim().Spec().InfoNames {
		result.Infos[name] = sum.infos[i] / n
	}
	return result, nil
}
