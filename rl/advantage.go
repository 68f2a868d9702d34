package rl

// ending says whether and how an episode ended in a step.
type ending uint8

const (
	goesOn  ending = iota
	stopped        // nothing follows: termination or a fault
	cutOff         // more would have followed: truncation
)

// endingOf orders the flags of a step: a fault leaves nothing to learn about what follows, and a terminated episode
// has no future even when its time was up too.
func endingOf(terminated, truncated, fault bool) ending {
	switch {
	case fault || terminated:
		return stopped
	case truncated:
		return cutOff
	}
	return goesOn
}

// advantages is generalised advantage estimation (Schulman et al., "High- Dimensional Continuous Control Using
// Generalized Advantage Estimation", 2016) over a rollout of worlds side by side:
//
//	δ(t) = r(t) + γ·V(next) - V(t)
//	A(t) = δ(t) + γλ·A(t+1), where the sum stops at the end of an episode
//
// V(next) is the value of the observation after step t: value(t+1), last after the rollout's end, final(t) where the
// episode was cut off, and 0 where it stopped. target is A(t) + V(t). All but last are steps × worlds, row-major;
// last has one value per world.
func advantages(advantage, target []float32, reward []float64, value, final []float32, end []ending,
	last []float32, gamma, lambda float64) {
	worlds := len(last)
	for w := range worlds {
		next, sum := float64(last[w]), 0.0
		for i := len(value) - worlds + w; i >= 0; i -= worlds {
			switch end[i] {
			case stopped:
				next, sum = 0, 0
			case cutOff:
				next, sum = float64(final[i]), 0
			}
			v := float64(value[i])
			delta := reward[i] + float64(gamma*next) - v
			sum = delta + float64(gamma*lambda*sum)
			advantage[i] = float32(sum)
			target[i] = float32(sum + v)
			next = v
		}
	}
}
