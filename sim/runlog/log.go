package runlog

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
)

// Log collects the records of a run, segment by segment, and writes them to a file or compares them with one. One
// goroutine at a time may call its methods. Its blocks may be filled by one goroutine each. [Create] and [Compare]
// return logs.
type Log struct {
	header   Header
	blocks   []Block
	segments int64
	steps    int64 // control steps before the newest state
	sink     sink
	err      error // the first error; the log accepts nothing after it

	interventions []byte // records of the segment that begins, which belong to no block

	resumed   bool // the log goes on where an earlier one stood
	restoring bool // the worlds do not stand there yet: until Restored is called, segments are dropped
}

// sink receives records in the order of the file.
type sink interface {
	take(records []byte) error
	endSegment() error
	close(end []byte) error
}

// ErrEnd is returned by a comparing log at the end of the last segment of the file, if there was no difference.
var ErrEnd = errors.New("the recorded run ends here")

// Header returns the header of the run; for a comparing log, that of the file.
func (l *Log) Header() Header { return l.header }

// Steps returns the number of control steps in the complete segments; for a comparing log, in those without a
// difference.
func (l *Log) Steps() int64 { return l.steps }

// After returns the number of control steps after the last logged state, of which a comparing log knows nothing if
// Header.Every is more than 1.
func (l *Log) After() (n int64) {
	for i := range l.blocks {
		n = max(n, l.blocks[i].begun-l.steps)
	}
	return n
}

// Start sets the number of blocks. The worlds of the run call it once; a second call returns an error.
func (l *Log) Start(blocks int) error {
	if l.blocks != nil {
		return errors.New("runlog: the log was used by another run, want a new one")
	}
	if s, ok := l.sink.(*fileSink); ok && !l.resumed {
		if err := s.take(l.header.start()); err != nil {
			return err
		}
	}
	l.blocks = make([]Block, blocks)
	for i := range l.blocks {
		l.blocks[i].every, l.blocks[i].actions, l.blocks[i].steps = l.header.Every, l.header.Actions, l.steps
	}
	return nil
}

// SetModel sets Header.Model of a log that begins, before Start. For any other log it returns an error if the run's
// model was another one.
func (l *Log) SetModel(digest string) error {
	if _, ok := l.sink.(*fileSink); ok && !l.resumed {
		l.header.Model = digest
	}
	if old := l.header.Model; old != "" && old != digest {
		return fmt.Errorf("has changed since the run: its digest is %s, that of the run's was %s", digest, old)
	}
	return nil
}

// Block returns the log of the worlds of block i.
func (l *Log) Block(i int) *Block { return &l.blocks[i] }

// Intervention logs, between segments, an intervention before step n. It must have a part. Of a decision it keeps a
// perception and a reply of up to [MaxDecision].
func (l *Log) Intervention(n int64, i Intervention) {
	if d := i.Decision; d != nil {
		short := *d
		short.shorten()
		i.Decision = &short
	}
	l.interventions = appendRecord(l.interventions, KindIntervention, func(dst []byte) []byte {
		return i.append(binary.LittleEndian.AppendUint64(dst, uint64(n)))
	})
}

// EndSegment writes or compares the records of the blocks. A comparing log may return a *[Difference], a *[Damage]
// or [ErrEnd]. After an error every call returns the same error. No block may be in use.
func (l *Log) EndSegment() error {
	if l.err == nil && !l.restoring {
		l.err = l.endSegment()
	}
	l.DropSegment()
	return l.err
}

// DropSegment discards the records since the last EndSegment, for a segment that was interrupted, in which blocks
// have taken different numbers of steps. No block may be in use.
func (l *Log) DropSegment() {
	for i := range l.blocks {
		l.blocks[i].data, l.blocks[i].steps = l.blocks[i].data[:0], l.steps
	}
	l.interventions = l.interventions[:0]
}

