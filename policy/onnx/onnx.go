// Package onnx writes a policy as an ONNX model, for runtimes outside Go, and reads models of any origin, to act by them
// in Go alone.
//
// A model that [Write] wrote computes the most likely action from an observation, everything included: the standardisation of
// observations, the network, and the bounds of the action. Its input is named observation, float32, batch × observed
// values, in the task's own units. Its output is named action: float32, batch × action values; with discrete actions
// the choices, int64, one for each row of the batch.
//
// The model of a policy that is recurrent, or decides on chunks of actions, has a second input, state, and a second
// output, next_state: float32, batch × [policy.Header.State] values. The state is zeros at the beginning of an episode
// and otherwise the next_state of the control step before.
//
// [Read] reads small dense, convolutional and recurrent networks, as PyTorch and others export them. Their operators
// are those of [Operators], by the definitions of ONNX (https://onnx.ai/onnx/operators). What a file may take of memory
// and time is bounded.
package onnx

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/polyrhythm-rl/polyrhythm/policy"
)

// The versions of the format that a model states, and its operators: old enough for runtimes of 2022.
const (
	irVersion    = 8
	opsetVersion = 17
)

// The names of a model's inputs and outputs.
const (
	Input     = "observation"
	State     = "state" // of a policy that has one
	Output    = "action"
	NextState = "next_state" // likewise
)

// Write writes n as an ONNX model. The bytes depend on n alone.
func Write(w io.Writer, n *policy.Network) error {
	if err := n.Check(); err != nil {
		return err
	}
	properties := []string{"task", n.Task, "version", n.Version, "env_steps", strconv.FormatInt(n.EnvSteps, 10)}
	for _, names := range []struct {
		key string
		of  []string
	}{{"observation_names", n.ObservationNames}, {"action_names", n.ActionNames}} {
		if names.of == nil {
			continue
		}
		text, err := json.Marshal(names.of)
		if err != nil {
			return err
		}
		properties = append(properties, names.key, string(text))
	}
	model := fields(1, irVersion, 2, "polyrhythm", 3, n.Version, 6, "The most likely action of a policy for "+n.Task+".",
		7, graph(n), 8, fields(1, "", 2, opsetVersion))
	for pair := range slices.Chunk(properties, 2) {
		model = append(model, fields(14, fields(1, pair[0], 2, pair[1]))...)
	}
	_, err := w.Write(model)
	return err
}

// graph returns the GraphProto of n.
func graph(n *policy.Network) message {
	g := &graphWriter{last: Input, message: fields(2, "policy")}
	g.standardise(n)
	if len(n.Convolutions) > 0 {
		g.look(n)
	}
	if n.GRU != nil {
		g.remember(n)
	}
	for l, layer := range n.Layers {
		id := strconv.Itoa(l)
		weights := g.tensor("weights"+id, []int{len(layer.Weights) / n.Sizes[l+1], n.Sizes[l+1]}, layer.Weights)
		biases := g.tensor("biases"+id, []int{n.Sizes[l+1]}, layer.Biases)
		g.node("Gemm", "layer"+id, weights, biases)
		if l < len(n.Layers)-1 {
			g.node(operators[n.Activation], "activation"+id)
		}
	}
	if n.Discrete > 0 {
		g.node("ArgMax", Output, attribute{"axis", 1}, attribute{"keepdims", 0})
	} else {
		if n.Squash {
			g.squash(n)
		}
		// Two nodes, because Clip has only one bound for all values.
		last := Output
		if n.ChunkSize > 1 {
			last = "chunk"
		}
		g.node("Max", "bounded", g.bounds("low", n, n.Low))
		g.node("Min", last, g.bounds("high", n, n.High))
		if n.ChunkSize > 1 {
			g.carryOn(n)
		}
	}
	inputs, action := fields(11, value(Input, float32Type, n.Inputs())), value(Output, float32Type, n.Actions())
	if n.Discrete > 0 {
		action = value(Output, int64Type)
	}
	g.message = append(append(g.message, inputs...), fields(12, action)...)
	if size := n.State(); size > 0 {
		state, next := value(State, float32Type, size), value(NextState, float32Type, size)
		g.message = append(g.message, fields(11, state, 12, next)...)
	}
	return g.message
}

