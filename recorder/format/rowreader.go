package format

import (
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
)

// RowReader reads single values of a row by the names of their columns.
type RowReader struct {
	Record arrow.Record
	Row    int
	Err    error // about the first value that was not there
}

func (r *RowReader) column(name, want string) arrow.Array {
	at := r.Record.Schema().FieldIndices(name)
	if len(at) == 1 {
		return r.Record.Column(at[0])
	}
	r.missing(name, want)
	return nil
}

func (r *RowReader) missing(name, want string) {
	if r.Err == nil {
		r.Err = fmt.Errorf("no column %q of %s", name, want)
	}
}

// Int returns the value of a column of integers.
func (r *RowReader) Int(name string) int64 {
	switch c := r.column(name, "integers").(type) {
	case *array.Int64:
		return c.Value(r.Row)
	case *array.Int32:
		return int64(c.Value(r.Row))
	}
	r.missing(name, "integers")
	return 0
}

// Float returns the value of a column of float64.
func (r *RowReader) Float(name string) float64 {
	if c, ok := r.column(name, "float64").(*array.Float64); ok {
		return c.Value(r.Row)
	}
	r.missing(name, "float64")
	return 0
}

// Bool returns the value of a column of bools.
func (r *RowReader) Bool(name string) bool {
	if c, ok := r.column(name, "bool").(*array.Boolean); ok {
		return c.Value(r.Row)
	}
	r.missing(name, "bool")
	return false
}
