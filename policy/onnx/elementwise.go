package onnx

import (
	"fmt"
	"math"
	"slices"
)

// functions make the function of an operator of one value, from its attributes.
var functions = map[string]func(*building) (func(float64) float64, error){
	"Abs": plain(math.Abs), "Atan": plain(math.Atan), "Ceil": plain(math.Ceil), "Cos": plain(math.Cos),
	"Erf": plain(math.Erf), "Exp": plain(math.Exp), "Floor": plain(math.Floor), "Log": plain(math.Log),
	"Round": plain(math.RoundToEven),
	"Sin":   plain(math.Sin), "Sqrt": plain(math.Sqrt), "Tanh": plain(math.Tanh),
	"Sigmoid": plain(sigmoid), "Softplus": plain(softplus),
	"Neg":        plain(func(x float64) float64 { return -x }),
	"Reciprocal": plain(func(x float64) float64 { return 1 / x }),
	"Sign": plain(func(x float64) float64 {
		switch {
		case x > 0:
			return 1
		case x < 0:
			return -1
		}
		return x
	}),
	"Not":       plain(func(x float64) float64 { return truth(x == 0) }),
	"Relu":      plain(func(x float64) float64 { return max(x, 0) }),
	"Softsign":  plain(func(x float64) float64 { return x / (1 + math.Abs(x)) }),
	"HardSwish": plain(func(x float64) float64 { return x * min(max(float64(x/6)+0.5, 0), 1) }),
	"Mish":      plain(func(x float64) float64 { return x * math.Tanh(softplus(x)) }),
	"LeakyRelu": with("alpha", 0.01, func(x, a float64) float64 { return below(x, a*x) }),
	"Elu":       with("alpha", 1, func(x, a float64) float64 { return below(x, a*math.Expm1(x)) }),
	"Celu":      with("alpha", 1, func(x, a float64) float64 { return below(x, a*math.Expm1(x/a)) }),
	"Swish":     with("alpha", 1, func(x, a float64) float64 { return x * sigmoid(a*x) }),
	"Selu": func(b *building) (func(float64) float64, error) {
		a, err := b.number("alpha", 1.67326319217681884765625)
		if err != nil {
			return nil, err
		}
		g, err := b.number("gamma", 1.05070102214813232421875)
		return func(x float64) float64 { return g * below(x, a*math.Expm1(x)) }, err
	},
	"HardSigmoid": func(b *building) (func(float64) float64, error) {
		alpha, err := b.number("alpha", float64(float32(0.2)))
		if err != nil {
			return nil, err
		}
		beta, err := b.number("beta", 0.5)
		return func(x float64) float64 { return min(max(float64(alpha*x)+beta, 0), 1) }, err
	},
	"Gelu": func(b *building) (func(float64) float64, error) {
		switch form, err := b.text("approximate", "none"); {
		case err != nil:
			return nil, err
		case form == "none":
			return func(x float64) float64 { return 0.5 * x * (1 + math.Erf(x/math.Sqrt2)) }, nil
		case form == "tanh":
			return func(x float64) float64 {
				return 0.5 * x * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(x+float64(0.044715*x*x*x))))
			}, nil
		default:
			return nil, fmt.Errorf("approximate is %s, want none or tanh", quote(form))
		}
	},
}

func plain(f func(float64) float64) func(*building) (func(float64) float64, error) {
	return func(*building) (func(float64) float64, error) { return f, nil }
}

// with makes a function with one attribute.
func with(name string, otherwise float64, f func(x, a float64) float64) func(*building) (func(float64) float64, error) {
	return func(b *building) (func(float64) float64, error) {
		a, err := b.number(name, float64(float32(otherwise)))
		return func(x float64) float64 { return f(x, a) }, err
	}
}

