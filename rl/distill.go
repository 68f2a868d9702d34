package rl

import "fmt"

// Distiller learns by [AlgorithmDistill] what a [Teacher] would do. Not safe for concurrent use; inside, it works on
// Shape.Workers goroutines.
type Distiller struct{ *rolloutLearner }

// distill defines the algorithm.
func distill() algorithm {
	return algorithm{name: AlgorithmDistill, imitates: true,
		check: checkRollouts, parameters: rolloutParameters,
		taught: func(w TaughtWorlds, s Settings, seed uint64) (trainable, error) {
			return newDistiller(w.Env, w.Teacher, s, seed)
		},
	}
}

// newDistiller leaves the parameters zero.
func newDistiller(env Env, teacher Teacher, settings Settings, seed uint64) (*Distiller, error) {
	if teacher == nil {
		return nil, fmt.Errorf("rl: there is no teacher, want one for algorithm %s", AlgorithmDistill)
	}
	p, err := newRolloutLearner(env.Shape(), settings, AlgorithmDistill, seed, imitationLoss, collecting(env, teacher))
	return &Distiller{p}, err
}

// imitationLoss is the [policyLoss] of imitation: the negated log probability of what somebody else would have done,
// or did.
func imitationLoss(_ *Settings, _ *rollout, slopes []float64, _ []int32, _, _ float64, size int) (sum losses) {
	for i, v := range slopes {
		sum.policy -= v
		slopes[i] = -1 / float64(size)
	}
	return sum
}
