// Package rowtest reads back what recordings hold, for tests.
package rowtest

import (
	"fmt"
	"iter"
	"slices"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
)

// Rows returns the rows of record batches, and each batch's size. A value is nil, int64, float64, float32, bool or
// []any.
func Rows(all iter.Seq2[arrow.Record, error]) (rows [][]any, batches []int64, err error) {
	for record, err := range all {
		if err != nil {
			return rows, batches, err
		}
		batches = append(batches, record.NumRows())
		for i := range int(record.NumRows()) {
			var row []any
			for _, column := range record.Columns() {
				row = append(row, valueAt(column, i))
			}
			rows = append(rows, row)
		}
	}
	return rows, batches, nil
}

func valueAt(column arrow.Array, i int) any {
	if column.IsNull(i) {
		return nil
	}
	switch c := column.(type) {
	case *array.Int64:
		return c.Value(i)
	case *array.Int32:
		return int64(c.Value(i))
	case *array.Float64:
		return c.Value(i)
	case *array.Float32:
		return c.Value(i)
	case *array.Boolean:
		return c.Value(i)
	case *array.FixedSizeList:
		var list []any
		for from, to := c.ValueOffsets(i); from < to; from++ {
			list = append(list, valueAt(c.ListValues(), int(from)))
		}
		return list
	}
	panic(fmt.Sprintf("column of type %v", column.DataType()))
}

// Equal compares rows. NaN equals NaN, and −0 is not 0.
func Equal(a, b [][]any) bool {
	return slices.EqualFunc(a, b, func(x, y []any) bool { return fmt.Sprint(x...) == fmt.Sprint(y...) })
}
