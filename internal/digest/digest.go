// Package digest hashes the state of a world, quickly and in the same way
// everywhere: the hash is XXH64 of the values as little-endian 64-bit words. It
// is a leaf: standard library only.
package digest

import (
	"math"
	"math/bits"
)

// The primes of XXH64 (Yann Collet, the xxHash specification, version 0.1.1).
const (
	prime1 = 0x9e3779b185ebca87
	prime2 = 0xc2b2ae3d27d4eb4f
	prime3 = 0x165667b19e3779f9
	prime4 = 0x85ebca77c2b2ae63
	prime5 = 0x27d4eb2f165667c5
)

// Hash is a running hash of 64-bit words; Start makes one. It allocates nothing.
// One goroutine at a time may use it.
type Hash struct {
	lane  [4]uint64
	tail  [4]uint64 // words that do not fill the lanes yet
	words uint64    // so far
}

// Start begins a hash with seed 0, forgetting what was there.
func (h *Hash) Start() {
	one := uint64(prime1)
	h.lane = [4]uint64{one + prime2, prime2, 0, -one}
	h.words = 0
}

// Word adds one word.
func (h *Hash) Word(w uint64) {
	at := h.words & 3
	h.tail[at] = w
	h.words++
	if at == 3 {
		h.fold()
	}
}

// fold takes a full tail into the lanes.
func (h *Hash) fold() {
	h.lane[0] = round(h.lane[0], h.tail[0])
	h.lane[1] = round(h.lane[1], h.tail[1])
	h.lane[2] = round(h.lane[2], h.tail[2])
	h.lane[3] = round(h.lane[3], h.tail[3])
}

// Int adds an integer as one word.
func (h *Hash) Int(v int64) { h.Word(uint64(v)) }

// Bool adds 1 or 0 as one word.
func (h *Hash) Bool(v bool) {
	var w uint64
	if v {
		w = 1
	}
	h.Word(w)
}

// Float adds the bits of one value as one word: 0 and −0 differ, and so do two
// NaNs of other bits.
func (h *Hash) Float(v float64) { h.Word(math.Float64bits(v)) }

// Floats adds the bits of each value as one word.
func (h *Hash) Floats(v []float64) {
	for h.words&3 != 0 && len(v) > 0 {
		h.Float(v[0])
		v = v[1:]
	}
	a, b, c, d := h.lane[0], h.lane[1], h.lane[2], h.lane[3]
	for ; len(v) >= 4; v = v[4:] {
		a = round(a, math.Float64bits(v[0]))
		b = round(b, math.Float64bits(v[1]))
		c = round(c, math.Float64bits(v[2]))
		d = round(d, math.Float64bits(v[3]))
		h.words += 4
	}
	h.lane = [4]uint64{a, b, c, d}
	for _, x := range v {
		h.Float(x)
	}
}

// Floats32 adds the bits of each value as one word.
func (h *Hash) Floats32(v []float32) {
	for _, x := range v {
		h.Word(uint64(math.Float32bits(x)))
	}
}

// Sum returns the hash of what was added since Start. More may be added after.
func (h *Hash) Sum() uint64 {
	sum := uint64(prime5)
	if h.words >= 4 {
		a, b, c, d := h.lane[0], h.lane[1], h.lane[2], h.lane[3]
		sum = bits.RotateLeft64(a, 1) + bits.RotateLeft64(b, 7) + bits.RotateLeft64(c, 12) + bits.RotateLeft64(d, 18)
		sum = (sum^round(0, a))*prime1 + prime4
		sum = (sum^round(0, b))*prime1 + prime4
		sum = (sum^round(0, c))*prime1 + prime4
		sum = (sum^round(0, d))*prime1 + prime4
	}
	sum += h.words * 8 // XXH64 counts bytes
	for _, w := range h.tail[:h.words&3] {
		sum = bits.RotateLeft64(sum^round(0, w), 27)*prime1 + prime4
	}
	sum = (sum ^ sum>>33) * prime2
	sum = (sum ^ sum>>29) * prime3
	return sum ^ sum>>32
}

func round(lane, w uint64) uint64 {
	return bits.RotateLeft64(lane+w*prime2, 31) * prime1
}