// below is y where x is negative, and else x.
func below(x, y float64) float64 {
	if x < 0 {
		return y
	}
	return x
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

func softplus(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// elementwise builds a function of each value.
func elementwise(b *building) error {
	f, err := functions[b.operator](b)
	if err != nil {
		return err
	}
	v := *b.input(0)
	switch boolean := v.element == boolType; {
	case boolean != (b.operator == "Not"):
		return fmt.Errorf("it reads %s", elementName(v.element))
	case !boolean && !isFloat(v.element) && !slices.Contains([]string{"Abs", "Neg", "Sign", "Relu"}, b.operator):
		return fmt.Errorf("it reads %s, want float32", elementName(v.element))
	}
	b.run = func(dst, src [][]float64) {
		for i, x := range src[0] {
			dst[0][i] = f(x)
		}
	}
	if err := b.costs(v.size(), 8); err != nil {
		return err
	}
	return b.output(v.element, v.dims)
}

// pairs are the operators of two values, or of many from the left to the right.
var pairs = map[string]func(x, y float64) float64{
	"Add":            add,
	"Sum":            add,
	"Mean":           add,
	"Sub":            func(x, y float64) float64 { return x - y },
	"Mul":            func(x, y float64) float64 { return x * y },
	"Div":            func(x, y float64) float64 { return x / y },
	"Pow":            math.Pow,
	"Max":            func(x, y float64) float64 { return max(x, y) },
	"Min":            func(x, y float64) float64 { return min(x, y) },
	"PRelu":          func(x, y float64) float64 { return below(x, x*y) },
	"Greater":        func(x, y float64) float64 { return truth(x > y) },
	"GreaterOrEqual": func(x, y float64) float64 { return truth(x >= y) },
	"Less":           func(x, y float64) float64 { return truth(x < y) },
	"LessOrEqual":    func(x, y float64) float64 { return truth(x <= y) },
	"Equal":          func(x, y float64) float64 { return truth(x == y) },
	"And":            func(x, y float64) float64 { return truth(x != 0 && y != 0) },
	"Or":             func(x, y float64) float64 { return truth(x != 0 || y != 0) },
}

func add(x, y float64) float64 { return x + y }

var comparisons = []string{"Greater", "GreaterOrEqual", "Less", "LessOrEqual", "Equal", "And", "Or"}

// arithmetic builds an operator of pairs.
func arithmetic(b *building) error {
	element := b.input(0).element
	for i := range b.in {
		v := b.input(i)
		if v == nil || v.element != element && b.operator != "Pow" {
			return fmt.Errorf("its inputs have several types, or some is left out, want all of %s", elementName(element))
		}
	}
	logical := b.operator == "And" || b.operator == "Or"
	if (element == boolType) != logical && b.operator != "Equal" {
		return fmt.Errorf("it reads %s", elementName(element))
	}
	if slices.Contains(comparisons, b.operator) {
		element = boolType
	}
	dims, tables, err := b.broadcast()
	if err != nil {
		return err
	}
	f, mean := pairs[b.operator], b.operator == "Mean"
	b.run = func(dst, src [][]float64) {
		spread(dst[0], src[0], tables[0])
		for k, y := range src[1:] {
			table := tables[k+1]
			for i, x := range dst[0] {
				dst[0][i] = f(x, y[at(table, i)])
			}
		}
		if mean {
			for i := range dst[0] {
				dst[0][i] /= float64(len(src))
			}
		}
	}
	if len(b.in) == 1 && slices.Contains(comparisons, b.operator) {
		return fmt.Errorf("it has one input, want two")
	}
	if err := b.costs(product(dims), 4*len(b.in)); err != nil {
		return err
	}
	return b.output(element, dims)
}

// at is an index by a table; one without is that of everything.
func at(table []int32, i int) int {
	if table == nil {
		return i
	}
	return int(table[i])
}

// spread copies values by a table.
func spread(dst, src []float64, table []int32) {
	if table == nil {
		copy(dst, src)
		return
	}
	for i, k := range table {
		dst[i] = src[k]
	}
}

// broadcast returns the dimensions that all inputs have together, and the table of each.
func (b *building) broadcast() (dims []int, tables [][]int32, err error) {
	for i := range b.in {
		v := b.input(i)
		if dims, err = together(dims, v.dims); err != nil {
			return nil, nil, err
		}
	}
	if err := checkDims(dims); err != nil {
		return nil, nil, err
	}
	for i := range b.in {
		table, err := b.table(b.input(i).dims, dims)
		if err != nil {
			return nil, nil, err
		}
		tables = append(tables, table)
	}
	return dims, tables, nil
}

// together returns the dimensions that two tensors have when each is repeated along the axes where it has one value.
func together(a, b []int) ([]int, error) {
	n := max(len(a), len(b))
	dims := make([]int, n)
	of := func(list []int, i int) int {
		if i += len(list) - n; i < 0 {
			return 1
		}
		return list[i]
	}
	for i := range dims {
		x, y := of(a, i), of(b, i)
		switch {
		case x == y || y == 1:
			dims[i] = x
		case x == 1:
			dims[i] = y
		default:
			return nil, fmt.Errorf("its inputs have the dimensions %v and %v, want the same, or 1", a, b)
		}
	}
	return dims, nil
}

// table returns which value of a tensor each value of one with dims is, into which it is repeated; nil if the same.
func (b *building) table(from, dims []int) ([]int32, error) {
	if product(from) == product(dims) {
		return nil, nil // only ones were added
	}
	strides := make([]int, len(dims))
	stride := 1
	for i := len(from) - 1; i >= 0; i-- {
		if from[i] > 1 {
			strides[len(dims)-len(from)+i] = stride
		}
		stride *= from[i]
	}
	return b.walk(dims, strides, 0)
}

// walk returns the indices that begin at first and follow the strides of dims, row-major.
func (b *building) walk(dims, strides []int, first int) ([]int32, error) {
	size := product(dims)
	table, err := b.indices(size)
	if err != nil {
		return nil, err
	}
	if err := b.costs(size); err != nil {
		return nil, err
	}
	counts := make([]int, len(dims))
	for range size {
		table = append(table, int32(first))
		for k := len(dims) - 1; k >= 0; k-- {
			first += strides[k]
			if counts[k]++; counts[k] < dims[k] {
				break
			}
			first -= strides[k] * dims[k]
			counts[k] = 0
		}
	}
	return table, nil
}

func where(b *building) error {
	x, y := b.input(1), b.input(2)
	if b.input(0).element != boolType || x.element != y.element {
		return fmt.Errorf("it reads %s, %s and %s, want bool and twice the same", elementName(b.input(0).element),
			elementName(x.element), elementName(y.element))
	}
	element := x.element
	dims, tables, err := b.broadcast()
	if err != nil {
		return err
	}
	b.run = func(dst, src [][]float64) {
		for i := range dst[0] {
			from := 1
			if src[0][at(tables[0], i)] == 0 {
				from = 2
			}
			dst[0][i] = src[from][at(tables[from], i)]
		}
	}
	if err := b.costs(product(dims), 3); err != nil {
		return err
	}
	return b.output(element, dims)
}

// clip has its bounds as attributes in old files, and as inputs in others.
func clip(b *building) error {
	least, err := b.number("min", math.Inf(-1))
	if err != nil {
		return err
	}
	most, err := b.number("max", math.Inf(1))
	if err != nil {
		return err
	}
	v := *b.input(0)
	for i := 1; i < len(b.in); i++ {
		if bound := b.input(i); bound != nil && (bound.size() != 1 || bound.element != v.element) {
			return fmt.Errorf("its bound %s has %d values of %s, want one of %s", quote(bound.name), bound.size(),
				elementName(bound.element), elementName(v.element))
		}
	}
	b.run = func(dst, src [][]float64) {
		low, high := least, most
		if len(src) > 1 && src[1] != nil {
			low = src[1][0]
		}
		if len(src) > 2 && src[2] != nil {
			high = src[2][0]
		}
		for i, x := range src[0] {
			dst[0][i] = min(max(x, low), high)
		}
	}
	if err := b.costs(v.size(), 2); err != nil {
		return err
	}
	return b.output(v.element, v.dims)
}

func cast(b *building) error {
	v := *b.input(0)
	to, err := b.whole("to", 0)
	if err != nil {
		return err
	}
	if _, err := b.whole("saturate", 1); err != nil {
		return err
	}
	element := int64(to)
	if b.operator == "CastLike" {
		element = b.input(1).element
		b.in[1] = -1
	}
	if elements[element].bytes == 0 {
		return fmt.Errorf("to %s, want float32, float64, int32, int64, uint8 or bool", elementName(element))
	}
	if element == v.element {
		return b.view(v.dims)
	}
	b.run = func(dst, src [][]float64) {
		copy(dst[0], src[0])
		if element == boolType {
			for i, x := range dst[0] {
				dst[0][i] = truth(x != 0)
			}
		}
	}
	if err := b.costs(v.size()); err != nil {
		return err
	}
	return b.output(element, v.dims)
}
