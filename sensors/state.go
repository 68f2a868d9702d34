package sensors

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/polyrhythm-rl/polyrhythm/internal/digest"
	"github.com/polyrhythm-rl/polyrhythm/internal/random"
)

// StateBytes returns the number of bytes that AppendState appends.
func (b *Bank) StateBytes() int {
	s := b.suite
	return 8 * (rootWords + b.kept() + len(s.channels) + takenWords*s.ring + s.notes + s.memory + b.rows.Slots*b.kept())
}

// The sizes of a random.Root and of one measurement, in 64-bit words.
const (
	rootWords  = 3
	takenWords = 3
)

// AppendState appends to dst everything that determines what readers of world id will
// see of the measurements so far, including its physics samples but not the observed
// ones, and returns the extended slice. The random draws need no state.
func (b *Bank) AppendState(dst []byte, id int) []byte {
	le := binary.LittleEndian
	for _, word := range b.rootWords(id) {
		dst = le.AppendUint64(dst, word)
	}
	dst = appendFloats(dst, b.initialSample(id)[:b.kept()])
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
	for k := range int64(b.rows.Slots) {
		dst = appendFloats(dst, b.rows.Sample(id, k)[:b.kept()])
	}
	return dst
}

// kept returns the number of values of a sample that determine what channels and probes
// show: all but the observed ones, which come last.
func (b *Bank) kept() int { return b.rows.SampleSize - b.suite.observed.Len }

// SetState restores world id from the state that AppendState appended for a world of a
// bank with the same suite and physics. If state is not valid, it returns an error and
// changes nothing.
func (b *Bank) SetState(id int, state []byte) error {
	if len(state) != b.StateBytes() {
		return fmt.Errorf("sensors: the state is %d bytes long, want %d", len(state), b.StateBytes())
	}
	word := func(i int) uint64 { return binary.LittleEndian.Uint64(state[8*i:]) }
	at := rootWords + b.kept()
	counts, ring := at, at+len(b.suite.channels)
	notes := ring + takenWords*b.suite.ring
	memory := notes + b.suite.notes
	for i := counts; i < ring; i++ {
		if n := int64(word(i)); n < 0 {
			return fmt.Errorf("sensors: the number of samples of channel %d is %d, want at least 0", i-counts, n)
		}
	}
	for i := range b.suite.ring {
		if k := int64(word(ring + takenWords*i + 1)); k < 0 {
			return fmt.Errorf("sensors: the substep boundary of a sample is %d, want at least 0", k)
		}
	}
	for i := range b.suite.channels {
		c := &b.suite.channels[i]
		if !c.remembers() {
			continue
		}
		count := int64(word(counts + i))
		if n := int64(word(notes + c.notes.Offset + noteMeasured)); n < max(0, count-int64(c.ring.Len)) || n > count {
			return fmt.Errorf("sensors: the number of measured samples of channel %q is %d, want %d to %d",
				c.Name, n, max(0, count-int64(c.ring.Len)), count)
		}
	}

	b.setRoot(id, random.Root{Seed: word(0), World: word(1), Episode: word(2)})
	setFloats(b.initialSample(id)[:b.kept()], state[8*rootWords:])
	for i := range b.counts(id) {
		b.counts(id)[i] = int64(word(counts + i))
	}
	for i := range b.ring(id) {
		at := ring + takenWords*i
		b.ring(id)[i] = measurement{ns: int64(word(at)), boundary: int64(word(at + 1)), arrivalNS: int64(word(at + 2))}
	}
	for i := range b.notesOf(id) {
		b.notesOf(id)[i] = int64(word(notes + i))
	}
	setFloats(b.memoryValues(id), state[8*memory:])
	samples := state[8*(memory+b.suite.memory):]
	for k := range b.rows.Slots {
		setFloats(b.rows.Sample(id, int64(k))[:b.kept()], samples[8*k*b.kept():])
	}
	return nil
}

// Hash adds to h everything that determines what readers of world id will see of the
// measurements so far. It leaves out the samples of a failed engine call.
func (b *Bank) Hash(h *digest.Hash, id int) {
	for _, word := range b.rootWords(id) {
		h.Word(word)
	}
	h.Floats(b.initialSample(id)[:b.kept()])
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
	for k := max(0, newest-slots+1); k < newest; {
		if size != int64(b.kept()) {
			h.Floats(b.rows.Sample(id, k)[:b.kept()])
			k++
			continue
		}
		// as many as are contiguous in the ring
		slot := k % slots
		n := min(newest-k, slots-slot)
		at := (int64(id)*slots + slot) * size
		h.Floats(b.rows.Samples[at : at+n*size])
		k += n
	}
	// The forces at the newest boundary follow from an action that is yet to be chosen.
	for _, p := range b.suite.motion {
		h.Floats(p.In(b.rows.Sample(id, newest)))
	}
}

func (b *Bank) rootWords(id int) [rootWords]uint64 {
	root := &b.root[id]
	return [...]uint64{root.Seed, root.World, root.Episode}
}

// The methods below return the parts of the bank that belong to world id; ringOf, the
// part of its ring that belongs to one channel.

func (b *Bank) counts(id int) []int64 {
	n := len(b.suite.channels)
	return b.count[id*n : (id+1)*n]
}

func (b *Bank) ring(id int) []measurement {
	n := b.suite.ring
	return b.taken[id*n : (id+1)*n]
}

func (b *Bank) ringOf(c *compiled, id int) []measurement {
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

func appendFloats(dst []byte, v []float64) []byte {
	for _, x := range v {
		dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(x))
	}
	return dst
}

// setFloats fills dst from the first 8·len(dst) bytes of src.
func setFloats(dst []float64, src []byte) {
	for i := range dst {
		dst[i] = math.Float64frombits(binary.LittleEndian.Uint64(src[8*i:]))
	}
}
