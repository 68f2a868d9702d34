package export

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
)

// chunkBytes is the approximate size of the rows that a format gets at once.
const chunkBytes = 1 << 20

// sorted is a table's rows in ascending order of episodes, those of an episode in the table's order. It is read once, from
// front to back.
type sorted struct {
	layout  *format.Layout
	episode int // column
	rows    int64
	runs    []*run // each in ascending order; rows of an earlier one come first
	fsys    disk.FS
	path    string    // of the spill file
	spill   disk.File // nil if all rows are in memory
	back    *os.File  // the spill file, to read
	chunk   []byte
}

// run is a stretch of sorted rows, in memory or in the spill file.
type run struct {
	data  []byte  // in memory
	order []int32 // numbers of the rows that are left

	file *bufio.Reader // in the spill file
	left int64         // rows not yet read from it

	head []byte // next row; nil at the end
}

// sortTable reads a table and sorts it, with at most `memory` bytes of rows in memory; the others go to a file at spill. read is
// called with the number of rows of each batch. Close the result.
func (j *job) sortTable(t *format.Table, memory int64, spill string, read func(rows int64)) (_ *sorted, err error) {
	s := &sorted{layout: format.NewLayout(t), fsys: j.fsys, path: spill}
	if s.episode = s.layout.Column("episode"); s.episode < 0 {
		return nil, fmt.Errorf("table %q has no column \"episode\"", t.Name)
	}
	defer func() {
		if err != nil {
			s.close()
		}
	}()
	var data []byte
	var counts []int64 // rows of each run in the spill file
	for record, err := range j.d.Batches(t.Name) {
		if err != nil {
			return nil, err
		}
		if err := j.ctx.Err(); err != nil {
			return nil, err
		}
		data = s.layout.AppendRecord(data, record)
		s.rows += record.NumRows()
		read(record.NumRows())
		if int64(len(data)) >= memory {
			counts = append(counts, int64(len(data)/s.layout.Stride))
			if err := s.putAside(data); err != nil {
				return nil, err
			}
			data = data[:0]
		}
	}
	if len(counts) > 0 && len(data) > 0 {
		counts = append(counts, int64(len(data)/s.layout.Stride))
		if err := s.putAside(data); err != nil {
			return nil, err
		}
		data = nil
	}
	return s, s.openRuns(counts, data, memory)
}

// putAside adds rows to the spill file in ascending order of episodes.
func (s *sorted) putAside(data []byte) (err error) {
	if s.spill == nil {
		if s.spill, err = s.fsys.Create(s.path); err != nil {
			return err
		}
	}
	out := bufio.NewWriterSize(s.spill, chunkBytes)
	for _, r := range s.order(data) {
		if _, err := out.Write(data[int(r)*s.layout.Stride:][:s.layout.Stride]); err != nil {
			return err
		}
	}
	return out.Flush()
}

// order returns the numbers of rows in ascending order of episodes; those of one episode stay in their order.
func (s *sorted) order(data []byte) []int32 {
	type key struct {
		episode int64
		row     int32
	}
	keys := make([]key, len(data)/s.layout.Stride)
	for i := range keys {
		keys[i] = key{s.layout.Int(data[i*s.layout.Stride:], s.episode), int32(i)}
	}
	slices.SortFunc(keys, func(a, b key) int {
		return cmp.Or(cmp.Compare(a.episode, b.episode), cmp.Compare(a.row, b.row))
	})
	order := make([]int32, len(keys))
	for i := range keys {
		order[i] = keys[i].row
	}
	return order
}

// openRuns opens the runs of the spill file, which have these numbers of rows, or the only one, in memory.
func (s *sorted) openRuns(counts []int64, data []byte, memory int64) (err error) {
	if len(counts) == 0 {
		s.runs = []*run{{data: data, order: s.order(data)}}
	} else if s.back, err = os.Open(s.path); err != nil {
		return err
	}
	at := int64(0)
	for _, rows := range counts {
		size := rows * int64(s.layout.Stride)
		buffer := min(max(memory/int64(len(counts)), 1<<14), 1<<20)
		s.runs = append(s.runs, &run{
			file: bufio.NewReaderSize(io.NewSectionReader(s.back, at, size), int(buffer)),
			left: rows,
		})
		at += size
	}
	for _, r := range s.runs {
		if err := r.advance(s.layout.Stride); err != nil {
			return err
		}
	}
	return nil
}

// advance proceeds to the run's next row.
func (r *run) advance(stride int) error {
	if r.file == nil {
		r.head = nil
		if len(r.order) > 0 {
			r.head = r.data[int(r.order[0])*stride:][:stride]
			r.order = r.order[1:]
		}
		return nil
	}
	if r.left == 0 {
		r.head = nil
		return nil
	}
	r.left--
	if r.head == nil {
		r.head = make([]byte, stride)
	}
	_, err := io.ReadFull(r.file, r.head)
	return err
}

// next returns the lowest episode that has rows left; ok is false at the end.
func (s *sorted) next() (episode int64, ok bool) {
	for _, r := range s.runs {
		if r.head == nil {
			continue
		}
		if e := s.layout.Int(r.head, s.episode); !ok || e < episode {
			episode, ok = e, true
		}
	}
	return episode, ok
}

// take returns the next rows of an episode, about chunkBytes of them, valid until the next call; none when it has no more.
// No lower episode may have rows left.
func (s *sorted) take(episode int64) ([]byte, error) {
	s.chunk = s.chunk[:0]
	for _, r := range s.runs {
		for r.head != nil && s.layout.Int(r.head, s.episode) == episode {
			if len(s.chunk) > 0 && len(s.chunk)+s.layout.Stride > chunkBytes {
				return s.chunk, nil
			}
			s.chunk = append(s.chunk, r.head...)
			if err := r.advance(s.layout.Stride); err != nil {
				return nil, err
			}
		}
	}
	return s.chunk, nil
}

// close frees the rows and removes the spill file.
func (s *sorted) close() {
	s.runs = nil
	if s.back != nil {
		s.back.Close()
	}
	if s.spill != nil {
		s.spill.Close()
		s.fsys.Remove(s.path)
	}
}
