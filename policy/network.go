package policy

import (
	"cmp"
	"fmt"
	"reflect"
	"strings"
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
//	action = clip(x, Low, High), with Squash Low + (tanh(x)+1)/2 · (High-Low), or, with Discrete choices, the index
//	of the largest x
//
// With a ChunkSize the last layer gives that many actions, which are carried out one after the other before x is
// computed again. The state is the number of those that are left, then the others than the first one, the next at the
// beginning; what was carried out goes to the end.
//
// With Convolutions, these read the Pictures of z, see [Stacks], with Activation after each. What follows then reads,
// in place of z, the last output of each stack (height × width × channels) and after them the other values of z.
//
// The layers of a recurrent policy read, in place of z, the next state of a GRU that reads z and the state.
type Network struct {
	Header

	Mean, Scale []float64 // Inputs values each
	Filters     []Layer   // of each convolution, stack after stack; see [Stack.Weights]
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
	Limit            float64    `json:"limit"`                       // of a standardised observation, in deviations
	Activation       Activation `json:"activation"`
	Discrete         int        `json:"discrete,omitempty"` // number of choices; 0: the action is continuous
	Squash           bool       `json:"squash,omitempty"`   // tanh leads from the last layer's output to the bounds
	Sizes            []int      `json:"sizes"`              // values of an observation, then of each layer's output

	// Pictures are those parts of an observation that Convolutions read, in the order of their values; none without.
	Pictures     []Picture     `json:"pictures,omitempty"`
	Convolutions []Convolution `json:"convolutions,omitempty"`

	// Recurrent is the number of units of the GRU and so of values of the state that the
	// first layer reads; 0: there is no GRU and the first layer reads the observation.
	Recurrent int `json:"recurrent,omitempty"`

	// ChunkSize is the number of actions that the last layer gives; 0: 1.
	ChunkSize int `json:"chunk_size,omitempty"`
}

// State is the number of values that the policy carries from one control step to the next; 0: it carries none.
func (h *Header) State() int {
	if h.ChunkSize > 1 {
		return 1 + (h.ChunkSize-1)*h.Actions()
	}
	return h.Recurrent
}

// Inputs is the number of values of an observation.
func (h *Header) Inputs() int { return h.Sizes[0] }

// Outputs is the number of values of the last layer.
func (h *Header) Outputs() int { return h.Sizes[len(h.Sizes)-1] }

// Actions is the number of values of an action.
func (h *Header) Actions() int {
	if h.Discrete > 0 {
		return 1
	}
	return h.Outputs() / max(1, h.ChunkSize)
}

// reads is the number of values that layer l reads.
func (h *Header) reads(l int) int {
	if l == 0 && h.Recurrent > 0 {
		return h.Recurrent
	}
	if l == 0 {
		return h.features()
	}
	return h.Sizes[l]
}

// stacks are those that the convolutions read.
func (h *Header) stacks() []Stack {
	stacks, err := Stacks(h.Pictures, h.Convolutions)
	if err != nil {
		panic(err) // see checkPictures
	}
	return stacks
}

// features is the number of values that what follows the convolutions reads: without any, those of an observation.
func (h *Header) features() int {
	sum := h.Inputs()
	for _, s := range h.stacks() {
		sum += s.Features() - s.Sizes[0][0]*s.Sizes[0][1]*s.Sizes[0][2]
	}
	return sum
}

// checkPictures checks pictures and convolutions.
func (h *Header) checkPictures() error {
	if (len(h.Pictures) > 0) != (len(h.Convolutions) > 0) {
		return fmt.Errorf("%d pictures and %d convolutions, want both or neither", len(h.Pictures), len(h.Convolutions))
	}
	if err := CheckConvolutions(h.Convolutions); err != nil {
		return fmt.Errorf("convolutions%w", err)
	}
	end := 0 // of the picture before
	for i, p := range h.Pictures {
		if min(p.Height, p.Width, p.Channels) < 1 || p.Height > h.Inputs()/p.Width/p.Channels ||
			p.First < end || p.First > h.Inputs()-p.Size() {
			return fmt.Errorf("pictures[%d] has %d × %d × %d values from %d, want them in the %d of an observation and after "+
				"the picture before", i, p.Height, p.Width, p.Channels, p.First, h.Inputs())
		}
		end = p.First + p.Size()
	}
	if _, err := Stacks(h.Pictures, h.Convolutions); err != nil {
		return fmt.Errorf("convolutions%w", err)
	}
	return nil
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
	for i, n := range h.Sizes {
		if n < 1 || n > maxValues {
			return fmt.Errorf("sizes[%d] is %d, want 1 to %d", i, n, maxValues)
		}
	}
	if err := h.checkPictures(); err != nil {
		return err
	}
	sum := int64(0)
	for _, a := range (&Network{Header: *h}).arrays() {
		if sum += a.size; sum > maxSum {
			return fmt.Errorf("sizes of %d parameters, want at most %d", sum, maxSum)
		}
	}
	if functions[h.Activation] == nil {
		return fmt.Errorf("activation is %q, want %s, %s or %s", h.Activation, Tanh, ELU, ReLU)
	}
	if h.Discrete != 0 && h.Discrete != h.Outputs() {
		return fmt.Errorf("discrete is %d, want 0 or the %d outputs of the last layer", h.Discrete, h.Outputs())
	}
	if k := h.ChunkSize; k < 0 || h.Outputs()%max(1, k) != 0 {
		return fmt.Errorf("chunk_size is %d, want 0 or a part of the %d outputs of the last layer", k, h.Outputs())
	}
	if h.ChunkSize > 1 && (h.Discrete > 0 || h.Recurrent > 0) {
		return fmt.Errorf("chunk_size is %d with discrete %d and recurrent %d, want 0 and 0", h.ChunkSize, h.Discrete,
			h.Recurrent)
	}
	if h.Squash && h.Discrete > 0 {
		return fmt.Errorf("squash is true and discrete is %d, want one or the other", h.Discrete)
	}
	if !(h.Limit > 0) {
		return fmt.Errorf("limit is %v, want more than 0", h.Limit)
	}
	for _, names := range []struct {
		key  string
		of   []string
		want int
	}{{"observation_names", h.ObservationNames, h.Inputs()}, {"action_names", h.ActionNames, h.Actions()}} {
		if names.of != nil && len(names.of) != names.want {
			return fmt.Errorf("%s has %d names, want %d", names.key, len(names.of), names.want)
		}
	}
	return nil
}

// array is one of the arrays of a network.
type array struct {
	of, name string
	values   reflect.Value // a slice of floats that can be set
	size     int64         // by the header, which may ask for more than an int of 32 bits holds
}

// arrays returns the arrays in the order of the file. Where n lacks the GRU or the layers of its
// header, their arrays are those of nobody.
func (n *Network) arrays() []array {
	var all []array
	add := func(of, name string, values any, dimensions ...int) {
		size := int64(1)
		for _, d := range dimensions {
			size *= int64(d)
		}
		all = append(all, array{of, name, reflect.ValueOf(values).Elem(), size})
	}
	add("the network", "means", &n.Mean, n.Inputs())
	add("the network", "scales", &n.Scale, n.Inputs())
	stacks := n.stacks()
	filters := n.Filters
	if len(filters) != len(stacks)*len(n.Convolutions) {
		filters = make([]Layer, len(stacks)*len(n.Convolutions))
	}
	for i := range filters {
		l := i % len(n.Convolutions)
		name, c := fmt.Sprintf("filter %d", i), n.Convolutions[l]
		add(name, "weights", &filters[i].Weights, stacks[i/len(n.Convolutions)].Weights(l, c))
		add(name, "biases", &filters[i].Biases, c.Channels)
	}
	if units := n.Recurrent; units > 0 {
		gru := cmp.Or(n.GRU, &GRU{})
		add("the GRU", "input weights", &gru.Input, n.features(), 3, units)
		add("the GRU", "recurrent weights", &gru.Recurrent, units, 3, units)
		add("the GRU", "biases", &gru.Biases, 4, units)
	}
	layers := n.Layers
	if len(layers) != len(n.Sizes)-1 {
		layers = make([]Layer, len(n.Sizes)-1)
	}
	for l := range layers {
		name := fmt.Sprintf("layer %d", l)
		add(name, "weights", &layers[l].Weights, n.reads(l), n.Sizes[l+1])
		add(name, "biases", &layers[l].Biases, n.Sizes[l+1])
	}
	bounds := n.Actions()
	if n.Discrete > 0 {
		bounds = 0
	}
	add("the network", "lower bounds", &n.Low, bounds)
	add("the network", "upper bounds", &n.High, bounds)
	return all
}

// Check returns an error that names the first field that is out of range or contradicts another.
func (n *Network) Check() error {
	if err := n.checkHeader(); err != nil {
		return err
	}
	if len(n.Layers) != len(n.Sizes)-1 {
		return fmt.Errorf("%d layers, want %d", len(n.Layers), len(n.Sizes)-1)
	}
	if want := len(n.stacks()) * len(n.Convolutions); len(n.Filters) != want {
		return fmt.Errorf("%d filters, want %d", len(n.Filters), want)
	}
	if (n.GRU != nil) != (n.Recurrent > 0) {
		return fmt.Errorf("recurrent is %d and there is a GRU: %t, want both or neither", n.Recurrent, n.GRU != nil)
	}
	for _, a := range n.arrays() {
		if got := a.values.Len(); int64(got) != a.size {
			return fmt.Errorf("%s has %d %s, want %d", a.of, got, a.name, a.size)
		}
		for i := range a.values.Len() {
			if v := a.values.Index(i).Float(); v-v != 0 && (n.Squash || !strings.HasSuffix(a.name, "bounds")) {
				return fmt.Errorf("%s has %v as value %d of its %s, want a finite number", a.of, v, i, a.name)
			}
		}
	}
	for i := range n.Low {
		if !(n.Low[i] <= n.High[i]) {
			return fmt.Errorf("bounds of action value %d are [%v, %v], want the first at most the second",
				i, n.Low[i], n.High[i])
		}
	}
	return nil
}
