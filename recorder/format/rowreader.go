package format

import (
	"fmt"
	"slices"
)

// RowReader reads single values of a row by the names of their columns.
type RowReader struct {
	*Layout
	Row []byte
	Err error // error of the first value that the row lacks
}

// Int returns the value of a column of integers.
func (r *RowReader) Int(name string) int64 {
	return value(r, name, "integers", r.Layout.Int, Int64, Int32)
}

// Float returns the value of a column of float64.
func (r *RowReader) Float(name string) float64 {
	return value(r, name, "float64", func(row []byte, i int) float64 { return r.Layout.Float(row, i, 0) }, Float64)
}

// Bool returns the value of a column of bools.
func (r *RowReader) Bool(name string) bool { return value(r, name, "bool", r.Layout.Int, Bool) != 0 }

// Floats returns a copy of the list of a column of lists of float64; nil for a null.
func (r *RowReader) Floats(name string) []float64 {
	i := r.Column(name)
	if i < 0 || r.Table.Columns[i].Len == 0 || r.Table.Columns[i].Kind != Float64 {
		r.lacks(name, "lists of float64")
		return nil
	}
	if r.IsNull(r.Row, i) {
		return nil
	}
	return r.Layout.Floats(r.Row, i)
}

func (r *RowReader) lacks(name, want string) {
	if r.Err == nil {
		r.Err = fmt.Errorf("no column %q of %s", name, want)
	}
}

// value returns the value of a column, which has one of some kinds and no list.
func value[T any](r *RowReader, name, want string, get func(row []byte, column int) T, kinds ...Kind) (v T) {
	if i := r.Column(name); i >= 0 && r.Table.Columns[i].Len == 0 && slices.Contains(kinds, r.Table.Columns[i].Kind) {
		return get(r.Row, i)
	}
	r.lacks(name, want)
	return v
}
