package gymnasium

import "math"

// What NumPy works out for Gymnasium, in NumPy's order, so that the bits agree.

// sum adds up term(x[i]) as numpy.sum does: eight at a time below 128 terms, and
// above that in halves ("pairwise summation").
func sum[F float32 | float64](x []F, term func(F) F) F {
	n := len(x)
	if n > 128 {
		half := n / 2
		half -= half % 8
		return sum(x[:half], term) + sum(x[half:], term)
	}
	var total F
	if n >= 8 {
		var r [8]F
		for i := range r {
			r[i] = term(x[i])
		}
		x = x[8:]
		for ; len(x) >= 8; x = x[8:] {
			for i := range r {
				r[i] += term(x[i])
			}
		}
		total = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]))
	}
	for _, v := range x {
		total += term(v)
	}
	return total
}

// squares is numpy.sum(numpy.square(x)).
func squares[F float32 | float64](x []F) F {
	return sum(x, func(v F) F { return F(v * v) })
}

// actionCost is weight * numpy.sum(numpy.square(action)): NumPy multiplies a Python
// number by a float32 in single precision.
func actionCost(weight float64, action []float32) float64 {
	return float64(float32(weight) * squares(action))
}

// clamp is numpy.clip: where the limits cross, the upper one wins.
func clamp(v float64, limits [2]float64) float64 {
	return min(max(v, limits[0]), limits[1])
}

func clipTo(values []float64, limits [2]float64) {
	for i, v := range values {
		values[i] = clamp(v, limits)
	}
}

// norm is numpy.linalg.norm of a vector of a few values.
func norm(x ...float64) float64 {
	var total float64
	for _, v := range x {
		total += float64(v * v)
	}
	return math.Sqrt(total)
}
