package nn

// #cgo CFLAGS: -O3 -std=c11
// #cgo noescape rl_add
// #cgo nocallback rl_add
// #cgo noescape rl_activate
// #cgo nocallback rl_activate
// #cgo noescape rl_slope
// #cgo nocallback rl_slope
// #cgo noescape rl_adam
// #cgo nocallback rl_adam
// #cgo noescape rl_sum_tree
// #cgo nocallback rl_sum_tree
// #cgo noescape rl_squares
// #cgo nocallback rl_squares
// #cgo noescape rl_gaussian
// #cgo nocallback rl_gaussian
// #cgo noescape rl_gaussian_slope
// #cgo nocallback rl_gaussian_slope
// #cgo noescape rl_gather
// #cgo nocallback rl_gather
// #cgo noescape rl_patches
// #cgo nocallback rl_patches
// #cgo noescape rl_add_patches
// #cgo nocallback rl_add_patches
// #cgo noescape rl_gru
// #cgo nocallback rl_gru
// #cgo noescape rl_gru_slope
// #cgo nocallback rl_gru_slope
// #cgo noescape rl_multiply
// #cgo nocallback rl_multiply
// #cgo noescape rl_polyak
// #cgo nocallback rl_polyak
// #cgo noescape rl_norm
// #cgo nocallback rl_norm
// #cgo noescape rl_norm_slope
// #cgo nocallback rl_norm_slope
// #include "kernels.h"
import "C"

import (
	"unsafe"

	"github.com/polyrhythm-rl/polyrhythm/policy"
)

func cFloats(v []float32) *C.float { return (*C.float)(unsafe.SliceData(v)) }

// AddRows adds every row of term to sum, in order.
func AddRows(sum, term []float32) {
	C.rl_add(cFloats(sum), cFloats(term), C.int(len(term)/len(sum)), C.int(len(sum)))
}

// kernelOf numbers the activations for kernels.c; the others are Tanh.
func kernelOf(a policy.Activation) C.int {
	switch a {
	case policy.ELU:
		return 1
	case policy.ReLU:
		return 2
	case noActivation:
		return 3
	}
	return 0
}

const noActivation policy.Activation = "none" // after the last layer

// addBiasActivate adds bias to every row of y and takes the activation, tanh and ELU good to 4e-7 relative.
func addBiasActivate(a policy.Activation, y, bias []float32) {
	C.rl_activate(kernelOf(a), cFloats(y), cFloats(bias), C.int(len(y)/len(bias)), C.int(len(bias)))
}

// slope multiplies every row of delta by the derivative of the activation where its value
// is y, and writes the sum of the rows, taken in order, to sum.
func slope(a policy.Activation, delta, y, sum []float32) {
	rows, columns := C.int(len(delta)/len(sum)), C.int(len(sum))
	C.rl_slope(kernelOf(a), cFloats(delta), cFloats(y[:len(delta)]), cFloats(sum), rows, columns)
}

// SumTree sums the first columns of the first n rows of a matrix with size columns. The sum is
// in row 0, and the others are overwritten. Rows 0 and 1 are added, 2 and 3 and so on, then these
// sums in the same way, the last one without a partner going on as it is.
func SumTree(rows []float32, size, n, columns int) {
	if n > 1 {
		_ = rows[(n-1)*size+columns-1]
		C.rl_sum_tree(cFloats(rows), C.long(size), C.int(n), C.int(columns))
	}
}

// moveAdam moves params by the rule of [Adam]; all slices have the length of grad.
func moveAdam(params, first, second, grad []float32, s AdamStep) {
	n := len(grad)
	C.rl_adam(cFloats(params[:n]), cFloats(first[:n]), cFloats(second[:n]), cFloats(grad), C.int(n),
		C.float(s.Scale), C.float(s.rate), C.float(s.spread), C.float(s.Epsilon))
}

// Squares is the sum of the squares of v.
func Squares(v []float32) float64 {
	return float64(C.rl_squares(cFloats(v), C.int(len(v))))
}

func cInts(v []int32) *C.int { return (*C.int)(unsafe.SliceData(v)) }

func cDoubles(v []float64) *C.double { return (*C.double)(unsafe.SliceData(v)) }

// GaussianScore writes the log probabilities of the actions of samples under Gaussians of the deviations of s, whose
// means are every stride-th row of outputs, and z, samples × action values, the distances from the means.
func GaussianScore(logProb, z []float64, actions, outputs []float32, stride int, samples []int32, s *Score) {
	size := len(s.inverse)
	_ = outputs[((len(samples)-1)*stride+1)*size-1]
	C.rl_gaussian(cDoubles(logProb[:len(samples)]), cDoubles(z[:len(samples)*size]), cFloats(actions), cFloats(outputs),
		C.int(stride*size), cInts(samples), C.int(len(samples)), C.int(size), cDoubles(s.inverse),
		C.double(s.Entropy))
}

