package onnx

import (
	"fmt"
	"math"
	"slices"
)

// addProduct adds to each row of y, of n values, the product of a row of x, of k values, and a matrix, row-major with n
// columns. Each sum goes in the order of the rows of the matrix. A product of two float32s is exact in a float64, so that
// the sums have the same bits on each kind of processor.
func addProduct(y, x, matrix []float64, k, n int) {
	for ; len(y) > 0; y, x = y[n:], x[k:] {
		row, i := y[:n], 0
		for ; i+4 <= k; i += 4 {
			a, b, c, d := x[i], x[i+1], x[i+2], x[i+3]
			m := matrix[i*n:]
			ma, mb, mc, md := m[:len(row)], m[n:][:len(row)], m[2*n:][:len(row)], m[3*n:][:len(row)]
			for j, v := range row {
				v += float64(a * ma[j])
				v += float64(b * mb[j])
				v += float64(c * mc[j])
				row[j] = v + float64(d*md[j])
			}
		}
		for ; i < k; i++ {
			for j, w := range matrix[i*n:][:n] {
				row[j] += float64(x[i] * w)
			}
		}
	}
}

// turn writes the transpose of a matrix, row-major with so many rows and columns, to dst.
func turn(dst, src []float64, rows, columns int) {
	for i := range rows {
		for j := range columns {
			dst[j*rows+i] = src[i*columns+j]
		}
	}
}

// turned returns the transpose of a constant matrix.
func (b *building) turned(v []float64, rows, columns int) ([]float64, error) {
	if b.c.numbers += rows * columns; b.c.numbers > maxValues {
		return nil, fmt.Errorf("more than %d numbers in constants", maxValues)
	}
	dst := make([]float64, rows*columns)
	turn(dst, v, rows, columns)
	return dst, b.costs(rows, columns)
}

func matMul(b *building) error {
	x, y := *b.input(0), *b.input(1)
	if x.element != y.element || !isFloat(x.element) || len(x.dims) == 0 || len(y.dims) == 0 {
		return fmt.Errorf("it multiplies %v of %s with %v of %s, want matrices of float32", x.dims, elementName(x.element),
			y.dims, elementName(y.element))
	}
	xs, ys := x.dims, y.dims
	if len(xs) == 1 {
		xs = []int{1, xs[0]}
	}
	if len(ys) == 1 {
		ys = []int{ys[0], 1}
	}
	m, k, n := xs[len(xs)-2], xs[len(xs)-1], ys[len(ys)-1]
	if ys[len(ys)-2] != k {
		return fmt.Errorf("it multiplies %v with %v, want as many rows as the first has columns", x.dims, y.dims)
	}
	batch, err := together(xs[:len(xs)-2], ys[:len(ys)-2])
	if err != nil {
		return err
	}
	if err := checkDims(batch); err != nil {
		return err
	}
	xt, err := b.table(xs[:len(xs)-2], batch)
	if err != nil {
		return err
	}
	yt, err := b.table(ys[:len(ys)-2], batch)
	if err != nil {
		return err
	}
	dims := slices.Clone(batch)
	if len(x.dims) > 1 {
		dims = append(dims, m)
	}
	if len(y.dims) > 1 {
		dims = append(dims, n)
	}
	count := product(batch)
	b.run = func(dst, src [][]float64) {
		clear(dst[0])
		for i := range count {
			addProduct(dst[0][i*m*n:][:m*n], src[0][at(xt, i)*m*k:], src[1][at(yt, i)*k*n:], k, n)
		}
	}
	if err := b.costs(count, m, k, n); err != nil {
		return err
	}
	return b.output(x.element, dims)
}

