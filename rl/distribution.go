package rl

import "math"

// distribution is the plan of how the outputs of a policy network become an action: values of independent Gaussians
// or, categorical, one of several choices. A Gaussian's parameters are one mean for each action value, then one
// logarithm of a standard deviation; a categorical one's are a logit for each choice. It is immutable.
type distribution struct {
	action  int  // values per action, of all those of a chunk
	choices int  // categorical if above 0; action is then 1
	ofState bool // the network gives a Gaussian's deviations too; otherwise they are parameters beside it
	fixed   bool // there are no deviations: the action is the mean, and is never drawn
	squash  bool // a Gaussian's values become actions by tanh, from -1 to 1

	low, high float64 // bounds of a Gaussian's log standard deviations; ±Inf for none
}

func newDistribution(shape Shape, s *Settings) distribution {
	s = s.ofPolicy()
	d := distribution{action: s.acts(shape), choices: shape.Choices, ofState: s.StateStd && shape.Choices == 0,
		fixed: s.Algorithm == AlgorithmTD3BC, squash: s.Algorithm.offPolicy(), low: math.Inf(-1), high: math.Inf(1)}
	if s.MinStd > 0 {
		d.low = math.Log(s.MinStd)
	}
	if s.MaxStd > 0 {
		d.high = math.Log(s.MaxStd)
	}
	return d
}

// parameters is the number of values that describe the distribution of one action.
func (a *distribution) parameters() int {
	switch {
	case a.choices > 0:
		return a.choices
	case a.fixed:
		return a.action
	}
	return 2 * a.action
}

// outputs is how many of them the network gives, the first ones; the others are
// learned for all observations together.
func (a *distribution) outputs() int {
	if a.choices > 0 || a.ofState {
		return a.parameters()
	}
	return a.action
}

// free is the number of those others.
func (a *distribution) free() int { return a.parameters() - a.outputs() }

// bound brings a log standard deviation within the bounds.
func (a *distribution) bound(logStd float64) float64 { return min(max(logStd, a.low), a.high) }

// stds returns the standard deviations of a Gaussian and their logarithms where the
// network's output is output: those of free or, written to d, those in output.
func (a *distribution) stds(output, free, freeStd []float32, d *deviations) (std, logStd []float32) {
	if !a.ofState {
		return freeStd, free
	}
	for i, v := range output[a.action:] {
		logStd := a.bound(float64(v))
		d.logStd[i], d.std[i] = float32(logStd), float32(math.Exp(logStd))
	}
	return d.std, d.logStd
}

// deviations is working memory of stds.
type deviations struct{ std, logStd []float32 }

func (a *distribution) newDeviations() deviations {
	return deviations{make([]float32, a.action), make([]float32, a.action)}
}

// mode writes the most likely action.
func (a *distribution) mode(dst, output []float32) {
	if a.choices == 0 {
		copy(dst, output[:a.action])
		if a.squash {
			for i, v := range dst {
				dst[i] = float32(math.Tanh(float64(v)))
			}
		}
		return
	}
	best := 0
	for i, v := range output {
		if v > output[best] {
			best = i
		}
	}
	dst[0] = float32(best)
}

// draw is the working memory of one goroutine that draws actions.
type draw struct {
	noise stream
	deviations
	prob []float64
}

func (a *distribution) newDraw() draw {
	return draw{newStream(), a.newDeviations(), make([]float64, a.choices)}
}

// draw samples an action from the distribution that output and, beside the network, free describe; freeStd is the
// exponential of free. It returns the logarithm of its probability or, of a Gaussian, of its density.
func (a *distribution) draw(action, output, free, freeStd []float32, d *draw) float32 {
	if a.choices > 0 {
		return drawChoice(action, output, d.prob, d.noise)
	}
	std, logStd := a.stds(output, free, freeStd, &d.deviations)
	logProb := 0.0
	for i, m := range output[:a.action] {
		z := d.noise.NormFloat64()
		action[i] = m + float32(float32(z)*std[i])
		logProb -= float64(0.5*z*z) + float64(logStd[i]) + halfLog2Pi
	}
	return float32(logProb)
}

