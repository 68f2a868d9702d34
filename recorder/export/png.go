package export

import (
	"errors"
	"fmt"
	"path"

	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
)

// writePNG writes TABLE/COLUMN/episode-NNNNNN/NNNNNN.png for the pictures of each row, numbered from 0 in each episode,
// and TABLE.csv with the keys of these rows, their numbers, and the other columns.
func (j *job) writePNG() error {
	var tables []*format.Table
	for _, t := range j.tables {
		if len(pictures(t)) > 0 {
			tables = append(tables, t)
		}
	}
	if len(tables) == 0 {
		return fmt.Errorf("png: no table has pictures: %w with them, or add some by train render --into", ErrTable)
	}
	j.tables = tables
	return j.writeTables(func(t *format.Table, l *format.Layout) (tableWriter, error) {
		w := &pngTable{job: j, layout: l, pictures: pictures(t), csv: &csvTable{layout: l, frame: true}}
		if err := findColumns(l, map[string]*int{"episode": &w.episode}); err != nil {
			return nil, fmt.Errorf("png: %w", err)
		}
		w.last = -1
		return w, w.csv.open(j)
	})
}

// pictures returns the columns of a table that hold pictures.
func pictures(t *format.Table) (columns []int) {
	for i, c := range t.Columns {
		if c.Width > 0 {
			columns = append(columns, i)
		}
	}
	return columns
}

type pngTable struct {
	job      *job
	layout   *format.Layout
	pictures []int
	episode  int // number of the column of the episode
	csv      *csvTable

	last, frame int64 // the episode of the newest row, and the number of the episode's next row
}

func (w *pngTable) write(rows []byte) error {
	for ; len(rows) > 0; rows = rows[w.layout.Stride:] {
		row := rows[:w.layout.Stride]
		if e := w.layout.Int(row, w.episode); e != w.last {
			w.last, w.frame = e, 0
		}
		for _, i := range w.pictures {
			if w.layout.IsNull(row, i) {
				continue
			}
			err := w.job.writeFile(path.Join(w.layout.Name, w.layout.Columns[i].Name,
				fmt.Sprintf("episode-%06d", w.last), fmt.Sprintf("%06d.png", w.frame)), w.layout.PNG(row, i))
			if err != nil {
				return err
			}
		}
		w.csv.number = w.frame
		if err := w.csv.write(row); err != nil {
			return err
		}
		w.frame++
	}
	return nil
}

func (w *pngTable) close() error { return errors.Join(w.csv.close()) }
