package nn

import (
	"math"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/policy"
)

// Encoder is the plan of the convolutions of a network. They read each stack of pictures by itself, an activation after
// each. What follows reads their last outputs, stack after stack, each height × width × channels, and then the values
// that are in no picture.
//
// Parameters lie elsewhere, in one flat vector: for each stack and layer the weights (inputs × outputs, row-major),
// then the biases. The inputs are the pictures of the stack one after the other or, above the first layer, the output
// below; in each the rows of the kernel, in each its pixels, in each their channels. It is immutable.
type Encoder struct {
	columns    int // values that are read
	Layers     []policy.Convolution
	Stacks     []policy.Stack
	Rest       []ColumnRange // the columns that are in no picture
	Activation policy.Activation
}

// NewEncoder plans the convolutions of a network that reads so many columns of an observation, in which pictures are at
// these places. Without pictures or layers it reads all values as they are. It panics where the layers do not fit the
// pictures, see [policy.Stacks].
func NewEncoder(columns int, pictures []policy.Picture, layers []policy.Convolution,
	activation policy.Activation) Encoder {
	v := Encoder{columns: columns, Activation: activation}
	if len(layers) == 0 || len(pictures) == 0 {
		return v
	}
	v.Layers, v.Rest = layers, PlainColumns(pictures, columns)
	stacks, err := policy.Stacks(pictures, layers)
	if err != nil {
		panic(err)
	}
	v.Stacks = stacks
	return v
}

