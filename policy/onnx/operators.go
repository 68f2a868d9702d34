package onnx

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// operator is one of ONNX's.
type operator struct {
	least, most int // inputs that it may have
	build       func(*building) error
}

// builders are the operators that are known, by name.
var builders map[string]operator

func init() {
	builders = map[string]operator{
		"Add": {2, 2, arithmetic}, "Sub": {2, 2, arithmetic}, "Mul": {2, 2, arithmetic}, "Div": {2, 2, arithmetic},
		"Pow": {2, 2, arithmetic}, "Max": {1, many, arithmetic}, "Min": {1, many, arithmetic}, "Sum": {1, many, arithmetic},
		"Mean": {1, many, arithmetic}, "PRelu": {2, 2, arithmetic},
		"Greater": {2, 2, arithmetic}, "GreaterOrEqual": {2, 2, arithmetic}, "Less": {2, 2, arithmetic},
		"LessOrEqual": {2, 2, arithmetic}, "Equal": {2, 2, arithmetic}, "And": {2, 2, arithmetic}, "Or": {2, 2, arithmetic},
		"Where": {3, 3, where}, "Clip": {1, 3, clip}, "Cast": {1, 1, cast}, "CastLike": {2, 2, cast},

		"Concat": {1, many, concat}, "Slice": {1, 5, slice}, "Split": {1, 2, split}, "Gather": {2, 2, gather},
		"Reshape": {2, 2, reshape}, "Flatten": {1, 1, flatten}, "Squeeze": {1, 2, squeeze}, "Unsqueeze": {1, 2, squeeze},
		"Transpose": {1, 1, transpose}, "Expand": {2, 2, expand}, "Identity": {1, 1, identity}, "Dropout": {1, 3, identity},
		"Constant": {0, 0, constant}, "ConstantOfShape": {1, 1, constantOfShape}, "Shape": {1, 1, shape}, "Size": {1, 1, shape},

		"MatMul": {2, 2, matMul}, "Gemm": {2, 3, gemm}, "Conv": {2, 3, convolve}, "GRU": {3, 6, recurrent},
		"LSTM": {3, 8, recurrent}, "BatchNormalization": {5, 5, batchNormalise},
		"LayerNormalization": {2, 3, layerNormalise}, "RMSNormalization": {2, 2, layerNormalise},
		"Softmax": {1, 1, softmax}, "LogSoftmax": {1, 1, softmax}, "ArgMax": {1, 1, argMax},
	}
	for name := range functions {
		builders[name] = operator{1, 1, elementwise}
	}
	for name := range reductions {
		builders[name] = operator{1, 2, reduce}
	}
}

// many is as many inputs as a node may have.
const many = maxItems

// Operators returns the names of the operators that are known, sorted.
func Operators() []string { return slices.Sorted(maps.Keys(builders)) }

// building is a node of which a step is made, or, where its inputs are constants, values.
type building struct {
	*node
	c   *compiler
	in  []int // values, -1 for those that are left out; what is made -1 while the step is built is not read by it
	out []int
	run func(dst, src [][]float64)
}

// node compiles a node.
func (c *compiler) node(n *node) error {
	op, known := builders[n.operator]
	switch {
	case !isONNX(n.domain):
		return fmt.Errorf("an operator of %s, want those of ONNX: %s", quote(n.domain), strings.Join(Operators(), ", "))
	case !known:
		return fmt.Errorf("not known, want one of %s", strings.Join(Operators(), ", "))
	}
	b := &building{node: n, c: c}
	for _, name := range n.inputs {
		i := -1
		if name != "" {
			if i, known = c.names[name]; !known {
				return fmt.Errorf("it reads %s, which no node before it computes", quote(name))
			}
		}
		b.in = append(b.in, i)
	}
	for len(b.in) > 0 && b.in[len(b.in)-1] < 0 {
		b.in = b.in[:len(b.in)-1]
	}
	if len(b.in) < op.least || len(b.in) > op.most {
		return fmt.Errorf("it has %d inputs, want %d to %d", len(b.in), op.least, op.most)
	}
	for i := range op.least {
		if b.in[i] < 0 {
			return fmt.Errorf("its input %d is left out", i)
		}
	}
	if len(n.outputs) == 0 {
		return fmt.Errorf("it has no output")
	}
	constant := true
	for _, i := range b.in {
		constant = constant && (i < 0 || c.model.values[i].v != nil)
	}
	if err := op.build(b); err != nil {
		return err
	}
	for name, a := range n.attributes {
		if !a.used {
			return fmt.Errorf("its attribute %s is not known", quote(name))
		}
	}
	for k, name := range n.outputs {
		if name != "" && k >= len(b.out) {
			return fmt.Errorf("its output %d is not known", k)
		}
	}
	return b.finish(constant)
}