func (l *Log) endSegment() error {
	if err := l.sink.take(l.interventions); err != nil {
		return err
	}
	steps := int64(math.MaxInt64)
	for i := range l.blocks {
		if err := l.sink.take(l.blocks[i].data); err != nil {
			return err
		}
		steps = min(steps, l.blocks[i].steps)
	}
	l.interventions = appendNumber(l.interventions[:0], KindSegment, l.segments)
	if err := l.sink.take(l.interventions); err != nil {
		return err
	}
	l.segments++
	err := l.sink.endSegment()
	if err == nil || errors.Is(err, ErrEnd) {
		l.steps = steps
	}
	return err
}

// Close ends the log and closes its file. If a comparing log has not reached the end of the file, it returns a
// *[Difference], unless there was an error before or nothing was compared. A log that was not started stays empty.
func (l *Log) Close() error {
	if l.err != nil || l.blocks == nil { // without blocks it has no header either
		return l.sink.close(nil)
	}
	l.err = errors.New("runlog: the log is closed")
	return l.sink.close(appendNumber(nil, KindEnd, l.steps))
}

// Block collects the records of the worlds of one block in a buffer that is reused for each segment. One goroutine
// at a time may use it.
type Block struct {
	every   int64
	actions bool
	steps   int64
	begun   int64 // control steps, with those after the last logged state
	data    []byte
}

// Due reports whether the state after n control steps is to be logged.
func (b *Block) Due(n int64) bool { return n%b.every == 0 }

// add appends a record about worlds, the rest of whose payload fill appends.
func (b *Block) add(kind RecordKind, n int64, first, worlds int, fill func([]byte) []byte) {
	b.data = appendRecord(b.data, kind, func(dst []byte) []byte {
		dst = binary.LittleEndian.AppendUint64(dst, uint64(n))
		dst = binary.LittleEndian.AppendUint32(dst, uint32(first))
		return fill(binary.LittleEndian.AppendUint32(dst, uint32(worlds)))
	})
}

// State logs the state of the block's worlds after n control steps. first is the run-wide index of the first.
func (b *Block) State(n int64, first int, worlds []State) {
	b.add(KindState, n, first, len(worlds), func(dst []byte) []byte {
		for i := range worlds {
			for _, hash := range worlds[i] {
				dst = binary.LittleEndian.AppendUint64(dst, hash)
			}
		}
		return dst
	})
	b.steps = n
}

// Actions logs the actions of step n, values row-major by world, if the header says that actions are logged.
func (b *Block) Actions(n int64, first, worlds int, values []float32) {
	b.begun = n + 1
	if !b.actions {
		return
	}
	b.add(KindActions, n, first, worlds, func(dst []byte) []byte {
		for _, v := range values {
			dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(v))
		}
		return dst
	})
}

// Restart logs which of the block's worlds begin a new episode before step n, and, unless seeds is nil, their seeds,
// one for each element of mask.
func (b *Block) Restart(n int64, first int, mask []bool, seeds []uint64) {
	b.add(KindRestart, n, first, len(mask), func(dst []byte) []byte {
		for _, m := range mask {
			if m {
				dst = append(dst, 1)
			} else {
				dst = append(dst, 0)
			}
		}
		for _, seed := range seeds {
			dst = binary.LittleEndian.AppendUint64(dst, seed)
		}
		return dst
	})
}

// Create returns a log that writes to w, and whose Close closes w. Its memory is bounded by the records of one
// segment.
func Create(w io.WriteCloser, h Header) (*Log, error) {
	if h.Every < 1 {
		return nil, fmt.Errorf("runlog: every is %d, want at least 1", h.Every)
	}
	return &Log{header: h, sink: &fileSink{w: w}}, nil
}

// start returns the bytes that a log with the header begins with.
func (h *Header) start() []byte {
	start := binary.LittleEndian.AppendUint32(magic[:], version)
	return appendRecord(start, KindHeader, func(dst []byte) []byte { return append(dst, h.encode()...) })
}

