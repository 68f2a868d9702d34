package export

import (
	"errors"

	"github.com/polyrhythm-rl/polyrhythm/recorder"
)

// tableWriter writes the rows of one table, in the layout of its columns.
type tableWriter interface {
	write(rows []byte) error
	close() error
}

// writeTables writes every selected table by itself, its episodes in ascending order.
func (j *job) writeTables(open func(t *recorder.Table, l *layout) (tableWriter, error)) error {
	if err := j.expect(j.tables...); err != nil {
		return err
	}
	var all Result
	for _, t := range j.tables {
		w, err := open(t, newLayout(t.Columns))
		if err != nil {
			return err
		}
		j.result = Result{Bytes: j.result.Bytes}
		err = j.eachEpisode([]*recorder.Table{t}, func(e *episode) error {
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
