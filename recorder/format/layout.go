package format

import (
	"cmp"
	"encoding/binary"
	"math"
	"math/bits"
	"slices"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/bitutil"
)

// Layout says how the rows of a table are laid out in bytes while they wait to be written, are sorted or are exported:
// a bit mask of the columns that are set, padded to eight bytes, then the values of each column in the machine's byte
// order, one byte for a bool. The values of a null are zeros. Rows follow each other at a distance of Stride bytes. Of a
// list with pictures a row has the columns of its storage.
type Layout struct {
	*Table
	Stride int // bytes of a row

	cells    []cell  // by column
	required []byte  // the mask's bits that every row must have
	storage  *Layout // layout of the same bytes as rows of Table.Storage: itself, unless lists have pictures
}

type cell struct {
	start, end int32 // first byte, and the one after the last
	len        int32 // Column.Len; −1 for single values
	kind       Kind
	nullable   bool
	bit, bits  int32 // its first bit in the mask, and their number
	list       *list // nil, unless it is a list with pictures
}

// NewLayout returns the layout of a table's rows.
func NewLayout(t *Table) *Layout {
	if storage := t.Storage(); storage != t {
		return newListLayout(t, NewLayout(storage))
	}
	maskBytes := bitmapBytes(len(t.Columns))
	l := &Layout{Table: t, cells: make([]cell, len(t.Columns)), required: make([]byte, maskBytes)}
	l.Stride, l.storage = (maskBytes+7)&^7, l
	for i := range t.Columns {
		c := &t.Columns[i]
		start := l.Stride
		l.Stride += c.Kind.Size() * max(1, c.Len)
		l.cells[i] = cell{start: int32(start), end: int32(l.Stride), len: int32(cmp.Or(c.Len, -1)), kind: c.Kind,
			nullable: c.Nullable, bit: int32(i), bits: 1}
		if !c.Nullable {
			l.required[i>>3] |= 1 << (i & 7)
		}
	}
	return l
}

// newListLayout returns the layout of a table with another storage.
func newListLayout(t *Table, storage *Layout) *Layout {
	l := &Layout{Table: t, Stride: storage.Stride, required: storage.required, storage: storage}
	next := 0 // column of the storage
	for i := range t.Columns {
		c := storage.cells[next]
		if len(t.Columns[i].Pictures) > 0 {
			c.list = newList(&t.Columns[i], storage.cells[next:])
			c.bits, c.len, c.kind = int32(c.list.columns()), int32(t.Columns[i].Len), t.Columns[i].Kind
			c.end = storage.cells[next+c.list.columns()-1].end
		}
		next += int(c.bits)
		l.cells = append(l.cells, c)
	}
	return l
}

// Storage returns the layout of the same bytes as rows of [Table.Storage].
func (l *Layout) Storage() *Layout { return l.storage }

// Values returns how many values a column has in each row: 1, or the length of its lists.
func (l *Layout) Values(column int) int { return max(1, int(l.cells[column].len)) }

// Row returns a row to be set, given its Stride bytes.
func (l *Layout) Row(bytes []byte) Row { return Row{l, bytes} }

// Extend adds a row to dst in which no column is set.
func (l *Layout) Extend(dst []byte) []byte {
	start := len(dst)
	dst = slices.Grow(dst, l.Stride)[:start+l.Stride]
	clear(dst[start:])
	return dst
}

// Zeros returns a row in which every column is set and zero.
func (l *Layout) Zeros() []byte {
	row := make([]byte, l.Stride)
	for i := range l.cells {
		l.cells[i].mark(row)
	}
	return row
}

// Unset returns the first column that a row leaves unset and that is not nullable.
func (l *Layout) Unset(row []byte) (column int, found bool) {
	for i, want := range l.required {
		if missing := want &^ row[i]; missing != 0 {
			bit := int32(8*i + bits.TrailingZeros8(missing))
			return slices.IndexFunc(l.cells, func(c cell) bool { return bit < c.bit+c.bits }), true
		}
	}
	return 0, false
}

