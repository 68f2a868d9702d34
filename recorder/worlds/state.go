package worlds

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

var _ sim.Companion = (*Recorder)(nil)

// AppendState implements [sim.Companion]: for each table what a world has done
// since its last row, the row that waits for the episode's end, and the rows that
// wait for its return. It does not include rows that have been written.
func (c *Recorder) AppendState(dst []byte, world int) []byte {
	for _, t := range c.rates {
		dst = t.progress[world-c.first].appendTo(dst)
	}
	return dst
}

// SetState implements [sim.Companion]. The recorder must be bound, and record the
// same columns of the same tables.
func (c *Recorder) SetState(world int, state []byte) error {
	next := make([]progress, len(c.rates))
	for i, t := range c.rates {
		r := stateReader{rest: state}
		r.read(&next[i], int32(world), t.layout.Stride)
		name := c.tables[t.index].Name
		switch p := &next[i]; {
		case r.err != nil:
			return fmt.Errorf("table %q: %w", name, r.err)
		case len(p.kept.keys) > 0 && c.returns == nil:
			return fmt.Errorf("table %q: %d rows wait for their episode's return, but all episodes are recorded, whatever it is", name, len(p.kept.keys))
		}
		state = r.rest
	}
	if len(state) > 0 {
		return fmt.Errorf("%d bytes of state after that of the last table", len(state))
	}
	for i, t := range c.rates {
		t.progress[world-c.first] = next[i]
	}
	return nil
}

// appendTo writes, as 64-bit words, the tally, the waiting row if there is one, and
// the number of rows kept; then the bytes of the waiting row, the keys of the kept
// ones without their world, and their bytes.
func (p *progress) appendTo(dst []byte) []byte {
	var h held
	if p.held.waits {
		h = p.held // else it holds an older row
	}
	dst = appendWords(dst,
		math.Float64bits(p.tally.reward), uint64(p.tally.steps), uint64(p.tally.rows),
		uint64(len(h.bytes)), uint64(h.key.N), uint64(h.key.OffsetNS), uint64(h.ns),
		math.Float64bits(h.since.reward), uint64(h.since.steps), uint64(h.since.rows),
		uint64(len(p.kept.keys)), uint64(len(p.kept.data)))
	dst = append(dst, h.bytes...)
	for _, key := range p.kept.keys {
		dst = appendWords(dst, uint64(key.N), uint64(key.OffsetNS))
	}
	return append(dst, p.kept.data...)
}

func appendWords(dst []byte, words ...uint64) []byte {
	for _, w := range words {
		dst = binary.LittleEndian.AppendUint64(dst, w)
	}
	return dst
}

// stateReader reads what appendTo writes. After its first error it reads zeros.
type stateReader struct {
	rest []byte
	err  error
}

// read reads the progress of a world in a table whose rows have stride bytes.
func (r *stateReader) read(p *progress, world int32, stride int) {
	p.tally = r.tally()
	waiting := r.word()
	h := &p.held
	h.key = recorder.Key{N: int64(r.word()), OffsetNS: int64(r.word()), World: world}
	h.ns = int64(r.word())
	h.since = r.tally()
	rows, bytes := r.word(), r.word()
	if waiting != 0 {
		if r.err == nil && waiting != uint64(stride) {
			r.err = fmt.Errorf("a waiting row of %d bytes, want %d", waiting, stride)
		}
		h.waits, h.bytes = true, append([]byte(nil), r.bytes(uint64(stride))...)
	}
	if r.err == nil && (rows > uint64(len(r.rest)) || bytes != rows*uint64(stride)) {
		r.err = fmt.Errorf("%d waiting rows of %d bytes together, want %d bytes each", rows, bytes, stride)
	}
	if r.err != nil {
		return
	}
	for range rows {
		p.kept.keys = append(p.kept.keys, recorder.Key{N: int64(r.word()), OffsetNS: int64(r.word()), World: world})
	}
	p.kept.data = append(p.kept.data, r.bytes(bytes)...)
}

func (r *stateReader) tally() tally {
	return tally{math.Float64frombits(r.word()), int64(r.word()), int64(r.word())}
}

func (r *stateReader) word() uint64 {
	if w := r.bytes(8); w != nil {
		return binary.LittleEndian.Uint64(w)
	}
	return 0
}

// bytes returns the next n bytes, or nil if there are not so many.
func (r *stateReader) bytes(n uint64) []byte {
	if r.err == nil && n > uint64(len(r.rest)) {
		r.err = fmt.Errorf("state ends %d bytes early", n-uint64(len(r.rest)))
	}
	if r.err != nil {
		return nil
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}
