package rl

import (
	"cmp"
	"fmt"
	"slices"
)

// network is the plan of a policy or value network: convolutions, unless it reads no pictures, a GRU, unless it has no
// units, and an mlp. Each reads what the one before gives. The parameters lie in this order. It is immutable.
type network struct {
	eyes vision
	cell gru
	mlp
}

// newNetwork plans a network that reads columns of the observations of a shape.
func newNetwork(shape Shape, reads ColumnRange, s *Settings, hidden []int, outputs int) network {
	layers := newMLP(0, hidden, outputs, s.Activation)
	eyes := newVision(shape, reads, s, layers.activation)
	cell := gru{eyes.features(), s.Recurrent}
	layers.sizes[0] = cmp.Or(cell.units, cell.inputs)
	return network{eyes, cell, layers}
}

// inputs is the number of values that the network reads.
func (n network) inputs() int { return n.eyes.columns }

func (n network) parameters() int {
	return n.eyes.parameters() + n.cell.parameters() + n.mlp.parameters()
}

// split returns the parameters of the convolutions, the GRU and the mlp, as parts of vector, which may be longer.
func (n network) split(vector []float32) (eyes, cell, layers []float32) {
	size := n.eyes.parameters()
	eyes, vector = vector[:size], vector[size:]
	size = n.cell.parameters()
	return eyes, vector[:size], vector[size:]
}

func (n network) initialise(params []float32, gain float64, seed uint64, number int64) {
	eyes, cell, layers := n.split(params)
	n.eyes.initialise(eyes, seed, number)
	if n.cell.units > 0 {
		n.cell.initialise(cell, seed, number)
	}
	n.mlp.initialise(layers, gain, seed, number)
}

// work is the working memory of one pass through a network.
type work struct {
	activations             // of the mlp
	observed    []float32   // rows × inputs
	features    []float32   // rows × features; without convolutions what is observed
	eyes        *visionWork // nil without convolutions
	cell        *gruWork    // nil without a GRU
	byFeatures  []float32   // with backward and convolutions: the loss's derivative by the features
}

// newWork allocates for so many rows in so many sequences.
func (n network) newWork(rows, sequences int, backward bool) work {
	w := work{activations: n.newActivations(rows, backward), eyes: n.eyes.newWork(rows, backward),
		cell: n.cell.newWork(rows, sequences, backward)}
	w.features = w.activations.input()
	if w.cell != nil {
		w.features = make([]float32, rows*n.cell.inputs)
		if backward {
			w.delta[0] = make([]float32, rows*n.cell.units)
		}
	}
	w.observed = w.features
	if w.eyes != nil {
		w.observed = make([]float32, rows*n.inputs())
		if backward {
			w.byFeatures = make([]float32, rows*n.cell.inputs)
			if w.cell == nil {
				w.delta[0] = w.byFeatures
			}
		}
	}
	return w
}

// load puts the columns that the network reads of the rows of the worlds first, first+1, … in their places of a panel.
// Rows have size columns.
func (n network) load(w work, rows []float32, size int, columns ColumnRange, first int) {
	loadPanel(w.observed, rows, size, columns, first)
	if w.eyes != nil {
		clear(w.eyes.seen)
		for i := range len(rows) / size {
			w.eyes.seen[panelRow(first+i)] = true
		}
	}
}

// input is what the network reads.
func (w work) input() []float32 { return w.observed }

// state is the states of the GRU after each control step.
func (w work) state() []float32 { return w.value[0] }

// forward computes w.output from w.input and, with a GRU, the states before the first control step.
func (n network) forward(params []float32, w work, b batch) {
	n.remember(params, w, b)
	_, _, layers := n.split(params)
	n.mlp.forward(layers, w.activations, b.rows)
}

// remember does the part of forward that leads to the states of the GRU, or to what the mlp reads without one.
func (n network) remember(params []float32, w work, b batch) {
	eyes, cell, _ := n.split(params)
	if w.eyes != nil {
		n.eyes.forward(eyes, w.features, w.observed, w.eyes, b.rows)
	}
	if w.cell != nil {
		n.cell.forward(cell, w.state(), w.features, w.cell, b)
	}
}

// backward follows forward: from w.outputDelta, the loss's derivative by each output, it
// computes the derivative by each parameter and writes it over grad.
func (n network) backward(params, grad []float32, w work, b batch) {
	eyes, cell, layers := n.split(params)
	eyesGrad, cellGrad, layersGrad := n.split(grad)
	n.mlp.backward(0, layers, layersGrad, nil, w.activations, b.rows)
	if w.cell != nil {
		n.cell.backward(cell, cellGrad, w.delta[0], w.byFeatures, w.features, w.cell, b)
	}
	if w.eyes != nil {
		n.eyes.backward(eyes, eyesGrad, w.byFeatures, w.features, w.observed, w.eyes, b.rows)
	}
}

// loadStates puts states, rows of the worlds first, first+1, …, before the control step of a panel.
func (n network) loadStates(w work, states []float32, first int) {
	if w.cell != nil {
		loadPanel(w.cell.previous, states, n.cell.units, ColumnRange{0, n.cell.units}, first)
	}
}

// keepStates is the inverse of loadStates for the states after the step.
func (n network) keepStates(states []float32, w work, first int) {
	if w.cell == nil {
		return
	}
	units := n.cell.units
	for i := range len(states) / units {
		copy(rowOf(states, units, i), rowOf(w.state(), units, panelRow(first+i)))
	}
}

// states are the states of the GRUs in several worlds, one row each; empty without.
type states struct {
	policy, value []float32
	image         []float32 // with a symmetry, of the policy that sees the mirror images
}

func (a *agent) newStates(worlds int) states {
	units := a.settings.Recurrent
	s := states{policy: make([]float32, worlds*units), value: make([]float32, worlds*units)}
	if a.mirror != nil {
		s.image = make([]float32, len(s.policy))
	}
	return s
}

// rows returns those of so many worlds from first on; they share memory.
func (s states) rows(a *agent, first, worlds int) states {
	units := a.settings.Recurrent
	part := func(all []float32) []float32 {
		if len(all) == 0 {
			return nil
		}
		return all[first*units : (first+worlds)*units : (first+worlds)*units]
	}
	return states{part(s.policy), part(s.value), part(s.image)}
}

// set takes over the values of other ones of the same size.
func (s states) set(other states) {
	copy(s.policy, other.policy)
	copy(s.value, other.value)
	copy(s.image, other.image)
}

// list returns a copy of the values, one array after the other.
func (s states) list() []float32 { return slices.Concat(s.policy, s.value, s.image) }

// setList takes over the values of a list of the same size.
func (s states) setList(list []float32) error {
	if got, want := len(list), len(s.policy)+len(s.value)+len(s.image); got != want {
		return fmt.Errorf("states of %d values, want %d", got, want)
	}
	for _, part := range [][]float32{s.policy, s.value, s.image} {
		list = list[copy(part, list):]
	}
	return nil
}

// CutStates cuts the states of so many worlds, from first on, out of those of all worlds, see [Memory]: what
// [Collector.SetStates] takes.
func (s *Settings) CutStates(list []float32, all, first, worlds int) []float32 {
	if s.Recurrent == 0 {
		return nil
	}
	var part []float32
	for network := range slices.Chunk(list, all*s.Recurrent) {
		part = append(part, network[first*s.Recurrent:(first+worlds)*s.Recurrent]...)
	}
	return part
}

// clear sets them to the beginning of an episode.
func (s states) clear() {
	clear(s.policy)
	clear(s.value)
	clear(s.image)
}
