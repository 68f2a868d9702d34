package rl

import (
	"fmt"
	"math"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/policy"
)

// Picture is a part of an observation that is a picture.
type Picture = policy.Picture

// Convolution is a layer that reads pictures, see [Settings].
type Convolution = policy.Convolution

// vision is the plan of the convolutions of a network. They read each stack of pictures by itself, an activation after
// each. What follows reads their last outputs, stack after stack, each height × width × channels, and then the values
// that are in no picture.
//
// Parameters lie elsewhere, in one flat vector: for each stack and layer the weights (inputs × outputs, row-major),
// then the biases. The inputs are the pictures of the stack one after the other or, above the first layer, the output
// below; in each the rows of the kernel, in each its pixels, in each their channels. It is immutable.
type vision struct {
	columns    int // values that are read
	layers     []Convolution
	stacks     []policy.Stack
	rest       []ColumnRange // the columns that are in no picture
	activation Activation
}

// newVision plans the convolutions of a network that reads columns of the observations of a shape, which was checked.
func newVision(shape Shape, reads ColumnRange, s *Settings, activation Activation) vision {
	v := vision{columns: reads.Size, activation: activation}
	pictures := shape.picturesOf(reads)
	if len(s.Convolutions) == 0 || len(pictures) == 0 {
		return v
	}
	v.layers, v.rest = s.Convolutions, others(pictures, reads.Size)
	stacks, err := policy.Stacks(pictures, s.Convolutions)
	if err != nil {
		panic(err) // see checkConvolutions
	}
	v.stacks = stacks
	return v
}

// picturesOf are the pictures among some columns, counted from the first one of these.
func (s Shape) picturesOf(columns ColumnRange) (list []Picture) {
	for _, p := range s.Pictures {
		if p.First >= columns.First && p.First < columns.First+columns.Size {
			p.First -= columns.First
			list = append(list, p)
		}
	}
	return list
}

// others are the columns among so many that are in no picture.
func others(pictures []Picture, columns int) (list []ColumnRange) {
	offset := 0
	for _, p := range pictures {
		if p.First > offset {
			list = append(list, ColumnRange{offset, p.First - offset})
		}
		offset = p.First + p.Size()
	}
	if columns > offset {
		list = append(list, ColumnRange{offset, columns - offset})
	}
	return list
}

// validatePictures checks where the pictures are.
func (s Shape) validatePictures() error {
	end := 0 // of the picture before
	for _, p := range s.Pictures {
		if min(p.Height, p.Width, p.Channels) < 1 || p.Height > s.Observation/p.Width/p.Channels ||
			p.First < end || p.First > s.Observation-p.Size() {
			return fmt.Errorf("a picture of %d × %d × %d values from %d, want one in the %d observed, after the one "+
				"before", p.Height, p.Width, p.Channels, p.First, s.Observation)
		}
		end = p.First + p.Size()
		for _, span := range []ColumnRange{s.Policy.within(s.Observation), s.Critic.within(s.Observation)} {
			read := min(end, span.First+span.Size) - max(p.First, span.First)
			if read > 0 && read < p.Size() {
				return fmt.Errorf("%d of the %d values of a picture are read, want all or none", read, p.Size())
			}
		}
	}
	if len(s.ByteFactors) != 0 && len(s.ByteFactors) != len(s.Pictures) {
		return fmt.Errorf("the byte factors of %d pictures, want none or those of all %d", len(s.ByteFactors), len(s.Pictures))
	}
	for i, factors := range s.ByteFactors {
		if want := s.Pictures[i].Channels; len(factors) != want {
			return fmt.Errorf("%d byte factors of a picture of %d channels, want one for each", len(factors), want)
		}
		for _, f := range factors {
			if !usable(f) {
				return fmt.Errorf("a byte factor of %g, want a number of at most %g in size", f, maxValue)
			}
		}
	}
	return nil
}

// checkConvolutions returns an error, which begins with the key, unless the convolutions of s fit the pictures of a
// shape.
func (s *Settings) checkConvolutions(shape Shape) error {
	if len(s.Convolutions) == 0 {
		return nil
	}
	if s.Algorithm == AlgorithmTD3BC {
		return fmt.Errorf("convolutions: %d given, want none with algorithm %s", len(s.Convolutions), s.Algorithm)
	}
	policyColumns, criticColumns := shape.Policy.within(shape.Observation), shape.Critic.within(shape.Observation)
	seen, valued := shape.picturesOf(policyColumns), shape.picturesOf(criticColumns)
	read := slices.Concat(seen, valued)
	if len(read) == 0 {
		return fmt.Errorf("convolutions: %d given, want none: nothing that is observed is a picture",
			len(s.Convolutions))
	}
	if s.Algorithm == AlgorithmSAC {
		same := len(seen) == len(valued)
		for i := 0; same && i < len(seen); i++ {
			seen[i].First += policyColumns.First
			valued[i].First += criticColumns.First
			same = seen[i] == valued[i]
		}
		if len(seen) == 0 || len(valued) > 0 && !same {
			return fmt.Errorf("convolutions: %d given with algorithm %s, whose policy reads %d pictures and whose critics read %d "+
				"others, want critics that read the policy's pictures or none", len(s.Convolutions), s.Algorithm, len(seen),
				len(valued))
		}
	}
	if _, err := policy.Stacks(read, s.Convolutions); err != nil {
		return fmt.Errorf("convolutions%w", err)
	}
	return nil
}