// GaussianSlope follows [GaussianScore]: from the loss's derivatives by the log probabilities, it writes those by
// the means to every stride-th row of delta and adds those by the log standard deviations to byLogStd.
func GaussianSlope(delta []float32, stride int, byLogStd, z, slopes []float64, s *Score) {
	size := len(s.inverse)
	_ = delta[((len(slopes)-1)*stride+1)*size-1]
	C.rl_gaussian_slope(cFloats(delta), C.int(stride*size), cDoubles(byLogStd[:size]), cDoubles(z[:len(slopes)*size]),
		cDoubles(slopes), C.int(len(slopes)), C.int(size), cDoubles(s.inverse))
}

// GatherRows copies columns of the rows of a matrix with size columns that are named by samples to the rows of dst.
func GatherRows(dst, matrix []float32, size int, columns ColumnRange, samples []int32) {
	dst = dst[:len(samples)*columns.Size]
	C.rl_gather(cFloats(dst), cFloats(matrix[columns.First:]), C.int(size), C.int(columns.Size), cInts(samples),
		C.int(len(samples)))
}

// takePatches writes what each pixel of a convolution's output is computed from to the rows of dst, which are stride
// values apart: of each row of the kernel the pixels, of each pixel the channels of x, 0 outside of it. in and out are
// height, width and channels of x and of the output.
func takePatches(dst []float32, stride int, x []float32, in, out [3]int, c policy.Convolution) {
	_, _ = dst[(out[0]*out[1]-1)*stride+c.Kernel*c.Kernel*in[2]-1], x[in[0]*in[1]*in[2]-1]
	inSizes, outSizes := sizes(in), sizes(out)
	C.rl_patches(cFloats(dst), C.int(stride), cFloats(x), &inSizes[0], &outSizes[0], C.int(c.Kernel), C.int(c.Step()),
		C.int(c.Padding))
}

// addPatches adds each value of patches to the value of x that takePatches takes it from.
func addPatches(x, patches []float32, in, out [3]int, c policy.Convolution) {
	_, _ = patches[out[0]*out[1]*c.Kernel*c.Kernel*in[2]-1], x[in[0]*in[1]*in[2]-1]
	inSizes, outSizes := sizes(in), sizes(out)
	C.rl_add_patches(cFloats(x), cFloats(patches), &inSizes[0], &outSizes[0], C.int(c.Kernel), C.int(c.Step()),
		C.int(c.Padding))
}

func sizes(shape [3]int) [3]C.int { return [3]C.int{C.int(shape[0]), C.int(shape[1]), C.int(shape[2])} }

// gruForward computes a step of a GRU of so many units for the rows of previous, the states
// before the step; see [GRU]. gates holds x·W and becomes the values of the gates r, z and
// n; recurrent holds h·U; kept becomes k. state is the states after the step.
func gruForward(state, gates, kept, recurrent, previous, bias []float32, units int) {
	rows := len(previous) / units
	state, kept = state[:rows*units], kept[:rows*units]
	gates, recurrent, bias = gates[:3*rows*units], recurrent[:3*rows*units], bias[:4*units]
	C.rl_gru(cFloats(state), cFloats(gates), cFloats(kept), cFloats(recurrent), cFloats(previous), cFloats(bias),
		C.int(rows), C.int(units))
}

// gruSlope follows gruForward. delta is the derivative by the states after the step and becomes the part of that by
// the states before it which does not pass the gates; byInput and byRecurrent become the derivatives by x·W and h·U.
func gruSlope(delta, byInput, byRecurrent, gates, kept, previous []float32, units int) {
	rows := len(previous) / units
	delta, kept = delta[:rows*units], kept[:rows*units]
	gates, byInput, byRecurrent = gates[:3*rows*units], byInput[:3*rows*units], byRecurrent[:3*rows*units]
	C.rl_gru_slope(cFloats(delta), cFloats(byInput), cFloats(byRecurrent), cFloats(gates), cFloats(kept),
		cFloats(previous),
		C.int(rows), C.int(units))
}

// scaleEach multiplies each value of y by its factor.
func scaleEach(y, factor []float32) {
	C.rl_multiply(cFloats(y), cFloats(factor[:len(y)]), C.long(len(y)))
}

// Polyak brings target nearer to params by a part of their distance.
func Polyak(target, params []float32, part float32) {
	C.rl_polyak(cFloats(target), cFloats(params[:len(target)]), C.int(len(target)), C.float(part))
}

// normaliseRows gives each row of y mean 0 and deviation 1, which scaled keeps, and multiplies by gains. inverse
// becomes one over the deviation of each row.
func normaliseRows(y, scaled, inverse, gains []float32) {
	rows := len(y) / len(gains)
	C.rl_norm(cFloats(y), cFloats(scaled[:len(y)]), cFloats(inverse[:rows]), cFloats(gains), C.int(rows),
		C.int(len(gains)))
}

// normaliseSlope follows normaliseRows: the derivative by its result becomes that by its argument, and byGains, unless
// it is nil, the derivative by the gains.
func normaliseSlope(delta, scaled, inverse, gains, byGains []float32) {
	rows := len(delta) / len(gains)
	C.rl_norm_slope(cFloats(delta), cFloats(scaled[:len(delta)]), cFloats(inverse[:rows]), cFloats(gains),
		cFloats(byGains), C.int(rows), C.int(len(gains)))
}
