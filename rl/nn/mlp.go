package nn

import (
	"cmp"
	"math"

	"github.com/polyrhythm-rl/polyrhythm/policy"
)

// MLP is the plan of a fully connected network: an activation after every hidden layer, none after the last. Its
// parameters lie elsewhere, in one flat vector: for each layer the weights (inputs × outputs, row-major), then the
// biases. It is immutable.
type MLP struct {
	Sizes      []int // values at the input, after each hidden layer, at the output
	Activation policy.Activation
}

// NewMLP plans a network; an activation of "" is tanh.
func NewMLP(inputs int, hidden []int, outputs int, activation policy.Activation) MLP {
	sizes := append([]int{inputs}, hidden...)
	return MLP{append(sizes, outputs), cmp.Or(activation, policy.Tanh)}
}

// Layers is the number of layers, the hidden ones and the last.
func (n MLP) Layers() int { return len(n.Sizes) - 1 }

// Outputs is the number of values at the output.
func (n MLP) Outputs() int { return n.Sizes[n.Layers()] }

// Parameters is the length of the vector.
func (n MLP) Parameters() int {
	sum := 0
	for l := range n.Layers() {
		sum += (n.Sizes[l] + 1) * n.Sizes[l+1]
	}
	return sum
}

// Layer returns the weights and biases of a layer, as parts of vector, and what follows them.
func (n MLP) Layer(vector []float32, l int) (weights, biases, rest []float32) {
	in, out := n.Sizes[l], n.Sizes[l+1]
	return vector[:in*out], vector[in*out : (in+1)*out], vector[(in+1)*out:]
}

// Initialise draws orthogonal weights, scaled by √2 in the hidden layers and by
// gain in the last, and sets the biases to zero.
func (n MLP) Initialise(params []float32, gain float64, seed uint64, network int64) {
	s := NewStream()
	for l := range n.Layers() {
		var weights, biases []float32
		weights, biases, params = n.Layer(params, l)
		s.Key(seed, drawWeights, network, int64(l))
		scale := math.Sqrt2
		if l == n.Layers()-1 {
			scale = gain
		}
		orthogonal(weights, n.Sizes[l], n.Sizes[l+1], scale, s)
		clear(biases)
	}
}

// orthogonal fills dst (rows × columns) with a random matrix whose rows, or columns if there are fewer of them, are
// orthogonal and of length gain: Gaussian draws made orthonormal by Gram and Schmidt's method, twice for accuracy.
// See Saxe, McClelland and Ganguli, "Exact solutions to the nonlinear dynamics of learning in deep linear neural
// networks", 2014.
func orthogonal(dst []float32, rows, columns int, gain float64, s Stream) {
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

// Activations is the working memory of one pass through a network, for up to a fixed number of samples, one per row.
type Activations struct {
	Value [][]float32 // value[l]: the output of layer l, value[0] the input
	// delta[l]: the loss's derivative by layer l's sums, delta[0] by the input if it has room for it; nil without backward
	Delta [][]float32
}

// NewActivations allocates for rows samples.
func (n MLP) NewActivations(rows int, backward bool) Activations {
	var a Activations
	for l, size := range n.Sizes {
		a.Value = append(a.Value, make([]float32, rows*size))
		if !backward {
			continue
		}
		if l == 0 { // nothing learns from the derivative by the input, unless network says so
			size = 0
		}
		a.Delta = append(a.Delta, make([]float32, rows*size))
	}
	return a
}

// Input, Output and OutputDelta are the input, rows × inputs, the output, rows × outputs, and the loss's derivative by
// it. They share memory.
func (a Activations) Input() []float32 { return a.Value[0] }

// Output is what Forward computes, see Input.
func (a Activations) Output() []float32 { return a.Value[len(a.Value)-1] }

// OutputDelta is what Backward begins with, see Input.
func (a Activations) OutputDelta() []float32 { return a.Delta[len(a.Delta)-1] }

// Forward computes a.Output from the first rows rows of a.Input.
func (n MLP) Forward(params []float32, a Activations, rows int) {
	for l := range n.Layers() {
		in, out := n.Sizes[l], n.Sizes[l+1]
		var weights, biases []float32
		weights, biases, params = n.Layer(params, l)
		y := a.Value[l+1][:rows*out]
		Matmul(NoTrans, NoTrans, rows, out, in, a.Value[l], weights, y)
		activation := n.Activation
		if l == n.Layers()-1 {
			activation = noActivation
		}
		addBiasActivate(activation, y, biases)
	}
}

// Backward follows Forward with the same a and rows: from a.OutputDelta, the loss's derivative by each output, it
// computes the derivative by each parameter of layers l and above, which begin params, and writes it over grad.
// below, for l > 0, is the derivative by the biases of the layer below.
func (n MLP) Backward(l int, params, grad, below []float32, a Activations, rows int) {
	in, out := n.Sizes[l], n.Sizes[l+1]
	weights, _, params := n.Layer(params, l)
	gradWeights, gradBiases, grad := n.Layer(grad, l)
	delta := a.Delta[l+1][:rows*out]
	if l < n.Layers()-1 {
		n.Backward(l+1, params, grad, gradBiases, a, rows)
	} else {
		clear(gradBiases)
		AddRows(gradBiases, delta)
	}
	Matmul(Trans, NoTrans, in, out, rows, a.Value[l], delta, gradWeights)
	if len(a.Delta[l]) == 0 {
		return
	}
	deltaBelow := a.Delta[l][:rows*in]
	Matmul(NoTrans, Trans, rows, in, out, delta, weights, deltaBelow)
	if l == 0 {
		return
	}
	slope(n.Activation, deltaBelow, a.Value[l], below)
}
