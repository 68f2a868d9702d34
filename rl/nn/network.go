package nn

import (
	"cmp"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/policy"
)

// Network is the plan of a policy or value network: convolutions, unless it reads no pictures, a GRU, unless it has no
// units, and an MLP. Each reads what the one before gives. The parameters lie in this order. It is immutable.
type Network struct {
	Encoder Encoder
	Cell    GRU
	MLP
}

// NewNetwork plans a network: what encoder gives, a GRU of so many units, 0 for none, hidden layers and outputs.
func NewNetwork(encoder Encoder, units int, hidden []int, outputs int, activation policy.Activation) Network {
	cell := GRU{Inputs: encoder.Features(), Units: units}
	return Network{encoder, cell, NewMLP(cmp.Or(cell.Units, cell.Inputs), hidden, outputs, activation)}
}

// Inputs is the number of values that the network reads.
func (n Network) Inputs() int { return n.Encoder.columns }

// Parameters is the length of the vector.
func (n Network) Parameters() int {
	return n.Encoder.Parameters() + n.Cell.Parameters() + n.MLP.Parameters()
}

// Split returns the parameters of the convolutions, the GRU and the MLP, as parts of vector, which may be longer.
func (n Network) Split(vector []float32) (encoder, cell, layers []float32) {
	size := n.Encoder.Parameters()
	encoder, vector = vector[:size], vector[size:]
	size = n.Cell.Parameters()
	return encoder, vector[:size], vector[size:]
}

// Initialise draws the parameters: orthogonal weights, those of the last layer scaled by gain, and biases of zero. number
// is that of the network among those of a seed.
func (n Network) Initialise(params []float32, gain float64, seed uint64, number int64) {
	encoder, cell, layers := n.Split(params)
	n.Encoder.initialise(encoder, seed, number)
	if n.Cell.Units > 0 {
		n.Cell.initialise(cell, seed, number)
	}
	n.MLP.Initialise(layers, gain, seed, number)
}

// Work is the working memory of one pass through a network.
type Work struct {
	Activations              // of the MLP
	Observed    []float32    // rows × inputs
	Features    []float32    // rows × features; without convolutions what is observed
	Encoder     *EncoderWork // nil without convolutions
	Cell        *GRUWork     // nil without a GRU
	ByFeatures  []float32    // with backward and convolutions: the loss's derivative by the features
}

// NewWork allocates for so many rows in so many sequences.
func (n Network) NewWork(rows, sequences int, backward bool) Work {
	w := Work{Activations: n.NewActivations(rows, backward), Encoder: n.Encoder.newWork(rows, backward),
		Cell: n.Cell.newWork(rows, sequences, backward)}
	w.Features = w.Activations.Input()
	if w.Cell != nil {
		w.Features = make([]float32, rows*n.Cell.Inputs)
		if backward {
			w.Delta[0] = make([]float32, rows*n.Cell.Units)
		}
	}
	w.Observed = w.Features
	if w.Encoder != nil {
		w.Observed = make([]float32, rows*n.Inputs())
		if backward {
			w.ByFeatures = make([]float32, rows*n.Cell.Inputs)
			if w.Cell == nil {
				w.Delta[0] = w.ByFeatures
			}
		}
	}
	return w
}

// Load puts the columns that the network reads of the rows of the worlds first, first+1, … in their places of a panel.
// Rows have size columns.
func (n Network) Load(w Work, rows []float32, size int, columns ColumnRange, first int) {
	loadPanel(w.Observed, rows, size, columns, first)
	if w.Encoder != nil {
		clear(w.Encoder.Seen)
		for i := range len(rows) / size {
			w.Encoder.Seen[PanelRow(first+i)] = true
		}
	}
}

// Input is what the network reads.
func (w Work) Input() []float32 { return w.Observed }

// state is the states of the GRU after each control step.
func (w Work) state() []float32 { return w.Value[0] }

