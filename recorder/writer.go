package recorder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
	"github.com/polyrhythm-rl/polyrhythm/recorder/internal/folder"
)

// ErrExists is wrapped by the error of [Create] for a folder that already holds a dataset, finished or not.
var ErrExists = errors.New("folder already holds a dataset")

// ErrAborted is returned by [BlockWriter.EndSegment] and [Writer.Close] after [Writer.Abort].
var ErrAborted = errors.New("writing was aborted")

// SyncPolicy says when written data is forced to the disk. It matters only if the machine crashes: a killed process loses
// nothing that it has written.
type SyncPolicy uint8

const (
	SyncAtClose    SyncPolicy = iota // when a shard ends and when the dataset is finished
	SyncEveryBatch                   // also after each record batch and its journal line
	SyncNever                        // when the system chooses
)

// Compression says how the values in a record batch are compressed. Every reader of Arrow decompresses them.
type Compression uint8

const (
	Plain Compression = iota // not at all
	LZ4                      // frames of LZ4
	Zstd                     // frames of Zstandard
)

// Options says how a dataset is written. The zero value means the defaults.
type Options struct {
	BatchRows  int   // rows of a record batch, unless the table says otherwise; default 4096
	ShardBytes int64 // a stream that has reached this size is ended and a new one begun; default 512 MiB

	// FlushSegments is the number of segments after which a batch is written even if it is not full, so that the rows of a
	// slow table survive a kill; default 0: never.
	FlushSegments int

	// StagedBytes bounds the memory of the rows that have been handed over and not yet written: EndSegment waits while there
	// are more and the writer is busy. Default 128 MiB.
	StagedBytes int64

	Sync        SyncPolicy
	Compression Compression

	// Slice, if not nil, says that the blocks are some of those of a run. The journals then have parts, from which [Merge] makes
	// the dataset of the whole run, and each segment begins a batch.
	Slice *Slice
}

// Slice says which blocks of a run a dataset has.
type Slice struct {
	FirstBlock int // number in the run of block 0
}

func (o Options) withDefaults() (Options, error) {
	if o.BatchRows == 0 {
		o.BatchRows = 4096
	}
	if o.ShardBytes == 0 {
		o.ShardBytes = 512 << 20
	}
	if o.StagedBytes == 0 {
		o.StagedBytes = 128 << 20
	}
	if o.BatchRows < 0 || o.ShardBytes < 0 || o.FlushSegments < 0 || o.StagedBytes < 0 {
		return o, fmt.Errorf("options BatchRows %d, ShardBytes %d, FlushSegments %d, StagedBytes %d, want 0 or more each",
			o.BatchRows, o.ShardBytes, o.FlushSegments, o.StagedBytes)
	}
	if o.Sync > SyncNever || o.Compression > Zstd {
		return o, fmt.Errorf("options Sync %d, Compression %d, want a SyncPolicy and a Compression", o.Sync, o.Compression)
	}
	return o, nil
}

// Writer writes a dataset. It owns one goroutine, which ends with Close or Abort.
type Writer struct {
	dir          string
	tables       []*tableWriter
	blockWriters []*BlockWriter
	pool         *pool
	lock         *disk.Lock // held as long as files may be written

	first  atomic.Pointer[error] // the first error; set once
	abort  chan struct{}         // closed by Abort
	done   chan struct{}         // closed when the goroutine has ended
	closed sync.Once
	result error // of Close
}

// Create begins a dataset with these tables, the first of which is in the folder itself, for rows of blocks 0 … blocks−1. It
// makes the folder and its parents. It fails with [ErrExists] if the folder has a dataset already; other files are left alone.
func Create(dir string, tables []format.Table, blocks int, meta format.Metadata, options Options) (*Writer, error) {
	return CreateOn(disk.OS{}, dir, tables, blocks, meta, options, memory.DefaultAllocator)
}