// IsNull reports whether a column is null in a row.
func (l *Layout) IsNull(row []byte, column int) bool {
	bit := l.cells[column].bit
	return row[bit>>3]&(1<<(bit&7)) == 0
}

// mark marks the column as set.
func (c *cell) mark(row []byte) {
	for bit := c.bit; bit < c.bit+c.bits; bit++ {
		row[bit>>3] |= 1 << (bit & 7)
	}
}

// Bytes returns the bytes of a column in a row: its values, unless it is a list with pictures.
func (l *Layout) Bytes(row []byte, column int) []byte {
	c := &l.cells[column]
	return row[c.start:c.end]
}

// Set marks a column of a row as set, with the bytes of another one of the same kind and length.
func (l *Layout) Set(row []byte, column int, bytes []byte) {
	l.cells[column].mark(row)
	copy(l.Bytes(row, column), bytes)
}

// Int returns the first value of a column; of a float the whole part.
func (l *Layout) Int(row []byte, column int) int64 {
	if l.cells[column].kind == Int64 {
		return int64(binary.NativeEndian.Uint64(l.Bytes(row, column)))
	}
	return int64(l.Float(row, column, 0))
}

// Float returns value i of a column.
func (l *Layout) Float(row []byte, column, i int) float64 {
	c := &l.cells[column]
	if c.list != nil {
		return c.list.value(row, i)
	}
	b := row[int(c.start)+i*c.kind.Size():]
	switch c.kind {
	case Float64:
		return math.Float64frombits(binary.NativeEndian.Uint64(b))
	case Float32:
		return float64(math.Float32frombits(binary.NativeEndian.Uint32(b)))
	case Int64:
		return float64(int64(binary.NativeEndian.Uint64(b)))
	case Int32:
		return float64(int32(binary.NativeEndian.Uint32(b)))
	case Uint16:
		return float64(binary.NativeEndian.Uint16(b))
	default:
		return float64(b[0])
	}
}

// Floats returns the values of a column.
func (l *Layout) Floats(row []byte, column int) []float64 {
	return l.AppendFloats(nil, row, column)
}

// AppendFloats appends the values of a column to dst.
func (l *Layout) AppendFloats(dst []float64, row []byte, column int) []float64 {
	n := l.Values(column)
	dst = slices.Grow(dst, n)
	if list := l.cells[column].list; list != nil {
		dst = dst[:len(dst)+n]
		list.values(dst[len(dst)-n:], row)
		return dst
	}
	for i := range n {
		dst = append(dst, l.Float(row, column, i))
	}
	return dst
}

// AppendRecord adds the rows of an Arrow record with the table's columns to dst.
func (l *Layout) AppendRecord(dst []byte, record arrow.Record) ([]byte, error) {
	l = l.storage
	rows, start := int(record.NumRows()), len(dst)
	dst = slices.Grow(dst, rows*l.Stride)[:start+rows*l.Stride]
	added := dst[start:]
	clear(added)
	for i := range l.cells {
		if l.Columns[i].Width == 0 {
			l.appendColumn(added, i, record.Column(i))
		} else if err := l.appendPictures(added, i, record.Column(i)); err != nil {
			return nil, err
		}
	}
	return dst, nil
}

func (l *Layout) appendColumn(rows []byte, column int, values arrow.Array) {
	kind, n := l.cells[column].kind, l.Values(column)
	data := values.Data()
	first := data.Offset() // number of the first value in the buffer
	if len(data.Children()) > 0 {
		child := data.Children()[0]
		first = first*n + child.Offset()
		data = child
	}
	buffer := data.Buffers()[1].Bytes()
	for r := range values.Len() {
		if values.IsNull(r) {
			continue
		}
		row := rows[r*l.Stride:][:l.Stride]
		row[column>>3] |= 1 << (column & 7)
		dst := l.Bytes(row, column)
		index := first + r*n
		if kind != Bool {
			copy(dst, buffer[index*kind.Size():])
			continue
		}
		for j := range dst {
			putBool(dst[j:], bitutil.BitIsSet(buffer, index+j))
		}
	}
}
