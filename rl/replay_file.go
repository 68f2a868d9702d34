package rl

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/polyrhythm-rl/polyrhythm/internal/container"
)

// A replay is written as containers, one after the other. Each has the rows that were added since the one before: the
// section head has the numbers of worlds, of observed and of action values (uint32 each), from and to the rows of each
// world that it has (int64), values the rows (float32), world by world, and kinds a byte for each row. With pictures the
// head has the number of bytes of a row (uint32), too, bytes has these, row by row, and values has what is no byte.
var replayKind = container.Format{Name: "replay", Version: 1, Sections: []string{"head", "from", "to", "values",
	"kinds", "bytes"}}

func (r *Replay) head() []byte {
	head := []uint32{uint32(r.worlds), uint32(r.observation), uint32(r.action)}
	if r.layout.bytes > 0 {
		head = append(head, uint32(r.layout.bytes))
	}
	return appendFixed(nil, head)
}

// maxRecord is about the largest size of a container with pictures, bytes.
const maxRecord = 64 << 20

// WriteNew writes, for [Replay.Read], the rows that were added since the call before and are still kept. It writes
// nothing where there are none. A first uint64 is the number of bytes that follow.
func (r *Replay) WriteNew(w io.Writer) error {
	most := int64(math.MaxInt64) // rows of a container
	if r.layout.bytes > 0 {
		most = max(1, int64(maxRecord/(r.layout.bytes+4*r.size())))
	}
	for {
		if n, err := r.writeNew(w, most); n == 0 || err != nil {
			return err
		}
	}
}

// writeNew writes the next rows that are new, up to so many, and returns their number.
func (r *Replay) writeNew(w io.Writer, most int64) (rows int, err error) {
	var values []float32
	var kinds, bytes []byte
	firsts, ends := make([]int64, r.worlds), make([]int64, r.worlds)
	for world := range r.worlds {
		firsts[world] = max(r.written[world], r.oldest(world))
		ends[world] = firsts[world] + min(r.count[world]-firsts[world], most-int64(len(kinds)))
		for row := firsts[world]; row < ends[world]; row++ {
			values = append(values, r.row(world, row)...)
			kinds = append(kinds, byte(r.kind[r.place(world, row)]))
			bytes = append(bytes, r.bytesOf(world, row)...)
		}
	}
	if len(kinds) == 0 {
		return 0, nil
	}
	record := replayKind.Encode(r.head(), appendFixed(nil, firsts), appendFixed(nil, ends),
		container.AppendFloats(nil, values...), kinds, bytes)
	_, err = w.Write(append(binary.LittleEndian.AppendUint64(nil, uint64(len(record))), record...))
	if err == nil {
		copy(r.written, ends)
	}
	return len(kinds), err
}

// Read adds what r was given by calls of WriteNew, in their order; it counts as written. What is something else,
// damaged or cut short is refused.
func (r *Replay) Read(reader io.Reader) error {
	in := bufio.NewReader(reader)
	for {
		var length uint64
		switch err := binary.Read(in, binary.LittleEndian, &length); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("rl: reading a replay: %w", err)
		}
		sections, err := replayKind.Read(io.LimitReader(in, int64(min(length, 1<<62))))
		if err == nil {
			err = r.add(sections)
		}
		if err != nil {
			return fmt.Errorf("rl: reading a replay: %w", err)
		}
	}
}

// add adds the rows of a record.
func (r *Replay) add(sections [][]byte) error {
	if string(sections[0]) != string(r.head()) {
		return errors.New("it is of other worlds, or observations and actions of other sizes")
	}
	values, kinds, bytes := sections[3], sections[4], sections[5]
	if len(sections[1]) != 8*r.worlds || len(sections[2]) != 8*r.worlds || len(values) != 4*r.size()*len(kinds) ||
		len(bytes) != r.layout.bytes*len(kinds) {
		return fmt.Errorf("damaged: sections of %d, %d, %d, %d and %d bytes for %d worlds", len(sections[1]),
			len(sections[2]), len(values), len(kinds), len(bytes), r.worlds)
	}
	for world := range r.worlds {
		first := int64(binary.LittleEndian.Uint64(sections[1][8*world:]))
		end := int64(binary.LittleEndian.Uint64(sections[2][8*world:]))
		if first < r.count[world] || end < first || end-first > int64(len(kinds)) {
			return fmt.Errorf("damaged: rows %d to %d of world %d, of which it has %d", first, end, world,
				r.count[world])
		}
		for row := first; row < end; row++ {
			values = container.TakeFloats(values, r.row(world, row))
			bytes = bytes[copy(r.bytesOf(world, row), bytes):]
			if r.kind[r.place(world, row)] = ending(kinds[0]); kinds[0] > byte(seam) {
				return fmt.Errorf("damaged: a row of kind %d, want at most %d", kinds[0], seam)
			}
			kinds = kinds[1:]
		}
		r.count[world], r.written[world] = end, end
	}
	if len(kinds) > 0 {
		return fmt.Errorf("damaged: %d rows of no world", len(kinds))
	}
	return nil
}
