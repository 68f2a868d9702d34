package recorder

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
	"github.com/polyrhythm-rl/polyrhythm/recorder/internal/folder"
)

// Position is what a [Writer] has written and holds, between two segments. [Continue]
// goes on from it. It is plain data, for a file of the caller's.
type Position struct {
	Tables   []TablePosition // in the order of Create
	Segments int64           `json:",omitempty"` // number of segments of a slice that were written
}

// TablePosition is the part of a [Position] for one table.
type TablePosition struct {
	Journal int64  // bytes of the table's journal: what these acknowledge is in the streams
	Batch   []byte // state of the batch that is not full yet
	Ended   int64  // episodes that have become whole since the journal's last line
	Age     int    // segments since the oldest row of the batch
}

// Position waits for the writer, as [Writer.Drain] does, and returns its position; what it refers to is on the disk
// after a call of Sync. It fails if rows were begun since the last segment of a block. No block writer may be in use.
func (w *Writer) Position() (*Position, error) {
	if err := w.Drain(); err != nil {
		return nil, err
	}
	if err := w.leftOver(); err != nil {
		return nil, err
	}
	p := &Position{}
	for _, t := range w.tables {
		if t.marks != nil {
			p.Segments = t.marks.segment
		}
		p.Tables = append(p.Tables, TablePosition{
			Journal: t.folder.JournalBytes(), Batch: t.batch.State(), Ended: t.ended, Age: t.age,
		})
	}
	return p, nil
}

// Sync waits for the writer, as [Writer.Drain] does, and forces what was written to the disk, except with SyncNever.
// No block writer may be in use.
func (w *Writer) Sync() error {
	if err := w.Drain(); err != nil {
		return err
	}
	for _, t := range w.tables {
		if err := t.folder.Sync(); err != nil {
			return fmt.Errorf("table %q: %w", t.layout.Name, err)
		}
	}
	return nil
}

// DropSegment drops the rows that were begun since the last segment of each block. No block writer may be in use.
func (w *Writer) DropSegment() {
	for _, s := range w.blockWriters {
		if s.current != nil {
			w.queue.recycle(s.current)
			s.current = nil
		}
	}
}

// Continue goes on writing a dataset from a position that its writer had reached, with the arguments of its [Create].
// What was written after that position is cut off, also if the dataset was finished since, or recovered. The dataset
// then gets the same bytes as if its writer had never stopped.
//
// It fails, and changes nothing, if the folder has another dataset, or one whose pictures an older version of the format
// stores otherwise, if another process writes it, or if acknowledged rows before the position are missing or damaged: it
// reads all of them.
func Continue(dir string, tables []format.Table, blocks int, meta format.Metadata, options Options,
	position *Position) (*Writer, error) {
	w, err := newWriter(disk.OS{}, dir, tables, blocks, meta, options)
	if err != nil {
		return nil, err
	}
	if document, err := disk.ReadFile(filepath.Join(dir, format.DocumentFile), disk.MaxText); err != nil {
		return nil, err
	} else if !bytes.Equal(document, w.document) {
		return nil, fmt.Errorf("%s: %w", dir, otherDocument(document, tables))
	}
	if len(position.Tables) != len(tables) {
		return nil, fmt.Errorf("%s: a position in %d tables, want %d", dir, len(position.Tables), len(tables))
	}
	if w.lock, err = folder.Lock(dir); err != nil {
		return nil, err
	}
	if err := w.reopen(position); err != nil {
		w.releaseTables()
		return nil, err
	}
	return w.start(), nil
}

// otherDocument says why a dataset with another document cannot be gone on with.
func otherDocument(document []byte, tables []format.Table) error {
	began, err := format.ParseDocument(document)
	if want := format.VersionOf(tables); err == nil && began.FormatVersion != want {
		return fmt.Errorf("the dataset has format version %d, want %d to go on with it: a program of another version began it; "+
			"continue with that program, or begin another run", began.FormatVersion, want)
	}
	return fmt.Errorf("the dataset is of another run: its %s differs", format.DocumentFile)
}

func (w *Writer) reopen(position *Position) error {
	journals := make([]*folder.Journal, len(w.described))
	for i := range w.described {
		var err error
		if journals[i], err = journalUntil(folder.Dir(w.dir, w.described, i), position.Tables[i].Journal); err != nil {
			return fmt.Errorf("table %q: %w", w.described[i].Name, err)
		}
	}
	// From here on the dataset is unfinished again.
	for _, name := range []string{folder.StateFile, format.RecoveryFile} {
		if err := w.fsys.RemoveAll(filepath.Join(w.dir, name)); err != nil {
			return err
		}
	}
	for i, journal := range journals {
		t, state := w.newTable(i), &position.Tables[i]
		t.ended, t.age = state.Ended, state.Age
		err := t.batch.SetState(state.Batch)
		if err == nil {
			t.folder, err = folder.Resume(w.fsys, folder.Dir(w.dir, w.described, i), &w.described[i], t.schema,
				w.options.folder(), journal, journal.Length)
		}
		if err != nil {
			return fmt.Errorf("table %q: %w", w.described[i].Name, err)
		}
		if t.marks != nil {
			t.marks.segment = position.Segments
		}
		w.tables = append(w.tables, t)
	}
	return nil
}

// journalUntil returns the first bytes of the journal in dir, and checks that the streams have what they acknowledge,
// which it reads.
func journalUntil(dir string, size int64) (*folder.Journal, error) {
	path := filepath.Join(dir, folder.JournalFile)
	text, err := disk.ReadFile(path, folder.MaxJournal)
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
	streams, err := folder.Streams(dir)
	if err != nil {
		return nil, err
	}
	for i, s := range folder.Shards(journal.Entries) {
		if err := checkStream(streams[i], s.Entries); err != nil {
			return nil, fmt.Errorf("stream %d: %w", i, err)
		}
	}
	return journal, nil
}

// checkStream returns an error unless a stream has the messages of these entries.
func checkStream(path string, entries []folder.JournalEntry) (err error) {
	f, err := disk.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	for i := range entries {
		if err := folder.Verify(f, &entries[i]); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}
