package recorder

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
	"github.com/polyrhythm-rl/polyrhythm/recorder/internal/folder"
)

// ErrExists is wrapped by the error of [Create] for a folder that already holds a dataset, finished or not.
var ErrExists = errors.New("folder already holds a dataset")

// ErrAborted is returned by [BlockWriter.EndSegment] and [Writer.Close] after [Writer.Abort].
var ErrAborted = errors.New("writing was aborted")

// SyncPolicy says when data is forced to the disk, against a crash of the machine; a killed process loses nothing. ""
// is SyncAtClose.
type SyncPolicy string

const (
	SyncNever      SyncPolicy = "none"  // the system chooses the time
	SyncAtClose    SyncPolicy = "close" // a shard ends, or the dataset is finished
	SyncEveryBatch SyncPolicy = "batch" // also after each record batch and its journal line
)

// Compression says how the values in a record batch are compressed. Every reader of Arrow decompresses them. "" is
// Plain.
type Compression string

const (
	Plain Compression = "none" // not at all
	LZ4   Compression = "lz4"  // frames of LZ4
	Zstd  Compression = "zstd" // frames of Zstandard
)

const defaultBatchRows = 4096

// Options says how a dataset is written. The zero value means the defaults.
type Options struct {
	BatchRows  int   // rows of a record batch, unless the table says otherwise; default 4096
	ShardBytes int64 // size at which a stream is ended and a new one begins; default 512 MiB

	// FlushSegments is the number of segments after which a batch is written even if it is not full, so that the rows
	// of a slow table survive a kill; default 0: never.
	FlushSegments int

	// StagedBytes bounds the memory of the rows that have been handed over and not yet written: EndSegment waits while
	// there are more and the writer is busy. Default 128 MiB.
	StagedBytes int64

	Sync        SyncPolicy
	Compression Compression

	// Slice, if not nil, says that the blocks are some of those of a run. The journals then have parts, from which
	// [Merge] makes the dataset of the whole run, and each segment begins a batch.
	Slice *Slice
}

// Slice says which blocks of a run a dataset has.
type Slice struct {
	FirstBlock int // number of block 0 in the run
}

func (o Options) withDefaults() (Options, error) {
	o.BatchRows = cmp.Or(o.BatchRows, defaultBatchRows)
	o.ShardBytes = cmp.Or(o.ShardBytes, 512<<20)
	o.StagedBytes = cmp.Or(o.StagedBytes, 128<<20)
	o.Sync, o.Compression = cmp.Or(o.Sync, SyncAtClose), cmp.Or(o.Compression, Plain)
	if o.BatchRows < 0 || o.ShardBytes < 0 || o.FlushSegments < 0 || o.StagedBytes < 0 {
		return o, fmt.Errorf("options BatchRows %d, ShardBytes %d, FlushSegments %d, StagedBytes %d, want 0 or more",
			o.BatchRows, o.ShardBytes, o.FlushSegments, o.StagedBytes)
	}
	if !slices.Contains([]SyncPolicy{SyncNever, SyncAtClose, SyncEveryBatch}, o.Sync) ||
		!slices.Contains([]Compression{Plain, LZ4, Zstd}, o.Compression) {
		return o, fmt.Errorf("options Sync %q, Compression %q, want a SyncPolicy and a Compression",
			o.Sync, o.Compression)
	}
	return o, nil
}

// Writer writes a dataset. It owns one goroutine, which ends with Close or Abort.
type Writer struct {
	fsys      disk.FS
	dir       string
	described []format.Table
	document  []byte // polyrhythm.json
	options   Options

	tables       []*tableWriter
	blockWriters []*BlockWriter
	queue        *queue
	lock         *disk.Lock // held as long as files may be written

	first  atomic.Pointer[error] // the first error; set once
	done   chan struct{}         // closed when the goroutine has ended
	closed sync.Once
	result error // error of Close
}

// Create begins a dataset with these tables, the first of which is in the folder itself, for rows of blocks 0 …
// blocks−1. It makes the folder. It fails with [ErrExists] if there is a dataset already; other files are left alone.
func Create(dir string, tables []format.Table, blocks int, meta format.Metadata, options Options) (*Writer, error) {
	return CreateOn(disk.OS{}, dir, tables, blocks, meta, options)
}

// CreateOn is [Create] on a given file system, for tests inside this module.
func CreateOn(fsys disk.FS, dir string, tables []format.Table, blocks int, meta format.Metadata,
	options Options) (*Writer, error) {
	w, err := newWriter(fsys, dir, tables, blocks, meta, options)
	if err != nil {
		return nil, err
	}
	if err := w.create(); err != nil {
		return nil, err
	}
	return w.start(), nil
}

// newWriter returns a writer that has no files yet.
func newWriter(fsys disk.FS, dir string, tables []format.Table, blocks int, meta format.Metadata,
	options Options) (*Writer, error) {
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
	tables = slices.Clone(tables)
	for i := range tables {
		tables[i].Columns = slices.Clone(tables[i].Columns)
	}
	doc := format.Document{FormatVersion: format.VersionOf(tables), Metadata: meta, Tables: tables}
	text, err := doc.Encode()
	if err != nil {
		return nil, err
	}
	return &Writer{fsys: fsys, dir: dir, described: tables, document: text, options: options,
		queue: newQueue(len(tables), blocks, options.StagedBytes), done: make(chan struct{})}, nil
}

