// Package digest hashes the state of a world. The hash is XXH64 of the values as
// little-endian 64-bit words, so it is the same on every machine.
package digest

import (
	"encoding/binary"
	"math"
	"unsafe"

	"github.com/cespare/xxhash/v2"
)

// Hash is a running hash of 64-bit words. Call Start before use. It allocates nothing.
// One goroutine at a time may use it.
type Hash struct {
	sum   xxhash.Digest
	words [256]byte // the bytes of words that have not been added to sum
	n     int       // number of these bytes
}

// Start resets the hash, with seed 0.
func (h *Hash) Start() {
	h.sum.Reset()
	h.n = 0
}

// Word adds one word.
func (h *Hash) Word(w uint64) {
	if h.n == len(h.words) {
		h.flush()
	}
	binary.LittleEndian.PutUint64(h.words[h.n:], w)
	h.n += 8
}

// flush adds the buffered words to the sum.
func (h *Hash) flush() {
	h.sum.Write(h.words[:h.n])
	h.n = 0
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

// Float adds the bits of one value as one word. 0 and −0 have different hashes, as do NaNs with different bits.
func (h *Hash) Float(v float64) { h.Word(math.Float64bits(v)) }

// Floats adds the bits of each value as one word.
func (h *Hash) Floats(v []float64) {
	if !littleEndian {
		for _, x := range v {
			h.Float(x)
		}
		return
	}
	h.flush()
	h.sum.Write(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), 8*len(v))) // the bytes in memory
}

// littleEndian reports whether this machine is little-endian, as the hash is.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// Floats32 adds the bits of each value as one word.
func (h *Hash) Floats32(v []float32) {
	for _, x := range v {
		h.Word(uint64(math.Float32bits(x)))
	}
}

// Sum returns the hash of everything added since Start. More words may be added afterwards.
func (h *Hash) Sum() uint64 {
	h.flush()
	return h.sum.Sum64()
}
