package export

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"io"
	"os"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
)

// chunkBytes is the approximate size of the rows that a format gets at once.
const chunkBytes = 1 << 20

// sorted is a table's rows in ascending order of episodes, else in the table's order. It is read once.
type sorted struct {
	layout  *format.Layout
	episode int    // number of the column of the episode
	runs    []*run // each in ascending order; rows of an earlier one come first
	fsys    disk.FS
	path    string    // path of the spill file
	spill   disk.File // nil if all rows are in memory
	back    *os.File  // the spill file, open for reading
	spilled []int64   // bytes of each run in the spill file
	chunk   []byte
}

type run struct {
	reader io.Reader
	row    []byte
	head   []byte // the next row, in row; nil at the end
}

func (r *run) advance() error {
	r.head = r.row
	_, err := io.ReadFull(r.reader, r.row)
	if err == io.EOF {
		r.head, err = nil, nil
	}
	return err
}

// sortTable reads a table and sorts it, with at most `memory` bytes of rows in memory; the others go to a file at
// spill. read is called with the number of rows of each batch. Close the result.
func (j *job) sortTable(t *format.Table, memory int64, spill string, read func(rows int64)) (_ *sorted, err error) {
	s := &sorted{layout: format.NewLayout(t), fsys: j.fsys, path: spill}
	if err := findColumns(s.layout, map[string]*int{"episode": &s.episode}); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			s.close()
		}
	}()
	var data []byte
	for rows, err := range j.d.Packed(t.Name) {
		if err = cmp.Or(err, j.ctx.Err()); err != nil {
			return nil, err
		}
		data = append(data, rows...)
		read(int64(len(rows) / s.layout.Stride))
		if int64(len(data)) >= memory/2 { // sorting makes a copy
			if err := s.putAside(data); err != nil {
				return nil, err
			}
			data = data[:0]
		}
	}
	if s.spill == nil {
		all := bytes.NewBuffer(make([]byte, 0, len(data)))
		return s, errors.Join(s.writeSorted(all, data), s.add(all))
	}
	if len(data) > 0 {
		if err := s.putAside(data); err != nil {
			return nil, err
		}
	}
	return s, s.openSpill(memory)
}

// putAside adds rows to the spill file.
func (s *sorted) putAside(data []byte) (err error) {
	if s.spill == nil {
		if s.spill, err = s.fsys.Create(s.path); err != nil {
			return err
		}
	}
	s.spilled = append(s.spilled, int64(len(data)))
	return s.writeSorted(s.spill, data)
}

// writeSorted writes rows in ascending order of episodes; those of one episode stay in their order.
func (s *sorted) writeSorted(dst io.Writer, data []byte) error {
	row := func(number int32) []byte { return data[int(number)*s.layout.Stride:][:s.layout.Stride] }
	order := make([]int32, len(data)/s.layout.Stride)
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(s.layout.Int(row(a), s.episode), s.layout.Int(row(b), s.episode)), cmp.Compare(a, b))
	})
	out := bufio.NewWriterSize(dst, chunkBytes)
	for _, number := range order {
		out.Write(row(number)) // Flush returns the first error
	}
	return out.Flush()
}

func (s *sorted) add(reader io.Reader) error {
	r := &run{reader: reader, row: make([]byte, s.layout.Stride)}
	s.runs = append(s.runs, r)
	return r.advance()
}

func (s *sorted) openSpill(memory int64) (err error) {
	if s.back, err = disk.Open(s.path); err != nil {
		return err
	}
	offset, buffer := int64(0), min(max(memory/int64(len(s.spilled)), 1<<14), 1<<20)
	for _, size := range s.spilled {
		if err := s.add(bufio.NewReaderSize(io.NewSectionReader(s.back, offset, size), int(buffer))); err != nil {
			return err
		}
		offset += size
	}
	return nil
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

// chunkOf returns the next rows of an episode, about chunkBytes of them, valid until the next call; none when it has no
// more. No lower episode may have rows left.
func (s *sorted) chunkOf(episode int64) ([]byte, error) {
	s.chunk = s.chunk[:0]
	for _, r := range s.runs {
		for r.head != nil && s.layout.Int(r.head, s.episode) == episode {
			if len(s.chunk) > 0 && len(s.chunk)+s.layout.Stride > chunkBytes {
				return s.chunk, nil
			}
			s.chunk = append(s.chunk, r.head...)
			if err := r.advance(); err != nil {
				return nil, err
			}
		}
	}
	return s.chunk, nil
}

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
