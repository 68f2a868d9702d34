package policy

import (
	"fmt"
	"slices"
)

// Picture is a part of an observation that is a picture: Height × Width × Channels values from First on, the rows from
// the top, in each its pixels from the left, in each its channels.
type Picture struct {
	First    int `json:"first"`
	Height   int `json:"height"`
	Width    int `json:"width"`
	Channels int `json:"channels"`
}

// Size is the number of values of the picture.
func (p Picture) Size() int { return p.Height * p.Width * p.Channels }

// Convolution is a layer of a network that reads pictures: each value of its output is computed from a square of Kernel
// × Kernel pixels, and the next one from the square Stride pixels farther. Around the picture are Padding pixels of
// zeros.
type Convolution struct {
	Channels int `yaml:"channels" json:"channels"` // of its output
	Kernel   int `yaml:"kernel" json:"kernel"`
	Stride   int `yaml:"stride,omitempty" json:"stride,omitempty"` // 0: 1
	Padding  int `yaml:"padding,omitempty" json:"padding,omitempty"`
}

// Step is the stride, at least 1.
func (c Convolution) Step() int { return max(1, c.Stride) }

// Stack is the pictures of one height and width in an observation. Convolutions see them as one picture that has the
// channels of all, those of the first one first.
type Stack struct {
	Pictures []Picture
	Sizes    [][3]int // height, width and channels of the stack, then of the output of each convolution
}

// Features is the number of values of the last output.
func (s *Stack) Features() int {
	last := s.Sizes[len(s.Sizes)-1]
	return last[0] * last[1] * last[2]
}

// Weights is the number of weights of convolution l: its inputs, Kernel × Kernel × channels, times its outputs.
func (s *Stack) Weights(l int, c Convolution) int {
	return c.Kernel * c.Kernel * s.Sizes[l][2] * c.Channels
}

// Limits that keep sizes of networks from overflowing.
const (
	maxConvolutions = 16
	maxChannels     = 1 << 12
	maxKernel       = 1 << 8
	maxOutput       = 1 << 24 // values of a layer
)

// CheckConvolutions returns an error, which begins with the index, such as "[1].kernel", if a field is out of range.
func CheckConvolutions(list []Convolution) error {
	if len(list) > maxConvolutions {
		return fmt.Errorf(": %d layers, want at most %d", len(list), maxConvolutions)
	}
	for i, c := range list {
		for _, field := range []struct {
			name               string
			value, least, most int
		}{
			{"channels", c.Channels, 1, maxChannels}, {"kernel", c.Kernel, 1, maxKernel},
			{"stride", c.Stride, 0, maxKernel}, {"padding", c.Padding, 0, c.Kernel - 1},
		} {
			if field.value < field.least || field.value > field.most {
				return fmt.Errorf("[%d].%s is %d, want %d to %d", i, field.name, field.value, field.least, field.most)
			}
		}
	}
	return nil
}

// Stacks returns the stacks that convolutions read of the pictures of an observation, in the order of their first
// pictures. It fails where a kernel is larger than what it reads; the error begins with the index of the convolution.
func Stacks(pictures []Picture, convolutions []Convolution) ([]Stack, error) {
	var all []Stack
	for _, p := range pictures {
		i := slices.IndexFunc(all, func(s Stack) bool { return s.Sizes[0][0] == p.Height && s.Sizes[0][1] == p.Width })
		if i < 0 {
			i = len(all)
			all = append(all, Stack{Sizes: [][3]int{{p.Height, p.Width, 0}}})
		}
		all[i].Pictures = append(all[i].Pictures, p)
		all[i].Sizes[0][2] += p.Channels
	}
	for i := range all {
		s := &all[i]
		for l, c := range convolutions {
			in, out := s.Sizes[l], [3]int{2: c.Channels}
			for axis := range 2 {
				room := in[axis] + 2*c.Padding - c.Kernel
				if room < 0 {
					return nil, fmt.Errorf("[%d].kernel is %d, want at most %d: it reads %d × %d pixels", l, c.Kernel,
						min(in[0], in[1])+2*c.Padding, in[0], in[1])
				}
				out[axis] = room/c.Step() + 1
			}
			if out[0] > maxOutput/out[1]/out[2] {
				return nil, fmt.Errorf("[%d] gives %d × %d × %d values, want at most %d", l, out[0], out[1], out[2], maxOutput)
			}
			s.Sizes = append(s.Sizes, out)
		}
	}
	return all, nil
}

// others are the ranges, first and size, of the values among so many that are in no picture.
func others(pictures []Picture, values int) (list [][2]int) {
	at := 0
	for _, p := range append(slices.Clip(pictures), Picture{First: values}) {
		if p.First > at {
			list = append(list, [2]int{at, p.First - at})
		}
		at = p.First + p.Size()
	}
	return list
}

// convolve computes convolution l of a stack: y (height × width × channels) from x, which is the stack's pictures one
// after the other or, above the first layer, the output of the one below.
func (s *Stack) convolve(y, x []float64, l int, c Convolution, filter Layer, activate func(float64) float64) {
	in, out := s.Sizes[l], s.Sizes[l+1]
	parts := []Picture{{0, in[0], in[1], in[2]}}
	if l == 0 {
		parts = s.Pictures
	}
	for i := range out[0] * out[1] {
		sums := y[i*out[2] : (i+1)*out[2]]
		for k, b := range filter.Biases {
			sums[k] = float64(b)
		}
		top, left := i/out[1]*c.Step()-c.Padding, i%out[1]*c.Step()-c.Padding
		weights, at := filter.Weights, 0
		for _, p := range parts {
			for row := top; row < top+c.Kernel; row++ {
				for column := left; column < left+c.Kernel; column++ {
					if row >= 0 && row < in[0] && column >= 0 && column < in[1] {
						from := at + (row*in[1]+column)*p.Channels
						addProduct(sums, x[from:from+p.Channels], weights)
					}
					weights = weights[p.Channels*out[2]:]
				}
			}
			at += p.Size()
		}
		for k, v := range sums {
			sums[k] = activate(v)
		}
	}
}
