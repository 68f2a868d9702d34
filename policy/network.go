package policy

import (
	"fmt"
	"math"
)

// Activation is the function between two layers.
type Activation string

// The activations.
const (
	Tanh Activation = "tanh" // hyperbolic tangent
	ELU  Activation = "elu"  // x, or exp(x)-1 below 0
	ReLU Activation = "relu" // x, or 0 below 0
)

// Layer is a fully connected layer.
type Layer struct {
	Weights []float32 // inputs × outputs, row-major
	Biases  []float32 // outputs
}

// Network is a policy as data: a network from an observation to the most likely action.
//
//	z = clip((observation - Mean) · Scale, ±Limit)
//	x = the layers, with Activation after all but the last, of z
//	action = clip(x, Low, High) or, with Discrete choices, the index of the largest x
//
// The layers of a recurrent policy read, in place of z, the next state of a GRU that reads
// z and the state.
type Network struct {
	Header

	Mean, Scale []float64 // Inputs values each
	GRU         *GRU      // of a recurrent policy; else nil
	Layers      []Layer   // at least one
	Low, High   []float32 // bounds of each action value, -Inf and +Inf for none; empty if Discrete
}

// GRU is a layer of gated recurrent units. From z and the state h, zero at the beginning of
// an episode, it computes the next state h', which is also what it gives to the layers:
//
//	r = sigmoid(z·W_r + h·U_r + b_r)
//	u = sigmoid(z·W_u + h·U_u + b_u)
//	n = tanh(z·W_n + b_n + r (h·U_n + b_k))
//	h' = n + u (h - n)
type GRU struct {
	Input     []float32 // W: inputs × 3 units, row-major, in the order r, u, n
	Recurrent []float32 // U: units × 3 units
	Biases    []float32 // b_r, b_u, b_n and b_k, units each
}

// Header is the part of a [Network] that is a number or a text.
type Header struct {
	Task             string     `json:"task"`
	Version          string     `json:"version"`                     // of the program that exported the policy
	EnvSteps         int64      `json:"env_steps"`                   // of its training
	ObservationNames []string   `json:"observation_names,omitempty"` // of each observed value; nil: no names
	ActionNames      []string   `json:"action_names,omitempty"`      // of each action value; nil: no names
	Limit            float64    `json:"limit"`                       // of a standardised observation, in standard deviations
	Activation       Activation `json:"activation"`
	Discrete         int        `json:"discrete,omitempty"` // number of choices; 0: the action is continuous
	Sizes            []int      `json:"sizes"`              // values of an observation, then of each layer's output

	// Recurrent is the number of units of the GRU and so of values of the state that the
	// first layer reads; 0: there is no GRU and the first layer reads the observation.
	Recurrent int `json:"recurrent,omitempty"`
}

// Inputs is the number of values of an observation.
func (n *Network) Inputs() int { return n.Sizes[0] }

// Outputs is the number of values of the last layer.
func (n *Network) Outputs() int { return n.Sizes[len(n.Sizes)-1] }

// Actions is the number of values of an action.
func (n *Network) Actions() int {
	if n.Discrete > 0 {
		return 1
	}
	return n.Outputs()
}

// reads is the number of values that layer l reads.
func (h *Header) reads(l int) int {
	if l == 0 && h.Recurrent > 0 {
		return h.Recurrent
	}
	return h.Sizes[l]
}

// gruSizes are the numbers of values of a GRU's arrays.
func (h *Header) gruSizes() (input, recurrent, biases int) {
	return h.Sizes[0] * 3 * h.Recurrent, h.Recurrent * 3 * h.Recurrent, 4 * h.Recurrent
}

const (
	maxLayers = 64
	maxValues = 1 << 20 // of an observation or a layer
	maxUnits  = 1 << 14 // of a GRU
	maxSum    = 1 << 28 // parameters
)

