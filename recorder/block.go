package recorder

import "github.com/polyrhythm-rl/polyrhythm/recorder/format"

// BlockWriter takes the rows of one block. One goroutine may use it at a time.
type BlockWriter struct {
	writer  *Writer
	block   int
	current *segment // nil before its first row
}

// Begin begins a row of a table, which is named by its place in Create's list. The row is valid until the next Begin or
// EndSegment. Begin allocates only while segments still grow.
func (s *BlockWriter) Begin(table int, key Key) format.Row {
	l := s.writer.tables[table].layout
	return l.Row(s.segment().tables[table].extend(l, key))
}

// Fail ends the writing with an error of a table, which EndSegment returns, unless it has failed before. Any goroutine
// may call it.
func (s *BlockWriter) Fail(table int, err error) { s.writer.failTable(s.writer.tables[table], err) }

// EndEpisode notes that an episode was closed: no row with a later key is its. Lines of the journals count those that
// are safe.
func (s *BlockWriter) EndEpisode(key Key) {
	seg := s.segment()
	seg.ended = append(seg.ended, key)
}

func (s *BlockWriter) segment() *segment {
	if s.current == nil {
		s.current = s.writer.queue.get()
	}
	return s.current
}

// EndSegment hands over the rows begun since the last call. Every block must call it once for every segment, rows or
// not. It waits until this block's previous segment has been written, which needs that segment from every block: a
// goroutine that serves several blocks must end a segment of each before it ends the next of any. If more than
// [Options].StagedBytes have been handed over it also waits while the writer has something to write. It returns the
// first error of the whole writing, and returns it again in every later call.
func (s *BlockWriter) EndSegment() error {
	w, seg := s.writer, s.current
	s.current = nil
	if seg != nil {
		for i, t := range w.tables {
			w.failTable(t, seg.tables[i].check(t.layout))
		}
	}
	w.queue.handOver(seg, s.block)
	return w.Err()
}
