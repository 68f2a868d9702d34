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

// samples are what some worlds did in a rollout: Settings.RolloutSteps control steps of
// each. Sample t·worlds + i is step t of world i of them.
type samples struct {
	observation []float32 // samples × Observation, standardised as the policy saw them
	action      []float32 // samples × Action, as drawn, before clipping to the bounds
	logProb     []float32 // of the action when it was drawn
	value       []float32
	reward      []float64 // in the task's own unit until scaled
	end         []ending
	final       []float32 // value of the final observation, where end is cutOff; else 0
	last        []float32 // per world, value of the observation after the rollout

	// initial are the states of the GRUs before each sequence: row c·worlds + i for the
	// sequence of world i that begins with step c·Settings.sequence.
	initial states
}

// newSamples allocates those of all worlds of a.
func (a *agent) newSamples() samples {
	n := a.samples()
	return samples{
		observation: make([]float32, n*a.shape.Observation),
		action:      make([]float32, n*a.acts()),
		logProb:     make([]float32, n),
		value:       make([]float32, n),
		reward:      make([]float64, n),
		end:         make([]ending, n),
		final:       make([]float32, n),
		last:        make([]float32, a.shape.Worlds),
		initial:     a.newStates(a.sequences),
	}
}

// rollout is what an update learns from: all worlds' samples, and what follows from them.
type rollout struct {
	samples
	advantage []float32
	target    []float32 // for the value network
}
