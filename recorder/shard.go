package recorder

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// DocumentFile describes a dataset. A folder without it is none.
const DocumentFile = "polyrhythm.json"

const (
	journalFile = "data.journal"
	infoFile    = "dataset_info.json"
	stateFile   = "state.json" // written last: a folder with it is complete
)

func partName(shard int) string { return fmt.Sprintf("data-%05d.arrow.part", shard) }

func shardName(shard, shards int) string {
	return fmt.Sprintf("data-%05d-of-%05d.arrow", shard, shards)
}

// file is what the writer needs of an *os.File.
type file interface {
	io.Writer
	Sync() error
	Close() error
}

// fileCreator opens a new file for writing and fails if it exists.
type fileCreator func(path string) (file, error)

func createFile(path string) (file, error) {
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
}

// tableWriter writes one table's folder. It belongs to one goroutine. After an error nothing may be called but discard.
type tableWriter struct {
	dir     string
	layout  *layout
	schema  *arrow.Schema
	batch   *batch
	options Options
	mem     memory.Allocator
	create  fileCreator

	journal file
	written written
	line    []byte
	shard   *shardWriter // nil between shards

	ended int64 // episodes that have become whole since the last line of the journal
	age   int   // segments since the oldest row of the batch
}

func newTableWriter(dir string, t *Table, document []byte, options Options, mem memory.Allocator, create fileCreator) (*tableWriter, error) {
	options.BatchRows = cmp.Or(t.BatchRows, options.BatchRows)
	options.FlushSegments = cmp.Or(t.FlushSegments, options.FlushSegments)
	path := filepath.Join(dir, journalFile)
	journal, err := create(path)
	if err != nil {
		return nil, err
	}
	if _, err := io.WriteString(journal, journalHeader); err != nil {
		journal.Close()
		os.Remove(path)
		return nil, err
	}
	l := newLayout(t)
	return &tableWriter{
		dir: dir, layout: l, schema: t.arrowSchema(document), batch: newBatch(l, options.BatchRows, mem),
		options: options, mem: mem, create: create, journal: journal, written: newWritten(),
	}, nil
}

// add appends a segment's rows of one block, in which the episodes with these keys, in their order, were closed.
func (t *tableWriter) add(s *staged, ended []Key) error {
	for order := s.sorted(); len(order) > 0; {
		order = t.batch.add(s, order)
		if t.batch.rows < t.batch.cap {
			break
		}
		whole := len(ended)
		if len(order) > 0 {
			next := s.keys[order[0]]
			whole, _ = slices.BinarySearchFunc(ended, next, Key.compare)
		}
		t.ended, ended = t.ended+int64(whole), ended[whole:]
		if err := t.flush(); err != nil {
			return err
		}
	}
	t.ended += int64(len(ended))
	return nil
}

// endSegment writes a batch that has waited for more rows long enough.
func (t *tableWriter) endSegment() error {
	if t.batch.rows == 0 {
		return nil
	}
	if t.age++; t.options.FlushSegments > 0 && t.age >= t.options.FlushSegments {
		return t.flush()
	}
	return nil
}

// flush writes the gathered rows as one record batch, and ends the shard if it is now large enough.
func (t *tableWriter) flush() error {
	if err := t.openShard(); err != nil {
		return err
	}
	if t.batch.rows > 0 {
		record := t.batch.record(t.schema)
		defer record.Release()
		t.shard.rows = int64(t.batch.rows)
		if err := t.shard.stream.Write(record); err != nil {
			return err
		}
		t.batch.reset()
		t.age = 0
	}
	if t.shard.offset >= t.options.ShardBytes {
		return t.closeShard()
	}
	return nil
}

func (t *tableWriter) openShard() error {
	if t.shard != nil {
		return nil
	}
	number := t.written.shards
	f, err := t.create(filepath.Join(t.dir, partName(number)))
	if err != nil {
		return err
	}
	s := &shardWriter{table: t, file: f, buf: bufio.NewWriterSize(f, 1<<16), number: number}
	options := []ipc.Option{ipc.WithSchema(t.schema), ipc.WithAllocator(t.mem)}
	switch t.options.Compression {
	case LZ4:
		options = append(options, ipc.WithLZ4())
	case Zstd:
		options = append(options, ipc.WithZstd())
	}
	s.stream = ipc.NewWriterWithPayloadWriter(s, options...)
	t.shard = s
	return nil
}

