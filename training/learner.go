package training

import (
	"fmt"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/rl"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// learnerEnv implements [rl.Env] with an [env.Env], which its owner closes.
type learnerEnv struct {
	env    *env.Env
	shape  rl.Shape
	before func()        // called before each rollout, if not nil
	spent  time.Duration // of all rollouts
}

// newLearnerEnv returns e as an [rl.Env]. It fails unless autoreset is same_step. The value
// network reads the observation's group "critic", or what the policy reads where there is
// none.
func newLearnerEnv(e *env.Env, config *configs.Config) (*learnerEnv, error) {
	if config.Autoreset != configs.SameStep {
		return nil, fmt.Errorf("autoreset is %s, want %s to learn", config.Autoreset, configs.SameStep)
	}
	s, spec := e.Sim(), e.Sim().Spec()
	policy := spec.AllGroups()[0]
	critic := policy
	for _, g := range spec.Groups {
		if g.Name == "critic" {
			critic = g
		}
	}
	return &learnerEnv{env: e, shape: rl.Shape{
		First:       s.Slice().From,
		Worlds:      s.Worlds(),
		Blocks:      len(s.Blocks()),
		BlockSize:   s.Blocks()[0].Len(),
		Workers:     s.Workers(),
		Observation: spec.ObservationSize,
		Policy:      rl.Span{First: policy.First, Size: policy.Size},
		Critic:      rl.Span{First: critic.First, Size: critic.Size},
		Action:      spec.ActionSize,
		Choices:     spec.Discrete,
		ActionLow:   spec.ActionLow,
		ActionHigh:  spec.ActionHigh,
	}}, nil
}

// Shape implements [rl.Env].
func (e *learnerEnv) Shape() rl.Shape { return e.shape }

// Rollout implements [rl.Env]. In a dataset, one call is one segment.
func (e *learnerEnv) Rollout(f func(worker int, b rl.Block) error) error {
	if e.before != nil {
		e.before()
	}
	begun := time.Now()
	defer func() { e.spent += time.Since(begun) }()
	return e.env.Each(func(w *sim.Worker, b *sim.Block) error {
		return f(w.Index(), &block{b, w})
	})
}

// block implements [rl.Block]: a block and the worker that steps it.
type block struct {
	*sim.Block
	worker *sim.Worker
}

func (b *block) Step() error {
	return b.Block.Step(b.worker)
}