func gemm(b *building) error {
	alpha, beta, turns, err := b.gemmAttributes()
	if err != nil {
		return err
	}
	x, y := *b.input(0), *b.input(1)
	if len(x.dims) != 2 || len(y.dims) != 2 || x.element != y.element || !isFloat(x.element) {
		return fmt.Errorf("it multiplies %v of %s with %v of %s, want matrices of float32", x.dims, elementName(x.element),
			y.dims, elementName(y.element))
	}
	m, k, l, n := x.dims[0], x.dims[1], y.dims[0], y.dims[1]
	if turns[0] != 0 {
		m, k = k, m
	}
	if turns[1] != 0 {
		l, n = n, l
	}
	if l != k {
		return fmt.Errorf("it multiplies %v with %v, of which it transposes %v, want as many rows as the first has columns",
			x.dims, y.dims, turns)
	}
	table, err := b.gemmSummand(x.element, []int{m, n})
	if err != nil {
		return err
	}
	var fixed []float64 // the transpose of y, if it is constant
	if turns[1] != 0 && y.v != nil {
		if fixed, err = b.turned(y.v, n, k); err != nil {
			return err
		}
		b.in[1] = -1
	}
	if err := b.output(x.element, []int{m, n}); err != nil {
		return err
	}
	rooms := [2]int{}
	for i, size := range []int{m * k, k * n} {
		if turns[i] != 0 && (i == 0 || fixed == nil) {
			rooms[i] = len(b.out)
			if err := b.room(size); err != nil {
				return err
			}
		}
	}
	b.run = func(dst, src [][]float64) {
		out, x := dst[0], src[0]
		if at := rooms[0]; at > 0 {
			x = dst[at]
			turn(x, src[0], k, m)
		}
		y := fixed
		switch at := rooms[1]; {
		case at > 0:
			y = dst[at]
			turn(y, src[1], n, k)
		case fixed == nil:
			y = src[1]
		}
		var c []float64
		if len(src) > 2 {
			c = src[2]
		}
		if alpha == 1 && beta == 1 && c != nil {
			spread(out, c, table)
			addProduct(out, x, y, k, n)
			return
		}
		clear(out)
		addProduct(out, x, y, k, n)
		for i := range out {
			out[i] *= alpha
			if c != nil {
				out[i] += float64(beta * c[at(table, i)])
			}
		}
	}
	return b.costs(m, k, n)
}

// gemmAttributes returns the factors of a product and of what is added to it, and which matrices are transposed.
func (b *building) gemmAttributes() (alpha, beta float64, turns [2]int, err error) {
	if alpha, err = b.number("alpha", 1); err == nil {
		beta, err = b.number("beta", 1)
	}
	for i, name := range []string{"transA", "transB"} {
		if err == nil {
			turns[i], err = b.whole(name, 0)
		}
	}
	return alpha, beta, turns, err
}

// gemmSummand returns where the values of what is added to a product are read; nil where nothing is added, or as they stand.
func (b *building) gemmSummand(element int64, out []int) ([]int32, error) {
	c := b.input(2)
	if c == nil {
		return nil, nil
	}
	if dims, err := together(c.dims, out); err != nil || !slices.Equal(dims, out) || c.element != element {
		return nil, fmt.Errorf("it adds %v of %s, want dimensions that fit %v", c.dims, elementName(c.element), out)
	}
	return b.table(c.dims, out)
}

