package nn

import "math"

// Distribution is the plan of how the outputs of a policy network become an action: values of independent Gaussians
// or, categorical, one of several choices. A Gaussian's parameters are one mean for each action value, then one
// logarithm of a standard deviation; a categorical one's are a logit for each choice. It is immutable.
type Distribution struct {
	Action         int  // values per action, of all those of a chunk
	Choices        int  // categorical if above 0; action is then 1
	StateDependent bool // the network gives a Gaussian's deviations too; otherwise they are parameters beside it
	Deterministic  bool // there are no deviations: the action is the mean, and is never drawn
	Squash         bool // a Gaussian's values become actions by tanh, from -1 to 1

	Low, High float64 // bounds of a Gaussian's log standard deviations; ±Inf for none
}

// parameters is the number of values that describe the distribution of one action.
func (a *Distribution) parameters() int {
	switch {
	case a.Choices > 0:
		return a.Choices
	case a.Deterministic:
		return a.Action
	}
	return 2 * a.Action
}

// Outputs is how many of them the network gives, the first ones; the others are
// learned for all observations together.
func (a *Distribution) Outputs() int {
	if a.Choices > 0 || a.StateDependent {
		return a.parameters()
	}
	return a.Action
}

// Free is the number of those others.
func (a *Distribution) Free() int { return a.parameters() - a.Outputs() }

// Bound brings a log standard deviation within the bounds.
func (a *Distribution) Bound(logStd float64) float64 { return min(max(logStd, a.Low), a.High) }

// stds returns the standard deviations of a Gaussian and their logarithms where the
// network's output is output: those of free or, written to d, those in output.
func (a *Distribution) stds(output, free, freeStd []float32, d *deviations) (std, logStd []float32) {
	if !a.StateDependent {
		return freeStd, free
	}
	for i, v := range output[a.Action:] {
		logStd := a.Bound(float64(v))
		d.logStd[i], d.std[i] = float32(logStd), float32(math.Exp(logStd))
	}
	return d.std, d.logStd
}

// deviations is working memory of stds.
type deviations struct{ std, logStd []float32 }

func (a *Distribution) newDeviations() deviations {
	return deviations{make([]float32, a.Action), make([]float32, a.Action)}
}

