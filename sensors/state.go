package sensors

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/polyrhythm-rl/polyrhythm/sim/digest"
	"github.com/polyrhythm-rl/polyrhythm/sim/stream"
)

// StateBytes is the number of bytes that AppendState appends.
func (b *Bank) StateBytes() int {
	return 8 * (rootWords + b.rows.SampleSize + len(b.suite.channels) + 2*b.suite.ring + b.rows.Slots*b.rows.SampleSize)
}

// rootWords is the size of a stream.Root.
const rootWords = 3

// AppendState appends everything that readers of world id can ever be shown of
// what has been measured so far, its physics samples included. Noise needs no
// state: it is a function of what a sample is.
func (b *Bank) AppendState(dst []byte, id int) []byte {
	le := binary.LittleEndian
	for _, word := range b.rootWords(id) {
		dst = le.AppendUint64(dst, word)
	}
	dst = appendFloats(dst, b.initialSample(id))
	for _, n := range b.counts(id) {
		dst = le.AppendUint64(dst, uint64(n))
	}
	for _, t := range b.ring(id) {
		dst = le.AppendUint64(dst, uint64(t.ns))
		dst = le.AppendUint64(dst, uint64(t.boundary))
	}
	return appendFloats(dst, b.samples(id))
}

// SetState gives world id what AppendState appended for a world of a bank of the
// same suite and physics. It fails, and changes nothing, if state is something else.
func (b *Bank) SetState(id int, state []byte) error {
	if len(state) != b.StateBytes() {
		return fmt.Errorf("sensors: state of %d bytes, want %d", len(state), b.StateBytes())
	}
	word := func(i int) uint64 { return binary.LittleEndian.Uint64(state[8*i:]) }
	at := rootWords + b.rows.SampleSize
	counts, ring := at, at+len(b.suite.channels)
	for i := counts; i < ring; i++ {
		if n := int64(word(i)); n < 0 {
			return fmt.Errorf("sensors: %d samples of channel %d, want at least 0", n, i-counts)
		}
	}
	for i := range b.suite.ring {
		if k := int64(word(ring + 2*i + 1)); k < 0 {
			return fmt.Errorf("sensors: a sample taken at substep boundary %d, want at least 0", k)
		}
	}

	b.root[id] = stream.Root{Seed: word(0), World: word(1), Episode: word(2)}
	setFloats(b.initialSample(id), state[8*rootWords:])
	for i := range b.counts(id) {
		b.counts(id)[i] = int64(word(counts + i))
	}
	for i := range b.ring(id) {
		b.ring(id)[i] = taken{ns: int64(word(ring + 2*i)), boundary: int64(word(ring + 2*i + 1))}
	}
	setFloats(b.samples(id), state[8*(ring+2*b.suite.ring):])
	return nil
}

// Hash adds what readers of world id can be shown of what has been measured so
// far. Samples that a broken down engine call left behind are no part of it.
func (b *Bank) Hash(h *digest.Hash, id int) {
	for _, word := range b.rootWords(id) {
		h.Word(word)
	}
	h.Floats(b.initialSample(id))
	for _, n := range b.counts(id) {
		h.Int(n)
	}
	for _, t := range b.ring(id) {
		h.Int(t.ns)
		h.Int(t.boundary)
	}
	newest, slots, size := b.rows.Boundary[id], int64(b.rows.Slots), int64(b.rows.SampleSize)
	samples := b.samples(id)
	for k := max(0, newest-slots+1); k < newest; {
		// as many as lie in a row of the ring
		slot := k % slots
		n := min(newest-k, slots-slot)
		h.Floats(samples[slot*size : (slot+n)*size])
		k += n
	}
	// The forces at the newest boundary follow from an action to come.
	for _, p := range b.suite.motion {
		h.Floats(p.In(b.rows.Sample(id, newest)))
	}
}

func (b *Bank) rootWords(id int) [rootWords]uint64 {
	root := &b.root[id]
	return [...]uint64{root.Seed, root.World, root.Episode}
}

// counts, ring and samples are the parts of the bank that belong to world id.
func (b *Bank) counts(id int) []int64 {
	n := len(b.suite.channels)
	return b.count[id*n : (id+1)*n]
}

func (b *Bank) ring(id int) []taken {
	n := b.suite.ring
	return b.taken[id*n : (id+1)*n]
}

func (b *Bank) samples(id int) []float64 {
	n := b.rows.Slots * b.rows.SampleSize
	return b.rows.Samples[id*n : (id+1)*n]
}

func appendFloats(dst []byte, v []float64) []byte {
	for _, x := range v {
		dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(x))
	}
	return dst
}

// setFloats fills dst from the beginning of src.
func setFloats(dst []float64, src []byte) {
	for i := range dst {
		dst[i] = math.Float64frombits(binary.LittleEndian.Uint64(src[8*i:]))
	}
}
