package rl

import (
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/policy"
)

// Network returns a copy of the policy as data, for use without this package. Its
// observations are only the columns that the policy reads, see [Policy.Reads]. The
// caller fills in the task, version, steps and names of its Header.
func (p *Policy) Network() *policy.Network {
	p = p.Narrow()
	n := &policy.Network{
		Header: policy.Header{
			Limit:      observationLimit,
			Activation: policy.Tanh,
			Sizes:      slices.Clone(p.net.sizes),
		},
		Mean:  p.standardise.mean,
		Scale: p.standardise.scale,
		Low:   slices.Clone(p.low),
		High:  slices.Clone(p.high),
	}
	rest := p.params
	for l := range p.net.layers() {
		var weights, biases []float32
		weights, biases, rest = p.net.layer(rest, l)
		n.Layers = append(n.Layers, policy.Layer{Weights: slices.Clone(weights), Biases: slices.Clone(biases)})
	}
	return n
}