// convolve builds convolutions of any number of axes but 0, with dimensions that are known when the network is made.
func convolve(b *building) error {
	x, w := *b.input(0), *b.input(1)
	axes := len(x.dims) - 2
	if axes < 1 || len(w.dims) != len(x.dims) || x.element != w.element || !isFloat(x.element) {
		return fmt.Errorf("it reads %v of %s and %v of %s, want batch × channels × places and filters alike", x.dims,
			elementName(x.element), w.dims, elementName(w.element))
	}
	if pad, err := b.text("auto_pad", "NOTSET"); err != nil || pad != "NOTSET" && pad != "VALID" {
		return fmt.Errorf("auto_pad is %s, want NOTSET or VALID", quote(pad))
	}
	groups, err := b.whole("group", 1)
	if err != nil {
		return err
	}
	lists, err := b.convolutionAttributes(w.dims[2:])
	if err != nil {
		return err
	}
	kernel, steps, dilations, pads := lists[0], lists[1], lists[2], lists[3]
	channels, out := x.dims[1], w.dims[0]
	if !slices.Equal(kernel, w.dims[2:]) || groups < 1 || channels%groups != 0 || w.dims[1] != channels/groups ||
		out%groups != 0 {
		return fmt.Errorf("it reads %v by filters of %v in %d groups, which do not fit", x.dims, w.dims, groups)
	}
	if bias := b.input(2); bias != nil && (!slices.Equal(bias.dims, []int{out}) || bias.element != x.element) {
		return fmt.Errorf("it adds %v, want %d values", bias.dims, out)
	}
	dims := []int{x.dims[0], out}
	for i, d := range x.dims[2:] {
		reach := int64(kernel[i]-1)*int64(dilations[i]) + 1
		rest := int64(d) + int64(pads[i]) + int64(pads[axes+i]) - reach
		if rest < 0 || rest > maxValues {
			return fmt.Errorf("filters of %v do not fit into %v", kernel, x.dims)
		}
		dims = append(dims, int(rest)/steps[i]+1)
	}
	if err := checkDims(dims); err != nil {
		return err
	}
	if err := b.costs(product(dims), product(w.dims[1:]), axes); err != nil {
		return err
	}
	batch, places, area := x.dims[0], product(dims[2:]), product(kernel)
	sources, err := b.places(x.dims[2:], dims[2:], kernel, steps, dilations, pads)
	if err != nil {
		return err
	}
	share, size, perGroup := channels/groups, product(x.dims[2:]), out/groups
	b.run = func(dst, src [][]float64) {
		for n := range batch {
			for o := range out {
				first := (n*channels + o/perGroup*share) * size
				for place := range places {
					sum := 0.0
					if len(src) > 2 && src[2] != nil {
						sum = src[2][o]
					}
					from := sources[place*area:][:area]
					for c := range share {
						picture, weights := src[0][first+c*size:][:size], src[1][(o*share+c)*area:][:area]
						for k, at := range from {
							if at >= 0 {
								sum += float64(picture[at] * weights[k])
							}
						}
					}
					dst[0][(n*out+o)*places+place] = sum
				}
			}
		}
	}
	return b.output(x.element, dims)
}

// convolutionAttributes returns the shape of the filters, which is the given one unless the node says another, the steps
// and the distances of places, a number for each axis, and the borders, two for each axis.
func (b *building) convolutionAttributes(shape []int) (lists [4][]int, err error) {
	for i, name := range []string{"kernel_shape", "strides", "dilations", "pads"} {
		if lists[i], err = b.list(name); err != nil {
			return lists, err
		}
		want, least := len(shape), 1
		if name == "pads" {
			want, least = 2*len(shape), 0
		}
		switch {
		case lists[i] == nil && i == 0:
			lists[i] = shape
		case lists[i] == nil:
			lists[i] = slices.Repeat([]int{least}, want)
		}
		if list := lists[i]; len(list) != want || slices.Min(list) < least || slices.Max(list) > maxValues {
			return lists, fmt.Errorf("%s has %d numbers, want %d of at least %d", name, len(list), want, least)
		}
	}
	return lists, nil
}

// places returns, for each place that a convolution gives and each weight of a filter, the place that is read; -1
// outside.
func (b *building) places(in, out, kernel, steps, dilations, pads []int) ([]int32, error) {
	count := int64(product(out)) * int64(product(kernel))
	if count > maxActed {
		return nil, fmt.Errorf("it reads %d places, want at most %d", count, maxActed)
	}
	table, err := b.indices(int(count))
	if err != nil {
		return nil, err
	}
	of := strides(in)
	for place := range product(out) {
		for k := range product(kernel) {
			from, p, q := 0, place, k
			for i := len(in) - 1; i >= 0; i-- {
				x := p%out[i]*steps[i] + q%kernel[i]*dilations[i] - pads[i]
				if x < 0 || x >= in[i] {
					from = -1
					break
				}
				from += x * of[i]
				p, q = p/out[i], q/kernel[i]
			}
			table = append(table, int32(from))
		}
	}
	return table, nil
}

