package recorder

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/polyrhythm-rl/polyrhythm/sim"
)

var _ sim.Companion = (*Capture)(nil)

// positionWords is the number of 64-bit words that AppendState begins with.
const positionWords = 11

// AppendState implements [sim.Companion]: what a world has done since its last
// row, and the row that waits. The rows that have been written are no part of it.
func (c *Capture) AppendState(dst []byte, world int) []byte {
	var h held
	if c.early {
		h = c.held[world]
	}
	waits := uint64(0)
	if h.waits {
		waits = 1
	} else {
		h = held{} // what is left of an older row
	}
	t := c.tally[world]
	for _, w := range [positionWords]uint64{
		math.Float64bits(t.reward), uint64(t.steps), uint64(t.rows),
		waits, uint64(h.key.N), uint64(h.key.OffsetNS), uint64(h.ns),
		math.Float64bits(h.since.reward), uint64(h.since.steps), uint64(h.since.rows),
		uint64(len(h.bytes)),
	} {
		dst = binary.LittleEndian.AppendUint64(dst, w)
	}
	return append(dst, h.bytes...)
}

// SetState implements [sim.Companion]. The capture must be bound, and record the
// same columns in the same phase.
func (c *Capture) SetState(world int, state []byte) error {
	if len(state) < 8*positionWords {
		return fmt.Errorf("recorder: state of %d bytes, want at least %d", len(state), 8*positionWords)
	}
	var w [positionWords]uint64
	for i := range w {
		w[i] = binary.LittleEndian.Uint64(state[8*i:])
	}
	row, waits := state[8*positionWords:], w[3] != 0
	want := 0
	switch {
	case waits && !c.early:
		return fmt.Errorf("recorder: a row waits for its episode's end, but this recorder fires after Acquisition, where none does")
	case waits:
		want = c.slots[0].writer.tables[captureTable].layout.stride
	}
	if uint64(len(row)) != w[10] || len(row) != want {
		return fmt.Errorf("recorder: a waiting row of %d bytes, stated as %d, want %d", len(row), w[10], want)
	}

	c.tally[world] = tally{math.Float64frombits(w[0]), int64(w[1]), int64(w[2])}
	if c.early {
		h := &c.held[world]
		h.waits = waits
		h.key = Key{N: int64(w[4]), OffsetNS: int64(w[5]), World: int32(world)}
		h.ns = int64(w[6])
		h.since = tally{math.Float64frombits(w[7]), int64(w[8]), int64(w[9])}
		if waits {
			h.bytes = append(h.bytes[:0], row...)
		}
	}
	return nil
}
