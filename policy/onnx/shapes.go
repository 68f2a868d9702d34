package onnx

import (
	"fmt"
	"slices"
)

func identity(b *building) error {
	b.attribute("ratio", floatAttribute)
	if b.operator == "Dropout" {
		b.attribute("seed", intAttribute)
		if training, err := b.wholes(2, "mode of training"); err != nil {
			return err
		} else if len(training) > 0 && training[0] != 0 {
			return fmt.Errorf("it is in training, want it to let all values through")
		}
	}
	return b.view(b.input(0).dims)
}

func constant(b *building) error {
	if len(b.attributes) != 1 {
		return fmt.Errorf("it has %d attributes, want the one with its value", len(b.attributes))
	}
	for name, a := range b.attributes {
		a.used = true
		floats := make([]float64, 0, 1)
		switch name {
		case "value":
			if a.t == nil {
				return fmt.Errorf("it has no value")
			}
			return b.given(*a.t)
		case "value_float":
			return b.given(tensor{element: float32Type, v: append(floats, a.f)})
		case "value_int":
			t := tensor{element: int64Type, v: append(floats, float64(a.i))}
			fit(int64Type, t.v)
			return b.given(t)
		case "value_floats":
			return b.given(tensor{float32Type, []int{len(a.floats)}, append(floats, a.floats...)})
		case "value_ints":
			for _, v := range a.ints {
				floats = append(floats, float64(v))
			}
			fit(int64Type, floats)
			return b.given(tensor{int64Type, []int{len(floats)}, floats})
		}
		return fmt.Errorf("its value is a %s, want numbers", quote(name))
	}
	return nil
}

func constantOfShape(b *building) error {
	dims, err := b.wholes(0, "dimensions")
	if err != nil {
		return err
	}
	a, err := b.attribute("value", tensorAttribute)
	if err != nil {
		return err
	}
	if err := checkDims(dims); err != nil {
		return err
	}
	if b.c.numbers += product(dims); b.c.numbers > maxValues {
		return fmt.Errorf("more than %d numbers in constants", maxValues)
	}
	t := tensor{float32Type, dims, make([]float64, product(dims))}
	if a != nil && a.t != nil {
		if a.t.size() != 1 {
			return fmt.Errorf("its value has %d numbers, want 1", a.t.size())
		}
		t.element = a.t.element
		for i := range t.v {
			t.v[i] = a.t.v[0]
		}
	}
	return b.given(t)
}

// shape builds Shape and Size, which are known whatever the values are.
func shape(b *building) error {
	dims := b.input(0).dims
	t := tensor{element: int64Type}
	if b.operator == "Size" {
		t.v = []float64{float64(product(dims))}
		return b.given(t)
	}
	from, err := b.whole("start", 0)
	if err != nil {
		return err
	}
	to, err := b.whole("end", len(dims))
	if err != nil {
		return err
	}
	clamp := func(i int) int {
		if i < 0 {
			i += len(dims)
		}
		return min(max(i, 0), len(dims))
	}
	from, to = clamp(from), clamp(to)
	t.v = []float64{}
	for _, d := range dims[from:max(from, to)] {
		t.v = append(t.v, float64(d))
	}
	t.dims = []int{len(t.v)}
	return b.given(t)
}

func reshape(b *building) error {
	shape, err := b.wholes(1, "dimensions")
	if err != nil {
		return err
	}
	zeros, err := b.whole("allowzero", 0)
	if err != nil {
		return err
	}
	v := *b.input(0)
	rest := -1
	for i, d := range shape {
		switch {
		case d == 0 && zeros == 0:
			if i >= len(v.dims) {
				return fmt.Errorf("it keeps dimension %d of %v", i, v.dims)
			}
			shape[i] = v.dims[i]
		case d == -1 && rest < 0:
			rest, shape[i] = i, 1
		}
	}
	if err := checkDims(shape); err != nil {
		return err
	}
	if rest >= 0 {
		others := product(shape)
		if others == 0 || v.size()%others != 0 {
			return fmt.Errorf("%v into %v values each", v.dims, shape)
		}
		shape[rest] = v.size() / others
	}
	return b.view(shape)
}

func flatten(b *building) error {
	dims := b.input(0).dims
	i, err := b.whole("axis", 1)
	if err != nil {
		return err
	}
	if i < 0 {
		i += len(dims)
	}
	if i < 0 || i > len(dims) {
		return fmt.Errorf("axis %d of %d dimensions", i, len(dims))
	}
	return b.view([]int{product(dims[:i]), product(dims[i:])})
}

