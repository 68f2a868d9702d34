package recorder

import (
	"encoding/binary"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/bitutil"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// batch gathers rows column by column until they make one record batch. Its memory is taken once.
type batch struct {
	layout  *layout
	rows    int // gathered so far
	cap     int
	columns []batchColumn
}

// batchColumn holds the values of one column as Arrow lays them out, and the bitmap of those that are set.
type batchColumn struct {
	values *memory.Buffer
	valid  *memory.Buffer
	nulls  int
}

func newBatch(l *layout, rows int, mem memory.Allocator) *batch {
	b := &batch{layout: l, cap: rows, columns: make([]batchColumn, len(l.table.Columns))}
	for i := range b.columns {
		c := &l.table.Columns[i]
		b.columns[i].values = memory.NewResizableBuffer(mem)
		b.columns[i].values.Resize(c.valueBytes(rows))
		b.columns[i].valid = memory.NewResizableBuffer(mem)
		b.columns[i].valid.Resize(bitmapBytes(rows))
	}
	b.reset()
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

func (b *batch) release() {
	for i := range b.columns {
		b.columns[i].values.Release()
		b.columns[i].valid.Release()
	}
}

func (b *batch) reset() {
	b.rows = 0
	for i := range b.columns {
		c := &b.columns[i]
		c.nulls = 0
		clear(c.valid.Bytes())
		if b.layout.table.Columns[i].Kind == Bool {
			clear(c.values.Bytes()) // bits are only ever set
		}
	}
}

// tile is how many rows are copied column by column before the next ones are: few enough to stay in the processor's nearest
// cache while their columns are gone through.
const tile = 32

// add copies the first rows named by order that still fit, and returns the others.
func (b *batch) add(s *staged, order []int32) (rest []int32) {
	n := min(len(order), b.cap-b.rows)
	order, rest = order[:n], order[n:]
	for len(order) > 0 {
		rows := order[:min(tile, len(order))]
		for i := range b.columns {
			b.addValues(i, s.data, rows)
			if b.layout.table.Columns[i].Nullable { // the others have been checked
				b.addValidity(i, s.data, rows)
			}
		}
		b.rows += len(rows)
		order = order[len(rows):]
	}
	return rest
}

func (b *batch) addValues(col int, data []byte, order []int32) {
	c := &b.layout.table.Columns[col]
	offset, stride := int(b.layout.cells[col].from), b.layout.stride
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

func (b *batch) addValidity(col int, data []byte, order []int32) {
	c := &b.columns[col]
	valid, stride := c.valid.Bytes(), b.layout.stride
	at, bit := col>>3, byte(1)<<(col&7)
	for i, r := range order {
		if data[int(r)*stride+at]&bit != 0 {
			bitutil.SetBit(valid, b.rows+i)
		} else {
			c.nulls++
		}
	}
}

// record returns the gathered rows as a record that borrows the batch's memory: valid until reset. The caller releases it.
func (b *batch) record(schema *arrow.Schema) arrow.Record {
	columns := make([]arrow.Array, len(b.columns))
	for i := range columns {
		columns[i] = b.array(i, schema.Field(i).Type)
		defer columns[i].Release()
	}
	return array.NewRecord(schema, columns, int64(b.rows))
}

func (b *batch) array(col int, typ arrow.DataType) arrow.Array {
	c := &b.columns[col]
	values := memory.NewBufferBytes(c.values.Bytes()[:b.layout.table.Columns[col].valueBytes(b.rows)])
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
