package rl

import (
	"bytes"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/rl/nn"
)

// seenConvolutions read the pictures of newSeenCart.
var seenConvolutions = []Convolution{convolution(6, 3, 1, 1), {Channels: 8, Kernel: 2, Stride: 2}}

func picture(first, height, width, channels int) Picture {
	return Picture{First: first, Height: height, Width: width, Channels: channels}
}

func convolution(channels, kernel, stride, padding int) Convolution {
	return Convolution{Channels: channels, Kernel: kernel, Stride: stride, Padding: padding}
}

// A policy that sees learns the same on any number of workers, in blocks of any size, in parts and from a
// checkpoint, and pictures are as other values without convolutions.
func TestDeterminismOfSeeing(t *testing.T) {
	for name, change := range map[string]func(*Shape, *Settings){
		"both":       func(*Shape, *Settings) {},
		"the policy": func(e *Shape, _ *Settings) { e.Critic = ColumnRange{First: 55, Size: 1} },
		"the critic": func(e *Shape, _ *Settings) { e.Policy = ColumnRange{First: 0, Size: 1} },
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
		polytest.NoError(t, policy.Act(alone, nn.RowOf(observation, e.shape.Observation, w), nil, w, scratch))
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