// PlainColumns are the columns among so many that are in no picture.
func PlainColumns(pictures []policy.Picture, columns int) (list []ColumnRange) {
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

// HasPictures reports whether anything that is read is a picture.
func (v *Encoder) HasPictures() bool { return len(v.Stacks) > 0 }

// PictureFeatures is the number of the features that the convolutions give, which come first.
func (v *Encoder) PictureFeatures() (sum int) {
	for i := range v.Stacks {
		sum += v.Stacks[i].Features()
	}
	return sum
}

// Features is the number of values that what follows reads.
func (v *Encoder) Features() int {
	if !v.HasPictures() {
		return v.columns
	}
	sum := v.PictureFeatures()
	for _, span := range v.Rest {
		sum += span.Size
	}
	return sum
}

// Parameters is the length of the vector.
func (v *Encoder) Parameters() (sum int) {
	for i := range v.Stacks {
		for l, c := range v.Layers {
			sum += v.Stacks[i].Weights(l, c) + c.Channels
		}
	}
	return sum
}

// layer returns the weights and biases of a layer of a stack, as parts of vector, and what follows them.
func (v *Encoder) layer(vector []float32, stack, l int) (weights, biases, rest []float32) {
	n, out := v.Stacks[stack].Weights(l, v.Layers[l]), v.Layers[l].Channels
	return vector[:n], vector[n : n+out], vector[n+out:]
}

// initialise draws orthogonal weights, scaled by √2, and sets the biases to zero.
func (v *Encoder) initialise(params []float32, seed uint64, network int64) {
	s := NewStream()
	for i := range v.Stacks {
		for l, c := range v.Layers {
			var weights, biases []float32
			weights, biases, params = v.layer(params, i, l)
			s.Key(seed, drawConvolutions, network, int64(i*len(v.Layers)+l))
			orthogonal(weights, len(weights)/c.Channels, c.Channels, math.Sqrt2, s)
			clear(biases)
		}
	}
}

// EncoderWork is the working memory of one pass through a vision.
type EncoderWork struct {
	Seen    []bool        // by row: whether anything is there; nil: everywhere
	maps    [][][]float32 // [stack][layer]: outputs of the layers below the last one, rows × values
	patches []float32     // of one sample: pixels × inputs of a layer

	// With backward, of one sample:
	byPatches []float32
	byMap     [2][]float32 // of a layer and the one below
	sum       []float32
}

// newWork allocates for so many rows. Without backward there is room for the outputs of one.
func (v *Encoder) newWork(rows int, backward bool) *EncoderWork {
	if !v.HasPictures() {
		return nil
	}
	w := &EncoderWork{Seen: make([]bool, rows)}
	if backward {
		w.Seen = nil
	} else {
		rows = 1
	}
	patches, below, channels := v.largest()
	for i := range v.Stacks {
		var maps [][]float32
		for _, size := range v.Stacks[i].Sizes[1:len(v.Layers)] {
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
func (v *Encoder) largest() (patches, below, channels int) {
	for i := range v.Stacks {
		for l, c := range v.Layers {
			size := v.Stacks[i].Sizes[l+1]
			patches = max(patches, size[0]*size[1]*v.Stacks[i].Weights(l, c)/c.Channels)
			channels = max(channels, c.Channels)
			if l < len(v.Layers)-1 {
				below = max(below, size[0]*size[1]*size[2])
			}
		}
	}
	return patches, below, channels
}

// place is the output of a layer of a stack for a row, whose features are given; those of the stack begin at offset.
func (v *Encoder) place(w *EncoderWork, features []float32, stack, l, row, offset int) []float32 {
	size := v.Stacks[stack].Sizes[l+1]
	n := size[0] * size[1] * size[2]
	if l == len(v.Layers)-1 {
		return features[offset : offset+n]
	}
	if w.Seen != nil { // there is one row
		row = 0
	}
	return RowOf(w.maps[stack][l], n, row)
}

// Forward computes the features, rows × features, of what is observed, rows × columns.
func (v *Encoder) Forward(params, features, observed []float32, w *EncoderWork, rows int) {
	n := v.Features()
	for row := range rows {
		outputs, read := RowOf(features, n, row), RowOf(observed, v.columns, row)
		if w.Seen != nil && !w.Seen[row] {
			clear(outputs)
			continue
		}
		rest, offset := params, 0
		for i := range v.Stacks {
			for l, c := range v.Layers {
				var weights, biases []float32
				weights, biases, rest = v.layer(rest, i, l)
				pixels, inputs := v.patches(w.patches, v.below(w, read, i, l, row), i, l)
				y := v.place(w, outputs, i, l, row, offset)
				Matmul(NoTrans, NoTrans, pixels, c.Channels, inputs, w.patches, weights, y)
				addBiasActivate(v.Activation, y, biases)
			}
			offset += v.Stacks[i].Features()
		}
		for _, span := range v.Rest {
			offset += copy(outputs[offset:], span.Columns(read))
		}
	}
}

// below is what a layer of a stack reads for a row: what is observed there, or the output of the layer below.
func (v *Encoder) below(w *EncoderWork, observed []float32, stack, l, row int) []float32 {
	if l == 0 {
		return observed
	}
	return v.place(w, nil, stack, l-1, row, 0)
}

// patches writes what each pixel of the output of a layer is computed from, pixels × inputs, to dst.
func (v *Encoder) patches(dst, x []float32, stack, l int) (pixels, inputs int) {
	s, c := &v.Stacks[stack], v.Layers[l]
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

// Backward follows Forward with the same w: from the loss's derivative by each feature, which it overwrites, it
// computes the derivative by each parameter and writes it over grad.
func (v *Encoder) Backward(params, grad, byFeatures, features, observed []float32, w *EncoderWork, rows int) {
	clear(grad)
	n := v.Features()
	for row := range rows {
		offset, vector := 0, 0
		for i := range v.Stacks {
			delta := RowOf(byFeatures, n, row)[offset : offset+v.Stacks[i].Features()]
			rest, restGrad := params[vector:], grad[vector:]
			v.backwardFrom(0, i, rest, restGrad, delta, RowOf(features, n, row)[offset:],
				RowOf(observed, v.columns, row), w, row)
			for l, c := range v.Layers {
				vector += v.Stacks[i].Weights(l, c) + c.Channels
			}
			offset += len(delta)
		}
	}
}

// backwardFrom adds the derivatives by the parameters of layers l and above of a stack, which begin params, for one
// row. top is the derivative by the stack's features. It returns the derivative by the sums of layer l.
func (v *Encoder) backwardFrom(l, stack int, params, grad, top, features, observed []float32, w *EncoderWork,
	row int) {
	weights, _, params := v.layer(params, stack, l)
	gradWeights, gradBiases, grad := v.layer(grad, stack, l)
	c, delta := v.Layers[l], top
	if l < len(v.Layers)-1 {
		v.backwardFrom(l+1, stack, params, grad, top, features, observed, w, row)
		size := v.Stacks[stack].Sizes[l+1]
		delta = w.byMap[l%2][:size[0]*size[1]*size[2]]
	}
	slope(v.Activation, delta, v.place(w, features, stack, l, row, 0), w.sum[:c.Channels])
	AddRows(gradBiases, w.sum[:c.Channels])
	pixels, inputs := v.patches(w.patches, v.below(w, observed, stack, l, row), stack, l)
	addProduct(Trans, NoTrans, inputs, c.Channels, pixels, w.patches, delta, gradWeights)
	if l == 0 {
		return
	}
	Matmul(NoTrans, Trans, pixels, inputs, c.Channels, delta, weights, w.byPatches)
	in := v.Stacks[stack].Sizes[l]
	below := w.byMap[(l-1)%2][:in[0]*in[1]*in[2]]
	clear(below)
	addPatches(below, w.byPatches, in, v.Stacks[stack].Sizes[l+1], c)
}

// Filters returns copies of the weights and biases of each layer, stack after stack.
func (v *Encoder) Filters(params []float32) (list []policy.Layer) {
	for i := range v.Stacks {
		for l := range v.Layers {
			var weights, biases []float32
			weights, biases, params = v.layer(params, i, l)
			list = append(list, policy.Layer{Weights: slices.Clone(weights), Biases: slices.Clone(biases)})
		}
	}
	return list
}

// Pictures are those that are read, in the order of their columns.
func (v *Encoder) Pictures() (list []policy.Picture) {
	for i := range v.Stacks {
		list = append(list, v.Stacks[i].Pictures...)
	}
	slices.SortFunc(list, func(a, b policy.Picture) int { return a.First - b.First })
	return list
}