// finish adds the step, or computes its outputs at once.
func (b *building) finish(constant bool) error {
	c, values := b.c, b.c.model.values
	if b.run == nil { // the outputs are there
		return nil
	}
	s := step{run: b.run, src: slices.Clone(b.in), dst: slices.Clone(b.out)}
	for _, i := range b.out {
		element := int64(0)
		if i >= 0 {
			element = values[i].element
		}
		s.element = append(s.element, element)
	}
	if !constant {
		c.model.steps = append(c.model.steps, s)
		return nil
	}
	of := func(list []int) [][]float64 {
		slices := make([][]float64, len(list))
		for k, i := range list {
			if i >= 0 {
				slices[k] = values[values[i].slot].v
			}
		}
		return slices
	}
	for _, i := range b.out {
		if i >= 0 {
			if c.numbers += values[i].size(); c.numbers > maxValues {
				return fmt.Errorf("more than %d numbers in constants", maxValues)
			}
			values[i].v = make([]float64, values[i].size())
		}
	}
	dst := of(b.out)
	b.run(dst, of(b.in))
	for k, element := range s.element {
		fit(element, dst[k])
	}
	return nil
}

// input returns an input; nil for one that is left out.
func (b *building) input(i int) *array {
	if i >= len(b.in) || b.in[i] < 0 {
		return nil
	}
	return &b.c.model.values[b.in[i]]
}

// wants reports whether the node's output i has a name.
func (b *building) wants(i int) bool { return i < len(b.outputs) && b.outputs[i] != "" }

// output adds an output; one that the node gives no name is computed all the same.
func (b *building) output(element int64, dims []int) error {
	if err := checkDims(dims); err != nil {
		return err
	}
	name := ""
	if len(b.out) < len(b.outputs) {
		name = b.outputs[len(b.out)]
	}
	i, err := b.c.computed(name, element, dims)
	b.out = append(b.out, i)
	return err
}

// room adds numbers that a step needs while it runs, after the outputs.
func (b *building) room(n int) error {
	if err := checkDims([]int{n}); err != nil {
		return err
	}
	i, err := b.c.computed("", doubleType, []int{n})
	b.out = append(b.out, i)
	return err
}

// view adds an output that is the first input in another shape.
func (b *building) view(dims []int) error {
	if err := checkDims(dims); err != nil {
		return err
	}
	v := *b.input(0)
	if product(dims) != v.size() {
		return fmt.Errorf("%v has %d values, want the %d of %v", dims, product(dims), v.size(), v.dims)
	}
	slot := v.slot
	i := b.c.add(b.outputs[0], tensor{v.element, slices.Clone(dims), v.v})
	b.c.model.values[i].slot = slot
	b.out = append(b.out, i)
	return nil
}

// given adds an output that is known.
func (b *building) given(t tensor) error {
	if b.c.numbers += t.size(); b.c.numbers > maxValues {
		return fmt.Errorf("more than %d numbers in constants", maxValues)
	}
	b.out = append(b.out, b.c.add(b.outputs[0], t))
	return nil
}

// costs counts the work of a step.
func (b *building) costs(factors ...int) error {
	work := int64(1)
	for _, f := range factors {
		work *= max(1, int64(f)) // at most maxValues, as the sizes of tensors are
		if work > maxWork {
			break
		}
	}
	if b.c.work += work; b.c.work > maxWork {
		return fmt.Errorf("the network needs more than %d products in each step, want at most so many", int64(maxWork))
	}
	return nil
}

