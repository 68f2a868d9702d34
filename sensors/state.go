package sensors

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/polyrhythm-rl/polyrhythm/internal/random"
)

// StateBytes returns the number of bytes that AppendState appends.
func (b *Bank) StateBytes() int {
	s := b.suite
	return 8 * (rootWords + b.keptSize() + len(s.channels) + takenWords*s.ring + s.notes + s.memory +
		b.rows.Slots*b.keptSize())
}

// The sizes of a random.Root and of one measurement, in 64-bit words.
const (
	rootWords  = 3
	takenWords = 3
)

// AppendState appends to dst everything that determines what readers of world id will see of the measurements so
// far, including its physics samples but not the observed ones, and returns the extended slice.
func (b *Bank) AppendState(dst []byte, id int) []byte {
	words := appender{dst}
	b.visit(&words, id)
	for k := range int64(b.rows.Slots) {
		words.Floats(b.rows.Sample(id, k)[:b.keptSize()])
	}
	return words.dst
}

// appender is a Hash that keeps what it takes, in eight bytes each.
type appender struct{ dst []byte }

func (a *appender) Word(x uint64)      { a.dst = binary.LittleEndian.AppendUint64(a.dst, x) }
func (a *appender) Int(x int64)        { a.Word(uint64(x)) }
func (a *appender) Floats(v []float64) { a.dst = appendFloats(a.dst, v) }

// visit hands the state of world id but for its physics samples to h.
func (b *Bank) visit(h Hash, id int) {
	root := &b.root[id]
	h.Word(root.Seed)
	h.Word(root.World)
	h.Word(root.Episode)
	h.Floats(b.initialSample(id)[:b.keptSize()])
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
}

// keptSize returns the number of values of a sample that determine what channels and probes show: all but the observed
// ones, which come last.
func (b *Bank) keptSize() int { return b.rows.SampleSize - b.suite.observed.Len }

// SetState restores world id from the state that AppendState appended for a world of a bank with the same suite and
// physics. If state is not valid, it returns an error and changes nothing.
func (b *Bank) SetState(id int, state []byte) error {
	if len(state) != b.StateBytes() {
		return fmt.Errorf("sensors: the state is %d bytes long, want %d", len(state), b.StateBytes())
	}
	next := func(n int) []int64 {
		words := make([]int64, n)
		for i := range words {
			words[i], state = int64(binary.LittleEndian.Uint64(state)), state[8:]
		}
		return words
	}
	root, initial := next(rootWords), state
	state = state[8*b.keptSize():]
	counts, ring, notes := next(len(b.suite.channels)), next(takenWords*b.suite.ring), next(b.suite.notes)
	for i, n := range counts {
		if n < 0 {
			return fmt.Errorf("sensors: the number of samples of channel %d is %d, want at least 0", i, n)
		}
	}
	for i := 1; i < len(ring); i += takenWords {
		if ring[i] < 0 {
			return fmt.Errorf("sensors: the substep boundary of a sample is %d, want at least 0", ring[i])
		}
	}
	for i := range b.suite.channels {
		c, count := &b.suite.channels[i], counts[i]
		if !c.lasts {
			continue
		}
		if n, least := notes[c.notes.Offset+noteMeasured], max(0, count-int64(c.ring.Len)); n < least || n > count {
			return fmt.Errorf("sensors: the number of measured samples of channel %q is %d, want %d to %d",
				c.Name, n, least, count)
		}
	}

	b.setRoot(id, random.Root{Seed: uint64(root[0]), World: uint64(root[1]), Episode: uint64(root[2])})
	setFloats(b.initialSample(id)[:b.keptSize()], initial)
	copy(b.counts(id), counts)
	for i := range b.ring(id) {
		b.ring(id)[i] = measurement{ring[takenWords*i], ring[takenWords*i+1], ring[takenWords*i+2]}
	}
	copy(b.notesOf(id), notes)
	state = setFloats(b.memoryValues(id), state)
	for k := range int64(b.rows.Slots) {
		state = setFloats(b.rows.Sample(id, k)[:b.keptSize()], state)
	}
	return nil
}

// Hash takes numbers, one after the other.
type Hash interface {
	Word(uint64)
	Int(int64)
	Floats([]float64)
}

// Hash adds to h everything that determines what readers of world id will see of the measurements so far. It leaves
// out the samples of a failed engine call.
func (b *Bank) Hash(h Hash, id int) {
	b.visit(h, id)
	newest, slots, size := b.rows.Boundary[id], int64(b.rows.Slots), int64(b.rows.SampleSize)
	for k := max(0, newest-slots+1); k < newest; {
		if size != int64(b.keptSize()) {
			h.Floats(b.rows.Sample(id, k)[:b.keptSize()])
			k++
			continue
		}
		// as many as are contiguous in the ring
		slot := k % slots
		n := min(newest-k, slots-slot)
		start := (int64(id)*slots + slot) * size
		h.Floats(b.rows.Samples[start : start+n*size])
		k += n
	}
	// The forces at the newest boundary follow from an action that is yet to be chosen.
	for _, p := range b.suite.motion {
		h.Floats(p.In(b.rows.Sample(id, newest)))
	}
}

// The methods below return the parts of the bank that belong to world id; ringOf, the
// part of its ring that belongs to one channel.

func (b *Bank) counts(id int) []int64         { return rowOf(b.count, id, len(b.suite.channels)) }
func (b *Bank) ring(id int) []measurement     { return rowOf(b.measurements, id, b.suite.ring) }
func (b *Bank) notesOf(id int) []int64        { return rowOf(b.notes, id, b.suite.notes) }
func (b *Bank) memoryValues(id int) []float64 { return rowOf(b.memory, id, b.suite.memory) }

func (b *Bank) ringOf(c *compiled, id int) []measurement {
	start := id*b.suite.ring + c.ring.Offset
	return b.measurements[start : start+c.ring.Len]
}

// rowOf returns the values of world id, which has n of them.
func rowOf[T any](all []T, id, n int) []T { return all[id*n : (id+1)*n] }

func appendFloats(dst []byte, v []float64) []byte {
	for _, x := range v {
		dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(x))
	}
	return dst
}

// setFloats fills dst from the first bytes of src, and returns the rest.
func setFloats(dst []float64, src []byte) []byte {
	for i := range dst {
		dst[i] = math.Float64frombits(binary.LittleEndian.Uint64(src[8*i:]))
	}
	return src[8*len(dst):]
}
