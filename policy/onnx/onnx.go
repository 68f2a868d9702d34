// Package onnx writes a policy as an ONNX model, for runtimes outside Go.
//
// The model computes the most likely action from an observation, everything included:
// the standardisation of observations with its limit, the network, and the bounds of the
// action. Its input is named observation, float32, batch × observed values, in the
// task's own units. Its output is named action: float32, batch × action values; with
// discrete actions the choices, int64, one for each row of the batch.
//
// The model of a recurrent policy has a second input, state, and a second output,
// next_state: float32, batch × units. The state is zeros at the beginning of an episode and
// otherwise the next_state of the control step before.
package onnx

import (
	"encoding/binary"
	"encoding/json"
	"io"
	"math"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/polyrhythm-rl/polyrhythm/policy"
)

// The versions of the format that a model states, and its operators: old enough for
// runtimes of 2022.
const (
	irVersion    = 8
	opsetVersion = 17
)

// The names of a model's inputs and outputs.
const (
	Input     = "observation"
	State     = "state" // of a recurrent policy
	Output    = "action"
	NextState = "next_state" // likewise
)

// Write writes n as an ONNX model. The bytes depend on n alone.
func Write(w io.Writer, n *policy.Network) error {
	if err := n.Check(); err != nil {
		return err
	}
	var opset, model message
	opset.text(1, "")
	opset.number(2, opsetVersion)
	model.number(1, irVersion)
	model.text(2, "polyrhythm")
	model.text(3, n.Version)
	model.text(6, "The most likely action of a policy for "+n.Task+".")
	model.message(7, graph(n))
	model.message(8, opset)
	properties, err := metadata(n)
	if err != nil {
		return err
	}
	for _, p := range properties {
		var entry message
		entry.text(1, p[0])
		entry.text(2, p[1])
		model.message(14, entry)
	}
	_, err = w.Write(model)
	return err
}

// metadata returns the model's properties; lists of names are JSON.
func metadata(n *policy.Network) ([][2]string, error) {
	list := [][2]string{
		{"task", n.Task},
		{"version", n.Version},
		{"env_steps", strconv.FormatInt(n.EnvSteps, 10)},
	}
	for _, names := range []struct {
		key string
		of  []string
	}{{"observation_names", n.ObservationNames}, {"action_names", n.ActionNames}} {
		if names.of == nil {
			continue
		}
		text, err := json.Marshal(names.of)
		if err != nil {
			return nil, err
		}
		list = append(list, [2]string{names.key, string(text)})
	}
	return list, nil
}

// graph returns the GraphProto of n.
func graph(n *policy.Network) message {
	g := &graphWriter{last: Input}
	g.message.text(2, "policy")
	g.standardise(n)
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
		// Two nodes, because Clip has only one bound for all values.
		g.node("Max", "bounded", g.tensor("low", []int{len(n.Low)}, n.Low))
		g.node("Min", Output, g.tensor("high", []int{len(n.High)}, n.High))
	}
	g.message.message(11, value(Input, float32Type, n.Inputs()))
	if n.Discrete > 0 {
		g.message.message(12, value(Output, int64Type))
	} else {
		g.message.message(12, value(Output, float32Type, n.Actions()))
	}
	if n.GRU != nil {
		g.message.message(11, value(State, float32Type, n.Recurrent))
		g.message.message(12, value(NextState, float32Type, n.Recurrent))
	}
	return g.message
}

var operators = map[policy.Activation]string{policy.Tanh: "Tanh", policy.ELU: "Elu", policy.ReLU: "Relu"}

// standardise adds the nodes that standardise and limit an observation.
//
// The means are subtracted in two parts, the rounded mean and the rest. A value that
// hardly varies has a large scale, and the mean alone, rounded to a float32, would then
// be far off.
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