var operators = map[policy.Activation]string{policy.Tanh: "Tanh", policy.ELU: "Elu", policy.ReLU: "Relu"}

// standardise adds the nodes that standardise and limit an observation.
//
// The means are subtracted in two parts, the rounded mean and the rest. A value that hardly varies has a large scale,
// and the mean alone, rounded to a float32, would then be far off.
func (g *graphWriter) standardise(n *policy.Network) {
	size := []int{n.Inputs()}
	mean, rest, scale := make([]float32, n.Inputs()), make([]float32, n.Inputs()), make([]float32, n.Inputs())
	for i := range mean {
		mean[i] = float32(n.Mean[i])
		rest[i] = float32(n.Mean[i] - float64(mean[i]))
		scale[i] = float32(n.Scale[i])
	}
	limit := float32(n.Limit)
	g.node("Sub", "centred", g.tensor("mean", size, mean))
	g.node("Sub", "recentred", g.tensor("mean_rest", size, rest))
	g.node("Mul", "standardised", g.tensor("scale", size, scale))
	g.node("Clip", "limited", g.tensor("least", nil, []float32{-limit}), g.tensor("most", nil, []float32{limit}))
}

// squash adds the nodes that lead from the last layer's output to the bounds.
func (g *graphWriter) squash(n *policy.Network) {
	middle, half := make([]float32, len(n.Low)), make([]float32, len(n.Low))
	for i, low := range n.Low {
		middle[i] = float32(0.5 * (float64(low) + float64(n.High[i])))
		half[i] = float32(0.5 * (float64(n.High[i]) - float64(low)))
	}
	g.node("Tanh", "squashed")
	g.node("Mul", "scaled", g.bounds("half", n, half))
	g.node("Add", "shifted", g.bounds("middle", n, middle))
}

// bounds adds a tensor that has the values of an action for each action of the last layer.
func (g *graphWriter) bounds(name string, n *policy.Network, values []float32) string {
	return g.tensor(name, []int{n.Outputs()}, slices.Repeat(values, max(1, n.ChunkSize)))
}

// carryOn adds the nodes that choose the action and the next state, from the chunk that was just computed where none of
// the one before is left. The state is that of [policy.Network].
func (g *graphWriter) carryOn(n *policy.Network) {
	size, state := n.Actions(), n.State()
	first := g.columns("first", "chunk", 0, size)
	rest := g.columns("rest", "chunk", size, n.Outputs())
	next := g.columns("carried", State, 1, 1+size)
	if n.ChunkSize > 2 {
		g.columns("later", State, 1+size, state)
		g.node("Concat", "turned", next, attribute{"axis", 1})
	}
	turned := g.last
	left := g.columns("left", State, 0, 1)
	g.node("Greater", "carries_on", g.tensor("none", []int{1}, []float32{0}))
	g.last = left
	g.node("Sub", "fewer", g.tensor("one", []int{1}, []float32{1}))
	choose := func(name, carried, fresh string) string {
		g.last = "carries_on"
		g.node("Where", name, carried, fresh)
		return name
	}
	choose(Output, next, first)
	rest = choose("next_rest", turned, rest)
	choose("next_left", "fewer", g.tensor("all", []int{1}, []float32{float32(n.ChunkSize - 1)}))
	g.node("Concat", NextState, rest, attribute{"axis", 1})
}

// columns adds a node that takes columns of an output.
func (g *graphWriter) columns(name, of string, from, to int) string {
	whole := func(what string, v int) string { return g.tensor(name+what, []int{1}, []int64{int64(v)}) }
	g.last = of
	g.node("Slice", name, whole("_from", from), whole("_to", to), whole("_axis", 1))
	return name
}

