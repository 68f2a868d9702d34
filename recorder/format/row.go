package format

import (
	"encoding/binary"
	"fmt"
	"math"
	"unsafe"
)

// Row sets the columns of one row, by their place in [Table].Columns, in memory of whoever made it. A column that is
// not set is null. A method that does not fit the column's kind or length panics.
type Row struct {
	layout *Layout
	bytes  []byte
}

// Int sets an Int64 or Int32 column. It panics on a value that an Int32 column cannot hold.
func (r Row) Int(col int, v int64) {
	if c := &r.layout.cells[col]; c.kind == Int64 && c.len < 0 { // nearly all columns of integers
		r.bytes[c.bit>>3] |= 1 << (c.bit & 7)
		binary.NativeEndian.PutUint64(r.bytes[c.start:], uint64(v))
		return
	}
	r.ints(col, -1, "Int", []int64{v})
}

// Ints sets an Int64 or Int32 list.
func (r Row) Ints(col int, v []int64) { r.ints(col, len(v), "Ints", v) }

func (r Row) ints(col, n int, method string, v []int64) {
	dst, kind := r.cell(col, n, method)
	switch kind {
	case Int64:
		for i, x := range v {
			binary.NativeEndian.PutUint64(dst[8*i:], uint64(x))
		}
	case Int32:
		for i, x := range v {
			if int64(int32(x)) != x {
				panic(fmt.Sprintf("format: table %q column %q: value %d does not fit int32", r.layout.Table.Name,
					r.layout.Table.Columns[col].Name, x))
			}
			binary.NativeEndian.PutUint32(dst[4*i:], uint32(x))
		}
	default:
		r.misuse(col, method)
	}
}

// Float sets a Float64 or Float32 column; a Float32 column holds the nearest float32.
func (r Row) Float(col int, v float64) { r.floats(col, -1, "Float", []float64{v}) }

// Floats sets a Float64 or Float32 list; a Float32 list holds the nearest float32 of each value. It panics on a value
// that the pixel of a picture does not store.
func (r Row) Floats(col int, v []float64) {
	if err := r.Observation(col, v); err != nil {
		panic("format: " + err.Error())
	}
}

// Observation is Floats, but returns an error for a value that the pixel of a picture does not store.
func (r Row) Observation(col int, v []float64) error {
	c := &r.layout.cells[col]
	if c.list == nil {
		r.floats(col, len(v), "Floats", v)
		return nil
	}
	r.cell(col, len(v), "Floats")
	if i := c.list.set(r.bytes, v); i >= 0 {
		return fmt.Errorf("value %d of %s is %v, want one that the picture of it stores to the last bit", i,
			r.layout.Columns[col].Name, v[i])
	}
	return nil
}

func (r Row) floats(col, n int, method string, v []float64) {
	dst, kind := r.cell(col, n, method)
	switch kind {
	case Float64:
		// The bytes of the values, in the machine's order.
		copy(dst, unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), 8*len(v)))
	case Float32:
		for i, x := range v {
			binary.NativeEndian.PutUint32(dst[4*i:], math.Float32bits(float32(x)))
		}
	default:
		r.misuse(col, method)
	}
}

// Floats32 sets a Float32 or Float64 list from float32 values.
func (r Row) Floats32(col int, v []float32) {
	if r.layout.cells[col].list != nil {
		r.misuse(col, "Floats32")
	}
	dst, kind := r.cell(col, len(v), "Floats32")
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

// Bool sets a Bool column.
func (r Row) Bool(col int, v bool) { r.bools(col, -1, "Bool", []bool{v}) }

// Bools sets a Bool list.
func (r Row) Bools(col int, v []bool) { r.bools(col, len(v), "Bools", v) }

func (r Row) bools(col, n int, method string, v []bool) {
	dst, kind := r.cell(col, n, method)
	if kind != Bool {
		r.misuse(col, method)
	}
	for i, x := range v {
		putBool(dst[i:], x)
	}
}

// Pixels marks a column of pictures as set and returns the memory of its pixels; those of Uint16 are in the machine's
// order.
func (r Row) Pixels(col int) []byte {
	c := &r.layout.cells[col]
	if c.kind != Uint8 && c.kind != Uint16 {
		r.misuse(col, "Pixels")
	}
	c.mark(r.bytes)
	return r.bytes[c.start:c.end]
}

// Copy sets the row to the bytes of another one of the same layout.
func (r Row) Copy(bytes []byte) { copy(r.bytes, bytes) }

// cell marks a column of lists of n values, or of single values where n is −1, as set and returns its bytes.
func (r Row) cell(col, n int, method string) ([]byte, Kind) {
	c := &r.layout.cells[col]
	if int(c.len) != n {
		r.misfit(col, n, method)
	}
	c.mark(r.bytes)
	return r.bytes[c.start:c.end], c.kind
}

func (r Row) misfit(col, n int, method string) {
	c := &r.layout.Table.Columns[col]
	if (c.Len == 0) != (n < 0) {
		r.misuse(col, method)
	}
	panic(fmt.Sprintf("format: %s on table %q column %q: %d values, want %d", method, r.layout.Table.Name,
		c.Name, n, c.Len))
}

func (r Row) misuse(col int, method string) {
	c := &r.layout.Table.Columns[col]
	content := "one " + c.Kind.String()
	if c.Len > 0 {
		content = fmt.Sprintf("a list of %d %s", c.Len, c.Kind)
	}
	panic(fmt.Sprintf("format: %s on table %q column %q, which holds %s", method, r.layout.Table.Name, c.Name, content))
}

func putBool(dst []byte, v bool) {
	dst[0] = 0
	if v {
		dst[0] = 1
	}
}
