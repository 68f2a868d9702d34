package nn

// Critic is the plan of a network that values an action after an observation: an MLP that reads both, the action last.
// Of an observation with pictures it reads what the convolutions of the policy give, and after that the other values.
// Its value is the mean of its outputs, of which there may be several, quantiles of the return.
// Each hidden layer may drop outputs and normalise what is left before the activation, in this order (Hiraoka et al.,
// "Dropout Q-Functions for Doubly Efficient Reinforcement Learning", 2022). Its parameters lie elsewhere, as those of
// an MLP; where it normalises (Ba, Kiros and Hinton, "Layer Normalization", 2016), gains and offsets of a layer follow
// its biases. It is immutable.
type Critic struct {
	MLP
	Action  int // inputs that are the action, the last ones
	Norm    bool
	Dropout float64 // probability that an output of a hidden layer is dropped
}

// criticLayer are the parameters of a layer, or the derivatives by them; they share memory with the vector.
type criticLayer struct{ weights, biases, gains, offsets []float32 }

// layer returns a layer's part of vector, and what follows it.
func (n Critic) layer(vector []float32, l int) (part criticLayer, rest []float32) {
	part.weights, part.biases, rest = n.MLP.Layer(vector, l)
	if out := n.Sizes[l+1]; n.Norm && l < n.Layers()-1 {
		part.gains, part.offsets, rest = rest[:out], rest[out:2*out], rest[2*out:]
	}
	return part, rest
}

// Parameters is the length of the vector.
func (n Critic) Parameters() int {
	sum := n.MLP.Parameters()
	if n.Norm {
		for _, size := range n.Sizes[1:n.Layers()] {
			sum += 2 * size
		}
	}
	return sum
}

// Initialise draws weights as those of an MLP and sets gains to 1 and offsets to 0.
func (n Critic) Initialise(params []float32, seed uint64, number int64) {
	plain := make([]float32, n.MLP.Parameters())
	n.MLP.Initialise(plain, 1, seed, number)
	for l := range n.Layers() {
		var drawn criticLayer
		drawn.weights, drawn.biases, plain = n.MLP.Layer(plain, l)
		var layer criticLayer
		layer, params = n.layer(params, l)
		copy(layer.weights, drawn.weights)
		copy(layer.biases, drawn.biases)
		clear(layer.offsets)
		for i := range layer.gains {
			layer.gains[i] = 1
		}
	}
}

// CriticWork is the working memory of one pass through a critic.
type CriticWork struct {
	Activations
	scaled  [][]float32 // by hidden layer, where it normalises: what gains multiply
	inverse [][]float32 // and one over the deviation of each row
	Kept    [][]float32 // where it drops: 0 or 1/(1-dropout) by output; else nil
	unused  []float32   // sums of rows that nobody reads
	zero    []float32   // no bias
}

// NewWork allocates for so many rows.
func (n Critic) NewWork(rows int) CriticWork {
	w := CriticWork{Activations: n.NewActivations(rows, true)}
	most := 1
	for _, size := range n.Sizes[1:n.Layers()] {
		most = max(most, size)
		if n.Norm {
			w.scaled = append(w.scaled, make([]float32, rows*size))
			w.inverse = append(w.inverse, make([]float32, rows))
		}
		if n.Dropout > 0 {
			w.Kept = append(w.Kept, make([]float32, rows*size))
		}
	}
	w.unused, w.zero = make([]float32, most), make([]float32, most)
	return w
}

// DrawDropout draws what the next forward passes through w drop.
func (n Critic) DrawDropout(w CriticWork, rows int, noise Stream) {
	if n.Dropout == 0 {
		return
	}
	factor := float32(1 / (1 - n.Dropout))
	below := uint32(n.Dropout * (1 << 32))
	for l, kept := range w.Kept {
		kept = kept[:rows*n.Sizes[l+1]]
		for i := range kept {
			kept[i] = factor
			if noise.Uint32() < below {
				kept[i] = 0
			}
		}
	}
}

