package rl

import "math"

// adam is the optimiser of Kingma and Ba, "Adam: A Method for Stochastic
// Optimization", 2015.
type adam struct {
	steps  int64
	first  []float32 // running mean of each parameter's gradient
	second []float32 // and of its square
}

// The decay of the two means; kernels.c has them too, and epsilon, 1e-5.
const (
	adamBeta1 = 0.9
	adamBeta2 = 0.999
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

// step moves params against grad, scaled by gradScale. The work is split over
// the team; each parameter is on its own, so the result does not depend on the split.
func (a *adam) step(params, grad []float32, gradScale, learningRate float64, t *team) {
	a.steps++
	bias1 := 1 - math.Pow(adamBeta1, float64(a.steps))
	bias2 := 1 - math.Pow(adamBeta2, float64(a.steps))
	scale, rate, spread := float32(gradScale), float32(learningRate/bias1), float32(1/math.Sqrt(bias2))
	workers := t.workers()
	span := (len(params) + workers - 1) / workers
	t.do(workers, func(_, task int) {
		from, to := min(task*span, len(params)), min((task+1)*span, len(params))
		adamStep(params[from:to], a.first[from:to], a.second[from:to], grad[from:to], scale, rate, spread)
	})
}
