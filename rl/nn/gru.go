package nn

// GRU is the plan of a layer of gated recurrent units (Cho et al., "Learning Phrase Representations using RNN
// Encoder-Decoder for Statistical Machine Translation", 2014), whose candidate n is reset after its product k = h·U_n
// + b_k, as in cuDNN and PyTorch. [policy.GRU] has the formulas; its u is called z here. Its parameters lie
// elsewhere, in one flat vector: W, U and the biases in the order given there. It is immutable.
type GRU struct {
	Inputs, Units int // no units: no layer
}

// Parameters is the length of the vector.
func (g GRU) Parameters() int { return (g.Inputs+g.Units)*3*g.Units + 4*g.Units }

// Parts returns W, U and the biases, as parts of vector, and what follows them.
func (g GRU) Parts(vector []float32) (input, recurrent, biases, rest []float32) {
	w, u, b := g.Inputs*3*g.Units, g.Units*3*g.Units, 4*g.Units
	return vector[:w], vector[w : w+u], vector[w+u : w+u+b], vector[w+u+b:]
}

// initialise draws an orthogonal matrix for each gate and sets the biases to zero.
func (g GRU) initialise(params []float32, seed uint64, network int64) {
	input, recurrent, biases, _ := g.Parts(params)
	s := NewStream()
	for i, all := range [][]float32{input, recurrent} {
		rows := len(all) / (3 * g.Units)
		for gate := range 3 {
			s.Key(seed, drawWeights, network, int64(-1-3*i-gate)) // the layers of the MLP are 0, 1, …
			matrix := make([]float32, rows*g.Units)
			orthogonal(matrix, rows, g.Units, 1, s)
			for r := range rows {
				copy(all[(3*r+gate)*g.Units:], RowOf(matrix, g.Units, r))
			}
		}
	}
	clear(biases)
}

// Batch says how the rows of a pass through a network follow each other in time. First come the rows of the first
// control step of each sequence, then those of the second, and so on. The sequences that end first are the last ones,
// so that the rows of a step belong to the first sequences of the step before.
type Batch struct {
	Rows   int
	Steps  []int  // rows of each control step; only for a GRU
	Begins []bool // by row: whether an episode begins there; not used for the first step
}

// OnePanel is the batch of a control step of a panel.
var OnePanel = Batch{Rows: PanelHeight, Steps: []int{PanelHeight}}

// GRUWork is the working memory of one pass through a GRU.
type GRUWork struct {
	Previous  []float32 // rows × units: the states before each control step; the caller writes those of the first
	gates     []float32 // rows × 3 units: r, z and n
	kept      []float32 // rows × units: k
	recurrent []float32 // sequences × 3 units

	// With backward:
	byInput, byRecurrent []float32 // rows × 3 units: the loss's derivative by x·W and h·U
	byPrevious           []float32 // sequences × units: by the states before a step
	sum                  []float32 // 3 units
}

// newWork allocates for so many rows in so many sequences.
func (g GRU) newWork(rows, sequences int, backward bool) *GRUWork {
	if g.Units == 0 {
		return nil
	}
	w := &GRUWork{
		Previous:  make([]float32, rows*g.Units),
		gates:     make([]float32, rows*3*g.Units),
		kept:      make([]float32, rows*g.Units),
		recurrent: make([]float32, sequences*3*g.Units),
	}
	if backward {
		w.byInput, w.byRecurrent = make([]float32, rows*3*g.Units), make([]float32, rows*3*g.Units)
		w.byPrevious, w.sum = make([]float32, sequences*g.Units), make([]float32, 3*g.Units)
	}
	return w
}

// forward computes the states after each control step, rows × units, from the inputs and the states before the first.
func (g GRU) forward(params []float32, state, inputs []float32, w *GRUWork, b Batch) {
	h := g.Units
	weights, recurrent, biases, _ := g.Parts(params)
	Matmul(NoTrans, NoTrans, b.Rows, 3*h, g.Inputs, inputs, weights, w.gates)
	before, row := 0, 0 // first rows of the step before and of this one
	for step, n := range b.Steps {
		previous := w.Previous[row*h : (row+n)*h]
		if step > 0 {
			copy(previous, state[before*h:])
			clearRows(previous, b.Begins[row:row+n], h)
		}
		Matmul(NoTrans, NoTrans, n, 3*h, h, previous, recurrent, w.recurrent)
		gruForward(state[row*h:], w.gates[row*3*h:], w.kept[row*h:], w.recurrent, previous, biases, h)
		before, row = row, row+n
	}
}

// backward follows forward: from the loss's derivative by each state, which it overwrites, it computes the derivative
// by each parameter, through all earlier steps of the batch in the same episode, and writes it over grad, and the
// derivative by each input over byInputs, unless that is empty.
func (g GRU) backward(params, grad, byState, byInputs, inputs []float32, w *GRUWork, b Batch) {
	h := g.Units
	weights, recurrent, _, _ := g.Parts(params)
	gradInput, gradRecurrent, gradBiases, _ := g.Parts(grad)
	row, later := b.Rows, 0 // first row of the step, and the number of rows of the one after it
	for step := len(b.Steps) - 1; step >= 0; step-- {
		n := b.Steps[step]
		row -= n
		delta := byState[row*h : (row+n)*h]
		if later > 0 {
			AddRows(delta[:later*h], w.byPrevious[:later*h])
		}
		byRecurrent := w.byRecurrent[row*3*h : (row+n)*3*h]
		gruSlope(delta, w.byInput[row*3*h:], byRecurrent, w.gates[row*3*h:], w.kept[row*h:], w.Previous[row*h:(row+n)*h], h)
		if step > 0 {
			byPrevious := w.byPrevious[:n*h]
			Matmul(NoTrans, Trans, n, h, 3*h, byRecurrent, recurrent, byPrevious)
			AddRows(byPrevious, delta)
			clearRows(byPrevious, b.Begins[row:row+n], h)
		}
		later = n
	}
	byInput, byRecurrent := w.byInput[:b.Rows*3*h], w.byRecurrent[:b.Rows*3*h]
	Matmul(Trans, NoTrans, g.Inputs, 3*h, b.Rows, inputs, byInput, gradInput)
	Matmul(Trans, NoTrans, h, 3*h, b.Rows, w.Previous, byRecurrent, gradRecurrent)
	if len(byInputs) > 0 {
		Matmul(NoTrans, Trans, b.Rows, g.Inputs, 3*h, byInput, weights, byInputs)
	}
	clear(gradBiases)
	AddRows(gradBiases[:3*h], byInput)
	clear(w.sum)
	AddRows(w.sum, byRecurrent)
	copy(gradBiases[3*h:], w.sum[2*h:])
}

// clearRows sets the rows of a matrix with size columns to zero where which is true.
func clearRows(matrix []float32, which []bool, size int) {
	for i, yes := range which {
		if yes {
			clear(RowOf(matrix, size, i))
		}
	}
}
