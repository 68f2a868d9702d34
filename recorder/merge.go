package recorder

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"

	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
	"github.com/polyrhythm-rl/polyrhythm/recorder/internal/folder"
)

// ErrNotSlice is wrapped by the error of [Merge] for a dataset that was recovered, or written without [Options].Slice.
var ErrNotSlice = errors.New("dataset is not a whole slice of a run")

// Merge makes the dataset of a run from those of its slices, which are in the order of their blocks, in the folder dir.
// It has the bytes that the run would have written with these options, and the labels of the slices. It fails with
// [ErrExists] if the folder has a dataset already, and leaves an unfinished dataset after any other error or when ctx
// is cancelled.
//
// Tables are merged one after the other. The memory is that of a batch of each table, and of one of a slice.
//
// progress, if it is not nil, is called now and then with how many of the rows are done.
func Merge(ctx context.Context, dir string, slices []*Dataset, options Options,
	progress func(done, total int64)) error {
	return mergeOn(ctx, disk.OS{}, dir, slices, options, progress)
}

// mergeOn is [Merge] on a file system.
func mergeOn(ctx context.Context, fsys disk.FS, dir string, slices []*Dataset, options Options,
	progress func(done, total int64)) error {
	options, err := options.withDefaults()
	if err != nil {
		return err
	}
	m := &merge{ctx: ctx, progress: progress}
	for _, d := range slices {
		if string(d.document) != string(slices[0].document) {
			return fmt.Errorf("%s and %s are datasets of different runs: their %s differ", slices[0].dir, d.dir,
				format.DocumentFile)
		}
		if d.Recovery != nil {
			return fmt.Errorf("%s: %w: it was recovered", d.dir, ErrNotSlice)
		}
		for i := range d.Tables {
			rows, err := d.Rows(d.Tables[i].Name)
			if err != nil {
				return err
			}
			m.total += rows
		}
	}
	w := &Writer{fsys: fsys, dir: dir, described: slices[0].Tables, document: slices[0].document, options: options}
	if err := w.create(); err != nil {
		return err
	}
	for i, t := range w.tables {
		if err := m.table(t, slices, i); err != nil {
			w.releaseTables()
			return fmt.Errorf("table %q: %w", slices[0].Tables[i].Name, err)
		}
	}
	if err := mergeLabels(fsys, dir, slices); err != nil {
		w.releaseTables()
		return err
	}
	return w.finish()
}

type merge struct {
	ctx         context.Context
	progress    func(done, total int64)
	done, total int64 // number of rows
}

func (m *merge) table(target *tableWriter, slices []*Dataset, i int) (err error) {
	parts := make([]*partReader, len(slices))
	defer func() {
		for _, p := range parts {
			if p != nil {
				p.close()
			}
		}
	}()
	for k, d := range slices {
		if parts[k], err = openParts(d, i); err != nil {
			return fmt.Errorf("%s: %w", d.dir, err)
		}
	}
	for segment := int64(0); ; {
		last, next := int64(-1), int64(-1) // block of the previous row, and the next segment
		for _, p := range parts {
			if last, err = m.segment(target, p, segment, last); err != nil {
				return fmt.Errorf("%s: %w", p.dir, err)
			}
			if p.part != nil && (next < 0 || p.part.Segment < next) {
				next = p.part.Segment
			}
		}
		if next < 0 {
			return target.endSegment()
		}
		for ; segment < next; segment++ {
			if err := target.endSegment(); err != nil {
				return err
			}
			if target.batch.Rows() == 0 { // more segments without rows change nothing
				segment = next - 1
			}
		}
		if err := m.ctx.Err(); err != nil {
			return err
		}
		if m.progress != nil {
			m.progress(m.done, m.total)
		}
	}
}

// segment adds the rows that a slice has in a segment. last is the block of the row before, and then of the last row.
func (m *merge) segment(target *tableWriter, p *partReader, segment, last int64) (int64, error) {
	for p.part != nil && p.part.Segment == segment {
		if p.part.Block < last {
			return 0, fmt.Errorf("its journal has block %d after block %d", p.part.Block, last)
		}
		last = p.part.Block
		for remaining := p.part.Rows; ; {
			n, err := p.add(target.batch, remaining)
			if err != nil {
				return 0, err
			}
			if remaining -= n; remaining == 0 {
				target.ended += p.part.Episodes
			}
			m.done += n
			if n > 0 && target.batch.Full() {
				if err := target.flush(); err != nil {
					return 0, err
				}
			}
			if remaining == 0 {
				break
			}
		}
		if err := p.next(); err != nil {
			return 0, err
		}
	}
	if p.part != nil && p.part.Segment < segment {
		return 0, fmt.Errorf("its journal has segment %d after segment %d", p.part.Segment, segment)
	}
	return last, nil
}

// partReader reads one table of a slice, part by part.
type partReader struct {
	dir     string
	journal *os.File
	lines   *folder.Lines
	part    *folder.JournalPart // the current part; nil after the last

	stride    int
	rows      []byte // rows of a batch that are not merged yet
	nextBatch func() (rows []byte, err error, more bool)
	stop      func()
}

// openParts returns a reader at the first part, and one that is to be closed also after most errors.
func openParts(d *Dataset, table int) (*partReader, error) {
	f, err := disk.Open(filepath.Join(folder.Dir(d.dir, d.Tables, table), folder.JournalFile))
	if err != nil {
		return nil, err
	}
	p := &partReader{dir: d.dir, journal: f, stride: format.NewLayout(&d.Tables[table]).Stride}
	p.nextBatch, p.stop = iter.Pull2(d.Packed(d.Tables[table].Name))
	if p.lines, err = folder.ReadLines(f); err != nil {
		return p, err
	}
	if !p.lines.Parts {
		return p, fmt.Errorf("%w: its journal has no parts", ErrNotSlice)
	}
	return p, p.next()
}

func (p *partReader) close() {
	p.stop()
	p.journal.Close()
}

// next proceeds to the next part, after the last one to the end of the streams.
func (p *partReader) next() error {
	for {
		line, err := p.lines.Next()
		if err != nil && err != io.EOF {
			return err
		}
		if p.part = line.Part; p.part != nil {
			return nil
		}
		if err == io.EOF {
			break
		}
	}
	if more, err := p.fill(); err != nil || !more {
		return err
	}
	return errors.New("its streams have rows of no part")
}

// fill reads a batch if no rows are left; more is false if there is none.
func (p *partReader) fill() (more bool, err error) {
	more = len(p.rows) > 0
	if !more {
		p.rows, err, more = p.nextBatch()
	}
	return more, err
}

// add adds the next rows to a batch, as many as there is room for and at most most, and returns their number.
func (p *partReader) add(batch *format.Batch, most int64) (n int64, err error) {
	if most == 0 {
		return 0, nil
	}
	if more, err := p.fill(); err != nil {
		return 0, err
	} else if !more {
		return 0, errors.New("its streams end before its parts do")
	}
	rows := p.rows[:p.stride*int(min(most, int64(len(p.rows)/p.stride)))]
	added := len(rows) - len(batch.AddAll(rows))
	p.rows = p.rows[added:]
	return int64(added / p.stride), nil
}
