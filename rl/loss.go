package rl

// #cgo CFLAGS: -O3 -std=c11
// #cgo LDFLAGS: -lm
// #cgo noescape rl_surrogate
// #cgo nocallback rl_surrogate
// #cgo noescape rl_value_loss
// #cgo nocallback rl_value_loss
// #include "loss.h"
import "C"

import "unsafe"

func cFloats(v []float32) *C.float { return (*C.float)(unsafe.SliceData(v)) }

func cInts(v []int32) *C.int { return (*C.int)(unsafe.SliceData(v)) }

func cDoubles(v []float64) *C.double { return (*C.double)(unsafe.SliceData(v)) }

// surrogate turns the log probabilities of samples into the derivatives, by them, of the clipped surrogate's mean
// over a minibatch of so many samples, and adds to sum what the samples contribute. Advantages are shifted by mean
// and scaled.
func surrogate(logProb []float64, old, advantage []float32, samples []int32, mean, scale, clip float64, size int,
	sum *losses) {
	C.rl_surrogate(cDoubles(logProb[:len(samples)]), cFloats(old), cFloats(advantage[:len(old)]),
		cInts(samples), C.int(len(samples)), C.double(mean), C.double(scale), C.double(clip),
		C.double(size), (*C.double)(&sum.policy), (*C.double)(&sum.kl), (*C.double)(&sum.clipped))
}

// valueLoss writes the derivative of ValueWeight times the mean, over a minibatch of so many samples, of half the
// squared error of values, one of each sample, to delta, and returns the sum of half the squared errors. Where a value
// has moved from the old one by more than clip, the error is that of the value held there, if it is the larger one.
func valueLoss(delta, values, old, target []float32, samples []int32, clip, weight float64, size int) float64 {
	n := len(samples)
	return float64(C.rl_value_loss(cFloats(delta[:n]), cFloats(values[:n]), cFloats(old),
		cFloats(target[:len(old)]), cInts(samples), C.int(n), C.double(clip), C.double(weight), C.double(size)))
}
