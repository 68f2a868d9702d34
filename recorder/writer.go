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
)

// ErrExists is wrapped by the error of [Create] for a folder that already holds a dataset, finished or not.
var ErrExists = errors.New("folder already holds a dataset")

// ErrAborted is returned by [BlockWriter.EndSegment] and [Writer.Close] after [Writer.Abort].
var ErrAborted = errors.New("recorder: writing was aborted")

// SyncPolicy says when written data is forced to the disk, which only a crash of the machine makes a difference to: a
// killed process loses nothing that it has written.
type SyncPolicy uint8

const (
	SyncAtClose    SyncPolicy = iota // when a shard ends and when the dataset is finished
	SyncEveryBatch                   // also after each record batch and its journal line
	SyncNever                        // leave it to the system
)

// Compression says how the values in a record batch are packed. Every reader of Arrow unpacks them by itself.
type Compression uint8

const (
	Plain Compression = iota // as they are
	LZ4                      // frames of LZ4
	Zstd                     // frames of Zstandard
)

// Options says how a dataset is written. The zero value means the defaults.
type Options struct {
	BatchRows  int   // rows of a record batch, where the table does not say; default 4096
	ShardBytes int64 // a stream that has reached this size is ended and a new one begun; default 512 MiB

	// FlushSegments is the number of segments after which the rows of a batch that is not full are written all the same, so
	// that those of a slow table are safe from a killed run; default 0: never.
	FlushSegments int

	// StagedBytes is the memory of the rows that have been handed over and are not written: while there are more, and the
	// writer is at work, EndSegment waits. Default 128 MiB.
	StagedBytes int64

	Sync        SyncPolicy
	Compression Compression
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
		return o, fmt.Errorf("recorder: options BatchRows %d, ShardBytes %d, FlushSegments %d, StagedBytes %d, want 0 or more each",
			o.BatchRows, o.ShardBytes, o.FlushSegments, o.StagedBytes)
	}
	if o.Sync > SyncNever || o.Compression > Zstd {
		return o, fmt.Errorf("recorder: options Sync %d, Compression %d, want a SyncPolicy and a Compression", o.Sync, o.Compression)
	}
	return o, nil
}

// Writer writes a dataset. It owns one goroutine, which ends with Close or Abort.
type Writer struct {
	dir          string
	tables       []*tableWriter
	blockWriters []*BlockWriter
	pool         *pool
	sync         SyncPolicy
	lock         *os.File // held as long as files may be written

	first  atomic.Pointer[error] // the first error; set once
	abort  chan struct{}         // closed by Abort
	done   chan struct{}         // closed when the goroutine has ended
	closed sync.Once
	result error // of Close
}

// Create begins a dataset with these tables, the first of which is the folder itself, for rows of blocks 0 … blocks−1. It
// makes the folder, its parents if need be, and fails with [ErrExists] if there is a dataset in it already; other files
// are left alone.
func Create(dir string, tables []Table, blocks int, meta Metadata, options Options) (*Writer, error) {
	return create(dir, tables, blocks, meta, options, memory.DefaultAllocator, createFile)
}

func create(dir string, tables []Table, blocks int, meta Metadata, options Options, mem memory.Allocator, createFile fileCreator) (_ *Writer, err error) {
	options, err = options.withDefaults()
	if err != nil {
		return nil, err
	}
	if blocks < 1 {
		return nil, fmt.Errorf("recorder: %d blocks, want at least 1", blocks)
	}
	if err := validateTables(tables); err != nil {
		return nil, err
	}
	doc := document{FormatVersion: formatVersion, Metadata: meta, Tables: cloneTables(tables)}
	text, err := doc.encode()
	if err != nil {
		return nil, err
	}
	w := &Writer{dir: dir, pool: newPool(len(tables), options.StagedBytes), sync: options.Sync, abort: make(chan struct{}), done: make(chan struct{})}
	if err := w.open(doc.Tables, text, options, mem, createFile); err != nil {
		return nil, err
	}
	for block := range blocks {
		w.blockWriters = append(w.blockWriters, newBlockWriter(w, block))
	}
	go w.run()
	return w, nil
}

func cloneTables(tables []Table) []Table {
	clone := append([]Table(nil), tables...)
	for i := range clone {
		clone[i].Columns = append([]Column(nil), clone[i].Columns...)
	}
	return clone
}

// tableDir returns the folder of table i.
func tableDir(dir string, tables []Table, i int) string {
	if i == 0 {
		return dir
	}
	return filepath.Join(dir, tables[i].Name)
}

// open makes the folders and the files that every dataset begins with. Where it fails it removes those files again.
func (w *Writer) open(tables []Table, document []byte, options Options, mem memory.Allocator, create fileCreator) (err error) {
	for i := range tables {
		dir := tableDir(w.dir, tables, i)
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return fmt.Errorf("recorder: create dataset folder: %w", err)
		}
		if err := refuseDataset(dir); err != nil {
			return err
		}
	}
	// Of two writers that come here at once, only one can create polyrhythm.json.
	path := filepath.Join(w.dir, DocumentFile)
	if err := writeFile(create, path, document, options.Sync); err != nil {
		if !errors.Is(err, fs.ErrExist) {
			os.Remove(path)
		}
		return explain(w.dir, err)
	}
	defer func() {
		if err != nil {
			w.releaseTables()
			for _, t := range w.tables {
				os.Remove(filepath.Join(t.dir, journalFile))
			}
			os.Remove(path)
		}
	}()
	for i := range tables {
		dir := tableDir(w.dir, tables, i)
		t, err := newTableWriter(dir, &tables[i], document, options, mem, create)
		if err != nil {
			return explain(dir, err)
		}
		w.tables = append(w.tables, t)
		if w.lock == nil {
			if w.lock, err = lockDataset(w.dir); err != nil {
				return err
			}
		}
	}
	return nil
}