// Mode writes the most likely action.
func (a *Distribution) Mode(dst, output []float32) {
	if a.Choices == 0 {
		copy(dst, output[:a.Action])
		if a.Squash {
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

// Draw is the working memory of one goroutine that draws actions.
type Draw struct {
	Noise Stream
	deviations
	prob []float64
}

// NewDraw allocates working memory.
func (a *Distribution) NewDraw() Draw {
	return Draw{NewStream(), a.newDeviations(), make([]float64, a.Choices)}
}

// Draw samples an action from the distribution that output and, beside the network, free describe; freeStd is the
// exponential of free. It returns the logarithm of its probability or, of a Gaussian, of its density.
func (a *Distribution) Draw(action, output, free, freeStd []float32, d *Draw) float32 {
	if a.Choices > 0 {
		return DrawChoice(action, output, d.prob, d.Noise)
	}
	std, logStd := a.stds(output, free, freeStd, &d.deviations)
	logProb := 0.0
	for i, m := range output[:a.Action] {
		z := d.Noise.NormFloat64()
		action[i] = m + float32(float32(z)*std[i])
		logProb -= float64(0.5*z*z) + float64(logStd[i]) + HalfLog2Pi
	}
	return float32(logProb)
}

// DrawSquashed draws an action, from -1 to 1, and returns the logarithm of its density: that of the Gaussian at u, where
// the action is tanh u, less the sum of ln(1 - tanh²u) (Haarnoja et al. 2018, appendix C). z and std become the draws
// and the deviations.
func (a *Distribution) DrawSquashed(action []float32, z, std []float64, output []float32,
	noise Stream) (logProb float64) {
	for i := range action {
		logStd := a.Bound(float64(output[a.Action+i]))
		z[i], std[i] = noise.NormFloat64(), math.Exp(logStd)
		u := float64(output[i]) + float64(std[i]*z[i])
		// With t = e^(-2|u|): |tanh u| = (1-t)/(1+t), and ln(1 - tanh²u) = 2 (ln 2 - |u| - ln(1+t)).
		size := math.Abs(u)
		t := math.Exp(-2 * size)
		action[i] = float32(math.Copysign((1-t)/(1+t), u))
		logProb -= float64(0.5*z[i]*z[i]) + logStd + HalfLog2Pi + float64(2*(math.Ln2-size-math.Log1p(t)))
	}
	return logProb
}

// HalfLog2Pi is ½·ln 2π, the constant of the Gaussian's log density.
var HalfLog2Pi = 0.5 * math.Log(2*math.Pi)

// DrawChoice samples one of the choices; prob is working memory.
func DrawChoice(action, logits []float32, prob []float64, noise Stream) float32 {
	logSum := Softmax(prob, logits)
	u, choice := noise.Float64(), 0
	for u >= prob[choice] && choice < len(prob)-1 {
		u -= prob[choice]
		choice++
	}
	action[0] = float32(choice)
	return float32(float64(logits[choice]) - logSum)
}

// Softmax writes the probabilities that logits give and returns the logarithm of the sum of their exponentials.
func Softmax(prob []float64, logits []float32) float64 {
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

// Score describes an action under a distribution.
type Score struct {
	LogProb, Entropy float64 // nats
	Std              float64 // mean standard deviation; 0 of choices

	deviations
	z       []float64 // of a Gaussian: the action's distance from the mean, in standard deviations
	inverse []float64 // 1 over those standard deviations

	prob, logProbs []float64 // of choices: of each
	chosen         int
}

// NewScore allocates working memory.
func (a *Distribution) NewScore() Score {
	return Score{
		deviations: a.newDeviations(),
		z:          make([]float64, a.Action), inverse: make([]float64, a.Action),
		prob: make([]float64, a.Choices), logProbs: make([]float64, a.Choices),
	}
}

// Spread prepares s for the standard deviations of a Gaussian.
func (s *Score) Spread(std, logStd []float32) {
	s.Entropy, s.Std = 0, 0
	for i, v := range std {
		s.inverse[i] = 1 / float64(v)
		s.Entropy += float64(logStd[i]) + HalfLog2Pi + 0.5
		s.Std += float64(v) / float64(len(std))
	}
}

// Score scores an action under the distribution that output, which is of the state, describes; see [Distribution.Draw].
func (a *Distribution) Score(action, output []float32, s *Score) {
	if a.Choices > 0 {
		s.choice(action, output)
		return
	}
	s.Spread(a.stds(output, nil, nil, &s.deviations))
	s.LogProb = 0.5*float64(len(action)) - s.Entropy
	for i, v := range action {
		s.z[i] = float64(v-output[i]) * s.inverse[i]
		s.LogProb -= float64(0.5 * s.z[i] * s.z[i])
	}
}

// choice scores one of the choices.
func (s *Score) choice(action, logits []float32) {
	logSum := Softmax(s.prob, logits)
	s.Entropy, s.Std = 0, 0
	for i, p := range s.prob {
		s.logProbs[i] = float64(logits[i]) - logSum
		s.Entropy -= float64(p * s.logProbs[i])
	}
	s.chosen = int(action[0])
	s.LogProb = s.logProbs[s.chosen]
}

// Derive writes the derivative, by each of the network's outputs, of a loss whose derivatives by the scored action's
// log probability and by the distribution's entropy are given.
func (a *Distribution) Derive(delta, output []float32, s *Score, byLogProb, byEntropy float64) {
	if a.Choices > 0 {
		for i, p := range s.prob {
			one := 0.0
			if i == s.chosen {
				one = 1
			}
			delta[i] = float32(float64(byLogProb*(one-p)) - float64(float64(byEntropy*p)*(s.logProbs[i]+s.Entropy)))
		}
		return
	}
	for i, z := range s.z {
		delta[i] = float32(byLogProb * z * s.inverse[i])
		j := a.Action + i
		if v := float64(output[j]); v < a.Low || v > a.High { // it is held at the bound
			delta[j] = 0
		} else {
			delta[j] = float32(float64(byLogProb*(float64(z*z)-1)) + byEntropy)
		}
	}
}