// CreateOn is [Create] on a given file system and allocator, for tests inside this module.
func CreateOn(fsys disk.FS, dir string, tables []format.Table, blocks int, meta format.Metadata, options Options, mem memory.Allocator) (*Writer, error) {
	options, err := options.withDefaults()
	if err != nil {
		return nil, err
	}
	if blocks < 1 {
		return nil, fmt.Errorf("%d blocks, want at least 1", blocks)
	}
	if err := format.ValidateTables(tables); err != nil {
		return nil, err
	}
	doc := format.Document{FormatVersion: format.Version, Metadata: meta, Tables: cloneTables(tables)}
	text, err := doc.Encode()
	if err != nil {
		return nil, err
	}
	w := &Writer{dir: dir, pool: newPool(len(tables), options.StagedBytes), abort: make(chan struct{}), done: make(chan struct{})}
	if err := w.open(fsys, doc.Tables, text, options, mem); err != nil {
		return nil, err
	}
	for block := range blocks {
		w.blockWriters = append(w.blockWriters, newBlockWriter(w, block))
	}
	go w.run()
	return w, nil
}

func cloneTables(tables []format.Table) []format.Table {
	clone := append([]format.Table(nil), tables...)
	for i := range clone {
		clone[i].Columns = append([]format.Column(nil), clone[i].Columns...)
	}
	return clone
}

// open makes the folders and the files that every dataset begins with. If it fails it removes those files again.
func (w *Writer) open(fsys disk.FS, tables []format.Table, document []byte, options Options, mem memory.Allocator) (err error) {
	for i := range tables {
		dir := folder.Dir(w.dir, tables, i)
		if err := fsys.MkdirAll(dir); err != nil {
			return fmt.Errorf("create dataset folder: %w", err)
		}
		if err := refuseDataset(dir); err != nil {
			return err
		}
	}
	// If two writers come here at once, only one can create polyrhythm.json.
	path := filepath.Join(w.dir, format.DocumentFile)
	if err := disk.WriteFile(fsys, path, document, options.Sync != SyncNever); err != nil {
		if !errors.Is(err, fs.ErrExist) {
			fsys.Remove(path)
		}
		return explain(w.dir, err)
	}
	defer func() {
		if err != nil {
			w.releaseTables()
			for i := range w.tables {
				fsys.Remove(filepath.Join(folder.Dir(w.dir, tables, i), folder.JournalFile))
			}
			fsys.Remove(path)
		}
	}()
	for i := range tables {
		dir := folder.Dir(w.dir, tables, i)
		t, err := newTableWriter(fsys, dir, &tables[i], document, options, mem)
		if err != nil {
			return explain(dir, err)
		}
		w.tables = append(w.tables, t)
		if w.lock == nil {
			if w.lock, err = folder.Lock(fsys, w.dir); err != nil {
				return err
			}
		}
	}
	return nil
}

// refuseDataset returns an error if the folder holds a dataset, one of Hugging Face's included.
func refuseDataset(dir string) error {
	for _, name := range [...]string{folder.StateFile, folder.InfoFile, folder.JournalFile, "dataset_dict.json"} {
		switch _, err := os.Lstat(filepath.Join(dir, name)); {
		case err == nil:
			return fmt.Errorf("%s: %w (%s)", dir, ErrExists, name)
		case !errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("dataset folder: %w", err)
		}
	}
	return nil
}

func explain(dir string, err error) error {
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s: %w, perhaps unfinished: %w", dir, ErrExists, err)
	}
	return fmt.Errorf("dataset folder: %w", err)
}

// BlockWriter returns the block writer of a block.
func (w *Writer) BlockWriter(block int) *BlockWriter { return w.blockWriters[block] }

// Err returns the first error of writing, or nil. Any goroutine may call it.
func (w *Writer) Err() error {
	if err := w.first.Load(); err != nil {
		return *err
	}
	return nil
}

func (w *Writer) fail(err error) { w.first.CompareAndSwap(nil, &err) }

