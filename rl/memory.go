package rl

import (
	"github.com/polyrhythm-rl/polyrhythm/internal/memory"
)

const single, double = 4, 8 // bytes

// memoryNeed is about what a learner takes, its collector included.
func memoryNeed(shape Shape, s Settings) memory.Need {
	policy, value := policyNet(shape, &s), valueNet(shape, &s)
	params := policySize(shape, &s) + value.Parameters()
	group, sequences := newGrouping(&s), s.sequences(shape.Worlds)
	minibatch := min(group.Minibatch, sequences)
	inSequence := group.MostPerChunk(minibatch)
	rows, images := inSequence*group.Length, 0 // of a chunk; those of mirror images are of the policy alone
	if s.Symmetry.Weight > 0 {
		images = rows
	}
	chunk := 2 * (rows*(policy.RowValues()+value.RowValues()) + images*policy.RowValues())
	chunk += policy.EncoderValues(rows+images, true) + value.EncoderValues(rows, true)
	chunk += rows * 2 * (1 + 2*max(s.acts(shape), shape.Choices)) // scores
	if h := s.Recurrent; h > 0 {                                  // see GRUWork
		networks := 2
		chunk += rows * (policy.Cell.Inputs + value.Cell.Inputs)
		if images > 0 { // the policy's is there once more
			networks++
			chunk += rows * policy.Cell.Inputs
		}
		chunk += networks * h * (11*rows + 4*inSequence)
	}
	n := collectorNeed(shape, s).Go
	n += int64(params) * int64(5+group.Chunks(minibatch)) * single // Adam's means, kept twice as they are, and gradients
	n += int64(s.RolloutSteps) * int64(shape.Worlds) * 3 * single
	n += int64(shape.Workers) * int64(chunk) * single
	n += int64(shape.Worlds) * 2 * int64(s.Recurrent) * single // states
	return memory.Need{Go: n}
}

// collectorNeed is about what a collector takes.
func collectorNeed(shape Shape, s Settings) memory.Need {
	policy, value := policyNet(shape, &s), valueNet(shape, &s)
	samples, worlds, h := int64(s.RolloutSteps)*int64(shape.Worlds), int64(shape.Worlds), int64(s.Recurrent)
	n := int64(policySize(shape, &s)+value.Parameters()) * single
	n += samples * (int64(shape.Observation+s.acts(shape)+3)*single + double + 1)
	row := int64(policy.RowValues()+value.RowValues()+2*(policy.Inputs()+value.Inputs())) + 3*8*h
	n += int64(shape.Workers) * PanelHeight * row * single
	n += int64(shape.Workers) * int64(policy.EncoderValues(1, false)+value.EncoderValues(1, false)) * single
	networks := int64(2) // with states
	if s.Symmetry.Weight > 0 {
		networks++
	}
	n += (int64(s.sequences(shape.Worlds)) + worlds) * networks * h * single
	n += worlds * int64(2*shape.moments()+8) * double
	return memory.Need{Go: n}
}