// remember adds the nodes that compute the next state from the state and the last output.
// The formulas are those of [policy.GRU].
func (g *graphWriter) remember(n *policy.Network) {
	units, gru := n.Recurrent, n.GRU
	part := func(name string, from string, begin, end int) string { // columns of a product
		g.last = from
		g.node("Slice", name, g.whole(name+"_from", begin), g.whole(name+"_to", end), g.whole(name+"_axis", 1))
		return name
	}
	biases := func(name string, from, to int) string {
		return g.tensor(name, []int{to - from}, gru.Biases[from:to])
	}
	g.node("Gemm", "by_input", g.tensor("input_weights", []int{n.Inputs(), 3 * units}, gru.Input), biases("input_biases", 0, 3*units))
	g.last = State
	g.node("MatMul", "by_state", g.tensor("state_weights", []int{units, 3 * units}, gru.Recurrent))

	kept := part("kept_sum", "by_state", 2*units, 3*units)
	candidate := part("candidate_input", "by_input", 2*units, 3*units)
	gates := part("gates_input", "by_input", 0, 2*units)
	part("gates_state", "by_state", 0, 2*units)
	g.node("Add", "gates_sum", gates)
	g.node("Sigmoid", "gates")
	update := part("update", "gates", units, 2*units)
	reset := part("reset", "gates", 0, units)

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

// attribute is a whole number that a node is given.
type attribute struct {
	name  string
	value int64
}

// node adds a node that reads the last output and then the inputs among args, and has
// the attributes among them.
func (g *graphWriter) node(operator, output string, args ...any) {
	var m message
	m.text(1, g.last)
	for _, a := range args {
		if input, ok := a.(string); ok {
			m.text(1, input)
		}
	}
	m.text(2, output)
	m.text(3, output)
	m.text(4, operator)
	for _, a := range args {
		if a, ok := a.(attribute); ok {
			var am message
			am.text(1, a.name)
			am.number(3, a.value)
			am.number(20, 2) // its type is INT
			m.message(5, am)
		}
	}
	g.message.message(1, m)
	g.last = output
}

// whole adds a whole number as a list of one and returns its name.
func (g *graphWriter) whole(name string, v int) string {
	var m message
	m.number(1, 1)
	m.number(2, int64Type)
	m.text(8, name)
	m.bytes(9, binary.LittleEndian.AppendUint64(nil, uint64(v)))
	g.message.message(5, m)
	return name
}

// tensor adds constants and returns their name.
func (g *graphWriter) tensor(name string, dims []int, values []float32) string {
	var m message
	for _, d := range dims {
		m.number(1, int64(d))
	}
	m.number(2, float32Type)
	m.text(8, name)
	raw := make([]byte, 0, 4*len(values))
	for _, v := range values {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
	}
	m.bytes(9, raw)
	g.message.message(5, m)
	return name
}

// The types of elements, by ONNX's numbers.
const (
	float32Type = 1
	int64Type   = 7
)

// value describes an input or output: a batch, then dims.
func value(name string, element int64, dims ...int) message {
	var batch, shape, tensor, kind, m message
	batch.text(2, "batch")
	shape.message(1, batch)
	for _, d := range dims {
		var dim message
		dim.number(1, int64(d))
		shape.message(1, dim)
	}
	tensor.number(1, element)
	tensor.message(2, shape)
	kind.message(1, tensor)
	m.text(1, name)
	m.message(2, kind)
	return m
}

// message is an encoded protocol buffer message; each method appends a field.
type message []byte

func (m *message) number(field protowire.Number, v int64) {
	*m = protowire.AppendTag(*m, field, protowire.VarintType)
	*m = protowire.AppendVarint(*m, uint64(v))
}

func (m *message) bytes(field protowire.Number, v []byte) {
	*m = protowire.AppendTag(*m, field, protowire.BytesType)
	*m = protowire.AppendBytes(*m, v)
}

func (m *message) text(field protowire.Number, v string)     { m.bytes(field, []byte(v)) }
func (m *message) message(field protowire.Number, v message) { m.bytes(field, v) }
