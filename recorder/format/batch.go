package format

import (
	"encoding/binary"
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/bitutil"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// Batch turns rows of a [Layout] into an Arrow record batch, column by column. It allocates once, for a number of rows. One
// goroutine may use it at a time.
type Batch struct {
	layout  *Layout
	rows    int // so far
	cap     int
	columns []batchColumn
}

// batchColumn holds the values of one column in Arrow's layout, and the bitmap of those that are set.
type batchColumn struct {
	values *memory.Buffer
	valid  *memory.Buffer
	nulls  int
}

// NewBatch returns an empty batch with room for a number of rows. Release frees it.
func NewBatch(l *Layout, rows int, mem memory.Allocator) *Batch {
	b := &Batch{layout: l, cap: rows, columns: make([]batchColumn, len(l.Table.Columns))}
	for i := range b.columns {
		c := &l.Table.Columns[i]
		b.columns[i].values = memory.NewResizableBuffer(mem)
		b.columns[i].values.Resize(c.valueBytes(rows))
		b.columns[i].valid = memory.NewResizableBuffer(mem)
		b.columns[i].valid.Resize(bitmapBytes(rows))
	}
	b.Reset()
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

// Release frees the memory. The batch must not be used after.
func (b *Batch) Release() {
	for i := range b.columns {
		b.columns[i].values.Release()
		b.columns[i].valid.Release()
	}
}

// Reset removes all rows.
func (b *Batch) Reset() {
	b.rows = 0
	for i := range b.columns {
		c := &b.columns[i]
		c.nulls = 0
		clear(c.valid.Bytes())
		if b.layout.Table.Columns[i].Kind == Bool {
			clear(c.values.Bytes()) // bits are only ever set
		}
	}
}

// AppendState appends the rows so far, for [Batch.SetState].
func (b *Batch) AppendState(dst []byte) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, uint64(b.rows))
	for i := range b.columns {
		c := &b.columns[i]
		dst = binary.LittleEndian.AppendUint64(dst, uint64(c.nulls))
		dst = append(dst, c.values.Bytes()[:b.layout.Table.Columns[i].valueBytes(b.rows)]...)
		dst = append(dst, c.valid.Bytes()[:bitmapBytes(b.rows)]...)
	}
	return dst
}

// SetState replaces the rows by those of a batch of the same layout, from AppendState.
// After an error the batch must not be used.
func (b *Batch) SetState(state []byte) error {
	b.Reset()
	take := func(n int) []byte {
		if n < 0 || n > len(state) {
			state = nil
			return make([]byte, max(n, 0))
		}
		part := state[:n]
		state = state[n:]
		return part
	}
	rows := binary.LittleEndian.Uint64(take(8))
	if rows > uint64(b.cap) {
		return fmt.Errorf("a batch of %d rows, want at most %d", rows, b.cap)
	}
	b.rows = int(rows)
	want := 8
	for i := range b.columns {
		want += 8 + b.layout.Table.Columns[i].valueBytes(b.rows) + bitmapBytes(b.rows)
	}
	if got := len(state) + 8; got != want {
		return fmt.Errorf("the state of a batch has %d bytes, want %d", got, want)
	}
	for i := range b.columns {
		c := &b.columns[i]
		c.nulls = int(binary.LittleEndian.Uint64(take(8)))
		copy(c.values.Bytes(), take(b.layout.Table.Columns[i].valueBytes(b.rows)))
		copy(c.valid.Bytes(), take(bitmapBytes(b.rows)))
	}
	return nil
}

// tile is the number of rows that are copied column by column before the next ones: few enough to stay in the first-level
// cache while their columns are copied.
const tile = 32

// Add adds as many of the rows of data that order names, by number, as there is room for, and returns the rest of order. Every
// row must have set the columns that are not nullable.
func (b *Batch) Add(data []byte, order []int32) (rest []int32) {
	n := min(len(order), b.cap-b.rows)
	order, rest = order[:n], order[n:]
	for len(order) > 0 {
		rows := order[:min(tile, len(order))]
		for i := range b.columns {
			b.addValues(i, data, rows)
			if b.layout.Table.Columns[i].Nullable {
				b.addValidity(i, data, rows)
			}
		}
		b.rows += len(rows)
		order = order[len(rows):]
	}
	return rest
}

