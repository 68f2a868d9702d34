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
type Network struct {
	Header

	Mean, Scale []float64 // Inputs values each
	Layers      []Layer   // at least one
	Low, High   []float32 // bounds of each action value, -Inf and +Inf for none; empty if Discrete
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

const (
	maxLayers = 64
	maxValues = 1 << 20 // of an observation or a layer
	maxSum    = 1 << 28 // parameters
)

// checkHeader returns an error that names the first field that cannot be.
func (h *Header) checkHeader() error {
	if len(h.Sizes) < 2 || len(h.Sizes) > maxLayers+1 {
		return fmt.Errorf("sizes has %d entries, want 2 to %d", len(h.Sizes), maxLayers+1)
	}
	sum := 0
	for i, n := range h.Sizes {
		if n < 1 || n > maxValues {
			return fmt.Errorf("sizes[%d] is %d, want 1 to %d", i, n, maxValues)
		}
		if i > 0 {
			sum += (h.Sizes[i-1] + 1) * n
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
	for l, layer := range n.Layers {
		in, out := n.Sizes[l], n.Sizes[l+1]
		if len(layer.Weights) != in*out || len(layer.Biases) != out {
			return fmt.Errorf("layer %d has %d weights and %d biases, want %d and %d", l, len(layer.Weights), len(layer.Biases), in*out, out)
		}
		for _, values := range [][]float32{layer.Weights, layer.Biases} {
			for _, v := range values {
				if v-v != 0 {
					return fmt.Errorf("layer %d has the parameter %v, want finite numbers", l, v)
				}
			}
		}
	}
	return n.checkBounds()
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