// squeeze builds Squeeze and Unsqueeze.
func squeeze(b *building) error {
	dims := b.input(0).dims
	if b.operator == "Squeeze" {
		axes, err := b.axes(len(dims))
		if err != nil {
			return err
		}
		var kept []int
		for i, d := range dims {
			named := slices.Contains(axes, i)
			if named && d != 1 {
				return fmt.Errorf("dimension %d of %v is not 1", i, dims)
			}
			if !named && (axes != nil || d != 1) {
				kept = append(kept, d)
			}
		}
		return b.view(kept)
	}
	count := 0
	if a := b.attributes["axes"]; a != nil {
		count = len(a.ints)
	} else if v := b.input(1); v != nil {
		count = v.size()
	}
	if count > maxDims {
		return fmt.Errorf("it adds %d dimensions, want at most %d", count, maxDims)
	}
	axes, err := b.axes(len(dims) + count)
	if err != nil {
		return err
	}
	more := slices.Clone(dims)
	for _, i := range axes { // ascending
		more = slices.Insert(more, i, 1)
	}
	return b.view(more)
}

func concat(b *building) error {
	first := *b.input(0)
	a, err := b.axis(0, len(first.dims))
	if err != nil {
		return err
	}
	before, _, after := around(first.dims, a)
	dims := slices.Clone(first.dims)
	dims[a] = 0
	parts := make([]int, len(b.in)) // values of each input for each index of the axes before
	for i := range b.in {
		v := b.input(i)
		if v == nil || v.element != first.element || len(v.dims) != len(dims) {
			return fmt.Errorf("its input %d does not fit %v of %s", i, first.dims, elementName(first.element))
		}
		for k, d := range v.dims {
			if k != a && d != dims[k] {
				return fmt.Errorf("its inputs have the dimensions %v and %v, want the same but for axis %d", first.dims, v.dims, a)
			}
		}
		dims[a] += v.dims[a]
		parts[i] = v.dims[a] * after
		if dims[a] > maxValues {
			return checkDims(dims)
		}
	}
	b.run = func(dst, src [][]float64) {
		out := dst[0]
		for i := range before {
			for k, size := range parts {
				out = out[copy(out, src[k][i*size:][:size]):]
			}
		}
	}
	if err := checkDims(dims); err != nil {
		return err
	}
	if err := b.costs(product(dims)); err != nil {
		return err
	}
	return b.output(first.element, dims)
}

// chosen adds an output of values of the first input, by strides.
func (b *building) chosen(dims, strides []int, first int) error {
	if err := checkDims(dims); err != nil {
		return err
	}
	table, err := b.walk(dims, strides, first)
	if err != nil {
		return err
	}
	element := b.input(0).element
	b.run = func(dst, src [][]float64) { spread(dst[0], src[0], table) }
	return b.output(element, dims)
}

// strides are those of a tensor's values, row-major.
func strides(dims []int) []int {
	all, stride := make([]int, len(dims)), 1
	for i := len(dims) - 1; i >= 0; i-- {
		all[i] = stride
		stride *= dims[i]
	}
	return all
}

func slice(b *building) error {
	v := *b.input(0)
	var lists [4][]int // starts, ends, axes, steps
	for i, name := range []string{"starts", "ends", "axes", "steps"} {
		list, err := b.list(name)
		if err == nil && list == nil {
			list, err = b.wholes(i+1, name)
		}
		if err != nil {
			return err
		}
		lists[i] = list
	}
	starts, ends := lists[0], lists[1]
	if len(starts) == 0 || len(starts) > maxDims || len(starts) != len(ends) {
		return fmt.Errorf("it has %d starts and %d ends, want as many of each, 1 to %d", len(starts), len(ends), maxDims)
	}
	dims, steps, first := slices.Clone(v.dims), strides(v.dims), 0
	done := make([]bool, len(dims))
	for i := range starts {
		a, step := i, 1
		if lists[2] != nil {
			if i >= len(lists[2]) {
				return fmt.Errorf("it has %d axes, want %d", len(lists[2]), len(starts))
			}
			a = lists[2][i]
		}
		if lists[3] != nil {
			if i >= len(lists[3]) || lists[3][i] == 0 {
				return fmt.Errorf("it has %d steps, want %d that are not 0", len(lists[3]), len(starts))
			}
			step = lists[3][i]
		}
		a, err := axis(a, len(dims))
		if err != nil {
			return err
		}
		if done[a] {
			return fmt.Errorf("it names axis %d twice", a)
		}
		done[a] = true
		from, count := cut(starts[i], ends[i], step, v.dims[a])
		if count > 0 {
			first += from * steps[a]
		}
		dims[a] = count
		if count > 1 { // a larger step is not taken
			steps[a] *= step
		}
	}
	return b.chosen(dims, steps, first)
}

