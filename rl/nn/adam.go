package nn

import "math"

// Adam is the optimiser of Kingma and Ba, "Adam: A Method for Stochastic Optimization", 2015.
type Adam struct {
	Steps  int64
	First  []float32 // running mean of each parameter's gradient
	Second []float32 // and of its square
}

// The decay of the two means, which kernels.c has too, and what keeps a step finite.
const (
	adamBeta1   = 0.9
	adamBeta2   = 0.999
	adamEpsilon = 1e-5
)

// NewAdam returns the state before the first step of so many parameters.
func NewAdam(parameters int) Adam {
	return Adam{First: make([]float32, parameters), Second: make([]float32, parameters)}
}

// Set takes over the state of another one of the same size.
func (a *Adam) Set(other Adam) {
	a.Steps = other.Steps
	copy(a.First, other.First)
	copy(a.Second, other.Second)
}

// AdamStep is what the parameters have in common in a step.
type AdamStep struct{ Scale, rate, spread, Epsilon float32 }

// Step begins the next step, against a gradient that is to be scaled.
func (a *Adam) Step(gradScale, learningRate float64) AdamStep {
	a.Steps++
	bias1 := 1 - math.Pow(adamBeta1, float64(a.Steps))
	bias2 := 1 - math.Pow(adamBeta2, float64(a.Steps))
	return AdamStep{float32(gradScale), float32(learningRate / bias1), float32(1 / math.Sqrt(bias2)), adamEpsilon}
}

// Move takes the step for the parameters first up to end, without that. Each is on its own, so they may be moved in
// any parts, by any goroutines.
func (a *Adam) Move(s AdamStep, params, grad []float32, first, end int) {
	moveAdam(params[first:end], a.First[first:end], a.Second[first:end], grad[first:end], s)
}
