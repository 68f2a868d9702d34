package rl

import "math"

// reference computes a control step in double precision.
func (g gru) reference(params, x, h []float64) []float64 {
	sum := func(matrix, v []float64, gate, unit int) float64 {
		total := 0.0
		for i := range v {
			total += v[i] * matrix[i*3*g.units+gate*g.units+unit]
		}
		return total
	}
	sigmoid := func(v float64) float64 { return 1 / (1 + math.Exp(-v)) }
	w := params
	u := w[g.inputs*3*g.units:]
	b := u[g.units*3*g.units:]
	next := make([]float64, g.units)
	for i := range next {
		r := sigmoid(sum(w, x, 0, i) + sum(u, h, 0, i) + b[i])
		z := sigmoid(sum(w, x, 1, i) + sum(u, h, 1, i) + b[g.units+i])
		n := math.Tanh(sum(w, x, 2, i) + b[2*g.units+i] + r*(sum(u, h, 2, i)+b[3*g.units+i]))
		next[i] = (1-z)*n + z*h[i]
	}
	return next
}
