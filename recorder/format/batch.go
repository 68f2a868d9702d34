package format

import (
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
	rows    int // number of rows so far
	columns []batchColumn
}

// batchColumn holds the values of one column in Arrow's layout and, of a nullable one, the bitmap of those that are
// set. Its bits, also those of a bool's values, are 0 beyond the rows so far.
type batchColumn struct {
	values []byte
	valid  []byte
	nulls  int
}

// NewBatch returns an empty batch with room for a number of rows.
func NewBatch(l *Layout, rows int) *Batch {
	l = l.storage
	b := &Batch{layout: l, cap: rows, columns: make([]batchColumn, len(l.Columns))}
	for i := range b.columns {
		b.columns[i].values = make([]byte, l.Columns[i].valueBytes(rows))
		if l.cells[i].nullable {
			b.columns[i].valid = make([]byte, bitmapBytes(rows))
		}
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
func (b *Batch) Rows() int { return b.rows }

// Full reports whether there is no room for another row.
func (b *Batch) Full() bool { return b.rows == b.cap }

// Reset removes all rows.
func (b *Batch) Reset() {
	b.rows = 0
	for i := range b.columns {
		c := &b.columns[i]
		c.nulls = 0
		clear(c.valid)
		if b.layout.cells[i].kind == Bool {
			clear(c.values)
		}
	}
}

// State returns the rows so far, for [Batch.SetState].
func (b *Batch) State() []byte {
	record := b.Record(b.layout.ArrowSchema(nil))
	defer record.Release()
	rows, err := b.layout.AppendRecord(nil, record)
	if err != nil {
		panic(err) // the arrays have the types and lengths of the batch
	}
	return rows
}

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

// tile is the number of rows that are copied column by column before the next ones: few enough to stay in the
// first-level cache while their columns are copied.
const tile = 32

// Add adds as many of the rows of data that order names, by number, as there is room for, and returns the rest of
// order. Every row must have set the columns that are not nullable.
func (b *Batch) Add(data []byte, order []int32) (rest []int32) {
	n := min(len(order), b.cap-b.rows)
	for rows := range slices.Chunk(order[:n], tile) {
		for i := range b.columns {
			b.columns[i].add(b.layout, i, data, rows, b.rows)
		}
		b.rows += len(rows)
	}
	return order[n:]
}

// AddAll adds as many rows that follow each other as there is room for, and returns the rest.
func (b *Batch) AddAll(rows []byte) (rest []byte) {
	order := make([]int32, min(len(rows)/b.layout.Stride, b.cap-b.rows))
	for i := range order {
		order[i] = int32(i)
	}
	b.Add(rows, order)
	return rows[len(order)*b.layout.Stride:]
}

// Record returns the rows as a record of the table's schema, whose memory is the batch's until rows are added or
// removed. The caller releases it.
func (b *Batch) Record(schema *arrow.Schema) arrow.Record {
	columns := make([]arrow.Array, len(b.columns))
	for i := range columns {
		columns[i] = b.array(i, schema.Field(i).Type)
		defer columns[i].Release()
	}
	return array.NewRecord(schema, columns, int64(b.rows))
}

// add adds the values of a column in the rows of data with these numbers, from a row of the record on.
func (c *batchColumn) add(l *Layout, column int, data []byte, rows []int32, first int) {
	cell, stride := &l.cells[column], l.Stride
	if cell.nullable {
		set, bit := column>>3, byte(1)<<(column&7) // byte and bit in a row's mask
		for i, row := range rows {
			if data[int(row)*stride+set]&bit != 0 {
				bitutil.SetBit(c.valid, first+i)
			} else {
				c.nulls++
			}
		}
	}
	start, size := int(cell.start), int(cell.end-cell.start)
	switch values := c.values; {
	case cell.kind == Bool:
		for i, row := range rows {
			for j, v := range data[int(row)*stride+start:][:size] {
				if v != 0 {
					bitutil.SetBit(values, (first+i)*size+j)
				}
			}
		}
	case size == 8:
		values = values[8*first:]
		for i, row := range rows {
			binary.NativeEndian.PutUint64(values[8*i:], binary.NativeEndian.Uint64(data[int(row)*stride+start:]))
		}
	default:
		values = values[size*first:]
		for i, row := range rows {
			copy(values[size*i:], data[int(row)*stride+start:][:size])
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
	if b.layout.Columns[col].Width > 0 {
		return b.pictures(col)
	}
	c, rows := &b.columns[col], b.rows
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
