package recorder

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
	"github.com/polyrhythm-rl/polyrhythm/recorder/internal/folder"
)

// Position is what a [Writer] has written and holds, between two segments. [Continue]
// goes on from it. It is plain data, for a file of the caller's.
type Position struct {
	Tables   []TablePosition // in the order of Create
	Segments int64           `json:",omitempty"` // of a slice, those so far
}

// TablePosition is the part of a [Position] for one table.
type TablePosition struct {
	Journal int64  // bytes of its journal: what these acknowledge is in the streams
	Batch   []byte // the rows that wait for their batch to be full
	Ended   int64  // episodes that have become whole since the journal's last line
	Age     int    // segments since the oldest row of the batch
}

// Position waits for the writer, as [Writer.Drain] does, and returns its position. What
// was written until then is forced to the disk, except with SyncNever. It fails if rows
// were begun since the last segment of a block. No block writer may be in use.
func (w *Writer) Position() (*Position, error) {
	if err := w.Drain(); err != nil {
		return nil, err
	}
	if err := w.leftOver(); err != nil {
		return nil, err
	}
	p := &Position{}
	for _, t := range w.tables {
		if err := t.folder.Sync(); err != nil {
			return nil, fmt.Errorf("table %q: %w", t.layout.Table.Name, err)
		}
		if t.marks != nil {
			p.Segments = t.marks.segment
		}
		p.Tables = append(p.Tables, TablePosition{
			Journal: t.folder.JournalBytes(), Batch: t.batch.AppendState(nil), Ended: t.ended, Age: t.age,
		})
	}
	return p, nil
}

// DropSegment drops the rows that were begun since the last segment of each block. No
// block writer may be in use.
func (w *Writer) DropSegment() {
	for _, s := range w.blockWriters {
		if s.current != nil {
			s.current.bytes = 0
			w.pool.put(s.current)
			s.current = nil
		}
	}
}

// Continue goes on writing a dataset from a position that its writer had reached, with
// the arguments of its [Create]. What was written after that position is cut off, also
// if the dataset was finished since, or recovered. The dataset then gets the same bytes
// as if its writer had never stopped.
//
// It fails, and changes nothing, if the folder has another dataset, if another process
// writes it, or if acknowledged rows before the position are missing.
func Continue(dir string, tables []format.Table, blocks int, meta format.Metadata, options Options, at *Position) (*Writer, error) {
	fsys := disk.OS{}
	options, err := options.withDefaults()
	if err != nil {
		return nil, err
	}
	doc := format.Document{FormatVersion: format.Version, Metadata: meta, Tables: cloneTables(tables)}
	text, err := doc.Encode()
	if err != nil {
		return nil, err
	}
	if was, err := os.ReadFile(filepath.Join(dir, format.DocumentFile)); err != nil {
		return nil, err
	} else if !bytes.Equal(was, text) {
		return nil, fmt.Errorf("%s: the dataset is of another run: its %s differs", dir, format.DocumentFile)
	}
	if len(at.Tables) != len(tables) {
		return nil, fmt.Errorf("%s: a position in %d tables, want %d", dir, len(at.Tables), len(tables))
	}
	w := &Writer{dir: dir, pool: newPool(len(tables), options.StagedBytes), abort: make(chan struct{}), done: make(chan struct{})}
	if w.lock, err = folder.Lock(fsys, dir); err != nil {
		return nil, err
	}
	if err := w.reopen(fsys, doc.Tables, text, options, at); err != nil {
		w.releaseTables()
		return nil, err
	}
	for block := range blocks {
		w.blockWriters = append(w.blockWriters, newBlockWriter(w, block))
	}
	go w.run()
	return w, nil
}

// reopen opens the tables at a position.
func (w *Writer) reopen(fsys disk.FS, tables []format.Table, document []byte, options Options, at *Position) error {
	journals := make([]*folder.Journal, len(tables))
	for i := range tables {
		var err error
		if journals[i], err = journalUntil(folder.Dir(w.dir, tables, i), at.Tables[i].Journal); err != nil {
			return fmt.Errorf("table %q: %w", tables[i].Name, err)
		}
	}
	// From here on the dataset is unfinished again.
	for _, name := range []string{folder.StateFile, format.RecoveryFile} {
		if err := fsys.Remove(filepath.Join(w.dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	for i := range tables {
		t, err := resumeTable(fsys, folder.Dir(w.dir, tables, i), &tables[i], document, options, journals[i], &at.Tables[i])
		if err != nil {
			return fmt.Errorf("table %q: %w", tables[i].Name, err)
		}
		if t.marks != nil {
			t.marks.segment = at.Segments
		}
		w.tables = append(w.tables, t)
	}
	return nil
}

// journalUntil returns the first bytes of the journal in dir, and checks that the streams
// have what they acknowledge.
func journalUntil(dir string, size int64) (*folder.Journal, error) {
	path := filepath.Join(dir, folder.JournalFile)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if int64(len(text)) < size {
		return nil, fmt.Errorf("%s has %d bytes, want at least %d", path, len(text), size)
	}
	journal, err := folder.ParseJournal(text[:size])
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	streams, err := streamsIn(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range journal.Entries {
		info, err := os.Stat(streams[e.Shard])
		if err != nil {
			return nil, fmt.Errorf("stream %d: %w", e.Shard, err)
		}
		if info.Size() < e.End() {
			return nil, fmt.Errorf("%s has %d bytes, want at least %d", streams[e.Shard], info.Size(), e.End())
		}
	}
	return journal, nil
}

// streamsIn returns the paths of the streams in a folder, by number.
func streamsIn(dir string) (map[int]string, error) {
	files, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	streams := map[int]string{}
	for _, f := range files {
		if number, ok := folder.ParseName(f.Name()); ok {
			streams[number] = filepath.Join(dir, f.Name())
		}
	}
	return streams, nil
}

// resumeTable opens one table at the end of a journal.
func resumeTable(fsys disk.FS, dir string, table *format.Table, document []byte, options Options, journal *folder.Journal, at *TablePosition) (_ *tableWriter, err error) {
	t := newTable(table, document, options, memory.DefaultAllocator)
	t.ended, t.age = at.Ended, at.Age
	defer func() {
		if err != nil {
			t.discard()
		}
	}()
	if err := t.batch.SetState(at.Batch); err != nil {
		return nil, err
	}
	if t.folder, err = folder.Resume(fsys, dir, table, t.schema, folderOptions(options, memory.DefaultAllocator), journal, journal.Length); err != nil {
		return nil, err
	}
	streams, err := streamsIn(dir)
	if err != nil {
		return nil, err
	}
	last, entries := -1, journal.Entries
	if len(entries) > 0 {
		last = entries[len(entries)-1].Shard
	}
	for number, path := range streams {
		switch part := filepath.Join(dir, folder.PartName(number)); {
		case number > last:
			err = fsys.Remove(path)
		case path != part:
			err = fsys.Rename(path, part)
		}
		if err != nil {
			return nil, err
		}
	}
	if last >= 0 {
		if err := t.folder.CutStream(&entries[len(entries)-1]); err != nil {
			return nil, err
		}
	}
	for _, name := range []string{folder.StateFile, folder.InfoFile} {
		if err := fsys.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return t, nil
}