func (t *tableWriter) closeShard() error {
	s := t.shard
	end := s.Close
	if s.stream != nil { // nil for one that was begun by another process
		end = s.stream.Close // calls s.Close, after writing the schema if need be
	}
	if err := end(); err != nil {
		return err
	}
	t.shard = nil
	if t.options.Sync != SyncNever {
		if err := s.file.Sync(); err != nil {
			s.file.Close()
			return err
		}
	}
	return s.file.Close()
}

// acknowledge appends an entry to the journal.
func (t *tableWriter) acknowledge(e entry) error {
	t.line = e.appendLine(t.line[:0])
	if _, err := t.journal.Write(t.line); err != nil {
		return err
	}
	t.written.add(&e, t.line)
	return nil
}

// finish writes what is left, so that all rows stand in files that are complete but for their names.
func (t *tableWriter) finish() error {
	if t.batch.rows > 0 || t.written.shards == 0 {
		if err := t.flush(); err != nil {
			return err
		}
	}
	if t.shard != nil {
		if err := t.closeShard(); err != nil {
			return err
		}
	}
	journal := t.journal
	t.journal = nil
	if t.options.Sync != SyncNever {
		if err := journal.Sync(); err != nil {
			journal.Close()
			return err
		}
	}
	return journal.Close()
}

// publish gives the finished files their names and writes what makes the folder loadable. r is nil unless the dataset was
// recovered.
func (t *tableWriter) publish(r *Recovery) error {
	shards := t.written.shards
	for i := range shards {
		if err := os.Rename(filepath.Join(t.dir, partName(i)), filepath.Join(t.dir, shardName(i, shards))); err != nil {
			return err
		}
	}
	if err := t.publishJSON(infoFile, infoOf(t.layout.table, r)); err != nil {
		return err
	}
	return t.publishJSON(stateFile, t.written.state())
}

// datasetInfo is the part of Hugging Face's dataset_info.json that we know; the features stand in the streams' schema.
type datasetInfo struct {
	Description string `json:"description"`
}

// datasetState is Hugging Face's state.json; load_from_disk wants every key.
type datasetState struct {
	DataFiles        []dataFile `json:"_data_files"`
	Fingerprint      string     `json:"_fingerprint"`
	FormatColumns    *[]string  `json:"_format_columns"`
	FormatKwargs     struct{}   `json:"_format_kwargs"`
	FormatType       *string    `json:"_format_type"`
	OutputAllColumns bool       `json:"_output_all_columns"`
	Split            *string    `json:"_split"`
}

type dataFile struct {
	Filename string `json:"filename"`
}

// infoOf is the dataset_info.json of a table; r is nil unless the dataset was recovered.
func infoOf(t *Table, r *Recovery) datasetInfo {
	if r == nil {
		return datasetInfo{t.Description}
	}
	return datasetInfo{strings.TrimSpace(t.Description + " " + recoveredNote)}
}

// written is what state.json says of the lines of a journal, which need not be kept for it.
type written struct {
	shards int
	lines  hash.Hash // their checksums cover every byte of the streams
}

func newWritten() written { return written{lines: sha256.New()} }

// writtenOf is what these entries amount to.
func writtenOf(entries []entry) written {
	w := newWritten()
	var line []byte
	for i := range entries {
		line = entries[i].appendLine(line[:0])
		w.add(&entries[i], line)
	}
	return w
}

// add takes in the next entry and its line.
func (w *written) add(e *entry, line []byte) {
	w.shards = e.shard + 1
	w.lines.Write(line)
}

// state is the state.json of a finished table.
func (w *written) state() datasetState {
	state := datasetState{Fingerprint: hex.EncodeToString(w.lines.Sum(nil)[:8])}
	for i := range w.shards {
		state.DataFiles = append(state.DataFiles, dataFile{shardName(i, w.shards)})
	}
	return state
}

// publishJSON writes a value as a file of the table.
func (t *tableWriter) publishJSON(name string, v any) error {
	data, err := marshalFile(v)
	if err != nil {
		return err
	}
	return replaceFile(t.create, filepath.Join(t.dir, name), data, t.options.Sync)
}