// Forward computes w.Output from w.Input and, with a GRU, the states before the first control step.
func (n Network) Forward(params []float32, w Work, b Batch) {
	n.ForwardToState(params, w, b)
	_, _, layers := n.Split(params)
	n.MLP.Forward(layers, w.Activations, b.Rows)
}

// ForwardToState does the part of Forward that leads to the states of the GRU, or to what the MLP reads without one.
func (n Network) ForwardToState(params []float32, w Work, b Batch) {
	encoder, cell, _ := n.Split(params)
	if w.Encoder != nil {
		n.Encoder.Forward(encoder, w.Features, w.Observed, w.Encoder, b.Rows)
	}
	if w.Cell != nil {
		n.Cell.forward(cell, w.state(), w.Features, w.Cell, b)
	}
}

// Backward follows Forward: from w.OutputDelta, the loss's derivative by each output, it
// computes the derivative by each parameter and writes it over grad.
func (n Network) Backward(params, grad []float32, w Work, b Batch) {
	encoder, cell, layers := n.Split(params)
	encoderGrad, cellGrad, layersGrad := n.Split(grad)
	n.MLP.Backward(0, layers, layersGrad, nil, w.Activations, b.Rows)
	if w.Cell != nil {
		n.Cell.backward(cell, cellGrad, w.Delta[0], w.ByFeatures, w.Features, w.Cell, b)
	}
	if w.Encoder != nil {
		n.Encoder.Backward(encoder, encoderGrad, w.ByFeatures, w.Features, w.Observed, w.Encoder, b.Rows)
	}
}

// LoadStates puts states, rows of the worlds first, first+1, …, before the control step of a panel.
func (n Network) LoadStates(w Work, states []float32, first int) {
	if w.Cell != nil {
		loadPanel(w.Cell.Previous, states, n.Cell.Units, ColumnRange{0, n.Cell.Units}, first)
	}
}

// KeepStates is the inverse of LoadStates for the states after the step.
func (n Network) KeepStates(states []float32, w Work, first int) {
	if w.Cell == nil {
		return
	}
	units := n.Cell.Units
	for i := range len(states) / units {
		copy(RowOf(states, units, i), RowOf(w.state(), units, PanelRow(first+i)))
	}
}

// RowValues is the number of values of the row of a sample in the activations of all layers.
func (n Network) RowValues() (sum int) {
	for _, size := range n.Sizes {
		sum += size
	}
	return sum
}

// EncoderValues is about the number of values that the working memory of its convolutions has for so many rows, with what
// they read.
func (n Network) EncoderValues(rows int, backward bool) (sum int) {
	v := &n.Encoder
	if !v.HasPictures() {
		return 0
	}
	for i := range v.Stacks {
		for _, size := range v.Stacks[i].Sizes[1:len(v.Layers)] {
			sum += rows * size[0] * size[1] * size[2]
		}
	}
	patches, below, _ := v.largest()
	sum += patches
	if backward {
		sum += patches + 2*below + rows*n.Inputs() // with the derivative by the features, which RowValues counts twice
		if n.Cell.Units > 0 {
			sum += rows * n.Cell.Inputs
		}
	}
	return sum
}

// Buffers are all arrays of the working memory, which it shares. A pass reads nothing in them that it, or what its
// caller loads, has not written.
func (w Work) Buffers() [][]float32 {
	all := slices.Concat(w.Value, w.Delta, [][]float32{w.Observed, w.Features, w.ByFeatures})
	if e := w.Encoder; e != nil {
		all = append(all, e.patches, e.byPatches, e.byMap[0], e.byMap[1], e.sum)
		all = append(all, slices.Concat(e.maps...)...)
	}
	if c := w.Cell; c != nil {
		all = append(all, c.Previous, c.gates, c.kept, c.recurrent, c.byInput, c.byRecurrent, c.byPrevious, c.sum)
	}
	return all
}
