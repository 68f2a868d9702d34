package rl

import "github.com/polyrhythm-rl/polyrhythm/internal/memory"

const single, double = 4, 8 // bytes

// memoryNeed is about what a learner takes, its collector included.
func memoryNeed(shape Shape, s Settings) memory.Need {
	policy, value := policyNet(shape, &s), valueNet(shape, &s)
	params := policySize(shape, &s) + value.parameters()
	group, sequences := newGrouping(&s), s.sequences(shape.Worlds)
	minibatch := min(group.minibatch, sequences)
	inSequence := group.mostPerChunk(minibatch)
	rows, images := inSequence*group.length, 0 // of a chunk; those of mirror images are of the policy alone
	if s.Symmetry.Weight > 0 {
		images = rows
	}
	chunk := 2 * (rows*(units(policy)+units(value)) + images*units(policy))
	chunk += policy.eyes.need(rows+images, policy, true) + value.eyes.need(rows, value, true)
	chunk += rows * 2 * (1 + 2*max(s.acts(shape), shape.Choices)) // scores
	if h := s.Recurrent; h > 0 {                                  // see gruWork
		networks := 2
		chunk += rows * (policy.cell.inputs + value.cell.inputs)
		if images > 0 { // the policy's is there once more
			networks++
			chunk += rows * policy.cell.inputs
		}
		chunk += networks * h * (11*rows + 4*inSequence)
	}
	n := collectorNeed(shape, s).Go
	n += int64(params) * int64(5+group.chunks(minibatch)) * single // Adam's means, kept twice as they are, and gradients
	n += int64(s.RolloutSteps) * int64(shape.Worlds) * 3 * single
	n += int64(shape.Workers) * int64(chunk) * single
	n += int64(shape.Worlds) * 2 * int64(s.Recurrent) * single // states
	return memory.Need{Go: n}
}

// units is the number of values of an activation's row.
func units(n network) (sum int) {
	for _, size := range n.sizes {
		sum += size
	}
	return sum
}

// collectorNeed is about what a collector takes.
func collectorNeed(shape Shape, s Settings) memory.Need {
	policy, value := policyNet(shape, &s), valueNet(shape, &s)
	samples, worlds, h := int64(s.RolloutSteps)*int64(shape.Worlds), int64(shape.Worlds), int64(s.Recurrent)
	n := int64(policySize(shape, &s)+value.parameters()) * single
	n += samples * (int64(shape.Observation+s.acts(shape)+3)*single + double + 1)
	row := int64(units(policy)+units(value)+2*(policy.inputs()+value.inputs())) + 3*8*h
	n += int64(shape.Workers) * PanelHeight * row * single
	n += int64(shape.Workers) * int64(policy.eyes.need(1, policy, false)+value.eyes.need(1, value, false)) * single
	networks := int64(2) // with states
	if s.Symmetry.Weight > 0 {
		networks++
	}
	n += (int64(s.sequences(shape.Worlds)) + worlds) * networks * h * single
	n += worlds * int64(2*shape.moments()+8) * double
	return memory.Need{Go: n}
}

// need is the number of values that a pass takes through the convolutions of a network, with what it reads.
func (v *vision) need(rows int, n network, backward bool) (sum int) {
	if !v.sees() {
		return 0
	}
	for i := range v.stacks {
		for _, size := range v.stacks[i].Sizes[1:len(v.layers)] {
			sum += rows * size[0] * size[1] * size[2]
		}
	}
	patches, below, _ := v.largest()
	sum += patches
	if backward {
		sum += patches + 2*below + rows*n.inputs() // with the derivative by the features, which units counts twice
		if n.cell.units > 0 {
			sum += rows * n.cell.inputs
		}
	}
	return sum
}
