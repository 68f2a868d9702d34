// Package random is the only source of random numbers in the module. Streams are derived from keys, so a draw depends
// on its purpose and never on earlier draws: the same world, episode and purpose give the same numbers with any
// number of workers and after any restored snapshot.
//
// The numbers of a key must never change: a change here changes the results of every seed.
package random

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
)

// Purpose separates the streams of one world and episode.
type Purpose uint64

const (
	Reset  Purpose = 1 // initial states and commands of an episode
	Task   Purpose = 2 // draws a task makes while an episode runs
	Sensor Purpose = 4 // noise; further keyed by channel and sample

	Stagger Purpose = 8  // time limits of first episodes; keyed by world alone
	Episode Purpose = 16 // seeds of independent episodes; keyed by their number alone
)

// Root is the first part of the keys of all streams of one episode of one world.
type Root struct {
	Seed    uint64
	World   uint64
	Episode uint64
}

// A Stream is a restartable source of random numbers. Call Key, KeyAfter or Seed before use. A stream is not safe for
// concurrent use and must not be copied, since its rand.Rand points into it.
type Stream struct {
	pcg     rand.PCG
	rand    *rand.Rand // reads pcg; allocated by the first Seed
	draws   draws
	normals *rand.Rand // reads draws; allocated when it is first used
}

// Key restarts the stream at the start of the sequence of a key: a seed, and then the
// words that distinguish the streams of that seed. The returned generator belongs to
// the stream and is valid until the next call of Key, KeyAfter or Seed.
func (s *Stream) Key(words ...uint64) *rand.Rand { return s.KeyAfter(empty, words...) }

// KeyAfter is [Stream.Key] for a key that begins with the words of the prefix.
func (s *Stream) KeyAfter(p Prefix, words ...uint64) *rand.Rand {
	p = p.add(words)
	return s.Seed(p.hi, p.lo)
}

// Seed restarts the stream at the start of the PCG sequence with two words as its seed.
// The returned generator is as that of [Stream.Key].
func (s *Stream) Seed(hi, lo uint64) *rand.Rand {
	if s.rand == nil {
		s.rand = rand.New(&s.pcg)
	}
	s.pcg.Seed(hi, lo)
	return s.rand
}

// AddNormals adds to each value of dst a number from the normal distribution with mean 0 and standard deviation std.
// The numbers belong to key: value i gets the number that NormFloat64 computes from draw i of SplitMix64 (see [Mix])
// seeded with the key. A draw of that generator does not depend on the previous one, so the processor overlaps them.
// AddNormals contains the common case of NormFloat64, in which one draw lies well inside its layer of the ziggurat
// (Marsaglia and Tsang, "The Ziggurat Method for Generating Random Variables", 2000), and calls NormFloat64
// otherwise.
func (s *Stream) AddNormals(dst []float64, std float64, key Prefix) {
	seed := key.lo
	for i := range dst {
		u := splitmix(seed)
		seed += gamma
		j, layer := int32(u), u>>32%layers
		x := float64(j) * width[layer]
		if uint32(max(j, -j)) >= inner[layer] { // also true for the least j, which equals its negative
			x = s.normal(Prefix{key.hi, u})
		}
		// Rounded before adding: a fused multiply-add would give other bits.
		dst[i] += float64(std * x)
	}
}

// normal returns the number that NormFloat64 computes from the draw key.lo and, if it needs more, those that follow.
func (s *Stream) normal(key Prefix) float64 {
	if s.normals == nil {
		s.normals = rand.New(&s.draws)
	}
	s.draws.key = key
	return s.normals.NormFloat64()
}

// draws is a source whose first number is lo of a key, and whose next ones are hashes of the key.
type draws struct{ key Prefix }

func (d *draws) Uint64() uint64 {
	u := d.key.lo
	d.key = d.key.And(0)
	return u
}

// layers is the number of layers of the ziggurat. Layer i is width[i]·2³¹ wide, and
// lies entirely under the curve up to width[i]·inside[i].
const layers = 128

var width, inner = ziggurat()

func ziggurat() (width [layers]float64, inner [layers]uint32) {
	const (
		tail  = 3.442619855899      // start of the tail of the lowest layer
		area  = 9.91256303526217e-3 // area of a layer
		scale = 1 << 31
	)
	density := func(x float64) float64 { return math.Exp(-0.5 * x * x) }
	single := func(x float64) float64 { return float64(float32(x)) } // as in NormFloat64
	base := area / density(tail)
	width[0], inner[0] = single(base/scale), uint32(tail/base*scale)
	width[layers-1] = single(tail / scale)
	edge := tail
	for i := layers - 2; i > 0; i-- {
		next := math.Sqrt(-2 * math.Log(area/edge+density(edge)))
		inner[i+1] = uint32(next / edge * scale)
		width[i] = single(next / scale)
		edge = next
	}
	return width, inner
}

// A Prefix is the hash of the first words of a key, to be computed once for many keys.
type Prefix struct{ hi, lo uint64 }

// empty is the prefix without words. Its bits are digits of pi.
var empty = Prefix{0x243f6a8885a308d3, 0x13198a2e03707344}

// NewPrefix returns the prefix of keys that begin with words.
func NewPrefix(words ...uint64) Prefix { return empty.add(words) }

func (p Prefix) add(words []uint64) Prefix {
	for _, w := range words {
		p = p.And(w)
	}
	return p
}

// And returns the prefix with one more word.
func (p Prefix) And(word uint64) Prefix {
	p.hi = splitmix(p.hi ^ word)
	p.lo = splitmix(p.lo + p.hi)
	return p
}

// Mix hashes a key into two words, the seed of a generator. Each word passes through the finaliser of SplitMix64
// (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014), chained so that the order
// of the words matters.
func Mix(words ...uint64) (hi, lo uint64) {
	p := NewPrefix(words...)
	return p.hi, p.lo
}

// Hash hashes words into one word.
func Hash(words ...uint64) uint64 {
	h := uint64(0)
	for _, w := range words {
		h = splitmix(h ^ w)
	}
	return h
}

// Actions returns the source of the actions of a random policy in one world, in the
// order of its control steps. Unlike a [Stream] it continues over all episodes.
func Actions(seed, world uint64) *rand.ChaCha8 {
	key := [32]byte{16: 'a', 'c', 't'}
	binary.LittleEndian.PutUint64(key[:], seed)
	binary.LittleEndian.PutUint64(key[8:], world)
	return rand.NewChaCha8(key)
}

// gamma is the increment of SplitMix64's state before each draw: 2⁶⁴ divided by the golden ratio.
const gamma = 0x9e3779b97f4a7c15

// splitmix returns the draw of SplitMix64 from state x.
func splitmix(x uint64) uint64 {
	x += gamma
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