func batchNormalise(b *building) error {
	x := *b.input(0)
	epsilon, err := b.number("epsilon", float64(float32(1e-5)))
	if err != nil {
		return err
	}
	if training, err := b.whole("training_mode", 0); err != nil || training != 0 {
		return fmt.Errorf("it is in training, want it to use what it has learnt")
	}
	b.attribute("momentum", floatAttribute)
	b.attribute("spatial", intAttribute)
	if len(x.dims) < 2 || !isFloat(x.element) {
		return fmt.Errorf("it reads %v of %s, want batch × channels", x.dims, elementName(x.element))
	}
	for i := 1; i < 5; i++ {
		if v := b.input(i); v == nil || !slices.Equal(v.dims, x.dims[1:2]) || !isFloat(v.element) {
			return fmt.Errorf("its input %d is not of %d values", i, x.dims[1])
		}
	}
	batch, channels, places := around(x.dims, 1)
	b.run = func(dst, src [][]float64) {
		at := 0
		for range batch {
			for c := range channels {
				scale := src[1][c] / math.Sqrt(src[4][c]+epsilon)
				for range places {
					dst[0][at] = float64((src[0][at]-src[3][c])*scale) + src[2][c]
					at++
				}
			}
		}
	}
	if err := b.costs(x.size(), 4); err != nil {
		return err
	}
	return b.output(x.element, x.dims)
}

// layerNormalise builds LayerNormalization and RMSNormalization.
func layerNormalise(b *building) error {
	x := *b.input(0)
	a, err := b.axis(-1, len(x.dims))
	if err != nil {
		return err
	}
	epsilon, err := b.number("epsilon", float64(float32(1e-5)))
	if err != nil {
		return err
	}
	b.attribute("stash_type", intAttribute)
	if !isFloat(x.element) {
		return fmt.Errorf("it reads %s, want float32", elementName(x.element))
	}
	each := product(x.dims[a:])
	var tables [3][]int32
	for i := 1; i < len(b.in); i++ {
		v := b.input(i)
		if v == nil {
			continue
		}
		if dims, err := together(v.dims, x.dims[a:]); err != nil || !slices.Equal(dims, x.dims[a:]) || !isFloat(v.element) {
			return fmt.Errorf("its input %d is %v, want dimensions that fit %v", i, v.dims, x.dims[a:])
		}
		if tables[i], err = b.table(v.dims, x.dims[a:]); err != nil {
			return err
		}
	}
	centred := b.operator == "LayerNormalization"
	b.run = func(dst, src [][]float64) {
		for from := 0; from < len(src[0]); from += each {
			row, out := src[0][from:][:each], dst[0][from:][:each]
			mean := 0.0
			if centred {
				mean = sum(row) / float64(each)
			}
			squares := 0.0
			for i, v := range row {
				out[i] = v - mean
				squares += float64(out[i] * out[i])
			}
			scale := 1 / math.Sqrt(squares/float64(each)+epsilon)
			for i := range out {
				out[i] *= float64(scale * src[1][at(tables[1], i)])
				if len(src) > 2 && src[2] != nil {
					out[i] += src[2][at(tables[2], i)]
				}
			}
		}
	}
	if err := b.costs(x.size(), 6); err != nil {
		return err
	}
	return b.output(x.element, x.dims)
}

func sum(row []float64) (sum float64) {
	for _, v := range row {
		sum += v
	}
	return sum
}

// softmax builds Softmax and LogSoftmax. Until version 13 they take all axes from the given one together.
func softmax(b *building) error {
	x, otherwise := *b.input(0), -1
	if b.c.file.opset < 13 {
		otherwise = 1
	}
	a, err := b.axis(otherwise, len(x.dims))
	if err != nil {
		return err
	}
	if !isFloat(x.element) {
		return fmt.Errorf("it reads %s, want float32", elementName(x.element))
	}
	before, along, after := around(x.dims, a)
	if b.c.file.opset < 13 {
		along, after = along*after, 1
	}
	logarithm := b.operator == "LogSoftmax"
	b.run = func(dst, src [][]float64) {
		for i := range before * after {
			first := i/after*along*after + i%after
			most, sum := math.Inf(-1), 0.0
			for k := range along {
				most = max(most, src[0][first+k*after])
			}
			for k := range along {
				v := math.Exp(src[0][first+k*after] - most)
				dst[0][first+k*after] = v
				sum += v
			}
			for k := range along {
				if at := first + k*after; logarithm {
					dst[0][at] = src[0][at] - most - math.Log(sum)
				} else {
					dst[0][at] /= sum
				}
			}
		}
	}
	if err := b.costs(x.size(), 16); err != nil {
		return err
	}
	return b.output(x.element, x.dims)
}

