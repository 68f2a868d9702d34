package training

import (
	"fmt"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/rl"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// learnerEnv shows an env as the one that a learner learns in. It borrows the env.
type learnerEnv struct {
	env   *env.Env
	shape rl.Shape
}

// newLearnerEnv returns a view of e. The worlds must reset themselves in the step that ends
// an episode.
func newLearnerEnv(e *env.Env, config *configs.Config) (*learnerEnv, error) {
	if config.Autoreset != configs.SameStep {
		return nil, fmt.Errorf("autoreset: learning wants %s, got %s", configs.SameStep, config.Autoreset)
	}
	s, spec := e.Sim(), e.Sim().Spec()
	if spec.Discrete > 0 {
		return nil, fmt.Errorf("task %s has %d choices; learning wants continuous actions, which it may have with task.options.continuous: true", spec.Name, spec.Discrete)
	}
	return &learnerEnv{e, rl.Shape{
		Worlds:      s.Worlds(),
		Blocks:      len(s.Blocks()),
		BlockSize:   s.Blocks()[0].Len(),
		Workers:     s.Workers(),
		Observation: spec.ObservationSize,
		Action:      spec.ActionSize,
		ActionLow:   spec.ActionLow,
		ActionHigh:  spec.ActionHigh,
	}}, nil
}

// Shape describes the environment.
func (e *learnerEnv) Shape() rl.Shape { return e.shape }

// Rollout calls f once for every block; to a dataset it is one segment.
func (e *learnerEnv) Rollout(f func(worker int, b rl.Block) error) error {
	return e.env.Each(func(w *sim.Worker, b *sim.Block) error {
		return f(w.Index(), &block{b, w})
	})
}

// block is a block in the hands of a worker.
type block struct {
	*sim.Block
	worker *sim.Worker
}

func (b *block) Step() error {
	return b.Block.Step(b.worker)
}
