package rl

import (
	"fmt"
	"slices"
)

// network is the plan of a policy or value network: a GRU, unless it has no units, and an mlp that reads its state
// or, without one, the input. The parameters of the GRU come first. It is immutable.
type network struct {
	cell gru
	mlp
}

// newNetwork plans a network whose GRU has so many units; 0: without.
func newNetwork(inputs, units int, hidden []int, outputs int, activation Activation) network {
	read := inputs
	if units > 0 {
		read = units
	}
	return network{gru{inputs, units}, newMLP(read, hidden, outputs, activation)}
}

// inputs is the number of values that the network reads.
func (n network) inputs() int { return n.cell.inputs }

func (n network) parameters() int { return n.cell.parameters() + n.mlp.parameters() }

// split returns the parameters of the GRU and of the mlp, as parts of vector, which may be longer.
func (n network) split(vector []float32) (cell, layers []float32) {
	at := n.cell.parameters()
	return vector[:at], vector[at:]
}

func (n network) initialise(params []float32, gain float64, seed uint64, number int64) {
	cell, layers := n.split(params)
	if n.cell.units > 0 {
		n.cell.initialise(cell, seed, number)
	}
	n.mlp.initialise(layers, gain, seed, number)
}

// work is the working memory of one pass through a network.
type work struct {
	activations           // of the mlp
	observed    []float32 // rows × inputs
	cell        *gruWork  // nil without a GRU
}

// newWork allocates for so many rows in so many sequences.
func (n network) newWork(rows, sequences int, backward bool) work {
	w := work{activations: n.newActivations(rows, backward), cell: n.cell.newWork(rows, sequences, backward)}
	w.observed = w.activations.input()
	if w.cell != nil {
		w.observed = make([]float32, rows*n.inputs())
		if backward {
			w.delta[0] = make([]float32, rows*n.cell.units)
		}
	}
	return w
}

// input is what the network reads.
func (w work) input() []float32 { return w.observed }

// state is the states of the GRU after each control step.
func (w work) state() []float32 { return w.value[0] }

// forward computes w.output from w.input and, with a GRU, the states before the first control step.
func (n network) forward(params []float32, w work, b batch) {
	n.remember(params, w, b)
	_, layers := n.split(params)
	n.mlp.forward(layers, w.activations, b.rows)
}

// remember does the part of forward that is the GRU's, if there is one.
func (n network) remember(params []float32, w work, b batch) {
	if w.cell != nil {
		cell, _ := n.split(params)
		n.cell.forward(cell, w.state(), w.observed, w.cell, b)
	}
}

// backward follows forward: from w.outputDelta, the loss's derivative by each output, it
// computes the derivative by each parameter and writes it over grad.
func (n network) backward(params, grad []float32, w work, b batch) {
	cell, layers := n.split(params)
	cellGrad, layersGrad := n.split(grad)
	n.mlp.backward(0, layers, layersGrad, nil, w.activations, b.rows)
	if w.cell != nil {
		n.cell.backward(cell, cellGrad, w.delta[0], w.observed, w.cell, b)
	}
}

// loadStates puts states, rows of the worlds first, first+1, …, before the control step of a panel.
func (n network) loadStates(w work, states []float32, first int) {
	if w.cell != nil {
		loadPanel(w.cell.previous, states, n.cell.units, Span{0, n.cell.units}, first)
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

// clear sets them to the beginning of an episode.
func (s states) clear() {
	clear(s.policy)
	clear(s.value)
	clear(s.image)
}
