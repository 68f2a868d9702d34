package rl

import (
	"bytes"
	"math"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// seenConvolutions read the pictures of newSeenCart.
var seenConvolutions = []Convolution{convolution(6, 3, 1, 1), {Channels: 8, Kernel: 2, Stride: 2}}

func picture(first, height, width, channels int) Picture {
	return Picture{First: first, Height: height, Width: width, Channels: channels}
}

func convolution(channels, kernel, stride, padding int) Convolution {
	return Convolution{Channels: channels, Kernel: kernel, Stride: stride, Padding: padding}
}

// reference computes one sample in double precision, each value of an output by itself.
func (v *vision) reference(params, x []float64) []float64 {
	if !v.sees() {
		return x
	}
	var features []float64
	for i := range v.stacks {
		s := &v.stacks[i]
		var in []float64
		for l, c := range v.layers {
			size, out := s.Sizes[l+1], []float64(nil)
			biases := params[s.Weights(l, c):]
			for i := range size[0] * size[1] * c.Channels {
				row, column, k := i/c.Channels/size[1], i/c.Channels%size[1], i%c.Channels
				sources := []Picture{picture(0, s.Sizes[l][0], s.Sizes[l][1], s.Sizes[l][2])}
				if l == 0 {
					in, sources = x, s.Pictures
				}
				sum, weights := biases[k], params
				for _, p := range sources {
					for at := range c.Kernel * c.Kernel * p.Channels {
						y := row*c.Step() + at/p.Channels/c.Kernel - c.Padding
						z := column*c.Step() + at/p.Channels%c.Kernel - c.Padding
						if y >= 0 && y < p.Height && z >= 0 && z < p.Width {
							sum += in[p.First+(y*p.Width+z)*p.Channels+at%p.Channels] * weights[at*c.Channels+k]
						}
					}
					weights = weights[c.Kernel*c.Kernel*p.Channels*c.Channels:]
				}
				switch v.activation {
				case Tanh:
					sum = math.Tanh(sum)
				case ELU:
					sum = max(sum, math.Expm1(min(sum, 0)))
				case ReLU:
					sum = max(sum, 0)
				}
				out = append(out, sum)
			}
			in, params = out, biases[c.Channels:]
		}
		features = append(features, in...)
	}
	for _, span := range v.rest {
		features = append(features, x[span.First:][:span.Size]...)
	}
	return features
}

// A channel of a picture has the moments of all its pixels, however they were gathered; what is beside it has its own.
func TestMomentsOfPictures(t *testing.T) {
	const size = 9
	pictures := []Picture{picture(1, 1, 2, 2), picture(5, 3, 1, 1)}
	s := newStream()
	s.key(1, 0, 0, 0)
	all := newMoments(Shape{Observation: size, Pictures: pictures}.moments())
	of := []int{0, 1, 2, 1, 2, 3, 3, 3, 4} // moment of each value
	columns := make([][]float64, 5)
	for _, count := range []int{1, 0, 2, 50} {
		part := newMoments(5)
		for range count {
			x := make([]float64, size)
			for i := range x {
				x[i] = float64(of[i]) * (100 + s.NormFloat64())
				columns[of[i]] = append(columns[of[i]], x[i])
			}
			part.addObserved(x, pictures)
		}
		all.merge(part)
	}
	z := newStandardiser(size)
	z.set(all, pictures)
	for i := range size {
		mean, variance := twoPass(columns[of[i]])
		if want := 1 / math.Sqrt(variance+1e-8); math.Abs(z.mean[i]-mean) > 1e-9 || math.Abs(z.scale[i]/want-1) > 1e-6 {
			t.Errorf("value %d: mean %g and scale %g, want %g and %g", i, z.mean[i], z.scale[i], mean, want)
		}
	}
	polytest.Equal(t, all.count, 53, "vectors")
}

// A policy that sees learns the same on any number of workers, in blocks of any size, in parts and from a
// checkpoint, and pictures are as other values without convolutions.
func TestDeterminismOfSeeing(t *testing.T) {
	for name, change := range map[string]func(*Shape, *Settings){
		"both":       func(*Shape, *Settings) {},
		"the policy": func(e *Shape, _ *Settings) { e.Critic = ColumnRange{55, 1} },
		"the critic": func(e *Shape, _ *Settings) { e.Policy = ColumnRange{0, 1} },
		"memory":     func(_ *Shape, s *Settings) { s.Recurrent, s.Sequence = 5, 7 },
	} {
		t.Run(name, func(t *testing.T) {
			s := cartSettings()
			s.Convolutions, s.RolloutSteps, s.Epochs, s.Minibatch = seenConvolutions, 30, 2, 150
			env := func(blockSize, workers int) *cart {
				e := newSeenCart(13, blockSize, workers)
				change(&e.shape, &s)
				return e
			}
			whole := polytest.Must(New(env(4, 2), s, 7))(t)
			iterate(t, whole, 2)
			middle := checkpointBytes(t, whole)
			memory := whole.Memory()
			iterate(t, whole, 1)
			want := checkpointBytes(t, whole)

			for _, c := range []struct{ blockSize, workers int }{{16, 1}, {1, 3}} {
				p := polytest.Must(New(env(c.blockSize, c.workers), s, 7))(t)
				iterate(t, p, 3)
				polytest.EqualSlices(t, checkpointBytes(t, p), want, "blocks of %d on %d workers", c.blockSize, c.workers)
			}

			e := env(3, 2)
			collect := collectBytes(collectorsOf(t, e, s, 7, 3, 9))
			p := polytest.Must(begin(newPPO(e.shape, s, 7, elsewhere(collect).open)))(t)
			iterate(t, p, 3)
			polytest.EqualSlices(t, checkpointBytes(t, p), want, "in parts")

			e = env(4, 2)
			p = polytest.Must(New(e, s, 7))(t) // so that the worlds go on
			iterate(t, p, 2)
			c := polytest.Must(ReadCheckpoint(bytes.NewReader(middle)))(t)
			p = polytest.Must(Continue(Worlds{e}, c, memory, s))(t).(*PPO)
			iterate(t, p, 1)
			polytest.EqualSlices(t, checkpointBytes(t, p), want, "continued")

			other := e.shape
			other.Pictures = []Picture{picture(1, 9, 3, 2)}
			_, err := Resume(Parts{Of: other}, c, s, 1)
			polytest.ErrorContains(t, err, "environment has the pictures [{1 9 3 2}], the checkpoint wants [{1 3 9 2}]")
			s.Convolutions = seenConvolutions[:1]
			polytest.ErrorContains(t, polytest.Err(Resume(Worlds{e}, c, s, 1)),
				"convolutions is [{6 3 1 1}], want [{6 3 1 1} {8 2 2 0}]")
		})
	}
	s := cartSettings()
	s.RolloutSteps = 20
	blind := newSeenCart(4, 4, 1)
	blind.shape.Pictures, blind.shape.ByteFactors = nil, nil
	var files [][]byte
	for _, e := range []*cart{newSeenCart(4, 4, 1), blind} {
		p := polytest.Must(New(e, s, 1))(t)
		iterate(t, p, 2)
		files = append(files, checkpointBytes(t, p))
	}
	polytest.EqualSlices(t, files[0], files[1], "without convolutions")
}

// What a network sees of a world does not depend on the row of its panel or on the other worlds.
func TestSeeingAloneOrTogether(t *testing.T) {
	s := cartSettings()
	s.Convolutions = seenConvolutions
	e := newSeenCart(16, 16, 1)
	p := polytest.Must(New(e, s, 3))(t)
	policy, scratch := p.Policy(), p.policy.NewScratch()
	together, alone := make([]float32, 16), make([]float32, 1)
	observation := e.blocks[0].observation
	polytest.NoError(t, policy.Act(together, observation, nil, 0, scratch))
	for w := range together {
		polytest.NoError(t, policy.Act(alone, rowOf(observation, e.shape.Observation, w), nil, w, scratch))
		polytest.Equal(t, alone[0], together[w], "the action")
	}
}

// The cart is held by sight: its place is only in the picture. See TestLearnsToHoldTheCart for what is possible.
func TestLearnsToHoldTheSeenCart(t *testing.T) {
	if testing.Short() {
		t.Skip("it learns for seconds")
	}
	s := cartSettings()
	s.Convolutions, s.Minibatch, s.Epochs = seenConvolutions, 256, 5
	p := polytest.Must(New(newSeenCart(32, 16, 2), s, 1))(t)
	before := meanReturn(t, newSeenCart(64, 16, 2), p.Policy())
	m := iterate(t, p, 40)
	after := meanReturn(t, newSeenCart(64, 16, 2), p.Policy())
	t.Logf("return %.1f before, %.1f after; last iteration %+v", before, after, m)
	if before > 0 || after < 15 {
		t.Errorf("mean return %.1f before and %.1f after learning, want below 0 and at least 15", before, after)
	}
}
