package rl

import (
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/policy"
)

// Network returns a copy of the policy as data, for use without this package. Its observations are only the columns
// that the policy reads, see [Policy.Reads]. The caller fills in the task, version, steps and names of its Header.
func (p *Policy) Network() *policy.Network {
	p = p.Narrow()
	n := &policy.Network{
		Header: policy.Header{
			Limit:      p.standardise.Limit,
			Squash:     p.actions.Squash,
			Activation: p.net.Activation,
			Discrete:   p.actions.Choices,
			Sizes:      slices.Clone(p.net.Sizes),
			Recurrent:  p.net.Cell.Units,
		},
		Mean:  p.standardise.Mean,
		Scale: p.standardise.Scale,
	}
	if p.chunk > 1 {
		n.ChunkSize = p.chunk
	}
	if p.actions.Choices == 0 {
		n.Low, n.High = slices.Clone(p.low[:p.Action()]), slices.Clone(p.high[:p.Action()])
	}
	n.Sizes[0] = p.net.Inputs()
	encoder, cell, rest := p.net.Split(p.params)
	if p.net.Encoder.HasPictures() {
		n.Pictures, n.Convolutions = p.net.Encoder.Pictures(), slices.Clone(p.net.Encoder.Layers)
		n.Filters = p.net.Encoder.Filters(encoder)
	}
	if n.Recurrent > 0 {
		input, recurrent, biases, _ := p.net.Cell.Parts(cell)
		n.GRU = &policy.GRU{Input: slices.Clone(input), Recurrent: slices.Clone(recurrent),
			Biases: slices.Clone(biases)}
	}
	for l := range p.net.Layers() {
		var weights, biases []float32
		weights, biases, rest = p.net.Layer(rest, l)
		n.Layers = append(n.Layers, policy.Layer{Weights: slices.Clone(weights), Biases: slices.Clone(biases)})
	}
	if p.actions.StateDependent {
		keepMeans(n, p.actions.Action)
	}
	return n
}

// keepMeans leaves out the network's last outputs, the log standard deviations: the most
// likely action does not depend on them.
func keepMeans(n *policy.Network, means int) {
	last := &n.Layers[len(n.Layers)-1]
	var weights []float32
	for row := range slices.Chunk(last.Weights, n.Outputs()) {
		weights = append(weights, row[:means]...)
	}
	last.Weights, last.Biases = weights, last.Biases[:means]
	n.Sizes[len(n.Sizes)-1] = means
}
