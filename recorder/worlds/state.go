package worlds

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

var _ sim.StateSaver = (*Recorder)(nil)

// AppendState implements [sim.StateSaver]: for each table what a world has done since its last row, the row that waits
// for the episode's end, and the rows that wait for its return. It does not include rows that have been written.
func (c *Recorder) AppendState(dst []byte, world int) []byte {
	for _, t := range c.rates {
		dst = t.progress[world-c.first].appendTo(dst)
	}
	return dst
}

// SetState implements [sim.StateSaver]. The recorder must be bound, and record the same columns of the same tables.
func (c *Recorder) SetState(world int, state []byte) error {
	next := make([]progress, len(c.rates))
	for i, t := range c.rates {
		rest, err := next[i].read(state, int32(world), int64(t.layout.Stride))
		if n := len(next[i].keys); err == nil && c.returns == nil && (n > 1 || n == 1 && !next[i].hasHeldRow) {
			err = fmt.Errorf("%d rows wait for their episode's return, but all episodes are recorded, whatever it is",
				n)
		}
		if err != nil {
			return fmt.Errorf("table %q: %w", c.tables[t.index].Name, err)
		}
		state = rest
	}
	if len(state) > 0 {
		return fmt.Errorf("%d bytes of state after that of the last table", len(state))
	}
	for i, t := range c.rates {
		t.progress[world-c.first] = next[i]
	}
	return nil
}

// worldState is the state of a world in a table, without the rows that wait.
type worldState struct {
	Tally     tally
	HeldRow   int64 // 1 if the newest row is held
	NS        int64
	HeldTally tally
	Rows      int64
	Bytes     int64 // bytes of all rows
}

// stateKey is a key without its world.
type stateKey struct{ N, OffsetNS int64 }

// appendTo writes a worldState, the keys of the rows that wait and their bytes.
func (p *progress) appendTo(dst []byte) []byte {
	s := worldState{Tally: p.tally, Rows: int64(len(p.keys)), Bytes: int64(len(p.rows))}
	if p.hasHeldRow {
		s.HeldRow, s.NS, s.HeldTally = 1, p.ns, p.heldTally
	}
	dst, err := binary.Append(dst, binary.LittleEndian, &s)
	if err != nil {
		panic(err) // its size is fixed
	}
	for _, key := range p.keys {
		dst = binary.LittleEndian.AppendUint64(dst, uint64(key.N))
		dst = binary.LittleEndian.AppendUint64(dst, uint64(key.OffsetNS))
	}
	return append(dst, p.rows...)
}

// read reads what appendTo writes, for a world and a table whose rows have stride bytes, and returns the rest.
func (p *progress) read(state []byte, world int32, stride int64) (rest []byte, err error) {
	var s worldState
	n, err := binary.Decode(state, binary.LittleEndian, &s)
	if err != nil {
		return nil, fmt.Errorf("state ends early, after %d bytes", len(state))
	}
	state = state[n:]
	if s.Rows < 0 || s.Rows > int64(len(state)) || s.Bytes != s.Rows*stride || s.HeldRow < 0 ||
		s.HeldRow > min(1, s.Rows) {
		return nil, fmt.Errorf("%d waiting rows of %d bytes together, want %d bytes each; %d are held, want 0 or 1 "+
			"of them", s.Rows, s.Bytes, stride, s.HeldRow)
	}
	keys := make([]stateKey, s.Rows)
	if missing := int64(binary.Size(keys)) + s.Bytes - int64(len(state)); missing > 0 {
		return nil, fmt.Errorf("state ends %d bytes early", missing)
	}
	if n, err = binary.Decode(state, binary.LittleEndian, keys); err != nil {
		return nil, err
	}
	*p = progress{tally: s.Tally, hasHeldRow: s.HeldRow == 1, ns: s.NS, heldTally: s.HeldTally,
		rows: slices.Clone(state[n:][:s.Bytes])}
	for _, k := range keys {
		p.keys = append(p.keys, recorder.Key{N: k.N, OffsetNS: k.OffsetNS, World: world})
	}
	return state[int64(n)+s.Bytes:], nil
}