// run takes the segments of all block writers in canonical order until every block writer is closed. After an error it still takes
// them, and drops their rows, so that no block writer waits for ever.
func (w *Writer) run() {
	defer close(w.done)
	for open := true; open; {
		open = false
		for i, s := range w.blockWriters {
			seg, ok := w.take(s)
			if !ok {
				continue
			}
			if seg == nil { // aborted
				return
			}
			open = true
			if w.Err() == nil {
				w.write(seg, i)
			}
			// Before the block writer has room again, since Drain waits for this too.
			if i == len(w.blockWriters)-1 && w.Err() == nil {
				w.endSegment()
			}
			w.pool.put(seg)
			s.room <- struct{}{}
		}
	}
}

// take returns the next segment of a block writer, nil if the writing was aborted; not ok once the block writer is closed.
func (w *Writer) take(s *BlockWriter) (_ *segment, ok bool) {
	select {
	case seg, ok := <-s.full:
		return seg, ok
	default:
	}
	// A blocked writer may own the missing rows.
	w.pool.await(s)
	select {
	case seg, ok := <-s.full:
		return seg, ok
	case <-w.abort:
		return nil, true
	}
}

func (w *Writer) write(seg *segment, block int) {
	slices.SortFunc(seg.ended, Key.Compare)
	for i, t := range w.tables {
		if err := t.add(&seg.tables[i], seg.ended, block); err != nil {
			w.failTable(t, err)
			return
		}
	}
}

func (w *Writer) endSegment() {
	for _, t := range w.tables {
		if err := t.endSegment(); err != nil {
			w.failTable(t, err)
			return
		}
	}
}

func (w *Writer) failTable(t *tableWriter, err error) {
	w.fail(fmt.Errorf("table %q: %w", t.layout.Table.Name, err))
}

// Drain waits until the writer has taken in every segment that has been handed over; the rows of a batch that is not full
// stay in memory. It returns the first error of the writing so far. No block writer may be in use.
func (w *Writer) Drain() error {
	for _, s := range w.blockWriters {
		select {
		case <-s.room:
			s.room <- struct{}{}
		case <-w.abort:
		}
	}
	return w.Err()
}

// Close writes what has been handed over, makes the folder loadable, and returns the first error of the whole writing.
// After an error the folder keeps its unfinished files, in which everything up to the error is safe. Rows that no
// EndSegment has handed over are an error too, and not written. No block writer may be in use. Further calls return the same.
func (w *Writer) Close() error {
	w.closed.Do(func() {
		for _, s := range w.blockWriters {
			close(s.full)
		}
		<-w.done
		w.result = w.finish()
	})
	return w.result
}

func (w *Writer) finish() error {
	defer w.releaseTables()
	if err := w.Err(); err != nil {
		return err
	}
	for _, t := range w.tables {
		if err := t.finish(); err != nil {
			return fmt.Errorf("table %q: %w", t.layout.Table.Name, err)
		}
	}
	// The first table's state.json comes last, since it says that the dataset is complete.
	for i := len(w.tables) - 1; i >= 0; i-- {
		t := w.tables[i]
		if err := t.folder.Publish(nil); err != nil {
			return fmt.Errorf("table %q: %w", t.layout.Table.Name, err)
		}
	}
	return w.leftOver()
}

// leftOver returns an error if rows were staged and never handed over.
func (w *Writer) leftOver() error {
	for _, s := range w.blockWriters {
		if s.current == nil {
			continue
		}
		for i := range s.current.tables {
			if n := len(s.current.tables[i].keys); n > 0 {
				return fmt.Errorf("table %q: %d rows of block %d were begun after its last EndSegment and are not in the dataset",
					w.tables[i].layout.Table.Name, n, s.block)
			}
		}
	}
	return nil
}

// Abort stops writing and leaves the unfinished files as they are. It frees every goroutine that waits in EndSegment, may
// be called by any goroutine while block writers are in use, and does nothing after Close.
func (w *Writer) Abort() {
	w.closed.Do(func() {
		w.fail(ErrAborted)
		close(w.abort)
		w.pool.close()
		<-w.done
		w.releaseTables()
		w.result = w.Err()
	})
}

func (w *Writer) releaseTables() {
	for _, t := range w.tables {
		t.discard()
	}
	if w.lock != nil {
		w.lock.Release()
	}
}
