package recorder

import "sync"

// segment is what one block hands over at once: its rows of every table, and the keys of the episodes that it closed.
type segment struct {
	tables []stage
	ended  []Key
	bytes  int64 // memory of the segment when it was handed over
}

// queue holds the segments that wait to be written, and the memory of written ones, which any block uses again: as many
// as are being filled or wait at once, not two for every block. Any goroutine may use it.
type queue struct {
	limit int64    // bytes that may wait for the writer
	empty *segment // segment of a block that has no rows

	mu          sync.Mutex
	change      sync.Cond    // of the following fields
	segments    [][]*segment // segments that wait, by block
	pending     int          // number of segments that wait
	stagedBytes int64        // bytes of the segments that wait
	awaited     int          // block whose segment the writer waits for; −1 while it has something to write
	closed      bool         // no segment comes any more
	aborted     bool         // no segment is written any more
	free        []*segment
}

func newQueue(tables, blocks int, limit int64) *queue {
	q := &queue{limit: limit, empty: &segment{tables: make([]stage, tables)}, segments: make([][]*segment, blocks),
		awaited: -1}
	q.change.L = &q.mu
	return q
}

// get returns a segment without rows.
func (q *queue) get() *segment {
	q.mu.Lock()
	defer q.mu.Unlock()
	if n := len(q.free); n > 0 {
		s := q.free[n-1]
		q.free = q.free[:n-1]
		return s
	}
	return &segment{tables: make([]stage, len(q.empty.tables))}
}

// handOver adds a block's segment, nil for one without rows. It waits until the block's segment before has been written
// and few enough bytes wait, or waiting cannot reduce them.
func (q *queue) handOver(s *segment, block int) {
	if s == nil {
		s = q.empty
	} else {
		s.bytes = 0
		for i := range s.tables {
			s.bytes += s.tables[i].bytes()
		}
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.segments[block] = append(q.segments[block], s)
	q.pending++
	q.stagedBytes += s.bytes
	if q.awaited == block {
		q.awaited = -1
		q.change.Broadcast()
	}
	for !q.aborted && (len(q.segments[block]) > 1 || q.stagedBytes > q.limit && q.awaited < 0) {
		q.change.Wait()
	}
}

// oldest returns a block's oldest segment, which waits until written is called; nil if there will be none.
func (q *queue) oldest(block int) *segment {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.segments[block]) == 0 && !q.closed {
		if q.awaited != block { // a blocked block writer may own the missing rows
			q.awaited = block
			q.change.Broadcast()
		}
		q.change.Wait()
	}
	if q.aborted || len(q.segments[block]) == 0 {
		return nil
	}
	return q.segments[block][0]
}

// removeOldest removes a block's oldest segment.
func (q *queue) removeOldest(block int) {
	q.mu.Lock()
	segments := q.segments[block]
	s := segments[0]
	q.segments[block] = append(segments[:0], segments[1:]...)
	q.pending--
	q.stagedBytes -= s.bytes
	q.mu.Unlock()
	if s != q.empty {
		q.recycle(s)
	}
	q.change.Broadcast()
}

// recycle takes back a segment and drops its rows.
func (q *queue) recycle(s *segment) {
	for i := range s.tables {
		s.tables[i].reset()
	}
	s.ended = s.ended[:0]
	q.mu.Lock()
	q.free = append(q.free, s)
	q.mu.Unlock()
}

// drain waits until no segment waits.
func (q *queue) drain() {
	q.mu.Lock()
	for q.pending > 0 && !q.aborted {
		q.change.Wait()
	}
	q.mu.Unlock()
}

// close says that no more segments come. With abort it ends all waiting, now and later.
func (q *queue) close(abort bool) {
	q.mu.Lock()
	q.closed, q.aborted = true, abort
	q.mu.Unlock()
	q.change.Broadcast()
}
