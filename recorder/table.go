package recorder

import (
	"cmp"
	"slices"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
	"github.com/polyrhythm-rl/polyrhythm/recorder/internal/folder"
)

// tableWriter cuts the rows of one table into record batches. It belongs to one goroutine. After an error only discard may be
// called.
type tableWriter struct {
	folder        *folder.Writer
	layout        *format.Layout
	schema        *arrow.Schema
	batch         *format.Batch
	flushSegments int

	ended int64 // episodes that have become whole since the journal's last line
	age   int   // segments since the oldest row of the batch
}

func newTableWriter(fsys disk.FS, dir string, t *format.Table, document []byte, options Options, mem memory.Allocator) (*tableWriter, error) {
	w := newTable(t, document, options, mem)
	var err error
	if w.folder, err = folder.Create(fsys, dir, t, w.schema, folderOptions(options, mem)); err != nil {
		w.discard()
		return nil, err
	}
	return w, nil
}

// newTable returns a writer without a folder.
func newTable(t *format.Table, document []byte, options Options, mem memory.Allocator) *tableWriter {
	l := format.NewLayout(t)
	return &tableWriter{
		layout: l, schema: t.ArrowSchema(document), batch: format.NewBatch(l, cmp.Or(t.BatchRows, options.BatchRows), mem),
		flushSegments: cmp.Or(t.FlushSegments, options.FlushSegments),
	}
}

func folderOptions(options Options, mem memory.Allocator) folder.Options {
	stream := []ipc.Option{ipc.WithAllocator(mem)}
	switch options.Compression {
	case LZ4:
		stream = append(stream, ipc.WithLZ4())
	case Zstd:
		stream = append(stream, ipc.WithZstd())
	}
	return folder.Options{
		Stream: stream, ShardBytes: options.ShardBytes,
		SyncFiles: options.Sync != SyncNever, SyncEach: options.Sync == SyncEveryBatch,
	}
}

// add appends a segment's rows of one block, in which the episodes with these keys, in ascending order, were closed.
func (t *tableWriter) add(s *staged, ended []Key) error {
	for order := s.sorted(); len(order) > 0; {
		order = t.batch.Add(s.data, order)
		if !t.batch.Full() {
			break
		}
		whole := len(ended)
		if len(order) > 0 {
			next := s.keys[order[0]]
			whole, _ = slices.BinarySearchFunc(ended, next, Key.Compare)
		}
		t.ended, ended = t.ended+int64(whole), ended[whole:]
		if err := t.flush(); err != nil {
			return err
		}
	}
	t.ended += int64(len(ended))
	return nil
}

// endSegment writes the batch if its rows have waited long enough.
func (t *tableWriter) endSegment() error {
	if t.batch.Rows() == 0 {
		return nil
	}
	if t.age++; t.flushSegments > 0 && t.age >= t.flushSegments {
		return t.flush()
	}
	return nil
}

// flush writes the rows so far as one record batch.
func (t *tableWriter) flush() error {
	record := t.batch.Record(t.schema)
	defer record.Release()
	if err := t.folder.Write(record, t.ended); err != nil {
		return err
	}
	t.batch.Reset()
	t.ended, t.age = 0, 0
	return nil
}

// finish writes the remaining rows. All files are then complete but for their names.
func (t *tableWriter) finish() error {
	if t.batch.Rows() > 0 {
		if err := t.flush(); err != nil {
			return err
		}
	}
	return t.folder.Finish(t.ended)
}

// discard frees the memory and closes what is open.
func (t *tableWriter) discard() {
	if t.folder != nil {
		t.folder.Discard()
	}
	t.batch.Release()
}