// remember adds the nodes that compute the next state from the state and the last output.
// The formulas are those of [policy.GRU].
func (g *graphWriter) remember(n *policy.Network) {
	units, gru := n.Recurrent, n.GRU
	biases := func(name string, from, to int) string {
		return g.tensor(name, []int{to - from}, gru.Biases[from:to])
	}
	weights := g.tensor("input_weights", []int{len(gru.Input) / (3 * units), 3 * units}, gru.Input)
	g.node("Gemm", "by_input", weights, biases("input_biases", 0, 3*units))
	g.last = State
	g.node("MatMul", "by_state", g.tensor("state_weights", []int{units, 3 * units}, gru.Recurrent))

	kept := g.columns("kept_sum", "by_state", 2*units, 3*units)
	candidate := g.columns("candidate_input", "by_input", 2*units, 3*units)
	gates := g.columns("gates_input", "by_input", 0, 2*units)
	g.columns("gates_state", "by_state", 0, 2*units)
	g.node("Add", "gates_sum", gates)
	g.node("Sigmoid", "gates")
	update := g.columns("update", "gates", units, 2*units)
	reset := g.columns("reset", "gates", 0, units)

	g.last = kept
	g.node("Add", "kept", biases("kept_biases", 3*units, 4*units))
	g.node("Mul", "kept_reset", reset)
	g.node("Add", "candidate_sum", candidate)
	g.node("Tanh", "candidate")
	g.last = State
	g.node("Sub", "change", "candidate")
	g.node("Mul", "change_update", update)
	g.node("Add", NextState, "candidate")
}

// graphWriter writes a chain of nodes, each of which reads the output of the one before.
type graphWriter struct {
	message
	last string // output of the last node
}

// look adds the nodes that turn pictures into features. A picture is batch × height × width × channels, and
// convolutions of ONNX want the channels first.
func (g *graphWriter) look(n *policy.Network) {
	stacks, err := policy.Stacks(n.Pictures, n.Convolutions)
	if err != nil {
		panic(err) // n was checked
	}
	var features []string
	z, filter := g.last, 0
	for i, s := range stacks {
		id := func(what string, k int) string { return fmt.Sprintf("%s%d_%d", what, i, k) }
		var pictures []string
		for k, p := range s.Pictures {
			g.columns(id("columns", k), z, p.First, p.First+p.Size())
			shape := []int64{-1, int64(p.Height), int64(p.Width), int64(p.Channels)}
			g.node("Reshape", id("pixels", k), g.tensor(id("shape", k), []int{4}, shape))
			g.node("Transpose", id("picture", k), attribute{"perm", []int{0, 3, 1, 2}})
			pictures = append(pictures, g.last)
		}
		if len(pictures) > 1 {
			g.concat(fmt.Sprintf("stack%d", i), pictures)
		}
		for l, c := range n.Convolutions {
			f := n.Filters[filter]
			filter++
			weights := g.tensor(id("filters", l), []int{c.Channels, s.Sizes[l][2], c.Kernel, c.Kernel},
				channelsFirst(s, l, c, f.Weights))
			g.node("Conv", id("convolution", l), weights, g.tensor(id("offsets", l), []int{c.Channels}, f.Biases),
				attribute{"kernel_shape", []int{c.Kernel, c.Kernel}}, attribute{"strides", []int{c.Step(), c.Step()}},
				attribute{"pads", []int{c.Padding, c.Padding, c.Padding, c.Padding}})
			g.node(operators[n.Activation], id("seen", l))
		}
		g.node("Transpose", fmt.Sprintf("map%d", i), attribute{"perm", []int{0, 2, 3, 1}})
		shape := []int64{-1, int64(s.Features())}
		g.node("Reshape", fmt.Sprintf("flat%d", i), g.tensor(fmt.Sprintf("flat_shape%d", i), []int{2}, shape))
		features = append(features, g.last)
	}
	at := 0
	for _, p := range append(slices.Clip(n.Pictures), policy.Picture{First: n.Inputs()}) {
		if p.First > at {
			g.columns(fmt.Sprintf("others%d", at), z, at, p.First)
			features = append(features, g.last)
		}
		at = p.First + p.Size()
	}
	if len(features) > 1 {
		g.concat("features", features)
	}
}

