package recorder

import "github.com/polyrhythm-rl/polyrhythm/recorder/format"

// BlockWriter takes the rows of one block. One goroutine may use it at a time.
type BlockWriter struct {
	writer  *Writer
	block   int
	current *segment      // nil before its first row
	empty   *segment      // handed over where there are no rows
	full    chan *segment // handed over, not yet taken
	room    chan struct{} // holds a token while at most one segment is on its way
}

func newBlockWriter(w *Writer, block int) *BlockWriter {
	s := &BlockWriter{writer: w, block: block, full: make(chan *segment, 2), room: make(chan struct{}, 2)}
	s.empty = &segment{tables: make([]staged, len(w.tables)), empty: true}
	s.room <- struct{}{}
	return s
}

// Begin begins a row of a table, which is named by its place in Create's list. The row is valid until the next Begin or
// EndSegment. Begin allocates only while segments still grow.
func (s *BlockWriter) Begin(table int, key Key) format.Row {
	l := s.layout(table)
	return l.Row(s.segment().tables[table].begin(l, key))
}

// EndEpisode notes that an episode was closed: it has no rows with keys after this one. Lines of the journals count the episodes
// that have become safe.
func (s *BlockWriter) EndEpisode(key Key) {
	seg := s.segment()
	seg.ended = append(seg.ended, key)
}

func (s *BlockWriter) segment() *segment {
	if s.current == nil {
		s.current = s.writer.pool.get()
	}
	return s.current
}

func (s *BlockWriter) layout(table int) *format.Layout { return s.writer.tables[table].layout }

// check returns an error for the first row that leaves a column unset that is not nullable.
func (s *BlockWriter) check(seg *segment) error {
	for i := range seg.tables {
		if err := seg.tables[i].check(s.layout(i)); err != nil {
			return err
		}
	}
	return nil
}

// EndSegment hands over the rows begun since the last call. Every block must call it once for every segment, rows or not.
// It waits until this block's previous segment has been written, which needs that segment from every block: a goroutine that
// serves several blocks must end a segment of each before it ends the next of any. If more than [Options].StagedBytes have been
// handed over it also waits while the writer has something to write. It returns the first error of the whole writing, and
// returns it again in every later call.
func (s *BlockWriter) EndSegment() error {
	w, seg := s.writer, s.current
	s.current = nil
	if seg == nil {
		seg = s.empty
	} else if err := s.check(seg); err != nil {
		w.fail(err)
	}
	select {
	case <-w.abort:
		return w.Err()
	default:
	}
	w.pool.handOver(seg, s)
	select {
	case <-s.room:
		w.pool.wait()
	case <-w.abort:
	}
	return w.Err()
}
