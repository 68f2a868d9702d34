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

// joined are the columns of other datasets that a table of a dataset has beside its own.
type joined struct {
	base  *Dataset
	table int
	other *Dataset
	from  []int // columns of the other's first table
}

// Join returns the dataset with the pictures of another one, which has a row with the same episode, world and t_ns for
// each row of a table, as columns of this table; their names get a prefix, with [Added] before it where the table has
// such a column. Neither is changed.
func (d *Dataset) Join(table string, other *Dataset, prefix string) (*Dataset, error) {
	i, err := d.table(table)
	if err != nil {
		return nil, err
	}
	j := &joined{base: d, table: i, other: other}
	with := *d
	with.Tables, with.joined = append([]format.Table{}, d.Tables...), j
	for slices.ContainsFunc(other.Tables[0].Columns, func(c format.Column) bool {
		return c.Width > 0 && d.Tables[i].Has(prefix+c.Name)
	}) {
		prefix = Added + prefix
	}
	columns := append([]format.Column{}, d.Tables[i].Columns...)
	for k, c := range other.Tables[0].Columns {
		if c.Width > 0 {
			c.Name = prefix + c.Name
			j.from, columns = append(j.from, k), append(columns, c)
		}
	}
	with.Tables[i].Columns = columns
	if err := format.ValidateTables(with.Tables); err != nil {
		return nil, fmt.Errorf("%s beside %s: %w", other.dir, d.dir, err)
	}
	have, err := d.Rows(table)
	added, err2 := other.Rows(other.Tables[0].Name)
	if err := cmp.Or(err, err2); err != nil {
		return nil, err
	}
	if have != added {
		return nil, fmt.Errorf("%s has pictures of %d rows, want %d as table %q of %s has; add them anew with --force",
			other.dir, added, have, table, d.dir)
	}
	return &with, nil
}

// packed yields the rows of the table with the columns of both, as many at once as the other has in a batch.
func (j *joined) packed(to *format.Layout) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		base, other := j.base.Tables[j.table], j.other.Tables[0]
		own, with := format.NewLayout(&base), format.NewLayout(&other)
		next, stop := iter.Pull2(j.other.Packed(other.Name))
		defer stop()
		var pictures, rows []byte
		number := int64(0)
		for left, err := range j.base.Packed(base.Name) {
			if err != nil {
				yield(nil, err)
				return
			}
			for len(left) > 0 {
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
				for ; len(left) > 0 && len(pictures) > 0; number++ {
					if err := j.sameKeys(own, with, left, pictures, number); err != nil {
						yield(nil, err)
						return
					}
					rows = j.extend(rows, to, own, with, left, pictures)
					left, pictures = left[own.Stride:], pictures[with.Stride:]
				}
				if !yield(rows, nil) {
					return
				}
			}
		}
	}
}

// sameKeys returns an error unless a row and its pictures are of the same instant.
func (j *joined) sameKeys(own, with *format.Layout, row, pictures []byte, number int64) error {
	for _, key := range [...]string{"episode", "world", "t_ns"} {
		have, want := with.Column(key), own.Column(key)
		if have < 0 || want < 0 || with.Int(pictures, have) != own.Int(row, want) {
			return fmt.Errorf("%s has in row %d another %s than %s; add the pictures anew with --force", j.other.dir, number,
				key, j.base.dir)
		}
	}
	return nil
}

// extend appends a row with its pictures.
func (j *joined) extend(rows []byte, to, own, with *format.Layout, row, pictures []byte) []byte {
	at := len(rows)
	rows = to.Extend(rows)
	for i := range to.Columns {
		from, bytes, column := own, row, i
		if i >= len(own.Columns) {
			from, bytes, column = with, pictures, j.from[i-len(own.Columns)]
		}
		if !from.IsNull(bytes, column) {
			to.Set(rows[at:], i, from.Bytes(bytes, column))
		}
	}
	return rows
}

// batches yields the same rows as records.
func (j *joined) batches(to *format.Layout, schema *arrow.Schema) iter.Seq2[arrow.Record, error] {
	return func(yield func(arrow.Record, error) bool) {
		for rows, err := range j.packed(to) {
			if err != nil {
				yield(nil, err)
				return
			}
			record := to.Record(schema, rows)
			more := yield(record, nil)
			record.Release()
			if !more {
				return
			}
		}
	}
}
