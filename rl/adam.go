package rl

import "math"

// adam is the optimiser of Kingma and Ba, "Adam: A Method for Stochastic Optimization", 2015.
type adam struct {
	steps  int64
	first  []float32 // running mean of each parameter's gradient
	second []float32 // and of its square
}

// The decay of the two means, which kernels.c has too, and what keeps a step finite.
const (
	adamBeta1   = 0.9
	adamBeta2   = 0.999
	adamEpsilon = 1e-5
)

func newAdam(parameters int) adam {
	return adam{first: make([]float32, parameters), second: make([]float32, parameters)}
}

// set takes over the state of another one of the same size.
func (a *adam) set(other adam) {
	a.steps = other.steps
	copy(a.first, other.first)
	copy(a.second, other.second)
}

// adamStep is what the parameters have in common in a step.
type adamStep struct{ scale, rate, spread, epsilon float32 }

// step begins the next step, against a gradient that is to be scaled.
func (a *adam) step(gradScale, learningRate float64) adamStep {
	a.steps++
	bias1 := 1 - math.Pow(adamBeta1, float64(a.steps))
	bias2 := 1 - math.Pow(adamBeta2, float64(a.steps))
	return adamStep{float32(gradScale), float32(learningRate / bias1), float32(1 / math.Sqrt(bias2)), adamEpsilon}
}

// move takes the step for the parameters first up to end, without that. Each is on its own, so they may be moved in
// any parts, by any goroutines.
func (a *adam) move(s adamStep, params, grad []float32, first, end int) {
	moveAdam(params[first:end], a.first[first:end], a.second[first:end], grad[first:end], s)
}
