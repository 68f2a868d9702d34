package folder

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"hash/crc32"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"sort"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/ipc"

	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
)

// Options says how a folder is written.
type Options struct {
	Stream     []ipc.Option // options of each stream: allocator, compression
	ShardBytes int64        // size at which a stream is ended and a new one begins
	SyncFiles  bool         // force finished files to the disk
	SyncEach   bool         // force each message and its journal line to the disk, too
	Parts      bool         // the journal has parts, see Writer.Mark
}

// TableWriter writes the streams and the journal of one table, for one goroutine. After an error only Discard may be
// called.
type TableWriter struct {
	fsys    disk.FS
	dir     string
	table   *format.Table
	schema  *arrow.Schema
	first   []byte // first message of each stream
	options Options

	journal disk.File // nil once Finish has closed it
	lines   int64     // bytes of the journal
	line    []byte
	shards  int    // number of shards in the journal
	shard   *shard // nil between shards
}

// Create makes the journal of a new folder, whose streams have this schema, or leaves none.
func Create(fsys disk.FS, dir string, t *format.Table, schema *arrow.Schema, options Options) (*TableWriter, error) {
	w := &TableWriter{fsys: fsys, dir: dir, table: t, schema: schema, first: firstMessage(schema), options: options}
	path := filepath.Join(dir, JournalFile)
	var err error
	if w.journal, err = fsys.Create(path); err != nil {
		return nil, err
	}
	err = w.writeHeader()
	if err == nil && options.SyncFiles { // no name of an empty journal is ever forced to the disk
		err = w.journal.Sync()
	}
	if err != nil {
		w.Discard()
		fsys.Remove(path)
		return nil, err
	}
	return w, nil
}

func (w *TableWriter) writeHeader() error {
	header := JournalHeader
	if w.options.Parts {
		header = PartsHeader
	}
	w.lines = int64(len(header))
	_, err := io.WriteString(w.journal, header)
	return err
}

// JournalBytes returns the length of the journal: what it acknowledges is written.
func (w *TableWriter) JournalBytes() int64 { return w.lines }

// Resume returns a writer that goes on in a folder, finished or not, after the first length bytes of its journal j,
// where a line ends; 0 if the header may be missing, too. It cuts the journal first, so that this never refers to bytes
// that are gone, then the streams, which get the names that they had while they were written.
func Resume(fsys disk.FS, dir string, t *format.Table, schema *arrow.Schema, options Options, j *Journal,
	length int) (_ *TableWriter, err error) {
	options.Parts = j.Parts
	w := &TableWriter{fsys: fsys, dir: dir, table: t, schema: schema, first: firstMessage(schema), options: options,
		lines: int64(length)}
	if w.journal, err = fsys.Append(filepath.Join(dir, JournalFile), w.lines); err != nil {
		return nil, err
	}
	if length == 0 {
		err = w.writeHeader()
	}
	if err == nil {
		err = w.cutStreams(j, length)
	}
	if err != nil {
		w.Discard()
		return nil, err
	}
	return w, nil
}

// cutStreams leaves what the first length bytes of the journal acknowledge, and opens the last stream.
func (w *TableWriter) cutStreams(j *Journal, length int) error {
	entries := j.Entries[:sort.SearchInts(j.ends, length+1)]
	if n := len(entries); n > 0 {
		w.shards = entries[n-1].Shard + 1
	}
	streams, err := Streams(w.dir)
	if err != nil {
		return err
	}
	for _, number := range slices.Sorted(maps.Keys(streams)) {
		path, part := streams[number], filepath.Join(w.dir, PartName(number))
		if number >= w.shards {
			err = w.fsys.Remove(path)
		} else if path != part {
			err = w.fsys.Rename(path, part)
		}
		if err != nil {
			return err
		}
	}
	for _, name := range []string{StateFile, InfoFile} {
		if err := w.fsys.RemoveAll(filepath.Join(w.dir, name)); err != nil {
			return err
		}
	}
	if len(entries) == 0 {
		return nil
	}
	last := &entries[len(entries)-1]
	f, err := w.fsys.Append(filepath.Join(w.dir, PartName(last.Shard)), last.End())
	if err != nil {
		return err
	}
	if last.Kind == End {
		return f.Close()
	}
	w.shard = &shard{folder: w, file: f, buf: bufio.NewWriter(f), number: last.Shard, offset: last.End()}
	return nil
}

// Write appends a record to the streams and acknowledges it in the journal, with the episodes that it completes.
func (w *TableWriter) Write(record arrow.Record, episodes int64) error {
	if err := w.openShard(); err != nil {
		return err
	}
	s := w.shard
	if s.stream == nil {
		s.skip = len(w.first)
		s.stream = ipc.NewWriter(s, append([]ipc.Option{ipc.WithSchema(w.schema)}, w.options.Stream...)...)
	}
	err := s.stream.Write(record)
	if err := s.endMessage(JournalEntry{Kind: Batch, Rows: record.NumRows(), Episodes: episodes}, err); err != nil {
		return err
	}
	if s.offset >= w.options.ShardBytes {
		return w.closeShard(0)
	}
	return nil
}