// Forward computes w.Output from the first rows rows of w.Input.
func (n Critic) Forward(params []float32, w CriticWork, rows int) {
	for l := range n.Layers() {
		in, out := n.Sizes[l], n.Sizes[l+1]
		var layer criticLayer
		layer, params = n.layer(params, l)
		y := w.Value[l+1][:rows*out]
		Matmul(NoTrans, NoTrans, rows, out, in, w.Value[l], layer.weights, y)
		switch {
		case l == n.Layers()-1:
			addBiasActivate(noActivation, y, layer.biases)
			continue
		case n.Dropout == 0 && !n.Norm:
			addBiasActivate(n.Activation, y, layer.biases)
			continue
		}
		addBiasActivate(noActivation, y, layer.biases)
		if n.Dropout > 0 {
			scaleEach(y, w.Kept[l])
		}
		if n.Norm {
			normaliseRows(y, w.scaled[l], w.inverse[l], layer.gains)
			addBiasActivate(n.Activation, y, layer.offsets)
		} else {
			addBiasActivate(n.Activation, y, w.zero[:out])
		}
	}
}

// Values returns the outputs of a row after forward, and their mean.
func (n Critic) Values(w CriticWork, row int) (outputs []float32, mean float64) {
	outputs = RowOf(w.Output(), n.Outputs(), row)
	for _, v := range outputs {
		mean += float64(v)
	}
	return outputs, mean / float64(len(outputs))
}

// Backward follows Forward with the same w and rows: from w.OutputDelta it computes the derivative by each parameter
// and writes it over grad.
func (n Critic) Backward(params, grad []float32, w CriticWork, rows int) {
	n.descend(0, params, grad, w, rows)
}

// ActionSlope follows Forward: from w.OutputDelta it writes the derivative by each value of the actions to dst, rows ×
// action values. It changes no parameter's derivative.
func (n Critic) ActionSlope(dst, params []float32, w CriticWork, rows int) {
	n.descend(0, params, nil, w, rows)
	n.InputSlope(dst, params, w, rows, ColumnRange{n.Sizes[0] - n.Action, n.Action})
}

// InputSlope follows Backward or ActionSlope: it writes the derivative by some of the inputs to dst, rows × columns.
func (n Critic) InputSlope(dst, params []float32, w CriticWork, rows int, columns ColumnRange) {
	layer, _ := n.layer(params, 0)
	Matmul(NoTrans, Trans, rows, columns.Size, n.Sizes[1], w.Delta[1], layer.weights[columns.First*n.Sizes[1]:], dst)
}

// descend computes the derivative by what layer l and those above it sum up, w.delta, and by their parameters, unless
// grad is nil. The parameters of layer l begin params.
func (n Critic) descend(l int, params, grad []float32, w CriticWork, rows int) {
	in, out := n.Sizes[l], n.Sizes[l+1]
	layer, above := n.layer(params, l)
	var slopes criticLayer
	var gradAbove []float32
	if grad != nil {
		slopes, gradAbove = n.layer(grad, l)
	}
	delta := w.Delta[l+1][:rows*out]
	if l < n.Layers()-1 {
		n.descend(l+1, above, gradAbove, w, rows)
		// now delta is the derivative by the layer's output
		sum := func(vector []float32) []float32 {
			if grad == nil {
				return w.unused[:out]
			}
			return vector
		}
		if !n.Norm {
			slope(n.Activation, delta, w.Value[l+1], sum(slopes.biases))
		} else {
			slope(n.Activation, delta, w.Value[l+1], sum(slopes.offsets))
			normaliseSlope(delta, w.scaled[l], w.inverse[l], layer.gains, slopes.gains)
		}
		if n.Dropout > 0 {
			scaleEach(delta, w.Kept[l])
		}
		if grad != nil && (n.Norm || n.Dropout > 0) {
			clear(slopes.biases)
			AddRows(slopes.biases, delta)
		}
	} else if grad != nil {
		clear(slopes.biases)
		AddRows(slopes.biases, delta)
	}
	if grad != nil {
		Matmul(Trans, NoTrans, in, out, rows, w.Value[l], delta, slopes.weights)
	}
	if l > 0 {
		Matmul(NoTrans, Trans, rows, in, out, delta, layer.weights, w.Delta[l][:rows*in])
	}
}
