package recorder

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"unsafe"
)

// Key places a row among the rows of its block and segment: rows are written in ascending order of N, then OffsetNS, then
// World; rows with equal keys stay in the order in which they were begun.
type Key struct {
	N        int64 // control step of the run
	OffsetNS int64 // nanoseconds after the beginning of that step
	World    int32 // id of the world
}

func (k Key) compare(o Key) int {
	switch {
	case k.N != o.N:
		return order(k.N < o.N)
	case k.OffsetNS != o.OffsetNS:
		return order(k.OffsetNS < o.OffsetNS)
	case k.World != o.World:
		return order(k.World < o.World)
	}
	return 0
}

func order(less bool) int {
	if less {
		return -1
	}
	return 1
}

// layout says where the columns of a table stand in a staged row: a bit mask of the columns that are set, padded to eight
// bytes, then the values of each column in the machine's byte order.
type layout struct {
	table    *Table
	cells    []cell // by column
	stride   int    // bytes of a row
	required []byte // the mask's bits that every row must have
}

// cell is the place of a column in a staged row.
type cell struct {
	from, to int32 // bytes
	len      int32 // of Column
	kind     Kind
}

func newLayout(t *Table) *layout {
	maskBytes := (len(t.Columns) + 7) / 8
	l := &layout{table: t, cells: make([]cell, len(t.Columns)), required: make([]byte, maskBytes)}
	l.stride = (maskBytes + 7) &^ 7
	for i := range t.Columns {
		c := &t.Columns[i]
		from := l.stride
		l.stride += c.Kind.Size() * max(1, c.Len)
		l.cells[i] = cell{from: int32(from), to: int32(l.stride), len: int32(c.Len), kind: c.Kind}
		if !c.Nullable {
			l.required[i>>3] |= 1 << (i & 7)
		}
	}
	return l
}

// staged holds the rows of one table, block and segment. Its memory only grows.
type staged struct {
	keys []Key
	data []byte // one stride per row
	perm []int32
}

func (s *staged) reset() { s.keys, s.data = s.keys[:0], s.data[:0] }

// bytes is the memory that is taken.
func (s *staged) bytes() int64 { return int64(cap(s.data)) + keyBytes*int64(cap(s.keys)) }

// keyBytes is what a staged row takes beside its columns: its key and its place in the order.
const keyBytes = 24 + 4

// begin appends a row with no column set and returns its bytes.
func (s *staged) begin(l *layout, key Key) []byte {
	s.keys = append(s.keys, key)
	at := len(s.data)
	s.data = slices.Grow(s.data, l.stride)[:at+l.stride]
	row := s.data[at:]
	clear(row)
	return row
}

// sorted returns the row numbers in the order of their keys, valid until the next call.
func (s *staged) sorted() []int32 {
	s.perm = s.perm[:0]
	for i := range s.keys {
		s.perm = append(s.perm, int32(i))
	}
	slices.SortStableFunc(s.perm, func(a, b int32) int { return s.keys[a].compare(s.keys[b]) })
	return s.perm
}

// check returns an error for the first row that leaves a column unset which is not nullable.
func (s *staged) check(l *layout) error {
	for i, key := range s.keys {
		mask := s.data[i*l.stride:][:len(l.required)]
		for j, want := range l.required {
			if missing := want &^ mask[j]; missing != 0 {
				for bit := range 8 {
					if missing&(1<<bit) != 0 {
						return fmt.Errorf("recorder: table %q: row at step %d + %d ns of world %d leaves column %q unset, which is not nullable",
							l.table.Name, key.N, key.OffsetNS, key.World, l.table.Columns[8*j+bit].Name)
					}
				}
			}
		}
	}
	return nil
}

// int64 is the value of an Int64 column that is set.
func (r Row) int64(col int) int64 {
	return int64(binary.NativeEndian.Uint64(r.bytes[r.layout.cells[col].from:]))
}

// Row fills one row of a table, column by column, named by their place in [Table].Columns. It is a view of the block writer's
// memory, valid until the next Begin or EndSegment of the block writer. A column that is not set is null. A method that does not
// fit the column's kind or length panics.
type Row struct {
	layout *layout
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
			panic(fmt.Sprintf("recorder: table %q column %q: value %d does not fit int32", r.layout.table.Name, r.layout.table.Columns[col].Name, v))
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
		// The values as they lie in memory: their own bytes in the machine's order.
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

// Null leaves a column unset, or unsets it again. It panics for a column that is not nullable.
func (r Row) Null(col int) {
	c := &r.layout.table.Columns[col]
	if !c.Nullable {
		panic(fmt.Sprintf("recorder: Null on table %q column %q, which is not nullable", r.layout.table.Name, c.Name))
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
	c := &r.layout.table.Columns[col]
	panic(fmt.Sprintf("recorder: %s on table %q column %q: %d values, want %d", method, r.layout.table.Name, c.Name, n, c.Len))
}

// misuse panics: the method does not fit the column.
func (r Row) misuse(col int, method string) {
	c := &r.layout.table.Columns[col]
	what := "one " + c.Kind.String()
	if c.Len > 0 {
		what = fmt.Sprintf("a list of %d %s", c.Len, c.Kind)
	}
	panic(fmt.Sprintf("recorder: %s on table %q column %q, which holds %s", method, r.layout.table.Name, c.Name, what))
}

func putBool(dst []byte, v bool) {
	dst[0] = 0
	if v {
		dst[0] = 1
	}
}