// openShard begins a stream, unless there is one.
func (w *TableWriter) openShard() error {
	if w.shard != nil {
		return nil
	}
	f, err := w.fsys.Create(filepath.Join(w.dir, PartName(w.shards)))
	if err != nil {
		return err
	}
	if w.options.SyncEach { // the name, too
		if err := w.fsys.SyncDir(w.dir); err != nil {
			return errors.Join(err, f.Close())
		}
	}
	w.shard = &shard{folder: w, file: f, buf: bufio.NewWriterSize(f, 1<<16), number: w.shards}
	_, err = w.shard.Write(w.first)
	return w.shard.endMessage(JournalEntry{Kind: Schema}, err)
}

func (w *TableWriter) closeShard(episodes int64) error {
	s := w.shard
	_, err := s.Write(endOfStream)
	if err := s.endMessage(JournalEntry{Kind: End, Episodes: episodes}, err); err != nil {
		return err
	}
	w.shard = nil
	return w.close(s.file)
}

func (w *TableWriter) close(f disk.File) error {
	if w.options.SyncFiles {
		if err := f.Sync(); err != nil {
			f.Close()
			return err
		}
	}
	return f.Close()
}

func (w *TableWriter) acknowledge(e JournalEntry) error {
	w.shards = e.Shard + 1
	return w.appendLines(e.AppendLine(w.line[:0]))
}

// Mark appends parts to the journal: they are of the rows of the next batch.
func (w *TableWriter) Mark(parts []JournalPart) error {
	lines := w.line[:0]
	for i := range parts {
		lines = parts[i].AppendLine(lines)
	}
	if len(lines) == 0 {
		return nil
	}
	return w.appendLines(lines)
}

// appendLines appends lines to the journal, and keeps their memory.
func (w *TableWriter) appendLines(lines []byte) error {
	w.line = lines
	n, err := w.journal.Write(lines)
	w.lines += int64(n)
	return err
}

// Sync forces what is acknowledged to the disk, unless files are never forced there.
func (w *TableWriter) Sync() error {
	if !w.options.SyncFiles {
		return nil
	}
	if w.shard != nil {
		if err := w.shard.file.Sync(); err != nil {
			return err
		}
	}
	if err := w.journal.Sync(); err != nil {
		return err
	}
	return w.fsys.SyncDir(w.dir)
}

// Finish ends the last stream, begun if there is none, which acknowledges so many episodes, and closes all files.
func (w *TableWriter) Finish(episodes int64) error {
	if w.shards == 0 {
		if err := w.openShard(); err != nil {
			return err
		}
	}
	if w.shard != nil {
		if err := w.closeShard(episodes); err != nil {
			return err
		}
	}
	journal := w.journal
	w.journal = nil
	return w.close(journal)
}

// Discard closes what is open and leaves the files as they are.
func (w *TableWriter) Discard() {
	if w.shard != nil {
		w.shard.file.Close()
	}
	if w.journal != nil {
		w.journal.Close()
	}
}

// shard is one stream. Each message is acknowledged in the journal once its bytes have reached the file.
type shard struct {
	folder *TableWriter
	file   disk.File
	buf    *bufio.Writer
	stream *ipc.Writer // nil before the first batch
	number int
	skip   int // bytes that the file has already, and that stream writes next

	offset int64 // where the current message begins
	length int64 // bytes of the current message so far
	crc    uint32
}

var endOfStream = []byte{0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0}

// firstMessage returns the message of a stream's schema.
func firstMessage(schema *arrow.Schema) []byte {
	var stream bytes.Buffer
	if err := ipc.NewWriter(&stream, ipc.WithSchema(schema)).Close(); err != nil {
		panic(err) // memory takes all bytes, and our schemas can be written
	}
	return bytes.TrimSuffix(stream.Bytes(), endOfStream)
}

// Write appends bytes to the current message.
func (s *shard) Write(p []byte) (int, error) {
	added := p[min(s.skip, len(p)):]
	s.skip -= len(p) - len(added)
	s.crc = crc32.Update(s.crc, format.Castagnoli, added)
	s.length += int64(len(added))
	_, err := s.buf.Write(added)
	return len(p), err
}

// endMessage writes out the current message, unless writing it has failed, and acknowledges it with an entry.
func (s *shard) endMessage(e JournalEntry, failed error) error {
	if err := cmp.Or(s.buf.Flush(), failed); err != nil { // Flush returns the file's own error
		return err
	}
	if s.folder.options.SyncEach {
		if err := s.file.Sync(); err != nil {
			return err
		}
	}
	e.Shard, e.Offset, e.Length, e.CRC = s.number, s.offset, s.length, s.crc
	s.offset, s.length, s.crc = e.End(), 0, 0
	if err := s.folder.acknowledge(e); err != nil {
		return err
	}
	if s.folder.options.SyncEach {
		return s.folder.journal.Sync()
	}
	return nil
}