// start begins to write what the blocks hand over.
func (w *Writer) start() *Writer {
	for block := range w.queue.segments {
		w.blockWriters = append(w.blockWriters, &BlockWriter{writer: w, block: block})
	}
	go w.run()
	return w
}

// create makes the folders and the files that every dataset begins with. If it fails it removes those files again.
func (w *Writer) create() (err error) {
	for i := range w.described {
		dir := folder.Dir(w.dir, w.described, i)
		if err := w.fsys.MkdirAll(dir); err != nil {
			return fmt.Errorf("create dataset folder: %w", err)
		}
		if err := refuseDataset(dir); err != nil {
			return err
		}
	}
	// If two writers come here at once, only one can create polyrhythm.json.
	path := filepath.Join(w.dir, format.DocumentFile)
	if err := disk.WriteFile(w.fsys, path, w.document, w.options.Sync != SyncNever); err != nil {
		if !errors.Is(err, fs.ErrExist) {
			w.fsys.Remove(path)
		}
		return explain(w.dir, err)
	}
	defer func() {
		if err != nil {
			w.releaseTables()
			for i := range w.tables {
				w.fsys.Remove(filepath.Join(folder.Dir(w.dir, w.described, i), folder.JournalFile))
			}
			w.fsys.Remove(path)
		}
	}()
	if w.lock, err = folder.Lock(w.dir); err != nil {
		return err
	}
	for i := range w.described {
		dir, t := folder.Dir(w.dir, w.described, i), w.newTable(i)
		if t.folder, err = folder.Create(w.fsys, dir, &w.described[i], t.schema, w.options.folder()); err != nil {
			return explain(dir, err)
		}
		w.tables = append(w.tables, t)
	}
	return w.syncNames()
}

// syncNames forces the names of the new folders and files to the disk, unless nothing is: those in the folders of tables,
// and that of the dataset's folder.
func (w *Writer) syncNames() error {
	if w.options.Sync == SyncNever {
		return nil
	}
	for i := range w.described {
		if err := w.fsys.SyncDir(folder.Dir(w.dir, w.described, i)); err != nil {
			return err
		}
	}
	return disk.SyncName(w.fsys, w.dir)
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

func (w *Writer) failTable(t *tableWriter, err error) {
	if err != nil {
		w.fail(fmt.Errorf("table %q: %w", t.layout.Table.Name, err))
	}
}

// run writes the segments of all blocks in canonical order until no more come. After an error it still takes them, and
// drops their rows, so that no block writer waits for ever.
func (w *Writer) run() {
	defer close(w.done)
	for open := true; open; {
		open = false
		for block := range w.blockWriters {
			seg := w.queue.oldest(block)
			if seg == nil {
				continue
			}
			open = true
			slices.SortFunc(seg.ended, Key.Compare)
			for i, t := range w.tables {
				if w.Err() == nil {
					w.failTable(t, t.add(&seg.tables[i], seg.ended, block))
				}
				// Before the segment counts as written, since Drain waits for this too.
				if w.Err() == nil && block == len(w.blockWriters)-1 {
					w.failTable(t, t.endSegment())
				}
			}
			w.queue.removeOldest(block)
		}
	}
}

// Drain waits until the writer has taken in every segment that has been handed over; the rows of a batch that is not
// full stay in memory. It returns the first error of the writing so far. No block writer may be in use.
func (w *Writer) Drain() error {
	w.queue.drain()
	return w.Err()
}

// Close writes what has been handed over, makes the folder loadable, and returns the first error of the whole writing,
// later calls the same. After an error the unfinished files stay, in which everything up to it is safe. Rows that no
// EndSegment has handed over are an error, and not written. No block writer may be in use.
func (w *Writer) Close() error {
	w.closed.Do(func() {
		w.queue.close(false)
		<-w.done
		w.result = w.finish()
	})
	return w.result
}

func (w *Writer) finish() error {
	defer w.releaseTables()
	for _, t := range w.tables {
		if w.Err() == nil {
			w.failTable(t, t.finish())
		}
	}
	// The first table's state.json comes last, since it says that the dataset is complete.
	for _, t := range slices.Backward(w.tables) {
		if w.Err() == nil {
			w.failTable(t, t.folder.Publish(nil))
		}
	}
	return cmp.Or(w.Err(), w.leftOver())
}

// leftOver returns an error if rows were staged and never handed over.
func (w *Writer) leftOver() error {
	for _, s := range w.blockWriters {
		if s.current == nil {
			continue
		}
		for i := range s.current.tables {
			if n := len(s.current.tables[i].keys); n > 0 {
				return fmt.Errorf("table %q: %d rows of block %d were begun after its last EndSegment and are not in "+
					"the dataset", w.tables[i].layout.Name, n, s.block)
			}
		}
	}
	return nil
}

// Abort stops writing and leaves the unfinished files as they are. It frees every goroutine that waits in EndSegment,
// may be called by any goroutine while block writers are in use, and does nothing after Close.
func (w *Writer) Abort() {
	w.closed.Do(func() {
		w.fail(ErrAborted)
		w.queue.close(true)
		<-w.done
		w.releaseTables()
		w.result = w.Err()
	})
}

func (w *Writer) releaseTables() {
	for _, t := range w.tables {
		t.folder.Discard()
	}
	if w.lock != nil {
		w.lock.Release()
	}
}
