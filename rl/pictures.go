package rl

import (
	"fmt"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/policy"
	"github.com/polyrhythm-rl/polyrhythm/rl/nn"
)

// Picture is a part of an observation that is a picture.
type Picture = policy.Picture

// Convolution is a layer that reads pictures, see [Settings].
type Convolution = policy.Convolution

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
		for _, span := range []ColumnRange{s.Policy.Within(s.Observation), s.Critic.Within(s.Observation)} {
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
			if !nn.Usable(f) {
				return fmt.Errorf("a byte factor of %g, want a number of at most %g in size", f, nn.MaxValue)
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
	if s.Algorithm.definition().plainPictures {
		return fmt.Errorf("convolutions: %d given, want none with algorithm %s", len(s.Convolutions), s.Algorithm)
	}
	policyColumns, criticColumns := shape.Policy.Within(shape.Observation), shape.Critic.Within(shape.Observation)
	seen, valued := shape.picturesOf(policyColumns), shape.picturesOf(criticColumns)
	read := slices.Concat(seen, valued)
	if len(read) == 0 {
		return fmt.Errorf("convolutions: %d given, want none: nothing that is observed is a picture",
			len(s.Convolutions))
	}
	if s.Algorithm.definition().sharesEncoder {
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

// seenIn returns the shape with its pictures where convolutions read them; else they are values as others.
func (s *Settings) seenIn(shape Shape) Shape {
	if len(s.Convolutions) == 0 {
		shape.Pictures, shape.ByteFactors = nil, nil
	}
	return shape
}

// stepped are the convolutions with their strides.
func (s *Settings) stepped() []Convolution {
	list := slices.Clone(s.Convolutions)
	for i := range list {
		list[i].Stride = list[i].Step()
	}
	return list
}

// moments is the number of values of the moments of observations.
func (s Shape) moments() int { return nn.MomentsSize(s.Observation, s.Pictures) }
