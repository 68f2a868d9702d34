package rl

// critic is the plan of a network that values an action after an observation: an mlp that reads both, the action last.
// Of an observation with pictures it reads what the convolutions of the policy give, and after that the other values.
// Its value is the mean of its outputs, of which there may be several, quantiles of the return.
// Each hidden layer may drop outputs and normalise what is left before the activation, in this order (Hiraoka et al.,
// "Dropout Q-Functions for Doubly Efficient Reinforcement Learning", 2022). Its parameters lie elsewhere, as those of
// an mlp; where it normalises (Ba, Kiros and Hinton, "Layer Normalization", 2016), gains and offsets of a layer follow
// its biases. It is immutable.
type critic struct {
	mlp
	action  int // inputs that are the action, the last ones
	norm    bool
	dropout float64 // probability that an output of a hidden layer is dropped
}

func newCritic(shape Shape, s *Settings) critic {
	o := s.SAC.filled()
	eyes := newVision(shape, shape.Critic.within(shape.Observation), s, o.Activation)
	inputs := eyes.features() + shape.Action
	return critic{newMLP(inputs, o.CriticHidden, o.Quantiles, o.Activation), shape.Action, o.LayerNorm, o.Dropout}
}

// criticLayer are the parameters of a layer, or the derivatives by them; they share memory with the vector.
type criticLayer struct{ weights, biases, gains, offsets []float32 }

// layer returns a layer's part of vector, and what follows it.
func (n critic) layer(vector []float32, l int) (part criticLayer, rest []float32) {
	part.weights, part.biases, rest = n.mlp.layer(vector, l)
	if out := n.sizes[l+1]; n.norm && l < n.layers()-1 {
		part.gains, part.offsets, rest = rest[:out], rest[out:2*out], rest[2*out:]
	}
	return part, rest
}

func (n critic) parameters() int {
	sum := n.mlp.parameters()
	if n.norm {
		for _, size := range n.sizes[1:n.layers()] {
			sum += 2 * size
		}
	}
	return sum
}

