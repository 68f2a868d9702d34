package training

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/rl"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/sim/runlog"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/usage"
	"github.com/polyrhythm-rl/polyrhythm/training/policies"
)

// learnerEnv implements [rl.Env] with an [env.Env], which its owner closes.
type learnerEnv struct {
	env           *env.Env
	shape         rl.Shape
	beforeRollout func()        // if not nil
	replay        bool          // a rollout may end with the log that is replayed
	ended         bool          // one has
	spent         time.Duration // of all rollouts
}

// newLearnerEnv returns e as an [rl.Env]. It fails unless autoreset is same_step and
// training.stop, if it is given, is about a metric. The value network reads the
// observation's group "critic", or what the policy reads where there is none.
func newLearnerEnv(e *env.Env, config *configs.Config) (*learnerEnv, error) {
	if config.Autoreset != sim.SameStep {
		return nil, usage.Errorf("autoreset is %s, want %s to learn", config.Autoreset, sim.SameStep)
	}
	s := e.Sim()
	if err := checkStop(config, s.Spec().InfoNames); err != nil {
		return nil, err
	}
	shape := shapeOf(s.Spec(), config)
	shape.First, shape.Worlds = s.Slice().From, s.Worlds()
	shape.Blocks, shape.BlockSize, shape.Workers = len(s.Blocks()), s.Blocks()[0].Len(), s.Workers()
	return &learnerEnv{env: e, shape: shape}, nil
}

// shapeOf is the shape of all worlds of a configuration, whose task is described by spec.
func shapeOf(spec sim.Spec, c *configs.Config) rl.Shape {
	policy := spec.AllGroups()[0]
	critic := policy
	if i := slices.IndexFunc(spec.Groups, func(g sim.Group) bool { return g.Name == "critic" }); i >= 0 {
		critic = spec.Groups[i]
	}
	blocks := sim.Blocks(c.Worlds, c.BlockSize)
	return rl.Shape{
		Worlds:      c.Worlds,
		Blocks:      blocks,
		BlockSize:   firstBlock(c),
		Workers:     min(cmp.Or(c.Workers, env.Processors()), blocks),
		Observation: spec.ObservationSize,
		Policy:      rl.ColumnRange{First: policy.First, Size: policy.Size},
		Critic:      rl.ColumnRange{First: critic.First, Size: critic.Size},
		Pictures:    policies.Pictures(spec),
		ByteFactors: byteFactors(spec),
		Action:      spec.ActionSize,
		Choices:     spec.Discrete,
		ActionLow:   spec.ActionLow,
		ActionHigh:  spec.ActionHigh,
	}
}

// byteFactors are those of the pictures of spec, see [rl.Shape].
func byteFactors(spec sim.Spec) (list [][]float64) {
	for _, p := range spec.Pictures {
		list = append(list, p.ByteFactors())
	}
	return list
}

// resize makes the shape that of all worlds of a configuration, of which env has a block.
func (e *learnerEnv) resize(c *configs.Config) { e.shape = shapeOf(e.env.Sim().Spec(), c) }

// Shape implements [rl.Env].
func (e *learnerEnv) Shape() rl.Shape { return e.shape }

// Rollout implements [rl.Env]. In a dataset, one call is one segment.
func (e *learnerEnv) Rollout(f func(worker int, b rl.Block) error) error {
	if e.beforeRollout != nil {
		e.beforeRollout()
	}
	startTime := time.Now()
	defer func() { e.spent += time.Since(startTime) }()
	err := e.env.Each(func(w *sim.Worker, b *sim.Block) error {
		return f(w.Index(), &block{b, w})
	})
	if e.replay && !e.ended && errors.Is(err, runlog.ErrEnd) {
		e.ended, err = true, nil // the update after it is replayed, too
	}
	return err
}

// block implements [rl.Block]: a block and the worker that steps it.
type block struct {
	*sim.Block
	worker *sim.Worker
}

func (b *block) Step() error {
	return b.Block.Step(b.worker)
}
