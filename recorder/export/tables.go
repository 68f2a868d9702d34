package export

import (
	"errors"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
)

// tableWriter writes the rows of one table, in the layout of its columns.
type tableWriter interface {
	write(rows []byte) error
	close() error
}

// writeTables writes every selected table separately, with its episodes in ascending order.
func (j *job) writeTables(open func(t *format.Table, l *format.Layout) (tableWriter, error)) error {
	if err := j.expect(j.tables...); err != nil {
		return err
	}
	var all Result
	for _, t := range j.tables {
		w, err := open(t, format.NewLayout(t))
		if err != nil {
			return err
		}
		j.result = Result{Bytes: j.result.Bytes}
		err = j.eachEpisode([]*format.Table{t}, func(e *episode) error {
			for {
				rows, err := e.rows(0)
				if err != nil || len(rows) == 0 {
					return err
				}
				if err := w.write(rows); err != nil {
					return err
				}
			}
		})
		if err = errors.Join(err, w.close()); err != nil {
			return err
		}
		all.Rows += j.result.Rows
		all.Episodes = max(all.Episodes, j.result.Episodes)
		all.Incomplete = max(all.Incomplete, j.result.Incomplete)
	}
	all.Bytes = j.result.Bytes
	j.result = all
	return nil
}

// arrowSchema returns the plain Arrow schema of a layout's columns.
func arrowSchema(l *format.Layout) *arrow.Schema {
	var fields []arrow.Field
	for i := range l.Table.Columns {
		c := &l.Table.Columns[i]
		fields = append(fields, arrow.Field{Name: c.Name, Type: c.ArrowType(), Nullable: true})
	}
	return arrow.NewSchema(fields, nil)
}
