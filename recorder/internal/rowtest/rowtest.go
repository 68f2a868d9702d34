// Package rowtest reads back what recordings hold, for tests.
package rowtest

import (
	"bytes"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
)

// TB is what *testing.T and *rapid.T have in common.
type TB interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// Files returns the contents of every file under a folder; of a link, its target.
func Files(tb TB, dir string) map[string][]byte {
	tb.Helper()
	files := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		if d.Type() == os.ModeSymlink {
			target, err := os.Readlink(path)
			files[name] = []byte(target)
			return err
		}
		files[name], err = os.ReadFile(path)
		return err
	})
	if err != nil {
		tb.Fatalf("%v", err)
	}
	return files
}

// SameFiles reports files that differ between two recordings.
func SameFiles(tb TB, a, b string) {
	tb.Helper()
	Same(tb, Files(tb, a), Files(tb, b))
}

// Same reports differences between two results of [Files].
func Same(tb TB, first, second map[string][]byte) {
	tb.Helper()
	if len(first) != len(second) {
		tb.Errorf("%d files, then %d", len(first), len(second))
	}
	for name, data := range first {
		if !bytes.Equal(data, second[name]) {
			tb.Errorf("%s differs", name)
		}
	}
}

// Rows returns all rows of some record batches, and the size of each batch. A value is nil, int64, float64, bool or a slice of
// one of these.
func Rows(all iter.Seq2[arrow.Record, error]) (rows [][]any, batches []int64, err error) {
	for record, err := range all {
		if err != nil {
			return rows, batches, err
		}
		batches = append(batches, record.NumRows())
		for i := range int(record.NumRows()) {
			var row []any
			for _, column := range record.Columns() {
				row = append(row, ValueAt(column, i))
			}
			rows = append(rows, row)
		}
	}
	return rows, batches, nil
}

// ValueAt returns a value of a column.
func ValueAt(column arrow.Array, i int) any {
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
		return float64(c.Value(i))
	case *array.Boolean:
		return c.Value(i)
	case *array.FixedSizeList:
		from, to := c.ValueOffsets(i)
		switch c.ListValues().DataType().ID() {
		case arrow.INT64:
			return valuesAt[int64](c.ListValues(), from, to)
		case arrow.BOOL:
			return valuesAt[bool](c.ListValues(), from, to)
		default:
			return valuesAt[float64](c.ListValues(), from, to)
		}
	}
	panic(fmt.Sprintf("column of type %v", column.DataType()))
}

func valuesAt[T any](values arrow.Array, from, to int64) []T {
	var list []T
	for j := from; j < to; j++ {
		list = append(list, ValueAt(values, int(j)).(T))
	}
	return list
}

// Equal compares rows. NaN equals NaN, and −0 is not 0.
func Equal(a, b [][]any) bool {
	return slices.EqualFunc(a, b, func(x, y []any) bool { return fmt.Sprint(x...) == fmt.Sprint(y...) })
}