func argMax(b *building) error {
	x := *b.input(0)
	a, err := b.axis(0, len(x.dims))
	if err != nil {
		return err
	}
	keep, err := b.whole("keepdims", 1)
	if err != nil {
		return err
	}
	last, err := b.whole("select_last_index", 0)
	if err != nil {
		return err
	}
	before, along, after := around(x.dims, a)
	if along == 0 {
		return fmt.Errorf("it reads %v, want at least one value along axis %d", x.dims, a)
	}
	dims := slices.Clone(x.dims)
	if dims[a] = 1; keep == 0 {
		dims = slices.Delete(dims, a, a+1)
	}
	b.run = func(dst, src [][]float64) {
		for i := range before * after {
			from, best := src[0][i/after*along*after+i%after:], 0
			for k := range along {
				if v, most := from[k*after], from[best*after]; v > most || last != 0 && v == most {
					best = k
				}
			}
			dst[0][i] = float64(best)
		}
	}
	if err := b.costs(x.size(), 2); err != nil {
		return err
	}
	return b.output(int64Type, dims)
}

// reductions are the operators that make one value of many: how a value is added, and what is made of the result for so
// many values.
var reductions = map[string]struct {
	first float64
	add   func(sum, v float64) float64
	end   func(sum float64, n int) float64
}{
	"ReduceSum":  {0, add, nil},
	"ReduceMean": {0, add, func(sum float64, n int) float64 { return sum / float64(n) }},
	"ReduceProd": {1, func(sum, v float64) float64 { return sum * v }, nil},
	"ReduceMax":  {math.Inf(-1), func(sum, v float64) float64 { return max(sum, v) }, nil},
	"ReduceMin":  {math.Inf(1), func(sum, v float64) float64 { return min(sum, v) }, nil},
	"ReduceL2": {0, func(sum, v float64) float64 { return sum + float64(v*v) },
		func(sum float64, _ int) float64 { return math.Sqrt(sum) }},
	"ReduceL1":        {0, func(sum, v float64) float64 { return sum + math.Abs(v) }, nil},
	"ReduceLogSumExp": {math.Inf(-1), logAddExp, nil},
	"ReduceSumSquare": {0, func(sum, v float64) float64 { return sum + float64(v*v) }, nil},
}

// logAddExp is log(exp(x) + exp(y)).
func logAddExp(x, y float64) float64 {
	if x < y {
		x, y = y, x
	}
	if math.IsInf(x, 0) {
		return x
	}
	return x + math.Log1p(math.Exp(y-x))
}

func reduce(b *building) error {
	x := *b.input(0)
	keep, err := b.whole("keepdims", 1)
	if err != nil {
		return err
	}
	noop, err := b.whole("noop_with_empty_axes", 0)
	if err != nil {
		return err
	}
	axes, err := b.axes(len(x.dims))
	if err != nil {
		return err
	}
	if x.element == boolType {
		return fmt.Errorf("it reads bool")
	}
	if len(axes) == 0 {
		if noop != 0 {
			return b.view(x.dims)
		}
		for i := range x.dims {
			axes = append(axes, i)
		}
	}
	dims, steps, kept := []int{}, make([]int, len(x.dims)), []int{}
	for i, d := range x.dims {
		switch {
		case !slices.Contains(axes, i):
			dims, kept = append(dims, d), append(kept, i)
		case keep != 0:
			dims = append(dims, 1)
		}
	}
	stride := 1
	for _, i := range slices.Backward(kept) {
		steps[i] = stride
		stride *= x.dims[i]
	}
	table, err := b.walk(x.dims, steps, 0) // where each value is added
	if err != nil {
		return err
	}
	r, count := reductions[b.operator], x.size()/max(1, stride)
	b.run = func(dst, src [][]float64) {
		for i := range dst[0] {
			dst[0][i] = r.first
		}
		for i, v := range src[0] {
			k := table[i]
			dst[0][k] = r.add(dst[0][k], v)
		}
		if r.end != nil {
			for i, v := range dst[0] {
				dst[0][i] = r.end(v, count)
			}
		}
	}
	if err := b.costs(x.size(), 4); err != nil {
		return err
	}
	return b.output(x.element, dims)
}
