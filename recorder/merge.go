package recorder

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
	"github.com/polyrhythm-rl/polyrhythm/recorder/internal/folder"
)

// ErrNotSlice is wrapped by the error of [Merge] for a dataset that was not written with [Options].Slice, or was recovered.
var ErrNotSlice = errors.New("dataset is not a whole slice of a run")

// Merge makes the dataset of a run from those of its slices, which are in the order of their blocks, in the folder dir. It
// has the bytes that the run would have written with these options. It fails with [ErrExists] if the folder has a dataset
// already, and leaves an unfinished dataset after any other error or when ctx is cancelled.
//
// Tables are merged one after the other. The memory is that of a batch of each table, and of one of each slice while these
// are few or small, or else of one.
//
// progress, if it is not nil, is called now and then with how many of the rows are done.
func Merge(ctx context.Context, dir string, slices []*Dataset, options Options, progress func(done, total int64)) error {
	return MergeOn(ctx, disk.OS{}, dir, slices, options, progress)
}

// MergeOn is [Merge] on a given file system, for this module.
func MergeOn(ctx context.Context, fsys disk.FS, dir string, slices []*Dataset, options Options, progress func(done, total int64)) error {
	return mergeOn(ctx, fsys, dir, slices, options, progress, keptBatches)
}

func mergeOn(ctx context.Context, fsys disk.FS, dir string, slices []*Dataset, options Options, progress func(done, total int64), kept int64) error {
	options, err := options.withDefaults()
	if err != nil {
		return err
	}
	m := &merge{ctx: ctx, progress: progress, kept: kept}
	for _, d := range slices {
		if string(d.document) != string(slices[0].document) {
			return fmt.Errorf("%s and %s are datasets of different runs: their %s differ", slices[0].dir, d.dir, format.DocumentFile)
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
	w := &Writer{dir: dir}
	if err := w.open(fsys, slices[0].Tables, slices[0].document, options, memory.DefaultAllocator); err != nil {
		return err
	}
	for i, t := range w.tables {
		if err := m.table(t, slices, i); err != nil {
			w.releaseTables()
			return fmt.Errorf("table %q: %w", slices[0].Tables[i].Name, err)
		}
	}
	return w.finish()
}

// keptBatches is how many bytes the batches of all slices may have, one of each, for their streams to stay open between
// segments. A batch is in memory about three times.
const keptBatches = 16 << 20

// merge is one call of Merge.
type merge struct {
	ctx         context.Context
	progress    func(done, total int64)
	kept        int64 // see keptBatches
	done, total int64 // rows
}

// table merges table i of the slices.
func (m *merge) table(to *tableWriter, slices []*Dataset, i int) (err error) {
	parts := make([]*partReader, len(slices))
	defer func() {
		for _, p := range parts {
			if p != nil {
				p.close()
			}
		}
	}()
	largest := int64(0) // batches of all slices together
	for k, d := range slices {
		if parts[k], err = openParts(d, i); err != nil {
			return err
		}
		largest += parts[k].largest()
	}
	for _, p := range parts {
		p.keep = largest <= m.kept
	}
	for segment := int64(0); ; {
		last := int64(-1)
		for _, p := range parts {
			if last, err = m.segment(to, p, segment, last); err != nil {
				return fmt.Errorf("%s: %w", p.d.dir, err)
			}
			p.endSegment()
		}
		next := nextSegment(parts)
		if next < 0 {
			return to.endSegment()
		}
		for ; segment < next; segment++ {
			if err := to.endSegment(); err != nil {
				return err
			}
			if to.batch.Rows() == 0 { // more segments without rows change nothing
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

// nextSegment returns the segment of the next row or closed episode of the slices; −1 after the last one.
func nextSegment(parts []*partReader) int64 {
	next := int64(-1)
	for _, p := range parts {
		if !p.over() && (next < 0 || p.part.Segment < next) {
			next = p.part.Segment
		}
	}
	return next
}

// segment adds the rows that a slice has in a segment. last is the block of the row before, and the result that of the last
// row.
func (m *merge) segment(to *tableWriter, p *partReader, segment, last int64) (int64, error) {
	for !p.over() && p.part.Segment == segment {
		part := p.part
		if part.Block < last {
			return 0, fmt.Errorf("its journal has block %d after block %d", part.Block, last)
		}
		last = part.Block
		for left := part.Rows; left > 0; {
			record, from, n, err := p.rows(left)
			if err != nil {
				return 0, err
			}
			m.done, left = m.done+n, left-n
			if err := to.addRecord(record, int(from), int(n), left == 0, part.Episodes); err != nil {
				return 0, err
			}
		}
		if part.Rows == 0 {
			to.ended += part.Episodes
		}
		if err := p.next(); err != nil {
			return 0, err
		}
	}
	if !p.over() && p.part.Segment < segment {
		return 0, fmt.Errorf("its journal has segment %d after segment %d", p.part.Segment, segment)
	}
	return last, nil
}

// addRecord appends rows of a record. If they are the last ones of a part, episodes become whole with them.
func (t *tableWriter) addRecord(r arrow.Record, from, n int, last bool, episodes int64) error {
	for n > 0 {
		added := t.batch.AddRecord(r, from, n)
		from, n = from+added, n-added
		if n == 0 && last {
			t.ended += episodes
		}
		if t.batch.Full() {
			if err := t.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// partReader reads one table of a slice, part by part.
type partReader struct {
	d       *Dataset
	table   int
	keep    bool // the stream is open between segments
	journal *os.File
	lines   *folder.Lines
	part    *folder.Part // the current one; nil after the last

	batches int // read so far
	batch   func() (arrow.Record, error, bool)
	stop    func()       // nil while the stream is not open
	now     arrow.Record // the batch of the part's next row; nil: not read yet
	row     int64        // of it
}

func openParts(d *Dataset, table int) (*partReader, error) {
	path := filepath.Join(folder.Dir(d.dir, d.Tables, table), folder.JournalFile)
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	lines, err := folder.ReadLines(f)
	if err == nil && !lines.Parts {
		err = fmt.Errorf("%w: its journal has no parts", ErrNotSlice)
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", d.dir, err)
	}
	p := &partReader{d: d, table: table, journal: f, lines: lines}
	if err := p.next(); err != nil {
		p.close()
		return nil, fmt.Errorf("%s: %w", d.dir, err)
	}
	return p, nil
}

// largest returns the size of the largest batch.
func (p *partReader) largest() int64 {
	most := int64(0)
	for _, s := range p.d.shards[p.table] {
		for i := range s.Entries {
			most = max(most, s.Entries[i].Length)
		}
	}
	return most
}

func (p *partReader) close() {
	p.closeStream()
	p.journal.Close()
}

func (p *partReader) closeStream() {
	if p.stop != nil {
		p.stop()
		p.stop, p.now = nil, nil
	}
}

// endSegment frees the batch, which has rows of one segment, unless it may stay.
func (p *partReader) endSegment() {
	if !p.keep && (p.now == nil || p.row == p.now.NumRows()) {
		p.closeStream()
	}
}

// nextBatch reads a batch.
func (p *partReader) nextBatch() (arrow.Record, error, bool) {
	if p.stop == nil {
		p.batch, p.stop = iter.Pull2(p.d.batchesFrom(p.table, p.batches, memory.DefaultAllocator))
	}
	p.batches++
	return p.batch()
}

func (p *partReader) over() bool { return p.part == nil }

// next goes to the next part.
func (p *partReader) next() error {
	for {
		line, err := p.lines.Next()
		if err == io.EOF {
			p.part = nil
			return p.end()
		}
		if err != nil {
			return err
		}
		if line.Part != nil {
			p.part = line.Part
			return nil
		}
	}
}

// end reads the streams to their end.
func (p *partReader) end() error {
	if p.now != nil && p.row < p.now.NumRows() {
		return errors.New("its streams have rows of no part")
	}
	_, err, more := p.nextBatch()
	if err == nil && more {
		err = errors.New("its streams have rows of no part")
	}
	return err
}

// rows returns the next rows, at most most of them: n rows of a record from a row on. The record is valid until the next
// call.
func (p *partReader) rows(most int64) (r arrow.Record, from, n int64, err error) {
	if p.now == nil || p.row == p.now.NumRows() {
		r, err, ok := p.nextBatch()
		if err != nil {
			return nil, 0, 0, err
		}
		if !ok {
			return nil, 0, 0, errors.New("its streams end before its parts do")
		}
		p.now, p.row = r, 0
	}
	from, n = p.row, min(most, p.now.NumRows()-p.row)
	p.row += n
	return p.now, from, n, nil
}
