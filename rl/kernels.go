package rl

// #cgo CFLAGS: -O3 -std=c11
// #cgo noescape rl_add_bias
// #cgo nocallback rl_add_bias
// #cgo noescape rl_add_bias_tanh
// #cgo nocallback rl_add_bias_tanh
// #cgo noescape rl_tanh_slope
// #cgo nocallback rl_tanh_slope
// #cgo noescape rl_add
// #cgo nocallback rl_add
// #include "kernels.h"
import "C"

import "unsafe"

func cFloats(v []float32) *C.float { return (*C.float)(unsafe.SliceData(v)) }

// addBias adds bias to every row of y.
func addBias(y, bias []float32) {
	C.rl_add_bias(cFloats(y), cFloats(bias), C.int(len(y)/len(bias)), C.int(len(bias)))
}

// addBiasTanh adds bias to every row of y and takes the hyperbolic tangent, good
// to 4e-7 relative.
func addBiasTanh(y, bias []float32) {
	C.rl_add_bias_tanh(cFloats(y), cFloats(bias), C.int(len(y)/len(bias)), C.int(len(bias)))
}

// tanhSlope multiplies delta by the derivative of the hyperbolic tangent where
// its value is y.
func tanhSlope(delta, y []float32) {
	C.rl_tanh_slope(cFloats(delta), cFloats(y[:len(delta)]), C.int(len(delta)))
}

// addRows adds every row of term to sum, in order.
func addRows(sum, term []float32) {
	C.rl_add(cFloats(sum), cFloats(term), C.int(len(term)/len(sum)), C.int(len(sum)))
}
