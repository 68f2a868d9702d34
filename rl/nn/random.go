package nn

import (
	"math/rand/v2"

	"github.com/polyrhythm-rl/polyrhythm/internal/random"
)

// DrawPurpose keeps the random numbers of different uses apart.
type DrawPurpose uint64

const (
	drawWeights      DrawPurpose = 1 + iota // keyed by network and layer
	DrawAction                              // keyed by world and control step
	DrawShuffle                             // keyed by iteration and epoch
	drawConvolutions                        // keyed by network, stack and layer

	// Of SAC, keyed by the critics' gradient step, the last two also by chunk.
	DrawTransitions
	DrawNext // actions after the transitions, and what critics drop
	DrawNow  // likewise on them

	DrawRecorded // keyed by epoch
	DrawShift    // of SAC's pictures, keyed by the critics' gradient step
)

// Stream draws random numbers for one use at a time: Key starts it at a place that depends on the key alone, so no
// draw depends on what was drawn before or on which goroutine drew it. Not safe for concurrent use.
type Stream struct {
	*rand.Rand
	source *random.Stream
}

// NewStream returns a stream that Key is to start.
func NewStream() Stream {
	source := new(random.Stream)
	return Stream{source.Seed(0, 0), source}
}

// Key starts the stream at the place of a key.
func (s Stream) Key(seed uint64, p DrawPurpose, a, b int64) {
	k := random.Hash(seed, uint64(p), uint64(a), uint64(b))
	s.source.Seed(k, random.Hash(k))
}