// initialise draws weights as those of an mlp and sets gains to 1 and offsets to 0.
func (n critic) initialise(params []float32, seed uint64, number int64) {
	plain := make([]float32, n.mlp.parameters())
	n.mlp.initialise(plain, 1, seed, number)
	for l := range n.layers() {
		var drawn criticLayer
		drawn.weights, drawn.biases, plain = n.mlp.layer(plain, l)
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

// criticWork is the working memory of one pass through a critic.
type criticWork struct {
	activations
	scaled  [][]float32 // by hidden layer, where it normalises: what gains multiply
	inverse [][]float32 // and one over the deviation of each row
	kept    [][]float32 // where it drops: 0 or 1/(1-dropout) by output; else nil
	unused  []float32   // sums of rows that nobody reads
	zero    []float32   // no bias
}

func (n critic) newWork(rows int) criticWork {
	w := criticWork{activations: n.newActivations(rows, true)}
	most := 1
	for _, size := range n.sizes[1:n.layers()] {
		most = max(most, size)
		if n.norm {
			w.scaled = append(w.scaled, make([]float32, rows*size))
			w.inverse = append(w.inverse, make([]float32, rows))
		}
		if n.dropout > 0 {
			w.kept = append(w.kept, make([]float32, rows*size))
		}
	}
	w.unused, w.zero = make([]float32, most), make([]float32, most)
	return w
}

// drop draws what the next forward passes through w drop.
func (n critic) drop(w criticWork, rows int, noise stream) {
	if n.dropout == 0 {
		return
	}
	factor := float32(1 / (1 - n.dropout))
	below := uint32(n.dropout * (1 << 32))
	for l, kept := range w.kept {
		kept = kept[:rows*n.sizes[l+1]]
		for i := range kept {
			kept[i] = factor
			if noise.Uint32() < below {
				kept[i] = 0
			}
		}
	}
}

// forward computes w.output from the first rows rows of w.input.
func (n critic) forward(params []float32, w criticWork, rows int) {
	for l := range n.layers() {
		in, out := n.sizes[l], n.sizes[l+1]
		var layer criticLayer
		layer, params = n.layer(params, l)
		y := w.value[l+1][:rows*out]
		matmul(noTrans, noTrans, rows, out, in, w.value[l], layer.weights, y)
		switch {
		case l == n.layers()-1:
			addBiasActivate(noActivation, y, layer.biases)
			continue
		case n.dropout == 0 && !n.norm:
			addBiasActivate(n.activation, y, layer.biases)
			continue
		}
		addBiasActivate(noActivation, y, layer.biases)
		if n.dropout > 0 {
			scaleEach(y, w.kept[l])
		}
		if n.norm {
			normaliseRows(y, w.scaled[l], w.inverse[l], layer.gains)
			addBiasActivate(n.activation, y, layer.offsets)
		} else {
			addBiasActivate(n.activation, y, w.zero[:out])
		}
	}
}

// values returns the outputs of a row after forward, and their mean.
func (n critic) values(w criticWork, row int) (outputs []float32, mean float64) {
	outputs = rowOf(w.output(), n.outputs(), row)
	for _, v := range outputs {
		mean += float64(v)
	}
	return outputs, mean / float64(len(outputs))
}

// backward follows forward with the same w and rows: from w.outputDelta it computes the derivative by each parameter
// and writes it over grad.
func (n critic) backward(params, grad []float32, w criticWork, rows int) {
	n.descend(0, params, grad, w, rows)
}

// actionSlope follows forward: from w.outputDelta it writes the derivative by each value of the actions to dst, rows ×
// action values. It changes no parameter's derivative.
func (n critic) actionSlope(dst, params []float32, w criticWork, rows int) {
	n.descend(0, params, nil, w, rows)
	n.inputSlope(dst, params, w, rows, ColumnRange{n.sizes[0] - n.action, n.action})
}

// inputSlope follows backward or actionSlope: it writes the derivative by some of the inputs to dst, rows × columns.
func (n critic) inputSlope(dst, params []float32, w criticWork, rows int, columns ColumnRange) {
	layer, _ := n.layer(params, 0)
	matmul(noTrans, trans, rows, columns.Size, n.sizes[1], w.delta[1], layer.weights[columns.First*n.sizes[1]:], dst)
}

// descend computes the derivative by what layer l and those above it sum up, w.delta, and by their parameters, unless
// grad is nil. The parameters of layer l begin params.
func (n critic) descend(l int, params, grad []float32, w criticWork, rows int) {
	in, out := n.sizes[l], n.sizes[l+1]
	layer, above := n.layer(params, l)
	var slopes criticLayer
	var gradAbove []float32
	if grad != nil {
		slopes, gradAbove = n.layer(grad, l)
	}
	delta := w.delta[l+1][:rows*out]
	if l < n.layers()-1 {
		n.descend(l+1, above, gradAbove, w, rows)
		// now delta is the derivative by the layer's output
		sum := func(vector []float32) []float32 {
			if grad == nil {
				return w.unused[:out]
			}
			return vector
		}
		if !n.norm {
			slope(n.activation, delta, w.value[l+1], sum(slopes.biases))
		} else {
			slope(n.activation, delta, w.value[l+1], sum(slopes.offsets))
			normaliseSlope(delta, w.scaled[l], w.inverse[l], layer.gains, slopes.gains)
		}
		if n.dropout > 0 {
			scaleEach(delta, w.kept[l])
		}
		if grad != nil && (n.norm || n.dropout > 0) {
			clear(slopes.biases)
			addRows(slopes.biases, delta)
		}
	} else if grad != nil {
		clear(slopes.biases)
		addRows(slopes.biases, delta)
	}
	if grad != nil {
		matmul(trans, noTrans, in, out, rows, w.value[l], delta, slopes.weights)
	}
	if l > 0 {
		matmul(noTrans, trans, rows, in, out, delta, layer.weights, w.delta[l][:rows*in])
	}
}
