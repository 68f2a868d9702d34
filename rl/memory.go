package rl

import "github.com/polyrhythm-rl/polyrhythm/internal/memory"

// memoryNeed is about what a learner takes.
func memoryNeed(shape Shape, s Settings) memory.Need {
	const single, double = 4, 8
	policy, value := policyNet(shape, &s), valueNet(shape, &s)
	params := policySize(shape, &s) + value.parameters()
	samples := s.RolloutSteps * shape.Worlds
	group, sequences := newGrouping(&s), s.sequences(shape.Worlds)
	minibatch := min(group.minibatch, sequences)
	rows := group.mostPerChunk(minibatch) * group.length

	units := 0 // of an activation's row, in both networks
	for _, n := range append(policy.sizes, value.sizes...) {
		units += n
	}
	row := int64(units) * single
	images := int64(0) // rows of mirror images in a chunk, of the policy alone
	if s.Symmetry.Weight > 0 {
		images = int64(rows)
	}
	workers := int64(shape.Workers)

	n := int64(params) * single * int64(2*3+group.chunks(minibatch)) // with Adam's means, both kept twice, and the gradients
	n += int64(samples) * int64((shape.Observation+shape.Action+6)*single+double+1)
	n += workers * row * int64(PanelHeight+2*rows)
	for _, units := range policy.sizes {
		n += workers * images * 2 * int64(units) * single
	}
	if h := int64(s.Recurrent); h > 0 {
		inSequence := int64(group.mostPerChunk(minibatch))
		acting := int64(PanelHeight) * (int64(policy.inputs()+value.inputs()) + 2*8*h)
		learning := int64(rows)*(int64(policy.inputs()+value.inputs())+2*11*h) + inSequence*2*4*h
		networks := int64(2)
		if images > 0 { // the policy's is there once more
			networks++
			acting += int64(PanelHeight) * (int64(policy.inputs()) + 8*h)
			learning += int64(rows)*(int64(policy.inputs())+11*h) + inSequence*4*h
		}
		n += workers * (acting + learning) * single                  // see gruWork
		n += int64(sequences+2*shape.Worlds) * networks * h * single // states
	}
	n += int64(shape.Worlds) * int64(2*shape.Observation+8) * double
	return memory.Need{Go: n}
}

// collectorNeed is about what a collector takes.
func collectorNeed(shape Shape, s Settings) memory.Need {
	const single, double = 4, 8
	policy, value := policyNet(shape, &s), valueNet(shape, &s)
	samples, worlds := int64(s.RolloutSteps)*int64(shape.Worlds), int64(shape.Worlds)
	units, inputs := 0, policy.inputs()+value.inputs() // of an activation's row, in both networks
	for _, n := range append(policy.sizes, value.sizes...) {
		units += n
	}
	h := int64(s.Recurrent)
	n := int64(policySize(shape, &s)+value.parameters()) * single
	n += samples * (int64(shape.Observation+shape.Action+3)*single + double + 1)
	n += int64(shape.Workers) * PanelHeight * (int64(units+2*inputs) + 3*8*h) * single
	n += (int64(s.sequences(shape.Worlds)) + worlds) * 3 * h * single // states
	n += worlds * int64(2*shape.Observation+8) * double
	return memory.Need{Go: n}
}
