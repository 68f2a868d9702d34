package format

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/bitutil"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// Batch collects rows of a [Layout] and turns them into Arrow record batches. It allocates once. One goroutine may use
// it at a time.
type Batch struct {
	layout  *Layout
	cap     int
	rows    []byte        // so far
	columns []batchColumn // memory of a record
}

// batchColumn holds the values of one column in Arrow's layout, and the bitmap of those that are set.
type batchColumn struct {
	values []byte
	valid  []byte
	nulls  int
}

// NewBatch returns an empty batch with room for a number of rows.
func NewBatch(l *Layout, rows int) *Batch {
	b := &Batch{layout: l, cap: rows, rows: make([]byte, 0, rows*l.Stride), columns: make([]batchColumn, len(l.Columns))}
	for i := range b.columns {
		b.columns[i].values = make([]byte, l.Columns[i].valueBytes(rows))
		b.columns[i].valid = make([]byte, bitmapBytes(rows))
	}
	return b
}

// valueBytes returns the bytes that Arrow needs for this many rows of the column.
func (c *Column) valueBytes(rows int) int {
	values := rows * max(1, c.Len)
	if c.Kind == Bool {
		return bitmapBytes(values)
	}
	return values * c.Kind.Size()
}

func bitmapBytes(bits int) int { return (bits + 7) / 8 }

// Rows returns the number of rows added since the last Reset.
func (b *Batch) Rows() int { return len(b.rows) / b.layout.Stride }

// Full reports whether there is no room for another row.
func (b *Batch) Full() bool { return b.Rows() == b.cap }

// Reset removes all rows.
func (b *Batch) Reset() { b.rows = b.rows[:0] }

// State returns the rows so far, for [Batch.SetState].
func (b *Batch) State() []byte { return bytes.Clone(b.rows) }

// SetState replaces the rows by those of a batch of the same layout, from State. After an error the batch must not be
// used.
func (b *Batch) SetState(state []byte) error {
	b.Reset()
	if len(state)%b.layout.Stride != 0 || len(b.AddAll(state)) > 0 {
		return fmt.Errorf("the state of a batch has %d bytes, want those of at most %d rows of %d", len(state), b.cap,
			b.layout.Stride)
	}
	return nil
}

// Add adds as many of the rows of data that order names, by number, as there is room for, and returns the rest of
// order. Every row must have set the columns that are not nullable.
func (b *Batch) Add(data []byte, order []int32) (rest []int32) {
	n := min(len(order), b.cap-b.Rows())
	for _, row := range order[:n] {
		b.rows = append(b.rows, data[int(row)*b.layout.Stride:][:b.layout.Stride]...)
	}
	return order[n:]
}

// AddAll adds as many rows that follow each other as there is room for, and returns the rest.
func (b *Batch) AddAll(rows []byte) (rest []byte) {
	n := min(len(rows), b.cap*b.layout.Stride-len(b.rows))
	b.rows = append(b.rows, rows[:n]...)
	return rows[n:]
}

// tile is the number of rows that are copied column by column before the next ones: few enough to stay in the
// first-level cache while their columns are copied.
const tile = 32

// Record returns the rows as a record of the table's schema, whose memory is the batch's until the next call. The
// caller releases it.
func (b *Batch) Record(schema *arrow.Schema) arrow.Record {
	for i := range b.columns {
		c := &b.columns[i]
		c.nulls = 0
		clear(c.valid)
		if b.layout.cells[i].kind == Bool {
			clear(c.values) // bits are only ever set
		}
	}
	at := 0
	for rows := range slices.Chunk(b.rows, tile*b.layout.Stride) {
		for i := range b.columns {
			b.columns[i].add(b.layout, i, rows, at)
		}
		at += tile
	}
	columns := make([]arrow.Array, len(b.columns))
	for i := range columns {
		columns[i] = b.array(i, schema.Field(i).Type)
		defer columns[i].Release()
	}
	return array.NewRecord(schema, columns, int64(b.Rows()))
}

// add adds the values of a column in some rows, from a row of the record on.
func (c *batchColumn) add(l *Layout, column int, rows []byte, at int) {
	kind := l.cells[column].kind
	for ; len(rows) > 0; rows, at = rows[l.Stride:], at+1 {
		if l.IsNull(rows, column) {
			c.nulls++
		} else {
			bitutil.SetBit(c.valid, at)
		}
		switch values := l.Bytes(rows, column); {
		case kind == Bool:
			for i, v := range values {
				if v != 0 {
					bitutil.SetBit(c.values, at*len(values)+i)
				}
			}
		case len(values) == 8:
			binary.NativeEndian.PutUint64(c.values[8*at:], binary.NativeEndian.Uint64(values))
		default:
			copy(c.values[at*len(values):], values)
		}
	}
}

// Record returns rows that follow each other in memory as a record of the table's schema. The caller releases it.
func (l *Layout) Record(schema *arrow.Schema, rows []byte) arrow.Record {
	b := NewBatch(l, len(rows)/l.Stride) // the record borrows its memory
	b.AddAll(rows)
	return b.Record(schema)
}

func (b *Batch) array(col int, typ arrow.DataType) arrow.Array {
	c, rows := &b.columns[col], b.Rows()
	buffers := []*memory.Buffer{nil, memory.NewBufferBytes(c.values[:b.layout.Columns[col].valueBytes(rows)])}
	var children []arrow.ArrayData
	if list, ok := typ.(*arrow.FixedSizeListType); ok {
		// The values of a list that is null are zeros, not nulls.
		child := array.NewData(list.Elem(), rows*int(list.Len()), buffers, nil, 0, 0)
		defer child.Release()
		buffers, children = []*memory.Buffer{nil}, []arrow.ArrayData{child}
	}
	if c.nulls > 0 {
		buffers[0] = memory.NewBufferBytes(c.valid[:bitmapBytes(rows)])
	}
	data := array.NewData(typ, rows, buffers, children, c.nulls, 0)
	defer data.Release()
	return array.MakeFromData(data)
}