// indices makes a table of indices.
func (b *building) indices(n int) ([]int32, error) {
	if err := b.c.take(n); err != nil {
		return nil, err
	}
	return make([]int32, 0, n), nil
}

// attribute returns an attribute of a kind; nil if there is none.
func (b *building) attribute(name string, kind int64) (*nodeAttribute, error) {
	a := b.attributes[name]
	if a == nil {
		return nil, nil
	}
	a.used = true
	if a.kind != kind && a.kind != 0 {
		return nil, fmt.Errorf("its attribute %s is of kind %d, want %d", name, a.kind, kind)
	}
	return a, nil
}

// whole returns an attribute that is a whole number.
func (b *building) whole(name string, otherwise int) (int, error) {
	a, err := b.attribute(name, intAttribute)
	if a == nil || err != nil {
		return otherwise, err
	}
	return small(a.i), nil
}

// small returns a whole number that fits an int of 32 bits, and is none of a dimension if i is none.
func small(i int64) int { return int(min(max(i, -1<<30), 1<<30)) }

// number returns an attribute that is a float.
func (b *building) number(name string, otherwise float64) (float64, error) {
	a, err := b.attribute(name, floatAttribute)
	if a == nil || err != nil {
		return otherwise, err
	}
	return a.f, nil
}

// text returns an attribute that is a text.
func (b *building) text(name, otherwise string) (string, error) {
	a, err := b.attribute(name, textAttribute)
	if a == nil || err != nil {
		return otherwise, err
	}
	return a.s, nil
}

// list returns an attribute that is a list of whole numbers; nil if there is none.
func (b *building) list(name string) ([]int, error) {
	a, err := b.attribute(name, intsAttribute)
	if a == nil || err != nil {
		return nil, err
	}
	numbers := make([]int, len(a.ints))
	for i, v := range a.ints {
		numbers[i] = small(v)
	}
	return numbers, nil
}

// wholes returns an input that must be constant as whole numbers, which the step then does not read; nil for one that
// is left out.
func (b *building) wholes(i int, what string) ([]int, error) {
	v := b.input(i)
	if v == nil {
		return nil, nil
	}
	if v.v == nil {
		return nil, fmt.Errorf("its %s %s are computed from the observation, want constants", what, quote(v.name))
	}
	b.in[i] = -1
	numbers := make([]int, len(v.v))
	for k, x := range v.v {
		numbers[k] = small(int64(x))
	}
	return numbers, nil
}

// axis returns where an axis is, of so many; a negative one counts from the end.
func axis(i, of int) (int, error) {
	if i < -of || i >= of {
		return 0, fmt.Errorf("axis %d of %d dimensions", i, of)
	}
	if i < 0 {
		i += of
	}
	return i, nil
}

// axis returns where the axis of the attribute is, of so many.
func (b *building) axis(otherwise, of int) (int, error) {
	i, err := b.whole("axis", otherwise)
	if err != nil {
		return 0, err
	}
	return axis(i, of)
}

// axes returns the axes of an attribute or, in newer files, an input; nil if there is neither.
func (b *building) axes(of int) ([]int, error) {
	list, err := b.list("axes")
	if err == nil && list == nil {
		list, err = b.wholes(1, "axes")
	}
	if err != nil {
		return nil, err
	}
	if len(list) > maxDims {
		return nil, fmt.Errorf("it has %d axes, want at most %d", len(list), maxDims)
	}
	for i := range list {
		if list[i], err = axis(list[i], of); err != nil {
			return nil, err
		}
	}
	slices.Sort(list)
	if len(slices.Compact(slices.Clone(list))) != len(list) {
		return nil, fmt.Errorf("the axes %v, want each once", list)
	}
	return list, nil
}

// around returns the number of values before, along and after an axis.
func around(dims []int, axis int) (before, along, after int) {
	return product(dims[:axis]), dims[axis], product(dims[axis+1:])
}
