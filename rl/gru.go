package rl

// gru is the plan of a layer of gated recurrent units (Cho et al., "Learning Phrase Representations using RNN
// Encoder-Decoder for Statistical Machine Translation", 2014), whose candidate n is reset after its product k = h·U_n
// + b_k, as in cuDNN and PyTorch. [policy.GRU] has the formulas; its u is called z here. Its parameters lie
// elsewhere, in one flat vector: W, U and the biases in the order given there. It is immutable.
type gru struct {
	inputs, units int // no units: no layer
}

func (g gru) parameters() int { return (g.inputs+g.units)*3*g.units + 4*g.units }

// parts returns W, U and the biases, as parts of vector, and what follows them.
func (g gru) parts(vector []float32) (input, recurrent, biases, rest []float32) {
	w, u, b := g.inputs*3*g.units, g.units*3*g.units, 4*g.units
	return vector[:w], vector[w : w+u], vector[w+u : w+u+b], vector[w+u+b:]
}

// initialise draws an orthogonal matrix for each gate and sets the biases to zero.
func (g gru) initialise(params []float32, seed uint64, network int64) {
	input, recurrent, biases, _ := g.parts(params)
	s := newStream()
	for i, all := range [][]float32{input, recurrent} {
		rows := len(all) / (3 * g.units)
		for gate := range 3 {
			s.key(seed, drawWeights, network, int64(-1-3*i-gate)) // the layers of the mlp are 0, 1, …
			matrix := make([]float32, rows*g.units)
			orthogonal(matrix, rows, g.units, 1, s)
			for r := range rows {
				copy(all[(3*r+gate)*g.units:], rowOf(matrix, g.units, r))
			}
		}
	}
	clear(biases)
}

// batch says how the rows of a pass through a network follow each other in time. First come the rows of the first
// control step of each sequence, then those of the second, and so on. The sequences that end first are the last ones,
// so that the rows of a step belong to the first sequences of the step before.
type batch struct {
	rows   int
	steps  []int  // rows of each control step; only for a GRU
	begins []bool // by row: whether an episode begins there; not used for the first step
}

// onePanel is the batch of a control step of a panel.
var onePanel = batch{rows: PanelHeight, steps: []int{PanelHeight}}

// gruWork is the working memory of one pass through a gru.
type gruWork struct {
	previous  []float32 // rows × units: the states before each control step; the caller writes those of the first
	gates     []float32 // rows × 3 units: r, z and n
	kept      []float32 // rows × units: k
	recurrent []float32 // sequences × 3 units

	// With backward:
	byInput, byRecurrent []float32 // rows × 3 units: the loss's derivative by x·W and h·U
	byPrevious           []float32 // sequences × units: by the states before a step
	sum                  []float32 // 3 units
}

// newWork allocates for so many rows in so many sequences.
func (g gru) newWork(rows, sequences int, backward bool) *gruWork {
	if g.units == 0 {
		return nil
	}
	w := &gruWork{
		previous:  make([]float32, rows*g.units),
		gates:     make([]float32, rows*3*g.units),
		kept:      make([]float32, rows*g.units),
		recurrent: make([]float32, sequences*3*g.units),
	}
	if backward {
		w.byInput, w.byRecurrent = make([]float32, rows*3*g.units), make([]float32, rows*3*g.units)
		w.byPrevious, w.sum = make([]float32, sequences*g.units), make([]float32, 3*g.units)
	}
	return w
}

// forward computes the states after each control step, rows × units, from the inputs and the states before the first.
func (g gru) forward(params []float32, state, inputs []float32, w *gruWork, b batch) {
	h := g.units
	weights, recurrent, biases, _ := g.parts(params)
	matmul(noTrans, noTrans, b.rows, 3*h, g.inputs, inputs, weights, w.gates)
	before, row := 0, 0 // first rows of the step before and of this one
	for step, n := range b.steps {
		previous := w.previous[row*h : (row+n)*h]
		if step > 0 {
			copy(previous, state[before*h:])
			clearRows(previous, b.begins[row:row+n], h)
		}
		matmul(noTrans, noTrans, n, 3*h, h, previous, recurrent, w.recurrent)
		gruForward(state[row*h:], w.gates[row*3*h:], w.kept[row*h:], w.recurrent, previous, biases, h)
		before, row = row, row+n
	}
}

// backward follows forward: from the loss's derivative by each state, which it overwrites, it computes the derivative
// by each parameter, through all earlier steps of the batch in the same episode, and writes it over grad, and the
// derivative by each input over byInputs, unless that is empty.
func (g gru) backward(params, grad, byState, byInputs, inputs []float32, w *gruWork, b batch) {
	h := g.units
	weights, recurrent, _, _ := g.parts(params)
	gradInput, gradRecurrent, gradBiases, _ := g.parts(grad)
	row, later := b.rows, 0 // first row of the step, and the number of rows of the one after it
	for step := len(b.steps) - 1; step >= 0; step-- {
		n := b.steps[step]
		row -= n
		delta := byState[row*h : (row+n)*h]
		if later > 0 {
			addRows(delta[:later*h], w.byPrevious[:later*h])
		}
		byRecurrent := w.byRecurrent[row*3*h : (row+n)*3*h]
		gruSlope(delta, w.byInput[row*3*h:], byRecurrent, w.gates[row*3*h:], w.kept[row*h:], w.previous[row*h:(row+n)*h], h)
		if step > 0 {
			byPrevious := w.byPrevious[:n*h]
			matmul(noTrans, trans, n, h, 3*h, byRecurrent, recurrent, byPrevious)
			addRows(byPrevious, delta)
			clearRows(byPrevious, b.begins[row:row+n], h)
		}
		later = n
	}
	byInput, byRecurrent := w.byInput[:b.rows*3*h], w.byRecurrent[:b.rows*3*h]
	matmul(trans, noTrans, g.inputs, 3*h, b.rows, inputs, byInput, gradInput)
	matmul(trans, noTrans, h, 3*h, b.rows, w.previous, byRecurrent, gradRecurrent)
	if len(byInputs) > 0 {
		matmul(noTrans, trans, b.rows, g.inputs, 3*h, byInput, weights, byInputs)
	}
	clear(gradBiases)
	addRows(gradBiases[:3*h], byInput)
	clear(w.sum)
	addRows(w.sum, byRecurrent)
	copy(gradBiases[3*h:], w.sum[2*h:])
}

// clearRows sets the rows of a matrix with size columns to zero where which is true.
func clearRows(matrix []float32, which []bool, size int) {
	for i, yes := range which {
		if yes {
			clear(rowOf(matrix, size, i))
		}
	}
}