// replaceFile writes a file under another name and renames it, so that it is there whole or not at all. What a process that
// was killed left under the other name goes.
func replaceFile(create fileCreator, path string, data []byte, sync SyncPolicy) error {
	next := path + ".part"
	if err := os.Remove(next); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := writeFile(create, next, data, sync); err != nil {
		return err
	}
	return os.Rename(next, path)
}

// marshalFile is a value as the text of a JSON file.
func marshalFile(v any) ([]byte, error) {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("recorder: %w", err)
	}
	return append(data, '\n'), nil
}

// discard closes what is open and leaves the files as they are.
func (t *tableWriter) discard() {
	if t.shard != nil {
		t.shard.file.Close()
	}
	if t.journal != nil {
		t.journal.Close()
	}
}

// writeFile creates a file with the given contents.
func writeFile(create fileCreator, path string, data []byte, sync SyncPolicy) error {
	f, err := create(path)
	if err != nil {
		return err
	}
	if _, err := f.Write(data); err != nil {
		f.Close()
		return err
	}
	if sync != SyncNever {
		if err := f.Sync(); err != nil {
			f.Close()
			return err
		}
	}
	return f.Close()
}

// syncDir makes the names in a folder survive a power cut.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	if err := d.Sync(); err != nil {
		d.Close()
		return err
	}
	return d.Close()
}

// shardWriter is the ipc.PayloadWriter of one stream: it frames messages as the Arrow columnar format's "encapsulated
// message format" says, and acknowledges each one in the journal once its bytes have reached the file.
type shardWriter struct {
	table  *tableWriter
	file   file
	buf    *bufio.Writer
	stream *ipc.Writer
	number int
	rows   int64 // of the record batch about to be written

	offset int64 // where the current message begins
	length int64 // bytes of it so far
	crc    uint32
}

var (
	continuation = []byte{0xff, 0xff, 0xff, 0xff}
	endOfStream  = append(continuation[:4:4], 0, 0, 0, 0)
	zeros        [8]byte
)

// Write appends bytes to the current message.
func (s *shardWriter) Write(p []byte) (int, error) {
	s.crc = crc32.Update(s.crc, castagnoli, p)
	s.length += int64(len(p))
	return s.buf.Write(p)
}

// Start is part of ipc.PayloadWriter.
func (s *shardWriter) Start() error { return nil }

// WritePayload writes one message: the schema first, record batches after it.
func (s *shardWriter) WritePayload(p ipc.Payload) error {
	meta := p.Meta()
	defer meta.Release()
	padding := -meta.Len() & 7
	prefix := binary.LittleEndian.AppendUint32(continuation[:4:4], uint32(meta.Len()+padding))
	for _, part := range [...][]byte{prefix, meta.Bytes(), zeros[:padding]} {
		if _, err := s.Write(part); err != nil {
			return err
		}
	}
	if err := p.SerializeBody(s); err != nil {
		return err
	}
	if s.offset == 0 {
		return s.endMessage(entrySchema, 0)
	}
	return s.endMessage(entryBatch, s.rows)
}

// Close ends the stream; it does not close the file.
func (s *shardWriter) Close() error {
	if _, err := s.Write(endOfStream); err != nil {
		return err
	}
	return s.endMessage(entryEnd, 0)
}

// endMessage brings the current message to the file and acknowledges it.
func (s *shardWriter) endMessage(kind entryKind, rows int64) error {
	if err := s.buf.Flush(); err != nil {
		return err
	}
	if s.table.options.Sync == SyncEveryBatch {
		if err := s.file.Sync(); err != nil {
			return err
		}
	}
	e := entry{kind: kind, shard: s.number, offset: s.offset, length: s.length, rows: rows, crc: s.crc}
	if kind != entrySchema {
		e.episodes, s.table.ended = s.table.ended, 0
	}
	s.offset, s.length, s.crc = e.end(), 0, 0
	if err := s.table.acknowledge(e); err != nil {
		return err
	}
	if s.table.options.Sync == SyncEveryBatch {
		return s.table.journal.Sync()
	}
	return nil
}
