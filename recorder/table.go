package recorder

import (
	"cmp"
	"slices"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/ipc"

	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
	"github.com/polyrhythm-rl/polyrhythm/recorder/internal/folder"
)

// tableWriter cuts the rows of one table into record batches, on one goroutine. After an error only its folder is
// discarded.
type tableWriter struct {
	folder        *folder.TableWriter
	layout        *format.Layout
	schema        *arrow.Schema
	batch         *format.Batch
	flushSegments int

	ended int64 // number of episodes that have become whole since the journal's last line
	age   int   // number of segments since the oldest row of the batch

	marks *marks // nil unless the dataset is a slice
}

// marks are the parts that the journal does not have yet.
type marks struct {
	first   int   // number of block 0 in the run
	segment int64 // segment that is being written
	parts   []folder.JournalPart
}

// add adds the parts of a block in which the rows with the numbers in added were written and the episodes with the keys
// in ended were closed, both in ascending order.
func (m *marks) add(block int, s *stage, added []int32, ended []Key) {
	part := folder.JournalPart{Segment: m.segment, Block: int64(m.first + block)}
	flush := func() {
		if part.Rows+part.Episodes > 0 {
			m.parts = append(m.parts, part)
		}
		part.Rows, part.Episodes = 0, 0
	}
	for _, row := range added {
		count := len(ended)
		for len(ended) > 0 && ended[0].Compare(s.keys[row]) < 0 {
			ended = ended[1:]
		}
		if part.Episodes = int64(count - len(ended)); part.Episodes > 0 {
			flush()
		}
		part.Rows++
	}
	part.Episodes = int64(len(ended))
	flush()
}

// newTable returns a writer of table i that has no folder yet.
func (w *Writer) newTable(i int) *tableWriter {
	t := &w.described[i]
	l := format.NewLayout(t)
	table := &tableWriter{
		layout: l, schema: t.ArrowSchema(w.document),
		batch:         format.NewBatch(l, batchRows(l, cmp.Or(t.BatchRows, w.options.BatchRows))),
		flushSegments: cmp.Or(t.FlushSegments, w.options.FlushSegments),
	}
	if w.options.Slice != nil {
		table.flushSegments, table.marks = 1, &marks{first: w.options.Slice.FirstBlock}
	}
	return table
}

// pictureBatchBytes is about the memory of a batch of rows with pictures, which fewer rows fill.
const pictureBatchBytes = 16 << 20

// batchRows returns the number of rows of a batch, most of which are wanted.
func batchRows(l *format.Layout, most int) int {
	if slices.ContainsFunc(l.Storage().Columns, func(c format.Column) bool { return c.Width > 0 }) {
		return min(most, max(1, pictureBatchBytes/l.Stride))
	}
	return min(most, format.MaxBatchBytes/l.Stride)
}

// BatchBytes returns about the memory, in bytes, of the rows of a table that are collected for a record batch, with the
// batch as it is written.
func BatchBytes(t *format.Table, o Options) int64 {
	l, rows := format.NewLayout(t), cmp.Or(t.BatchRows, o.BatchRows, defaultBatchRows)
	return 2 * int64(batchRows(l, rows)) * int64(l.Stride)
}

func (o *Options) folder() folder.Options {
	return folder.Options{
		Stream:     map[Compression][]ipc.Option{LZ4: {ipc.WithLZ4()}, Zstd: {ipc.WithZstd()}}[o.Compression],
		ShardBytes: o.ShardBytes, Parts: o.Slice != nil,
		SyncFiles: o.Sync != SyncNever, SyncEach: o.Sync == SyncEveryBatch,
	}
}

// add appends a segment's rows of a block, in which the episodes with these keys, in ascending order, were closed.
func (t *tableWriter) add(s *stage, ended []Key, block int) error {
	for order := s.sorted(); ; {
		rest := t.batch.Add(s.data, order)
		added, whole := order[:len(order)-len(rest)], len(ended)
		if len(rest) > 0 {
			whole, _ = slices.BinarySearchFunc(ended, s.keys[rest[0]], Key.Compare)
		}
		if t.marks != nil {
			t.marks.add(block, s, added, ended[:whole])
		}
		t.ended, ended, order = t.ended+int64(whole), ended[whole:], rest
		if !t.batch.Full() {
			return nil
		}
		if err := t.flush(); err != nil {
			return err
		}
		if len(order) == 0 {
			return nil
		}
	}
}

// endSegment writes the batch if its rows have waited long enough.
func (t *tableWriter) endSegment() error {
	if t.batch.Rows() > 0 {
		if t.age++; t.flushSegments > 0 && t.age >= t.flushSegments {
			if err := t.flush(); err != nil {
				return err
			}
		}
	}
	if t.marks == nil {
		return nil
	}
	t.marks.segment++
	return t.mark() // marks of segments without rows
}

// mark writes the parts to the journal.
func (t *tableWriter) mark() error {
	if t.marks == nil {
		return nil
	}
	parts := t.marks.parts
	t.marks.parts = parts[:0]
	return t.folder.Mark(parts)
}

// flush writes the rows so far as one record batch.
func (t *tableWriter) flush() error {
	record := t.batch.Record(t.schema)
	defer record.Release()
	if err := t.mark(); err != nil {
		return err
	}
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
	if err := t.mark(); err != nil {
		return err
	}
	return t.folder.Finish(t.ended)
}