// cut returns where a slice of size values begins, and how many it takes.
func cut(from, to, step, size int) (first, count int) {
	if from < 0 {
		from += size
	}
	if to < 0 {
		to += size
	}
	if step > 0 {
		from, to = min(max(from, 0), size), min(max(to, 0), size)
		return from, max(0, (to-from+step-1)/step)
	}
	from, to = min(max(from, 0), size-1), min(max(to, -1), size-1)
	return from, max(0, (from-to-step-1)/-step)
}

func split(b *building) error {
	v := *b.input(0)
	a, err := b.axis(0, len(v.dims))
	if err != nil {
		return err
	}
	sizes, err := b.list("split")
	if err == nil && sizes == nil {
		sizes, err = b.wholes(1, "sizes")
	}
	if err != nil {
		return err
	}
	count, err := b.whole("num_outputs", len(b.outputs))
	if err != nil {
		return err
	}
	if count != len(b.outputs) || sizes != nil && len(sizes) != count {
		return fmt.Errorf("it has %d outputs, %d by its attributes and %d sizes", len(b.outputs), count, len(sizes))
	}
	before, along, after := around(v.dims, a)
	if sizes == nil {
		each := (along + count - 1) / count
		for rest := along; len(sizes) < count; rest -= each {
			sizes = append(sizes, min(max(rest, 0), each))
		}
	}
	sum := 0
	for _, size := range sizes {
		if size < 0 || size > along {
			return fmt.Errorf("its output has %d values along axis %d, want a part of %d", size, a, along)
		}
		if sum += size; sum > along {
			break
		}
	}
	if sum != along {
		return fmt.Errorf("its outputs have %d values along axis %d together, want %d", sum, a, along)
	}
	b.run = func(dst, src [][]float64) {
		from := src[0]
		for i := range before {
			for k, size := range sizes {
				copy(dst[k][i*size*after:][:size*after], from)
				from = from[size*after:]
			}
		}
	}
	if err := b.costs(v.size()); err != nil {
		return err
	}
	for _, size := range sizes {
		dims := slices.Clone(v.dims)
		dims[a] = size
		if err := b.output(v.element, dims); err != nil {
			return err
		}
	}
	return nil
}

func gather(b *building) error {
	v := *b.input(0)
	a, err := b.axis(0, len(v.dims))
	if err != nil {
		return err
	}
	of := b.input(1).dims
	list, err := b.wholes(1, "indices")
	if err != nil {
		return err
	}
	before, along, after := around(v.dims, a)
	for i, k := range list {
		if list[i], err = axis(k, along); err != nil {
			return fmt.Errorf("index %d of %d values along axis %d", k, along, a)
		}
	}
	dims := slices.Concat(v.dims[:a], of, v.dims[a+1:])
	if err := checkDims(dims); err != nil {
		return err
	}
	b.run = func(dst, src [][]float64) {
		out := dst[0]
		for i := range before {
			for _, k := range list {
				out = out[copy(out, src[0][(i*along+k)*after:][:after]):]
			}
		}
	}
	if err := b.costs(product(dims), 2); err != nil {
		return err
	}
	return b.output(v.element, dims)
}

func transpose(b *building) error {
	v := *b.input(0)
	order, err := b.list("perm")
	if err != nil {
		return err
	}
	if order == nil {
		for i := range v.dims {
			order = append(order, len(v.dims)-1-i)
		}
	}
	if len(order) != len(v.dims) {
		return fmt.Errorf("its order has %d axes, want %d", len(order), len(v.dims))
	}
	dims, steps, of := make([]int, len(order)), make([]int, len(order)), strides(v.dims)
	seen := make([]bool, len(order))
	for i, a := range order {
		if a, err = axis(a, len(order)); err != nil || seen[a] {
			return fmt.Errorf("its order is %v, want each axis once", order)
		}
		seen[a], dims[i], steps[i] = true, v.dims[a], of[a]
	}
	return b.chosen(dims, steps, 0)
}

func expand(b *building) error {
	shape, err := b.wholes(1, "dimensions")
	if err != nil {
		return err
	}
	v := *b.input(0)
	dims, err := together(v.dims, shape)
	if err != nil {
		return err
	}
	if err := checkDims(dims); err != nil {
		return err
	}
	table, err := b.table(v.dims, dims)
	if err != nil {
		return err
	}
	b.run = func(dst, src [][]float64) { spread(dst[0], src[0], table) }
	return b.output(v.element, dims)
}
