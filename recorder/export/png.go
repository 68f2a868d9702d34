package export

import (
	"errors"
	"fmt"
	"math"
	"path"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
)

// writePNG writes TABLE/COLUMN/episode-NNNNNN/NNNNNN.png for the pictures of each row, numbered from 0 in each episode,
// and TABLE.csv with the keys of these rows, their numbers, and the other columns without pixels. The tables are those
// with pictures of cameras or, where there are none, with pictures that were observed.
func (j *job) writePNG() error {
	var tables, seeing []*format.Table
	for _, t := range j.tables {
		if len(pictures(t)) > 0 {
			tables = append(tables, t)
		} else if t.Keyed() && pictured(t) {
			seeing = append(seeing, t)
		}
	}
	if tables == nil {
		tables = seeing
	}
	if len(tables) == 0 {
		return fmt.Errorf("png: no table has pictures: %w with them, or add some by train render --into", ErrTable)
	}
	j.tables = tables
	return j.writeTables(func(t *format.Table, l *format.Layout) (tableWriter, error) {
		w := &pngTable{job: j, layout: l, pictures: pngPictures(l), csv: &csvTable{layout: l, frame: true}}
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

// pngPicture is a column of a table or of its storage that has pictures.
type pngPicture struct {
	layout *format.Layout
	column int
	folder string // its name in paths

	seen   *format.ListPicture // an observed picture, whose column has no images; nil: it has
	image  *format.Layout      // of its image
	values []float64           // room for what the column stores of it
}

// pngPictures returns the pictures of a table's columns, and those that were observed of which the table has none of the
// camera.
func pngPictures(l *format.Layout) (all []pngPicture) {
	add := func(l *format.Layout, column int) {
		all = append(all, pngPicture{layout: l, column: column, folder: strings.ReplaceAll(l.Columns[column].Name, "/", ".")})
	}
	for _, i := range pictures(l.Table) {
		add(l, i)
	}
	storage := l.Storage()
	for i := range l.Columns {
		list := &l.Columns[i]
		for k := range list.Pictures {
			p := &list.Pictures[k]
			if l.Has(strings.TrimPrefix(p.Name, list.Name+"_")) {
				continue
			}
			add(storage, storage.Column(p.Name))
			if p.Floats || p.Kind == physics.Depth {
				last := &all[len(all)-1]
				last.seen = p
				last.image = format.NewLayout(&format.Table{Columns: []format.Column{
					format.PictureColumn(p.Name, p.Kind, p.Width, p.Height)}})
			}
		}
	}
	return all
}

// file returns the PNG file of the picture in a row. Observed pictures of float32s become images of bytes.
func (p *pngPicture) file(row []byte) []byte {
	if p.seen == nil {
		return p.layout.PNG(row, p.column)
	}
	far := p.seen.Far
	if far == 0 { // it is not known what is nothing
		far = math.Inf(1)
	}
	p.values = p.layout.AppendFloats(p.values[:0], row, p.column)
	image := p.image.Zeros()
	format.Pack(p.image.Row(image).Pixels(0), p.seen.Kind, p.values, physics.ChannelsOf(p.seen.Kind), far)
	return p.image.PNG(image, 0)
}

type pngTable struct {
	job      *job
	layout   *format.Layout
	pictures []pngPicture
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
		for i := range w.pictures {
			p := &w.pictures[i]
			if p.layout.IsNull(row, p.column) {
				continue
			}
			err := w.job.writeFile(path.Join(w.layout.Name, p.folder, fmt.Sprintf("episode-%06d", w.last),
				fmt.Sprintf("%06d.png", w.frame)), p.file(row))
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
