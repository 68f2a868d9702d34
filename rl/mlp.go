package rl

import (
	"cmp"
	"math"
)

// mlp is the plan of a fully connected network: an activation after every hidden layer, none after the last. Its
// parameters lie elsewhere, in one flat vector: for each layer the weights (inputs × outputs, row-major), then the
// biases. It is immutable.
type mlp struct {
	sizes      []int // values at the input, after each hidden layer, at the output
	activation Activation
}

func newMLP(inputs int, hidden []int, outputs int, activation Activation) mlp {
	sizes := append([]int{inputs}, hidden...)
	return mlp{append(sizes, outputs), cmp.Or(activation, Tanh)}
}

func (n mlp) layers() int  { return len(n.sizes) - 1 }
func (n mlp) outputs() int { return n.sizes[n.layers()] }

// parameters is the length of the vector.
func (n mlp) parameters() int {
	sum := 0
	for l := range n.layers() {
		sum += (n.sizes[l] + 1) * n.sizes[l+1]
	}
	return sum
}

// layer returns the weights and biases of a layer, as parts of vector, and what follows them.
func (n mlp) layer(vector []float32, l int) (weights, biases, rest []float32) {
	in, out := n.sizes[l], n.sizes[l+1]
	return vector[:in*out], vector[in*out : (in+1)*out], vector[(in+1)*out:]
}

// initialise draws orthogonal weights, scaled by √2 in the hidden layers and by
// gain in the last, and sets the biases to zero.
func (n mlp) initialise(params []float32, gain float64, seed uint64, network int64) {
	s := newStream()
	for l := range n.layers() {
		var weights, biases []float32
		weights, biases, params = n.layer(params, l)
		s.key(seed, drawWeights, network, int64(l))
		scale := math.Sqrt2
		if l == n.layers()-1 {
			scale = gain
		}
		orthogonal(weights, n.sizes[l], n.sizes[l+1], scale, s)
		clear(biases)
	}
}

// orthogonal fills dst (rows × columns) with a random matrix whose rows, or columns if there are fewer of them, are
// orthogonal and of length gain: Gaussian draws made orthonormal by Gram and Schmidt's method, twice for accuracy.
// See Saxe, McClelland and Ganguli, "Exact solutions to the nonlinear dynamics of learning in deep linear neural
// networks", 2014.
func orthogonal(dst []float32, rows, columns int, gain float64, s stream) {
	count, length := rows, columns
	if columns < rows {
		count, length = columns, rows
	}
	basis := make([][]float64, count)
	for i := range basis {
		v := make([]float64, length)
		for j := range v {
			v[j] = s.NormFloat64()
		}
		for range 2 {
			for _, u := range basis[:i] {
				subtract(v, u, dot(u, v))
			}
		}
		norm := math.Sqrt(dot(v, v))
		for j := range v {
			v[j] /= norm
		}
		basis[i] = v
	}
	for r := range rows {
		for c := range columns {
			if columns < rows {
				dst[r*columns+c] = float32(gain * basis[c][r])
			} else {
				dst[r*columns+c] = float32(gain * basis[r][c])
			}
		}
	}
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += float64(a[i] * b[i])
	}
	return sum
}

// subtract sets v -= k·u.
func subtract(v, u []float64, k float64) {
	for i := range v {
		v[i] -= float64(k * u[i])
	}
}

// activations is the working memory of one pass through a network, for up to a fixed number of samples, one per row.
type activations struct {
	value [][]float32 // value[l]: the output of layer l, value[0] the input
	// delta[l]: the loss's derivative by layer l's sums, delta[0] by the input if it has room for it; nil without backward
	delta [][]float32
}

// newActivations allocates for rows samples.
func (n mlp) newActivations(rows int, backward bool) activations {
	var a activations
	for l, size := range n.sizes {
		a.value = append(a.value, make([]float32, rows*size))
		if !backward {
			continue
		}
		if l == 0 { // nothing learns from the derivative by the input, unless network says so
			size = 0
		}
		a.delta = append(a.delta, make([]float32, rows*size))
	}
	return a
}

func (a activations) input() []float32       { return a.value[0] }
func (a activations) output() []float32      { return a.value[len(a.value)-1] }
func (a activations) outputDelta() []float32 { return a.delta[len(a.delta)-1] }

// forward computes a.output from the first rows rows of a.input.
func (n mlp) forward(params []float32, a activations, rows int) {
	for l := range n.layers() {
		in, out := n.sizes[l], n.sizes[l+1]
		var weights, biases []float32
		weights, biases, params = n.layer(params, l)
		y := a.value[l+1][:rows*out]
		matmul(noTrans, noTrans, rows, out, in, a.value[l], weights, y)
		activation := n.activation
		if l == n.layers()-1 {
			activation = noActivation
		}
		addBiasActivate(activation, y, biases)
	}
}

// backward follows forward with the same a and rows: from a.outputDelta, the loss's derivative by each output, it
// computes the derivative by each parameter of layers l and above, which begin params, and writes it over grad.
// below, for l > 0, is the derivative by the biases of the layer below.
func (n mlp) backward(l int, params, grad, below []float32, a activations, rows int) {
	in, out := n.sizes[l], n.sizes[l+1]
	weights, _, params := n.layer(params, l)
	gradWeights, gradBiases, grad := n.layer(grad, l)
	delta := a.delta[l+1][:rows*out]
	if l < n.layers()-1 {
		n.backward(l+1, params, grad, gradBiases, a, rows)
	} else {
		clear(gradBiases)
		addRows(gradBiases, delta)
	}
	matmul(trans, noTrans, in, out, rows, a.value[l], delta, gradWeights)
	if len(a.delta[l]) == 0 {
		return
	}
	deltaBelow := a.delta[l][:rows*in]
	matmul(noTrans, trans, rows, in, out, delta, weights, deltaBelow)
	if l == 0 {
		return
	}
	slope(n.activation, deltaBelow, a.value[l], below)
}
