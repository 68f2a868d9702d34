package export

import (
	"errors"
	"fmt"
	"maps"
	"slices"

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
	if err := j.expect(j.tables); err != nil {
		return err
	}
	for _, t := range j.tables {
		w, err := open(t, format.NewLayout(t))
		if err != nil {
			return err
		}
		previous := j.result
		j.result.Episodes, j.result.Incomplete = 0, 0
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
		j.result.Episodes = max(j.result.Episodes, previous.Episodes)
		j.result.Incomplete = max(j.result.Incomplete, previous.Incomplete)
	}
	return nil
}

func arrowSchema(l *format.Layout) *arrow.Schema {
	return arrow.NewSchema(l.Table.ArrowSchema(nil).Fields(), nil)
}

// findColumns sets the places of columns by their names.
func findColumns(l *format.Layout, columns map[string]*int) error {
	for _, name := range slices.Sorted(maps.Keys(columns)) {
		if *columns[name] = l.Column(name); *columns[name] < 0 {
			return fmt.Errorf("table %q has no column %q", l.Table.Name, name)
		}
	}
	return nil
}
