package onnx

import (
	"fmt"
	"math"
	"slices"
)

// recurrent builds GRU and LSTM, which read a sequence of inputs. Their formulas and the order of their gates are
// ONNX's.
func recurrent(b *building) error {
	gates, lstm := 3, b.operator == "LSTM"
	if lstm {
		gates = 4
	}
	reset, err := b.plainRecurrence(lstm)
	if err != nil {
		return err
	}
	x, w := *b.input(0), *b.input(1)
	if len(x.dims) != 3 || len(w.dims) != 3 || w.dims[1]%gates != 0 || w.dims[1] == 0 || x.element != float32Type {
		return fmt.Errorf("it reads %v of %s by weights of %v, want time × batch × values", x.dims, elementName(x.element), w.dims)
	}
	time, batch, inputs, units := x.dims[0], x.dims[1], x.dims[2], w.dims[1]/gates
	if hidden, err := b.whole("hidden_size", units); err != nil || hidden != units {
		return fmt.Errorf("hidden_size is %d, want %d as its weights have", hidden, units)
	}
	states := []int{1, batch, units}
	want := map[int][]int{1: {1, gates * units, inputs}, 2: {1, gates * units, units}, 3: {1, 2 * gates * units},
		5: states, 6: states}
	for i := range b.in {
		v := b.input(i)
		switch {
		case i == 0 || v == nil:
		case i == 4:
			lengths, err := b.wholes(4, "lengths")
			if err != nil || !slices.Equal(lengths, slices.Repeat([]int{time}, batch)) {
				return fmt.Errorf("it reads sequences of several lengths, want all of %d", time)
			}
		case want[i] == nil:
			return fmt.Errorf("it has peepholes, want none")
		case !slices.Equal(v.dims, want[i]) || v.element != float32Type:
			return fmt.Errorf("its input %d is %v of %s, want %v of float32", i, v.dims, elementName(v.element), want[i])
		case i < 4 && v.v == nil:
			return fmt.Errorf("its weights %s are computed from the observation, want constants", quote(v.name))
		}
	}
	r := &recurrence{batch: batch, inputs: inputs, units: units, gates: gates, reset: reset,
		bias: make([]float64, 2*gates*units)}
	if r.byInput, err = b.turned(w.v, gates*units, inputs); err != nil {
		return err
	}
	if r.byState, err = b.turned(b.input(2).v, gates*units, units); err != nil {
		return err
	}
	if bias := b.input(3); bias != nil {
		copy(r.bias, bias.v)
		b.in[3] = -1
	}
	b.in[1], b.in[2] = -1, -1
	for _, dims := range [][]int{{time, 1, batch, units}, states, states}[:gates-1] {
		if err := b.output(float32Type, dims); err != nil {
			return err
		}
	}
	for range 2 {
		if err := b.room(gates * units); err != nil {
			return err
		}
	}
	b.run = r.run
	return b.costs(time, batch, gates*units, inputs+units)
}

// plainRecurrence returns an error unless the attributes of GRU or LSTM are those that exporters write.
func (b *building) plainRecurrence(lstm bool) (reset int, err error) {
	direction, err := b.text("direction", "forward")
	if err == nil && direction != "forward" {
		err = fmt.Errorf("direction is %s, want forward", quote(direction))
	}
	if err != nil {
		return 0, err
	}
	layout, err := b.whole("layout", 0)
	if err == nil && layout != 0 {
		err = fmt.Errorf("layout is %d, want 0", layout)
	}
	if err != nil {
		return 0, err
	}
	if lstm {
		forget, err := b.whole("input_forget", 0)
		if err == nil && forget != 0 {
			err = fmt.Errorf("input_forget is %d, want 0", forget)
		}
		return 0, err
	}
	return b.whole("linear_before_reset", 0)
}

// recurrence is a GRU or an LSTM.
type recurrence struct {
	batch, inputs, units, gates int
	reset                       int       // of a GRU: its reset gate acts after the weights
	byInput, byState            []float64 // inputs × gates × units, units × gates × units
	bias                        []float64 // by input and by state
}

// run has as outputs all states, the last one and, of an LSTM, the last cell, and after these two rooms.
func (r *recurrence) run(dst, src [][]float64) {
	begin := func(state []float64, from int) {
		clear(state)
		if len(src) > from && src[from] != nil {
			copy(state, src[from])
		}
	}
	h, c := dst[1], []float64(nil)
	begin(h, 5)
	if r.gates == 4 {
		c = dst[2]
		begin(c, 6)
	}
	x, y, n := src[0], dst[0], r.gates*r.units
	a, k := dst[r.gates-1], dst[r.gates]
	for len(y) > 0 {
		for row := range r.batch {
			state := h[row*r.units:][:r.units]
			copy(a, r.bias[:n])
			addProduct(a, x[:r.inputs], r.byInput, r.inputs, n)
			copy(k, r.bias[n:])
			addProduct(k, state, r.byState, r.units, n)
			if r.gates == 4 {
				r.lstm(state, c[row*r.units:][:r.units], a, k)
			} else {
				r.gru(state, a, k)
			}
			fit(float32Type, state)
			copy(y, state)
			x, y = x[r.inputs:], y[r.units:]
		}
	}
}

// lstm has the gates input, output, forget, cell.
func (r *recurrence) lstm(h, c, a, k []float64) {
	n := r.units
	for i := range h {
		cell := float64(sigmoid(a[2*n+i]+k[2*n+i])*c[i]) + float64(sigmoid(a[i]+k[i])*math.Tanh(a[3*n+i]+k[3*n+i]))
		h[i] = sigmoid(a[n+i]+k[n+i]) * math.Tanh(cell)
		c[i] = cell
	}
	fit(float32Type, c)
}

// gru has the gates update, reset, candidate.
func (r *recurrence) gru(h, a, k []float64) {
	n := r.units
	if r.reset == 0 { // it acts on the state
		gated := k[2*n:]
		copy(gated, r.bias[5*n:])
		for i := range h {
			v := sigmoid(a[n+i]+k[n+i]) * h[i]
			for j, w := range r.byState[i*3*n+2*n:][:n] {
				gated[j] += float64(v * w)
			}
		}
	}
	for i, old := range h {
		update, candidate := sigmoid(a[i]+k[i]), k[2*n+i]
		if r.reset != 0 {
			candidate *= sigmoid(a[n+i] + k[n+i])
		}
		candidate = math.Tanh(a[2*n+i] + candidate)
		h[i] = candidate + float64(update*(old-candidate))
	}
}