// concat adds a node that joins inputs along their second axis.
func (g *graphWriter) concat(output string, inputs []string) {
	g.last = inputs[0]
	args := []any{attribute{"axis", 1}}
	for _, name := range inputs[1:] {
		args = append(args, name)
	}
	g.node("Concat", output, args...)
}

// channelsFirst returns the weights of convolution l of a stack by output, input channel, row and column.
func channelsFirst(s policy.Stack, l int, c policy.Convolution, weights []float32) []float32 {
	parts := []int{s.Sizes[l][2]} // channels of what the inputs of the layer are taken from
	if l == 0 {
		parts = parts[:0]
		for _, p := range s.Pictures {
			parts = append(parts, p.Channels)
		}
	}
	area, dst := c.Kernel*c.Kernel, make([]float32, len(weights))
	first := 0 // channel of the part
	for _, channels := range parts {
		for pixel := range area {
			for channel := range channels {
				for out := range c.Channels {
					dst[(out*s.Sizes[l][2]+first+channel)*area+pixel] = weights[out]
				}
				weights = weights[c.Channels:]
			}
		}
		first += channels
	}
	return dst
}

// attribute is a whole number, or a list of them, that a node is given.
type attribute struct {
	name  string
	value any // int or []int
}

// node adds a node that reads the last output and then the inputs among args, and has the attributes among them.
func (g *graphWriter) node(operator, output string, args ...any) {
	m, attributes := fields(1, g.last), message(nil)
	for _, arg := range args {
		if a, ok := arg.(attribute); ok {
			attributes = append(attributes, fields(5, a.message())...)
		} else {
			m = append(m, fields(1, arg)...)
		}
	}
	m = append(append(m, fields(2, output, 3, output, 4, operator)...), attributes...)
	g.message = append(g.message, fields(1, m)...)
	g.last = output
}

// message is the AttributeProto.
func (a attribute) message() message {
	list, ok := a.value.([]int)
	if !ok {
		return fields(1, a.name, 3, a.value, 20, 2) // INT
	}
	m := fields(1, a.name)
	for _, v := range list {
		m = append(m, fields(8, v)...)
	}
	return append(m, fields(20, 7)...) // INTS
}

// tensor adds float32s or int64s and returns their name.
func (g *graphWriter) tensor(name string, dims []int, values any) string {
	element := float32Type
	if _, ok := values.([]int64); ok {
		element = int64Type
	}
	raw, err := binary.Append(nil, binary.LittleEndian, values)
	if err != nil {
		panic(err) // cannot happen: all have a fixed size
	}
	var m message
	for _, d := range dims {
		m = append(m, fields(1, d)...)
	}
	g.message = append(g.message, fields(5, append(m, fields(2, element, 8, name, 9, message(raw))...))...)
	return name
}

// The types of elements, by ONNX's numbers.
const (
	float32Type = 1
	int64Type   = 7
)

// value describes an input or output: a batch, then dims.
func value(name string, element int, dims ...int) message {
	shape := fields(1, fields(2, "batch"))
	for _, d := range dims {
		shape = append(shape, fields(1, fields(1, d))...)
	}
	return fields(1, name, 2, fields(1, fields(1, element, 2, shape)))
}

// message is an encoded protocol buffer message.
type message []byte

// fields returns the fields whose numbers and values alternate: whole numbers, texts and messages.
func fields(list ...any) (m message) {
	for pair := range slices.Chunk(list, 2) {
		number := protowire.Number(pair[0].(int))
		switch v := pair[1].(type) {
		case int:
			m = protowire.AppendVarint(protowire.AppendTag(m, number, protowire.VarintType), uint64(v))
		case string:
			m = protowire.AppendString(protowire.AppendTag(m, number, protowire.BytesType), v)
		case message:
			m = protowire.AppendBytes(protowire.AppendTag(m, number, protowire.BytesType), v)
		default:
			panic(fmt.Sprintf("onnx: a field of type %T", v))
		}
	}
	return m
}
