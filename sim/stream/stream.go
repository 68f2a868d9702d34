// Package stream derives independent random streams from a key, so that a draw
// depends on what it is for and never on who drew before: the same world,
// episode and purpose give the same numbers for any number of workers and from
// any restored snapshot. It is a leaf: standard library only.
package stream

import "math/rand/v2"

// Purpose separates the streams of one world and episode. The values are part
// of what a seed means: renumbering them changes every run.
type Purpose uint64

const (
	Reset  Purpose = iota + 1 // initial states and commands of an episode
	Task                      // draws a task makes while an episode runs
	Policy                    // actions of a random policy
	Sensor                    // noise; further keyed by channel and sample
)

// Root is what all streams of one episode of one world are keyed by first.
type Root struct {
	Seed    uint64
	World   uint64
	Episode uint64
}

// A Stream is a restartable source of random numbers. The zero value must be
// given a key before use. It is not safe for concurrent use and must not be
// copied, since rand.Rand points into it.
type Stream struct {
	pcg  rand.PCG
	rand *rand.Rand // reads pcg; made at the first Key
}

// Key restarts the stream at the start of the sequence that belongs to the
// given words: a seed, and then whatever tells the streams of that seed apart.
// The returned generator is the stream's own, valid until the next Key.
func (s *Stream) Key(words ...uint64) *rand.Rand {
	if s.rand == nil {
		s.rand = rand.New(&s.pcg)
	}
	hi, lo := Mix(words...)
	s.pcg.Seed(hi, lo)
	return s.rand
}

// Mix hashes a key into the two words that seed a generator. Each word passes
// through the finaliser of SplitMix64 (Steele, Lea and Flood, "Fast splittable
// pseudorandom number generators", OOPSLA 2014), chained so that the order of
// the words matters.
func Mix(words ...uint64) (hi, lo uint64) {
	hi, lo = 0x243f6a8885a308d3, 0x13198a2e03707344 // digits of pi: nothing up the sleeve
	for _, w := range words {
		hi = splitmix(hi ^ w)
		lo = splitmix(lo + hi)
	}
	return hi, lo
}

func splitmix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
