// Package nntest computes passes through networks one value after the other, in double precision, which tests compare
// gradients and results with.
package nntest

import (
	"math"

	"github.com/polyrhythm-rl/polyrhythm/policy"
	"github.com/polyrhythm-rl/polyrhythm/rl/nn"
)

// MLP computes one sample through a network in double precision.
func MLP(n nn.MLP, params, x []float64) []float64 {
	for l := range n.Layers() {
		in, out := n.Sizes[l], n.Sizes[l+1]
		y := make([]float64, out)
		for o := range y {
			y[o] = params[in*out+o]
			for i, v := range x {
				y[o] += v * params[i*out+o]
			}
			if l == n.Layers()-1 {
				continue
			}
			switch n.Activation {
			case policy.Tanh:
				y[o] = math.Tanh(y[o])
			case policy.ELU:
				if y[o] < 0 {
					y[o] = math.Expm1(y[o])
				}
			case policy.ReLU:
				y[o] = max(0, y[o])
			}
		}
		x, params = y, params[(in+1)*out:]
	}
	return x
}

// GRU computes a control step in double precision.
func GRU(g nn.GRU, params, x, h []float64) []float64 {
	sum := func(matrix, v []float64, gate, unit int) float64 {
		total := 0.0
		for i := range v {
			total += v[i] * matrix[i*3*g.Units+gate*g.Units+unit]
		}
		return total
	}
	sigmoid := func(v float64) float64 { return 1 / (1 + math.Exp(-v)) }
	w := params
	u := w[g.Inputs*3*g.Units:]
	b := u[g.Units*3*g.Units:]
	next := make([]float64, g.Units)
	for i := range next {
		r := sigmoid(sum(w, x, 0, i) + sum(u, h, 0, i) + b[i])
		z := sigmoid(sum(w, x, 1, i) + sum(u, h, 1, i) + b[g.Units+i])
		n := math.Tanh(sum(w, x, 2, i) + b[2*g.Units+i] + r*(sum(u, h, 2, i)+b[3*g.Units+i]))
		next[i] = (1-z)*n + z*h[i]
	}
	return next
}

// Encoder computes one sample in double precision, each value of an output by itself.
func Encoder(v *nn.Encoder, params, x []float64) []float64 {
	if !v.HasPictures() {
		return x
	}
	var features []float64
	for i := range v.Stacks {
		s := &v.Stacks[i]
		var in []float64
		for l, c := range v.Layers {
			size, out := s.Sizes[l+1], []float64(nil)
			biases := params[s.Weights(l, c):]
			for i := range size[0] * size[1] * c.Channels {
				row, column, k := i/c.Channels/size[1], i/c.Channels%size[1], i%c.Channels
				sources := []policy.Picture{{Height: s.Sizes[l][0], Width: s.Sizes[l][1], Channels: s.Sizes[l][2]}}
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
				switch v.Activation {
				case policy.Tanh:
					sum = math.Tanh(sum)
				case policy.ELU:
					sum = max(sum, math.Expm1(min(sum, 0)))
				case policy.ReLU:
					sum = max(sum, 0)
				}
				out = append(out, sum)
			}
			in, params = out, biases[c.Channels:]
		}
		features = append(features, in...)
	}
	for _, span := range v.Rest {
		features = append(features, x[span.First:][:span.Size]...)
	}
	return features
}

func TwoPass(v []float64) (mean, variance float64) {
	for _, x := range v {
		mean += x / float64(len(v))
	}
	for _, x := range v {
		variance += (x - mean) * (x - mean) / float64(len(v))
	}
	return mean, variance
}