// Position is a place in a log, between two segments.
type Position struct {
	Bytes    int64  // of the file
	CRC32C   uint32 // of these bytes
	Segments int64  // before it
	Steps    int64  // see [Log.Steps]
}

// Position returns the place that a log has reached which writes. After a call of Sync, what comes
// before is on the disk.
func (l *Log) Position() (Position, error) {
	s, ok := l.sink.(*fileSink)
	if !ok || l.err != nil {
		return Position{}, errors.Join(errors.New("runlog: this log has no position"), l.err)
	}
	return l.position(s), nil
}

func (l *Log) position(s *fileSink) Position {
	return Position{Bytes: s.bytes, CRC32C: s.crc, Segments: l.segments, Steps: l.steps}
}

// Sync forces what a log has written to the disk, if its file has a method Sync, as an os.File has.
func (l *Log) Sync() error {
	if s, ok := l.sink.(*fileSink); ok {
		if f, ok := s.w.(interface{ Sync() error }); ok {
			if err := f.Sync(); err != nil {
				return fmt.Errorf("runlog: %w", err)
			}
		}
	}
	return nil
}

// Continue cuts a log that [Create] began at a place that it has reached, and returns a log that goes on from there
// in f, which is open for reading and writing. It fails, and changes nothing, if the file is shorter or has another
// header; the caller compares its bytes with [Position].CRC32C.
func Continue(f *os.File, h Header, position Position) (*Log, error) {
	if old, err := NewReader(io.NewSectionReader(f, 0, math.MaxInt64)); err == nil {
		h.Model = old.Header().Model // which SetModel checks
	}
	start := h.start()
	found := make([]byte, len(start))
	if _, err := f.ReadAt(found, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("runlog: %w", err)
	}
	if !bytes.Equal(found, start) {
		return nil, errors.New("runlog: the log's header is of another configuration, version or machine")
	}
	if info, err := f.Stat(); err != nil {
		return nil, fmt.Errorf("runlog: %w", err)
	} else if info.Size() < position.Bytes || position.Bytes < int64(len(start)) {
		return nil, fmt.Errorf("runlog: the log has %d bytes, want at least %d", info.Size(), position.Bytes)
	}
	if err := f.Truncate(position.Bytes); err != nil {
		return nil, fmt.Errorf("runlog: %w", err)
	}
	if _, err := f.Seek(position.Bytes, io.SeekStart); err != nil {
		return nil, fmt.Errorf("runlog: %w", err)
	}
	return (&Log{header: h, sink: &fileSink{f, position.Bytes, position.CRC32C}}).resumeAt(position), nil
}

// resumeAt makes the log one that goes on at a place, once the worlds stand there.
func (l *Log) resumeAt(p Position) *Log {
	l.segments, l.steps, l.resumed, l.restoring = p.Segments, p.Steps, true, true
	return l
}

// Continued reports whether the log goes on where an earlier one stood: [Continue] returned it.
func (l *Log) Continued() bool { return l.resumed }

// Restored says that the worlds now stand where the log goes on. Until then a log that [Continue] returned drops its
// segments. No block may be in use.
func (l *Log) Restored() {
	l.restoring = false
	l.DropSegment()
}

// fileSink is the sink that writes a file.
type fileSink struct {
	w     io.WriteCloser
	bytes int64  // written
	crc   uint32 // of these
}

func (s *fileSink) take(records []byte) error {
	if len(records) == 0 {
		return nil
	}
	n, err := s.w.Write(records)
	s.bytes, s.crc = s.bytes+int64(n), crc32.Update(s.crc, castagnoli, records[:n])
	if err != nil {
		return fmt.Errorf("runlog: %w", err)
	}
	return nil
}

func (s *fileSink) endSegment() error { return nil }

func (s *fileSink) close(end []byte) error {
	err := s.take(end)
	if closed := s.w.Close(); closed != nil {
		err = errors.Join(err, fmt.Errorf("runlog: %w", closed))
	}
	return err
}