// checkHeader returns an error that names the first field that cannot be.
func (h *Header) checkHeader() error {
	if len(h.Sizes) < 2 || len(h.Sizes) > maxLayers+1 {
		return fmt.Errorf("sizes has %d entries, want 2 to %d", len(h.Sizes), maxLayers+1)
	}
	if h.Recurrent < 0 || h.Recurrent > maxUnits {
		return fmt.Errorf("recurrent is %d, want 0 to %d", h.Recurrent, maxUnits)
	}
	sum := 0
	for i, n := range h.Sizes {
		if n < 1 || n > maxValues {
			return fmt.Errorf("sizes[%d] is %d, want 1 to %d", i, n, maxValues)
		}
		if i == 0 {
			input, recurrent, biases := h.gruSizes()
			sum += input + recurrent + biases
		} else {
			sum += (h.reads(i-1) + 1) * n
		}
		if sum > maxSum {
			return fmt.Errorf("sizes of %d parameters or more, want at most %d", sum, maxSum)
		}
	}
	outputs := h.Sizes[len(h.Sizes)-1]
	switch h.Activation {
	case Tanh, ELU, ReLU:
	default:
		return fmt.Errorf("activation is %q, want %s, %s or %s", h.Activation, Tanh, ELU, ReLU)
	}
	if h.Discrete != 0 && h.Discrete != outputs {
		return fmt.Errorf("discrete is %d, want 0 or the %d outputs of the last layer", h.Discrete, outputs)
	}
	if !(h.Limit > 0) {
		return fmt.Errorf("limit is %v, want more than 0", h.Limit)
	}
	actions := outputs
	if h.Discrete > 0 {
		actions = 1
	}
	if h.ObservationNames != nil && len(h.ObservationNames) != h.Sizes[0] {
		return fmt.Errorf("observation_names has %d names, want %d", len(h.ObservationNames), h.Sizes[0])
	}
	if h.ActionNames != nil && len(h.ActionNames) != actions {
		return fmt.Errorf("action_names has %d names, want %d", len(h.ActionNames), actions)
	}
	return nil
}

// Check returns an error that names the first field that is out of range or contradicts
// another.
func (n *Network) Check() error {
	if err := n.checkHeader(); err != nil {
		return err
	}
	if len(n.Layers) != len(n.Sizes)-1 {
		return fmt.Errorf("%d layers, want %d", len(n.Layers), len(n.Sizes)-1)
	}
	if len(n.Mean) != n.Inputs() || len(n.Scale) != n.Inputs() {
		return fmt.Errorf("%d means and %d scales, want %d each", len(n.Mean), len(n.Scale), n.Inputs())
	}
	for i := range n.Mean {
		if !finite(n.Mean[i]) || !finite(n.Scale[i]) {
			return fmt.Errorf("observed value %d has mean %v and scale %v, want finite numbers", i, n.Mean[i], n.Scale[i])
		}
	}
	if err := n.checkGRU(); err != nil {
		return err
	}
	for l, layer := range n.Layers {
		in, out := n.reads(l), n.Sizes[l+1]
		if len(layer.Weights) != in*out || len(layer.Biases) != out {
			return fmt.Errorf("layer %d has %d weights and %d biases, want %d and %d", l, len(layer.Weights), len(layer.Biases), in*out, out)
		}
		for _, values := range [][]float32{layer.Weights, layer.Biases} {
			if v, ok := notFinite(values); ok {
				return fmt.Errorf("layer %d has the parameter %v, want finite numbers", l, v)
			}
		}
	}
	return n.checkBounds()
}

func (n *Network) checkGRU() error {
	if (n.GRU != nil) != (n.Recurrent > 0) {
		return fmt.Errorf("recurrent is %d and there is a GRU: %t, want both or neither", n.Recurrent, n.GRU != nil)
	}
	if n.GRU == nil {
		return nil
	}
	input, recurrent, biases := n.gruSizes()
	for _, array := range []struct {
		name   string
		values []float32
		want   int
	}{{"input weights", n.GRU.Input, input}, {"recurrent weights", n.GRU.Recurrent, recurrent}, {"biases", n.GRU.Biases, biases}} {
		if len(array.values) != array.want {
			return fmt.Errorf("the GRU has %d %s, want %d", len(array.values), array.name, array.want)
		}
		if v, ok := notFinite(array.values); ok {
			return fmt.Errorf("the GRU has the parameter %v, want finite numbers", v)
		}
	}
	return nil
}

// notFinite returns the first value that is not finite, if there is one.
func notFinite(values []float32) (v float32, ok bool) {
	for _, v := range values {
		if v-v != 0 {
			return v, true
		}
	}
	return 0, false
}

func (n *Network) checkBounds() error {
	want := n.Actions()
	if n.Discrete > 0 {
		want = 0
	}
	if len(n.Low) != want || len(n.High) != want {
		return fmt.Errorf("%d lower and %d upper bounds, want %d each", len(n.Low), len(n.High), want)
	}
	for i := range n.Low {
		if !(n.Low[i] <= n.High[i]) {
			return fmt.Errorf("bounds of action value %d are [%v, %v], want the first at most the second", i, n.Low[i], n.High[i])
		}
	}
	return nil
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