// refuseDataset returns an error if the folder holds a dataset, one of Hugging Face's included.
func refuseDataset(dir string) error {
	for _, name := range [...]string{stateFile, infoFile, journalFile, "dataset_dict.json"} {
		switch _, err := os.Lstat(filepath.Join(dir, name)); {
		case err == nil:
			return fmt.Errorf("recorder: %s: %w (%s)", dir, ErrExists, name)
		case !errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("recorder: dataset folder: %w", err)
		}
	}
	return nil
}

func explain(dir string, err error) error {
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("recorder: %s: %w, perhaps unfinished: %w", dir, ErrExists, err)
	}
	return fmt.Errorf("recorder: dataset folder: %w", err)
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

// run takes the segments of all block writers in canonical order until every block writer is closed. After an error it goes on taking
// them, and drops their rows, so that nobody waits for ever.
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
				w.write(seg)
			}
			// Before the block writer has room again: who drains waits for this too.
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
	// Whoever waits may have to hand over what is missing here.
	w.pool.await(s)
	select {
	case seg, ok := <-s.full:
		return seg, ok
	case <-w.abort:
		return nil, true
	}
}

func (w *Writer) write(seg *segment) {
	slices.SortFunc(seg.ended, Key.compare)
	for i, t := range w.tables {
		if err := t.add(&seg.tables[i], seg.ended); err != nil {
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
	w.fail(fmt.Errorf("recorder: table %q: %w", t.layout.table.Name, err))
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
			return fmt.Errorf("recorder: table %q: %w", t.layout.table.Name, err)
		}
	}
	// The folder itself is the first table: its state.json, which says that the dataset is complete, comes last.
	for i := len(w.tables) - 1; i >= 0; i-- {
		t := w.tables[i]
		if err := t.publish(nil); err != nil {
			return fmt.Errorf("recorder: table %q: %w", t.layout.table.Name, err)
		}
		if w.sync != SyncNever {
			if err := syncDir(t.dir); err != nil {
				return fmt.Errorf("recorder: table %q: %w", t.layout.table.Name, err)
			}
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
				return fmt.Errorf("recorder: table %q: %d rows of block %d were begun after its last EndSegment and are not in the dataset",
					w.tables[i].layout.table.Name, n, s.block)
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
		t.batch.release()
	}
	if w.lock != nil {
		w.lock.Close()
	}
}

// BlockWriter takes the rows of one block. One goroutine may use it at a time.
type BlockWriter struct {
	writer  *Writer
	block   int
	current *segment      // nil before its first row
	empty   *segment      // handed over where there are no rows
	full    chan *segment // handed over, not yet taken
	room    chan struct{} // holds a token while at most one segment is on its way
}

func newBlockWriter(w *Writer, block int) *BlockWriter {
	s := &BlockWriter{writer: w, block: block, full: make(chan *segment, 2), room: make(chan struct{}, 2)}
	s.empty = &segment{tables: make([]staged, len(w.tables)), empty: true}
	s.room <- struct{}{}
	return s
}

// Begin begins a row of a table, named by its place in Create's list. It allocates only while segments still grow.
func (s *BlockWriter) Begin(table int, key Key) Row {
	l := s.layout(table)
	return Row{layout: l, bytes: s.segment().tables[table].begin(l, key)}
}

// EndEpisode notes that an episode was closed: the rows with keys up to this one are all it has. Lines of the journals count
// the episodes that have become safe.
func (s *BlockWriter) EndEpisode(key Key) {
	seg := s.segment()
	seg.ended = append(seg.ended, key)
}

func (s *BlockWriter) segment() *segment {
	if s.current == nil {
		s.current = s.writer.pool.get()
	}
	return s.current
}

func (s *BlockWriter) layout(table int) *layout { return s.writer.tables[table].layout }

// blank returns a row of a table in the caller's memory, which it grows to fit, with no column set; copied into the row of
// a later Begin it becomes one of the block writer's.
func (s *BlockWriter) blank(table int, memory *[]byte) Row {
	l := s.layout(table)
	if len(*memory) != l.stride {
		*memory = make([]byte, l.stride)
	}
	clear(*memory)
	return Row{layout: l, bytes: *memory}
}

// check returns an error for the first row that leaves a column unset which is not nullable.
func (s *BlockWriter) check(seg *segment) error {
	for i := range seg.tables {
		if err := seg.tables[i].check(s.layout(i)); err != nil {
			return err
		}
	}
	return nil
}

// EndSegment hands over the rows begun since the last call. Every block must call it once for every segment, rows or not.
// It waits only until this block's previous segment has been written, and that needs that segment from every block: a
// goroutine that serves several blocks must not end a block's segment twice before it has ended the others' once. Where more
// than [Options].StagedBytes have been handed over it also waits, as long as the writer has something to write. It returns
// the first error of the whole writing, from then on in every call.
func (s *BlockWriter) EndSegment() error {
	w, seg := s.writer, s.current
	s.current = nil
	if seg == nil {
		seg = s.empty
	} else if err := s.check(seg); err != nil {
		w.fail(err)
	}
	select {
	case <-w.abort:
		return w.Err()
	default:
	}
	w.pool.handOver(seg, s)
	select {
	case <-s.room:
		w.pool.wait()
	case <-w.abort:
	}
	return w.Err()
}
