package recorder

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// Stream is a file that holds a plain Arrow IPC stream, ours or another's, without a journal. Nothing says whether its
// values are right; but whatever its bytes are, reading it asks for no more memory than a small multiple of a batch's size.
type Stream struct {
	Schema *arrow.Schema
	path   string
}

// OpenStream reads the schema of a stream.
func OpenStream(path string) (*Stream, error) {
	s := &Stream{path: path}
	return s, s.read(func(r *ipc.Reader) error {
		s.Schema = r.Schema()
		return nil
	})
}

// Batches returns the record batches in order. A batch is valid until the next one. An error ends the sequence; a stream
// that ends without saying so is one.
func (s *Stream) Batches() iter.Seq2[arrow.Record, error] {
	return func(yield func(arrow.Record, error) bool) {
		err := s.read(func(r *ipc.Reader) error {
			for r.Next() {
				for i, column := range r.Record().Columns() {
					if err := checkArray(column.Data()); err != nil {
						return fmt.Errorf("column %q: %w", r.Record().ColumnName(i), err)
					}
				}
				if !yield(r.Record(), nil) {
					return errStop
				}
			}
			return r.Err()
		})
		if err != nil && !errors.Is(err, errStop) {
			yield(nil, err)
		}
	}
}

// errStop ends a reading that is not wanted any more.
var errStop = errors.New("stop")

// read opens the stream and calls f with a reader of it.
func (s *Stream) read(f func(*ipc.Reader) error) error {
	file, err := os.Open(s.path)
	if err != nil {
		return fmt.Errorf("recorder: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("recorder: %w", err)
	}
	frames := &framing{in: bufio.NewReader(file), size: info.Size()}
	mem := &cappedMemory{limit: max(minMemory, memoryPerByte*info.Size())}
	r, err := ipc.NewReader(frames, ipc.WithAllocator(mem))
	if err == nil {
		err = f(r)
		r.Release()
	}
	if frames.err != nil && !errors.Is(frames.err, io.EOF) {
		err = frames.err // the reader's own words say less
	}
	if err != nil && !errors.Is(err, errStop) {
		return fmt.Errorf("recorder: %s: %w", s.path, err)
	}
	return err
}

// A compressed buffer says itself how long it is. No codec of Arrow's packs numbers much denser than this.
const (
	memoryPerByte = 256
	minMemory     = 16 << 20
	maxMemory     = 4 << 30
)

// cappedMemory refuses to be asked for too much, with a panic that the reader turns into an error.
type cappedMemory struct {
	memory.GoAllocator
	limit int64
}

func (m *cappedMemory) check(size int) {
	if limit := min(m.limit, maxMemory); size < 0 || int64(size) > limit {
		panic(fmt.Errorf("a buffer of %d bytes is asked for, want at most %d", size, limit))
	}
}

// Allocate is part of memory.Allocator.
func (m *cappedMemory) Allocate(size int) []byte {
	m.check(size)
	return m.GoAllocator.Allocate(size)
}

// Reallocate is part of memory.Allocator.
func (m *cappedMemory) Reallocate(size int, b []byte) []byte {
	m.check(size)
	return m.GoAllocator.Reallocate(size, b)
}

// checkArray returns an error where reading the nulls or the values of numbers and their lists would go beyond a buffer.
func checkArray(data arrow.ArrayData) error {
	end := data.Offset() + data.Len()
	buffers := data.Buffers()
	if len(buffers) > 0 && buffers[0] != nil && buffers[0].Len() > 0 && buffers[0].Len() < bitmapBytes(end) {
		return fmt.Errorf("nulls of %d values in %d bytes", end, buffers[0].Len())
	}
	switch t := data.DataType().(type) {
	case *arrow.FixedSizeListType:
		if len(data.Children()) != 1 || t.Len() < 1 || data.Children()[0].Len()/int(t.Len()) < end {
			return fmt.Errorf("%d lists of %d values in too few values", end, t.Len())
		}
	case arrow.FixedWidthDataType:
		if len(buffers) > 1 && end > 0 && (buffers[1] == nil || buffers[1].Len()*8/max(1, t.BitWidth()) < end) {
			return fmt.Errorf("%d values of %d bits in too few bytes", end, t.BitWidth())
		}
	}
	for _, child := range data.Children() {
		if err := checkArray(child); err != nil {
			return err
		}
	}
	return nil
}
