package recorder

import "sync"

// segment is what one block hands over at once: its rows of every table, and the keys of the episodes that it closed.
type segment struct {
	tables []staged
	ended  []Key
	bytes  int64 // memory when it was handed over
	empty  bool  // the one of a block writer that has no rows to hand over; it is shared and not the pool's
}

func (s *segment) reset() {
	for i := range s.tables {
		s.tables[i].reset()
	}
	s.ended = s.ended[:0]
}

// pool is the memory of segments, which any block uses again: there are as many as are being filled or wait to be written at
// once, not two for every block. Any goroutine may use it.
type pool struct {
	tables int
	limit  int64 // bytes that may wait to be written

	mu     sync.Mutex
	change sync.Cond // of the fields below
	free   []*segment
	staged int64        // bytes that wait to be written
	awaits *BlockWriter // whose segment the writer waits for; nil while it has something to write
	closed bool
}

func newPool(tables int, limit int64) *pool {
	p := &pool{tables: tables, limit: limit}
	p.change.L = &p.mu
	return p
}

// get returns a segment without rows.
func (p *pool) get() *segment {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.free); n > 0 {
		s := p.free[n-1]
		p.free = p.free[:n-1]
		return s
	}
	return &segment{tables: make([]staged, p.tables)}
}

// handOver hands a block writer's segment to the writer; the block writer has room.
func (p *pool) handOver(s *segment, from *BlockWriter) {
	if !s.empty {
		s.bytes = 0
		for i := range s.tables {
			s.bytes += s.tables[i].bytes()
		}
	}
	p.mu.Lock()
	p.staged += s.bytes
	if p.awaits == from {
		p.awaits = nil
	}
	from.full <- s
	p.mu.Unlock()
}

// put takes back a segment that has been written.
func (p *pool) put(s *segment) {
	if s.empty {
		return
	}
	s.reset()
	p.mu.Lock()
	p.free = append(p.free, s)
	p.staged -= s.bytes
	p.mu.Unlock()
	p.change.Broadcast()
}

// await notes that the writer can write nothing until a block writer's next segment comes, unless it has come by now.
func (p *pool) await(s *BlockWriter) {
	p.mu.Lock()
	if len(s.full) == 0 {
		p.awaits = s
	}
	p.mu.Unlock()
	p.change.Broadcast()
}

// wait returns when few enough bytes wait to be written, or when waiting cannot reduce them.
func (p *pool) wait() {
	p.mu.Lock()
	for p.staged > p.limit && p.awaits == nil && !p.closed {
		p.change.Wait()
	}
	p.mu.Unlock()
}

// close ends all waiting, now and later.
func (p *pool) close() {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.change.Broadcast()
}