func (v *vision) sees() bool { return len(v.stacks) > 0 }

// seen is the number of the features that the convolutions give, which come first.
func (v *vision) seen() (sum int) {
	for i := range v.stacks {
		sum += v.stacks[i].Features()
	}
	return sum
}

// features is the number of values that what follows reads.
func (v *vision) features() int {
	if !v.sees() {
		return v.columns
	}
	sum := v.seen()
	for _, span := range v.rest {
		sum += span.Size
	}
	return sum
}

func (v *vision) parameters() (sum int) {
	for i := range v.stacks {
		for l, c := range v.layers {
			sum += v.stacks[i].Weights(l, c) + c.Channels
		}
	}
	return sum
}

// layer returns the weights and biases of a layer of a stack, as parts of vector, and what follows them.
func (v *vision) layer(vector []float32, stack, l int) (weights, biases, rest []float32) {
	n, out := v.stacks[stack].Weights(l, v.layers[l]), v.layers[l].Channels
	return vector[:n], vector[n : n+out], vector[n+out:]
}

// initialise draws orthogonal weights, scaled by √2, and sets the biases to zero.
func (v *vision) initialise(params []float32, seed uint64, network int64) {
	s := newStream()
	for i := range v.stacks {
		for l, c := range v.layers {
			var weights, biases []float32
			weights, biases, params = v.layer(params, i, l)
			s.key(seed, drawConvolutions, network, int64(i*len(v.layers)+l))
			orthogonal(weights, len(weights)/c.Channels, c.Channels, math.Sqrt2, s)
			clear(biases)
		}
	}
}

// visionWork is the working memory of one pass through a vision.
type visionWork struct {
	seen    []bool        // by row: whether anything is there; nil: everywhere
	maps    [][][]float32 // [stack][layer]: outputs of the layers below the last one, rows × values
	patches []float32     // of one sample: pixels × inputs of a layer

	// With backward, of one sample:
	byPatches []float32
	byMap     [2][]float32 // of a layer and the one below
	sum       []float32
}

// newWork allocates for so many rows. Without backward there is room for the outputs of one.
func (v *vision) newWork(rows int, backward bool) *visionWork {
	if !v.sees() {
		return nil
	}
	w := &visionWork{seen: make([]bool, rows)}
	if backward {
		w.seen = nil
	} else {
		rows = 1
	}
	patches, below, channels := v.largest()
	for i := range v.stacks {
		var maps [][]float32
		for _, size := range v.stacks[i].Sizes[1:len(v.layers)] {
			maps = append(maps, make([]float32, rows*size[0]*size[1]*size[2]))
		}
		w.maps = append(w.maps, maps)
	}
	w.patches = make([]float32, patches)
	if backward {
		w.byPatches, w.sum = make([]float32, patches), make([]float32, channels)
		w.byMap = [2][]float32{make([]float32, below), make([]float32, below)}
	}
	return w
}

// largest returns the largest number of values of the patches of a layer, of an output below the last and of channels.
func (v *vision) largest() (patches, below, channels int) {
	for i := range v.stacks {
		for l, c := range v.layers {
			size := v.stacks[i].Sizes[l+1]
			patches = max(patches, size[0]*size[1]*v.stacks[i].Weights(l, c)/c.Channels)
			channels = max(channels, c.Channels)
			if l < len(v.layers)-1 {
				below = max(below, size[0]*size[1]*size[2])
			}
		}
	}
	return patches, below, channels
}

// place is the output of a layer of a stack for a row, whose features are given; those of the stack begin at offset.
func (v *vision) place(w *visionWork, features []float32, stack, l, row, offset int) []float32 {
	size := v.stacks[stack].Sizes[l+1]
	n := size[0] * size[1] * size[2]
	if l == len(v.layers)-1 {
		return features[offset : offset+n]
	}
	if w.seen != nil { // there is one row
		row = 0
	}
	return rowOf(w.maps[stack][l], n, row)
}

