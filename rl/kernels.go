package rl

// #cgo CFLAGS: -O3 -std=c11
// #cgo noescape rl_add
// #cgo nocallback rl_add
// #cgo noescape rl_add_bias
// #cgo nocallback rl_add_bias
// #cgo noescape rl_bias_tanh
// #cgo nocallback rl_bias_tanh
// #cgo noescape rl_bias_elu
// #cgo nocallback rl_bias_elu
// #cgo noescape rl_bias_relu
// #cgo nocallback rl_bias_relu
// #cgo noescape rl_tanh_slope
// #cgo nocallback rl_tanh_slope
// #cgo noescape rl_elu_slope
// #cgo nocallback rl_elu_slope
// #cgo noescape rl_relu_slope
// #cgo nocallback rl_relu_slope
// #cgo noescape rl_adam
// #cgo nocallback rl_adam
// #cgo noescape rl_squares
// #cgo nocallback rl_squares
// #cgo noescape rl_gru
// #cgo nocallback rl_gru
// #cgo noescape rl_gru_slope
// #cgo nocallback rl_gru_slope
// #include "kernels.h"
import "C"

import "unsafe"

func cFloats(v []float32) *C.float { return (*C.float)(unsafe.SliceData(v)) }

// addRows adds every row of term to sum, in order.
func addRows(sum, term []float32) {
	C.rl_add(cFloats(sum), cFloats(term), C.int(len(term)/len(sum)), C.int(len(sum)))
}

// addBias adds bias to every row of y.
func addBias(y, bias []float32) {
	C.rl_add_bias(cFloats(y), cFloats(bias), C.int(len(y)/len(bias)), C.int(len(bias)))
}

// addBiasActivate adds bias to every row of y and takes the activation, tanh and ELU
// good to 4e-7 relative.
func addBiasActivate(a Activation, y, bias []float32) {
	rows, columns := C.int(len(y)/len(bias)), C.int(len(bias))
	switch a {
	case ELU:
		C.rl_bias_elu(cFloats(y), cFloats(bias), rows, columns)
	case ReLU:
		C.rl_bias_relu(cFloats(y), cFloats(bias), rows, columns)
	default:
		C.rl_bias_tanh(cFloats(y), cFloats(bias), rows, columns)
	}
}

// slope multiplies every row of delta by the derivative of the activation where its value
// is y, and writes the sum of the rows, taken in order, to sum.
func slope(a Activation, delta, y, sum []float32) {
	y = y[:len(delta)]
	rows, columns := C.int(len(delta)/len(sum)), C.int(len(sum))
	switch a {
	case ELU:
		C.rl_elu_slope(cFloats(delta), cFloats(y), cFloats(sum), rows, columns)
	case ReLU:
		C.rl_relu_slope(cFloats(delta), cFloats(y), cFloats(sum), rows, columns)
	default:
		C.rl_tanh_slope(cFloats(delta), cFloats(y), cFloats(sum), rows, columns)
	}
}

// adamStep moves params by the rule of [adam.step]; all slices have the length of grad.
func adamStep(params, first, second, grad []float32, scale, rate, spread float32) {
	n := len(grad)
	C.rl_adam(cFloats(params[:n]), cFloats(first[:n]), cFloats(second[:n]), cFloats(grad), C.int(n),
		C.float(scale), C.float(rate), C.float(spread))
}

// squares is the sum of the squares of v.
func squares(v []float32) float64 {
	return float64(C.rl_squares(cFloats(v), C.int(len(v))))
}

// gruForward computes a step of a GRU of so many units for the rows of previous, the states
// before the step; see [gru]. gates holds x·W and becomes the values of the gates r, z and
// n; recurrent holds h·U; kept becomes k. state is the states after the step.
func gruForward(state, gates, kept, recurrent, previous, bias []float32, units int) {
	rows := len(previous) / units
	state, kept = state[:rows*units], kept[:rows*units]
	gates, recurrent, bias = gates[:3*rows*units], recurrent[:3*rows*units], bias[:4*units]
	C.rl_gru(cFloats(state), cFloats(gates), cFloats(kept), cFloats(recurrent), cFloats(previous), cFloats(bias),
		C.int(rows), C.int(units))
}

// gruSlope follows gruForward. delta is the derivative by the states after the step and
// becomes the part of that by the states before it which does not pass the gates; byInput
// and byRecurrent become the derivatives by x·W and h·U.
func gruSlope(delta, byInput, byRecurrent, gates, kept, previous []float32, units int) {
	rows := len(previous) / units
	delta, kept = delta[:rows*units], kept[:rows*units]
	gates, byInput, byRecurrent = gates[:3*rows*units], byInput[:3*rows*units], byRecurrent[:3*rows*units]
	C.rl_gru_slope(cFloats(delta), cFloats(byInput), cFloats(byRecurrent), cFloats(gates), cFloats(kept), cFloats(previous),
		C.int(rows), C.int(units))
}
