package rl

import "math"

// Taylor coefficients of 2^f = e^(f·ln 2) without the leading 1. On |f| ≤ ½ the
// first term left out is below 6e-9.
const (
	exp1 = math.Ln2
	exp2 = exp1 * math.Ln2 / 2
	exp3 = exp2 * math.Ln2 / 3
	exp4 = exp3 * math.Ln2 / 4
	exp5 = exp4 * math.Ln2 / 5
	exp6 = exp5 * math.Ln2 / 6
	exp7 = exp6 * math.Ln2 / 7
)

// tanh is the hyperbolic tangent, good to 4e-7 relative. It is about four times
// as fast as math.Tanh, which works in double precision.
//
// With t = e^(-2|x|) = 2^n·(1+m), n an integer and |m| < ½, it is
// (1-t)/(1+t); writing 1-t as (1-2^n) - 2^n·m keeps its digits when x is near 0.
func tanh(x float32) float32 {
	a := math.Float32frombits(math.Float32bits(x) &^ (1 << 31))
	if a > 9 { // 1 - tanh(9) is less than half a unit in the last place
		a = 9
	}
	y := a * (-2 * math.Log2E)
	n := int32(y - 0.5)
	f := y - float32(n)
	m := float32(f*exp7) + exp6
	m = float32(f*m) + exp5
	m = float32(f*m) + exp4
	m = float32(f*m) + exp3
	m = float32(f*m) + exp2
	m = float32(f*m) + exp1
	m = f * m
	s := math.Float32frombits(uint32(n+127) << 23)
	m = s * m
	r := ((1 - s) - m) / ((1 + s) + m)
	return math.Float32frombits(math.Float32bits(r) | math.Float32bits(x)&(1<<31))
}