// forward computes the features, rows × features, of what is observed, rows × columns.
func (v *vision) forward(params, features, observed []float32, w *visionWork, rows int) {
	n := v.features()
	for row := range rows {
		outputs, read := rowOf(features, n, row), rowOf(observed, v.columns, row)
		if w.seen != nil && !w.seen[row] {
			clear(outputs)
			continue
		}
		rest, offset := params, 0
		for i := range v.stacks {
			for l, c := range v.layers {
				var weights, biases []float32
				weights, biases, rest = v.layer(rest, i, l)
				pixels, inputs := v.patches(w.patches, v.below(w, read, i, l, row), i, l)
				y := v.place(w, outputs, i, l, row, offset)
				matmul(noTrans, noTrans, pixels, c.Channels, inputs, w.patches, weights, y)
				addBiasActivate(v.activation, y, biases)
			}
			offset += v.stacks[i].Features()
		}
		for _, span := range v.rest {
			offset += copy(outputs[offset:], span.columns(read))
		}
	}
}

// below is what a layer of a stack reads for a row: what is observed there, or the output of the layer below.
func (v *vision) below(w *visionWork, observed []float32, stack, l, row int) []float32 {
	if l == 0 {
		return observed
	}
	return v.place(w, nil, stack, l-1, row, 0)
}

// patches writes what each pixel of the output of a layer is computed from, pixels × inputs, to dst.
func (v *vision) patches(dst, x []float32, stack, l int) (pixels, inputs int) {
	s, c := &v.stacks[stack], v.layers[l]
	in, out := s.Sizes[l], s.Sizes[l+1]
	pixels, inputs = out[0]*out[1], c.Kernel*c.Kernel*in[2]
	if l > 0 {
		takePatches(dst, inputs, x, in, out, c)
		return pixels, inputs
	}
	offset := 0
	for _, p := range s.Pictures {
		takePatches(dst[offset:], inputs, x[p.First:], [3]int{p.Height, p.Width, p.Channels}, out, c)
		offset += c.Kernel * c.Kernel * p.Channels
	}
	return pixels, inputs
}

// backward follows forward with the same w: from the loss's derivative by each feature, which it overwrites, it
// computes the derivative by each parameter and writes it over grad.
func (v *vision) backward(params, grad, byFeatures, features, observed []float32, w *visionWork, rows int) {
	clear(grad)
	n := v.features()
	for row := range rows {
		offset, vector := 0, 0
		for i := range v.stacks {
			delta := rowOf(byFeatures, n, row)[offset : offset+v.stacks[i].Features()]
			rest, restGrad := params[vector:], grad[vector:]
			v.backwardFrom(0, i, rest, restGrad, delta, rowOf(features, n, row)[offset:],
				rowOf(observed, v.columns, row), w, row)
			for l, c := range v.layers {
				vector += v.stacks[i].Weights(l, c) + c.Channels
			}
			offset += len(delta)
		}
	}
}

// backwardFrom adds the derivatives by the parameters of layers l and above of a stack, which begin params, for one
// row. top is the derivative by the stack's features. It returns the derivative by the sums of layer l.
func (v *vision) backwardFrom(l, stack int, params, grad, top, features, observed []float32, w *visionWork,
	row int) {
	weights, _, params := v.layer(params, stack, l)
	gradWeights, gradBiases, grad := v.layer(grad, stack, l)
	c, delta := v.layers[l], top
	if l < len(v.layers)-1 {
		v.backwardFrom(l+1, stack, params, grad, top, features, observed, w, row)
		size := v.stacks[stack].Sizes[l+1]
		delta = w.byMap[l%2][:size[0]*size[1]*size[2]]
	}
	slope(v.activation, delta, v.place(w, features, stack, l, row, 0), w.sum[:c.Channels])
	addRows(gradBiases, w.sum[:c.Channels])
	pixels, inputs := v.patches(w.patches, v.below(w, observed, stack, l, row), stack, l)
	addProduct(trans, noTrans, inputs, c.Channels, pixels, w.patches, delta, gradWeights)
	if l == 0 {
		return
	}
	matmul(noTrans, trans, pixels, inputs, c.Channels, delta, weights, w.byPatches)
	in := v.stacks[stack].Sizes[l]
	below := w.byMap[(l-1)%2][:in[0]*in[1]*in[2]]
	clear(below)
	addPatches(below, w.byPatches, in, v.stacks[stack].Sizes[l+1], c)
}

// filters returns copies of the weights and biases of each layer, stack after stack.
func (v *vision) filters(params []float32) (list []policy.Layer) {
	for i := range v.stacks {
		for l := range v.layers {
			var weights, biases []float32
			weights, biases, params = v.layer(params, i, l)
			list = append(list, policy.Layer{Weights: slices.Clone(weights), Biases: slices.Clone(biases)})
		}
	}
	return list
}

// pictures are those that are read, in the order of their columns.
func (v *vision) pictures() (list []Picture) {
	for i := range v.stacks {
		list = append(list, v.stacks[i].Pictures...)
	}
	slices.SortFunc(list, func(a, b Picture) int { return a.First - b.First })
	return list
}

// stepped are the convolutions with their strides.
func (s *Settings) stepped() []Convolution {
	list := slices.Clone(s.Convolutions)
	for i := range list {
		list[i].Stride = list[i].Step()
	}
	return list
}
