package recorder

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
)

// Added is what [Dataset.Join] puts before the names of pictures where a table has columns with these names.
const Added = "added_"

// join is the columns of another dataset that a table of a dataset has beside its own.
type join struct {
	base    *Dataset
	table   int
	other   *Dataset
	columns []int // numbers of columns of the other's first table
}

// Join returns the dataset with the pictures of another one, which has a row with the same episode, world and t_ns for
// each row of a table, as columns of this table; their names get a prefix, with [Added] before it where the table has
// such a column. Neither is changed.
func (d *Dataset) Join(table string, other *Dataset, prefix string) (*Dataset, error) {
	i, err := d.table(table)
	if err != nil {
		return nil, err
	}
	j := &join{base: d, table: i, other: other}
	result := *d
	result.Tables, result.join = append([]format.Table{}, d.Tables...), j
	for slices.ContainsFunc(other.Tables[0].Columns, func(c format.Column) bool {
		return c.OfCamera() && d.Tables[i].Has(prefix+c.Name)
	}) {
		prefix = Added + prefix
	}
	columns := append([]format.Column{}, d.Tables[i].Columns...)
	for k, c := range other.Tables[0].Columns {
		if c.OfCamera() {
			c.Name, c.Camera = prefix+c.Name, c.Camera.Prefixed(prefix)
			j.columns, columns = append(j.columns, k), append(columns, c)
		}
	}
	result.Tables[i].Columns = columns
	if err := format.ValidateTables(result.Tables); err != nil {
		return nil, fmt.Errorf("%s beside %s: %w", other.dir, d.dir, err)
	}
	rows, err := d.Rows(table)
	added, err2 := other.Rows(other.Tables[0].Name)
	if err := cmp.Or(err, err2); err != nil {
		return nil, err
	}
	if rows != added {
		return nil, fmt.Errorf("%s has pictures of %d rows, want %d as table %q of %s has; add them anew with --force",
			other.dir, added, rows, table, d.dir)
	}
	return &result, nil
}

// packed yields the rows of the table with the columns of both, as many at once as the other has in a batch.
func (j *join) packed(layout *format.Layout) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		base, other := j.base.Tables[j.table], j.other.Tables[0]
		baseLayout, addedLayout := format.NewLayout(&base), format.NewLayout(&other)
		next, stop := iter.Pull2(j.other.Packed(other.Name))
		defer stop()
		var pictures, rows []byte
		number := int64(0)
		for remaining, err := range j.base.Packed(base.Name) {
			if err != nil {
				yield(nil, err)
				return
			}
			for len(remaining) > 0 {
				if len(pictures) == 0 {
					var more bool
					if pictures, err, more = next(); err == nil && !more {
						err = fmt.Errorf("%s has no pictures from row %d on", j.other.dir, number)
					}
					if err != nil {
						yield(nil, err)
						return
					}
				}
				rows = rows[:0]
				for ; len(remaining) > 0 && len(pictures) > 0; number++ {
					if err := j.sameKeys(baseLayout, addedLayout, remaining, pictures, number); err != nil {
						yield(nil, err)
						return
					}
					rows = j.extend(rows, layout, baseLayout, addedLayout, remaining, pictures)
					remaining, pictures = remaining[baseLayout.Stride:], pictures[addedLayout.Stride:]
				}
				if !yield(rows, nil) {
					return
				}
			}
		}
	}
}

// sameKeys returns an error unless a row and its pictures are of the same instant.
func (j *join) sameKeys(baseLayout, addedLayout *format.Layout, row, pictures []byte, number int64) error {
	for _, key := range [...]string{"episode", "world", "t_ns"} {
		addedColumn, baseColumn := addedLayout.Column(key), baseLayout.Column(key)
		if addedColumn < 0 || baseColumn < 0 || addedLayout.Int(pictures, addedColumn) != baseLayout.Int(row,
			baseColumn) {
			return fmt.Errorf("%s has in row %d another %s than %s; add the pictures anew with --force",
				j.other.dir, number, key, j.base.dir)
		}
	}
	return nil
}

// extend appends a row with its pictures.
func (j *join) extend(rows []byte, layout, baseLayout, addedLayout *format.Layout, row, pictures []byte) []byte {
	start := len(rows)
	rows = layout.Extend(rows)
	for i := range layout.Columns {
		source, bytes, column := baseLayout, row, i
		if i >= len(baseLayout.Columns) {
			source, bytes, column = addedLayout, pictures, j.columns[i-len(baseLayout.Columns)]
		}
		if !source.IsNull(bytes, column) {
			layout.Set(rows[start:], i, source.Bytes(bytes, column))
		}
	}
	return rows
}

// batches yields the same rows as records.
func (j *join) batches(layout *format.Layout, schema *arrow.Schema) iter.Seq2[arrow.Record, error] {
	return func(yield func(arrow.Record, error) bool) {
		for rows, err := range j.packed(layout) {
			if err != nil {
				yield(nil, err)
				return
			}
			record := layout.Record(schema, rows)
			more := yield(record, nil)
			record.Release()
			if !more {
				return
			}
		}
	}
}
