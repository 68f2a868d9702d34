package rl

import "math/rand/v2"

// purpose keeps the random numbers of different uses apart.
type purpose uint64

const (
	drawWeights purpose = 1 + iota // keyed by network and layer
	drawAction                     // keyed by world and control step
	drawShuffle                    // keyed by iteration and epoch
)

// stream draws random numbers for one use at a time: key starts it at a place
// that depends on the key alone, so no draw depends on what was drawn before or
// on which goroutine drew it. Not safe for concurrent use.
type stream struct {
	*rand.Rand
	pcg *rand.PCG
}

func newStream() stream {
	pcg := new(rand.PCG)
	return stream{rand.New(pcg), pcg}
}

func (s stream) key(seed uint64, p purpose, a, b int64) {
	k := mix(seed)
	k = mix(k ^ uint64(p))
	k = mix(k ^ uint64(a))
	k = mix(k ^ uint64(b))
	s.pcg.Seed(k, mix(k))
}

// mix is one step of SplitMix64 (Steele, Lea and Flood, "Fast Splittable
// Pseudorandom Number Generators", 2014).
func mix(z uint64) uint64 {
	z += 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
