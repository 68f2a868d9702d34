package format

import (
	"encoding/binary"
	"fmt"
	"math"
	"unsafe"
)

// Row sets the columns of one row, which are named by their place in [Table].Columns. It is a view of memory that belongs to
// whoever made the row. A column that is not set is null. A method that does not fit the column's kind or length panics.
type Row struct {
	layout *Layout
	bytes  []byte
}

// Int sets an Int64 or Int32 column. It panics on a value that an Int32 column cannot hold.
func (r Row) Int(col int, v int64) {
	dst, kind := r.scalar(col, "Int")
	switch kind {
	case Int64:
		binary.NativeEndian.PutUint64(dst, uint64(v))
	case Int32:
		if int64(int32(v)) != v {
			panic(fmt.Sprintf("format: table %q column %q: value %d does not fit int32", r.layout.Table.Name, r.layout.Table.Columns[col].Name, v))
		}
		binary.NativeEndian.PutUint32(dst, uint32(v))
	default:
		r.misuse(col, "Int")
	}
}

// Float sets a Float64 or Float32 column; a Float32 column holds the nearest float32.
func (r Row) Float(col int, v float64) {
	dst, kind := r.scalar(col, "Float")
	switch kind {
	case Float64:
		binary.NativeEndian.PutUint64(dst, math.Float64bits(v))
	case Float32:
		binary.NativeEndian.PutUint32(dst, math.Float32bits(float32(v)))
	default:
		r.misuse(col, "Float")
	}
}

// Bool sets a Bool column.
func (r Row) Bool(col int, v bool) {
	dst, kind := r.scalar(col, "Bool")
	if kind != Bool {
		r.misuse(col, "Bool")
	}
	putBool(dst, v)
}

// Ints sets an Int64 list.
func (r Row) Ints(col int, v []int64) {
	dst, kind := r.list(col, len(v), "Ints")
	if kind != Int64 {
		r.misuse(col, "Ints")
	}
	for i, x := range v {
		binary.NativeEndian.PutUint64(dst[8*i:], uint64(x))
	}
}

// Floats sets a Float64 or Float32 list; a Float32 list holds the nearest float32 of each value.
func (r Row) Floats(col int, v []float64) {
	dst, kind := r.list(col, len(v), "Floats")
	switch kind {
	case Float64:
		// The bytes of the values, in the machine's order.
		copy(dst, unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), 8*len(v)))
	case Float32:
		for i, x := range v {
			binary.NativeEndian.PutUint32(dst[4*i:], math.Float32bits(float32(x)))
		}
	default:
		r.misuse(col, "Floats")
	}
}

// Floats32 sets a Float32 or Float64 list from float32 values.
func (r Row) Floats32(col int, v []float32) {
	dst, kind := r.list(col, len(v), "Floats32")
	switch kind {
	case Float64:
		for i, x := range v {
			binary.NativeEndian.PutUint64(dst[8*i:], math.Float64bits(float64(x)))
		}
	case Float32:
		for i, x := range v {
			binary.NativeEndian.PutUint32(dst[4*i:], math.Float32bits(x))
		}
	default:
		r.misuse(col, "Floats32")
	}
}

// Bools sets a Bool list.
func (r Row) Bools(col int, v []bool) {
	dst, kind := r.list(col, len(v), "Bools")
	if kind != Bool {
		r.misuse(col, "Bools")
	}
	for i, x := range v {
		putBool(dst[i:], x)
	}
}

// Copy sets the row to the bytes of another one of the same layout.
func (r Row) Copy(bytes []byte) { copy(r.bytes, bytes) }

// Null leaves a column unset, or unsets it again. It panics for a column that is not nullable.
func (r Row) Null(col int) {
	c := &r.layout.Table.Columns[col]
	if !c.Nullable {
		panic(fmt.Sprintf("format: Null on table %q column %q, which is not nullable", r.layout.Table.Name, c.Name))
	}
	r.bytes[col>>3] &^= 1 << (col & 7)
	cell := &r.layout.cells[col]
	clear(r.bytes[cell.from:cell.to])
}

// scalar marks a column of single values as set and returns its bytes.
func (r Row) scalar(col int, method string) ([]byte, Kind) {
	c := &r.layout.cells[col]
	if c.len != 0 {
		r.misuse(col, method)
	}
	r.bytes[col>>3] |= 1 << (col & 7)
	return r.bytes[c.from:c.to], c.kind
}

// list marks a column of lists as set and returns its bytes.
func (r Row) list(col, n int, method string) ([]byte, Kind) {
	c := &r.layout.cells[col]
	if c.len == 0 {
		r.misuse(col, method)
	}
	if int(c.len) != n {
		r.wrongLength(col, n, method)
	}
	r.bytes[col>>3] |= 1 << (col & 7)
	return r.bytes[c.from:c.to], c.kind
}

func (r Row) wrongLength(col, n int, method string) {
	c := &r.layout.Table.Columns[col]
	panic(fmt.Sprintf("format: %s on table %q column %q: %d values, want %d", method, r.layout.Table.Name, c.Name, n, c.Len))
}

// misuse panics: the method does not fit the column.
func (r Row) misuse(col int, method string) {
	panic(fmt.Sprintf("format: %s on %s", method, r.layout.describe(col)))
}

func putBool(dst []byte, v bool) {
	dst[0] = 0
	if v {
		dst[0] = 1
	}
}