func (b *Batch) addValues(col int, data []byte, order []int32) {
	c := &b.layout.Table.Columns[col]
	offset, stride := int(b.layout.cells[col].from), b.layout.Stride
	values, n := b.columns[col].values.Bytes(), max(1, c.Len)
	switch {
	case c.Kind == Bool:
		bit := b.rows * n
		for _, r := range order {
			for _, v := range data[int(r)*stride+offset:][:n] {
				if v != 0 {
					bitutil.SetBit(values, bit)
				}
				bit++
			}
		}
	case c.Kind.Size()*n == 8:
		dst := values[8*b.rows:]
		for i, r := range order {
			binary.NativeEndian.PutUint64(dst[8*i:], binary.NativeEndian.Uint64(data[int(r)*stride+offset:]))
		}
	default:
		size := c.Kind.Size() * n
		dst := values[size*b.rows:]
		for i, r := range order {
			copy(dst[size*i:][:size], data[int(r)*stride+offset:])
		}
	}
}

func (b *Batch) addValidity(col int, data []byte, order []int32) {
	c := &b.columns[col]
	valid, stride := c.valid.Bytes(), b.layout.Stride
	at, bit := col>>3, byte(1)<<(col&7)
	for i, r := range order {
		if data[int(r)*stride+at]&bit != 0 {
			bitutil.SetBit(valid, b.rows+i)
		} else {
			c.nulls++
		}
	}
}

// AddRecord adds rows of a record of the same layout, from a row on, as many of n as there is room for, and returns how many
// these are.
func (b *Batch) AddRecord(r arrow.Record, from, n int) int {
	n = min(n, b.cap-b.rows)
	for i := range b.columns {
		c, column := &b.layout.Table.Columns[i], r.Column(i).Data()
		b.columns[i].copyValues(c, column, b.rows, from, n)
		if c.Nullable {
			b.columns[i].copyValidity(column, b.rows, from, n)
		}
	}
	b.rows += n
	return n
}

func (b *batchColumn) copyValues(c *Column, from arrow.ArrayData, at, row, n int) {
	width, row := max(1, c.Len), row+from.Offset()
	if c.Len > 0 {
		child := from.Children()[0]
		from, row = child, row+child.Offset()/width
	}
	values := from.Buffers()[1].Bytes()
	if c.Kind == Bool {
		bitutil.CopyBitmap(values, row*width, n*width, b.values.Bytes(), at*width)
		return
	}
	size := c.Kind.Size() * width
	copy(b.values.Bytes()[at*size:][:n*size], values[row*size:])
}

func (b *batchColumn) copyValidity(from arrow.ArrayData, at, row, n int) {
	valid := from.Buffers()[0]
	if valid == nil || valid.Len() == 0 {
		bitutil.SetBitsTo(b.valid.Bytes(), int64(at), int64(n), true)
		return
	}
	row += from.Offset()
	bitutil.CopyBitmap(valid.Bytes(), row, n, b.valid.Bytes(), at)
	b.nulls += n - bitutil.CountSetBits(valid.Bytes(), row, n)
}

// Record returns the rows as a record of a schema with the table's columns. It borrows the batch's memory and is valid until
// Reset or Release. The caller releases it.
func (b *Batch) Record(schema *arrow.Schema) arrow.Record {
	columns := make([]arrow.Array, len(b.columns))
	for i := range columns {
		columns[i] = b.array(i, schema.Field(i).Type)
		defer columns[i].Release()
	}
	return array.NewRecord(schema, columns, int64(b.rows))
}

// Record returns rows that follow each other in memory as a record of a schema with the table's columns. The caller
// releases it.
func (l *Layout) Record(schema *arrow.Schema, rows []byte) arrow.Record {
	order := make([]int32, len(rows)/l.Stride)
	for i := range order {
		order[i] = int32(i)
	}
	b := NewBatch(l, len(order), memory.DefaultAllocator) // left to the garbage collector, since the record borrows it
	b.Add(rows, order)
	return b.Record(schema)
}

func (b *Batch) array(col int, typ arrow.DataType) arrow.Array {
	c := &b.columns[col]
	values := memory.NewBufferBytes(c.values.Bytes()[:b.layout.Table.Columns[col].valueBytes(b.rows)])
	var valid *memory.Buffer
	if c.nulls > 0 {
		valid = memory.NewBufferBytes(c.valid.Bytes()[:bitmapBytes(b.rows)])
	}
	list, ok := typ.(*arrow.FixedSizeListType)
	if !ok {
		data := array.NewData(typ, b.rows, []*memory.Buffer{valid, values}, nil, c.nulls, 0)
		defer data.Release()
		return array.MakeFromData(data)
	}
	// The values of a list that is null are zeros, not nulls.
	child := array.NewData(list.Elem(), b.rows*int(list.Len()), []*memory.Buffer{nil, values}, nil, 0, 0)
	defer child.Release()
	data := array.NewData(typ, b.rows, []*memory.Buffer{valid}, []arrow.ArrayData{child}, c.nulls, 0)
	defer data.Release()
	return array.MakeFromData(data)
}
