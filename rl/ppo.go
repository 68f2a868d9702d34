package rl

import "context"

// PPO learns a policy for an environment by proximal policy optimisation. Not safe for concurrent use; inside, it works
// on Shape.Workers goroutines.
type PPO struct{ *rolloutLearner }

// New prepares learning from scratch in worlds of this process. Two learners with the same environment, settings and
// seed do the same, bit for bit, whatever their number of workers and the size of blocks.
func New(env Env, settings Settings, seed uint64) (*PPO, error) {
	p, err := newPPO(env.Shape(), settings, seed, collecting(env, nil))
	if err != nil {
		return nil, err
	}
	p.initialise()
	return p, nil
}

// ppo defines the algorithm.
func ppo() algorithm {
	return algorithm{name: AlgorithmPPO, check: checkRollouts, parameters: rolloutParameters,
		worlds: func(w Worlds, s Settings, seed uint64) (trainable, error) {
			return newPPO(w.Shape(), s, seed, collecting(w.Env, nil))
		},
		parts: func(p Parts, s Settings, seed uint64) (trainable, error) {
			return newPPO(p.Of, s, seed, elsewhere(p.Collect).open)
		},
	}
}

// newPPO leaves the parameters zero.
func newPPO(shape Shape, settings Settings, seed uint64, open func(agent) (rollouts, error)) (*PPO, error) {
	p, err := newRolloutLearner(shape, settings, AlgorithmPPO, seed, clippedLoss, open)
	return &PPO{p}, err
}

// clippedLoss is the [policyLoss] of PPO: the clipped surrogate, negated.
func clippedLoss(s *Settings, r *rollout, slopes []float64, samples []int32, mean, scale float64,
	size int) (sum losses) {
	surrogate(slopes, r.logProb, r.advantage, samples, mean, scale, s.Clip, size, &sum)
	return sum
}

// elsewhere are the rollouts of worlds that others step.
type elsewhere func(context.Context, *Weights) ([]*RolloutPart, error)

// open returns the rollouts for any agent.
func (e elsewhere) open(agent) (rollouts, error) { return e, nil }

func (e elsewhere) gather(ctx context.Context, o *Weights) ([]*RolloutPart, error) { return e(ctx, o) }

func (e elsewhere) setStates(states) {} // who steps the worlds knows how they are remembered
