package sensors

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/polyrhythm-rl/polyrhythm/internal/digest"
	"github.com/polyrhythm-rl/polyrhythm/internal/random"
)

// StateBytes is the number of bytes that AppendState appends.
func (b *Bank) StateBytes() int {
	s := b.suite
	return 8 * (rootWords + b.rows.SampleSize + len(s.channels) + takenWords*s.ring + s.notes + s.memory + b.rows.Slots*b.rows.SampleSize)
}

// The sizes of a random.Root and of one measurement, in words.
const (
	rootWords  = 3
	takenWords = 3
)

// AppendState appends everything that readers of world id can ever be shown of
// what has been measured so far, its physics samples included. Draws need no
// state: they are functions of what a sample is.
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
		dst = le.AppendUint64(dst, uint64(t.arrivalNS))
	}
	for _, n := range b.notesOf(id) {
		dst = le.AppendUint64(dst, uint64(n))
	}
	dst = appendFloats(dst, b.memoryValues(id))
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
	notes := ring + takenWords*b.suite.ring
	memory := notes + b.suite.notes
	for i := counts; i < ring; i++ {
		if n := int64(word(i)); n < 0 {
			return fmt.Errorf("sensors: %d samples of channel %d, want at least 0", n, i-counts)
		}
	}
	for i := range b.suite.ring {
		if k := int64(word(ring + takenWords*i + 1)); k < 0 {
			return fmt.Errorf("sensors: a sample taken at substep boundary %d, want at least 0", k)
		}
	}
	for i := range b.suite.channels {
		c := &b.suite.channels[i]
		if !c.remembers() {
			continue
		}
		count := int64(word(counts + i))
		if n := int64(word(notes + c.notes.Offset + noteMeasured)); n < max(0, count-int64(c.ring.Len)) || n > count {
			return fmt.Errorf("sensors: %d of %d samples of channel %q measured, want at least the %d before the ring's",
				n, count, c.Name, max(0, count-int64(c.ring.Len)))
		}
	}

	b.setRoot(id, random.Root{Seed: word(0), World: word(1), Episode: word(2)})
	setFloats(b.initialSample(id), state[8*rootWords:])
	for i := range b.counts(id) {
		b.counts(id)[i] = int64(word(counts + i))
	}
	for i := range b.ring(id) {
		at := ring + takenWords*i
		b.ring(id)[i] = taken{ns: int64(word(at)), boundary: int64(word(at + 1)), arrivalNS: int64(word(at + 2))}
	}
	for i := range b.notesOf(id) {
		b.notesOf(id)[i] = int64(word(notes + i))
	}
	setFloats(b.memoryValues(id), state[8*memory:])
	setFloats(b.samples(id), state[8*(memory+b.suite.memory):])
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
		h.Int(t.arrivalNS)
	}
	for _, n := range b.notesOf(id) {
		h.Int(n)
	}
	h.Floats(b.memoryValues(id))
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

// What follows are the parts of the bank that belong to world id, and of its ring
// the part of one channel.

func (b *Bank) counts(id int) []int64 {
	n := len(b.suite.channels)
	return b.count[id*n : (id+1)*n]
}

func (b *Bank) ring(id int) []taken {
	n := b.suite.ring
	return b.taken[id*n : (id+1)*n]
}

func (b *Bank) ringOf(c *compiled, id int) []taken {
	return b.ring(id)[c.ring.Offset:][:c.ring.Len]
}

func (b *Bank) notesOf(id int) []int64 {
	n := b.suite.notes
	return b.notes[id*n : (id+1)*n]
}

func (b *Bank) memoryValues(id int) []float64 {
	n := b.suite.memory
	return b.memory[id*n : (id+1)*n]
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