// halfLog2Pi is ½·ln 2π, the constant of the Gaussian's log density.
var halfLog2Pi = 0.5 * math.Log(2*math.Pi)

// drawChoice samples one of the choices; prob is working memory.
func drawChoice(action, logits []float32, prob []float64, noise stream) float32 {
	logSum := softmax(prob, logits)
	u, choice := noise.Float64(), 0
	for u >= prob[choice] && choice < len(prob)-1 {
		u -= prob[choice]
		choice++
	}
	action[0] = float32(choice)
	return float32(float64(logits[choice]) - logSum)
}

// softmax writes the probabilities that logits give and returns the logarithm of the sum of their exponentials.
func softmax(prob []float64, logits []float32) float64 {
	top := float64(logits[0])
	for _, v := range logits[1:] {
		top = max(top, float64(v))
	}
	sum := 0.0
	for i, v := range logits {
		prob[i] = math.Exp(float64(v) - top)
		sum += prob[i]
	}
	for i := range prob {
		prob[i] /= sum
	}
	return top + math.Log(sum)
}

// score describes an action under a distribution.
type score struct {
	logProb, entropy float64 // nats
	std              float64 // mean standard deviation; 0 of choices

	deviations
	z       []float64 // of a Gaussian: the action's distance from the mean, in standard deviations
	inverse []float64 // 1 over those standard deviations

	prob, logProbs []float64 // of choices: of each
	chosen         int
}

func (a *distribution) newScore() score {
	return score{
		deviations: a.newDeviations(),
		z:          make([]float64, a.action), inverse: make([]float64, a.action),
		prob: make([]float64, a.choices), logProbs: make([]float64, a.choices),
	}
}

// spread prepares s for the standard deviations of a Gaussian.
func (s *score) spread(std, logStd []float32) {
	s.entropy, s.std = 0, 0
	for i, v := range std {
		s.inverse[i] = 1 / float64(v)
		s.entropy += float64(logStd[i]) + halfLog2Pi + 0.5
		s.std += float64(v) / float64(len(std))
	}
}

// score scores an action under the distribution that output, which is of the state, describes; see draw.
func (a *distribution) score(action, output []float32, s *score) {
	if a.choices > 0 {
		s.choice(action, output)
		return
	}
	s.spread(a.stds(output, nil, nil, &s.deviations))
	s.logProb = 0.5*float64(len(action)) - s.entropy
	for i, v := range action {
		s.z[i] = float64(v-output[i]) * s.inverse[i]
		s.logProb -= float64(0.5 * s.z[i] * s.z[i])
	}
}

// choice scores one of the choices.
func (s *score) choice(action, logits []float32) {
	logSum := softmax(s.prob, logits)
	s.entropy, s.std = 0, 0
	for i, p := range s.prob {
		s.logProbs[i] = float64(logits[i]) - logSum
		s.entropy -= float64(p * s.logProbs[i])
	}
	s.chosen = int(action[0])
	s.logProb = s.logProbs[s.chosen]
}

// derive writes the derivative, by each of the network's outputs, of a loss whose derivatives by the scored action's
// log probability and by the distribution's entropy are given.
func (a *distribution) derive(delta, output []float32, s *score, byLogProb, byEntropy float64) {
	if a.choices > 0 {
		for i, p := range s.prob {
			one := 0.0
			if i == s.chosen {
				one = 1
			}
			delta[i] = float32(float64(byLogProb*(one-p)) - float64(float64(byEntropy*p)*(s.logProbs[i]+s.entropy)))
		}
		return
	}
	for i, z := range s.z {
		delta[i] = float32(byLogProb * z * s.inverse[i])
		j := a.action + i
		if v := float64(output[j]); v < a.low || v > a.high { // it is held at the bound
			delta[j] = 0
		} else {
			delta[j] = float32(float64(byLogProb*(float64(z*z)-1)) + byEntropy)
		}
	}
}
