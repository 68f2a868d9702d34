package rl

import (
	"math/rand/v2"

	"github.com/polyrhythm-rl/polyrhythm/internal/random"
)

// purpose keeps the random numbers of different uses apart.
type purpose uint64

const (
	drawWeights      purpose = 1 + iota // keyed by network and layer
	drawAction                          // keyed by world and control step
	drawShuffle                         // keyed by iteration and epoch
	drawConvolutions                    // keyed by network, stack and layer

	// Of SAC, keyed by the critics' gradient step, the last two also by chunk.
	drawTransitions
	drawNext // actions after the transitions, and what critics drop
	drawNow  // likewise on them

	drawRecorded // keyed by epoch
	drawShift    // of SAC's pictures, keyed by the critics' gradient step
)

// stream draws random numbers for one use at a time: key starts it at a place that depends on the key alone, so no
// draw depends on what was drawn before or on which goroutine drew it. Not safe for concurrent use.
type stream struct {
	*rand.Rand
	source *random.Stream
}

func newStream() stream {
	source := new(random.Stream)
	return stream{source.Seed(0, 0), source}
}

func (s stream) key(seed uint64, p purpose, a, b int64) {
	k := random.Hash(seed, uint64(p), uint64(a), uint64(b))
	s.source.Seed(k, random.Hash(k))
}
