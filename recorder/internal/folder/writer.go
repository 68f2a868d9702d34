package folder

import (
	"bufio"
	"encoding/binary"
	"hash/crc32"
	"io"
	"path/filepath"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/ipc"

	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
)

// Options says how a folder is written.
type Options struct {
	Stream     []ipc.Option // of each stream: allocator, compression
	ShardBytes int64        // a stream that has reached this size is ended and a new one begun
	SyncFiles  bool         // force finished files to the disk
	SyncEach   bool         // also each message and its journal line
	Parts      bool         // the journal has parts, see Writer.Mark
}

// Writer writes the streams and the journal of one table. One goroutine may use it at a time. After an error only Discard may
// be called.
type Writer struct {
	Table *format.Table

	fsys    disk.FS
	dir     string
	schema  *arrow.Schema
	options Options

	journal disk.File // nil once Finish has closed it
	lines   int64     // bytes of the journal
	written Written
	line    []byte
	shard   *shard // nil between shards
}

// Create makes the journal of a new folder, whose streams have this schema. It removes the journal again if it cannot write it.
func Create(fsys disk.FS, dir string, t *format.Table, schema *arrow.Schema, options Options) (*Writer, error) {
	path := filepath.Join(dir, JournalFile)
	journal, err := fsys.Create(path)
	if err != nil {
		return nil, err
	}
	if _, err := io.WriteString(journal, options.header()); err != nil {
		journal.Close()
		fsys.Remove(path)
		return nil, err
	}
	return &Writer{Table: t, fsys: fsys, dir: dir, schema: schema, options: options, journal: journal, lines: int64(len(JournalHeader)), written: NewWritten(&Journal{}, 0)}, nil
}

// JournalBytes returns the length of the journal: what it acknowledges is written.
func (w *Writer) JournalBytes() int64 { return w.lines }

// header returns the first line of the journal.
func (o *Options) header() string {
	if o.Parts {
		return PartsHeader
	}
	return JournalHeader
}

// Resume returns a writer for a folder that was left unfinished, after cutting its journal to a length, at which a line ends; 0
// if the header may be missing, too. [Writer.CutStream] must follow if there are entries.
func Resume(fsys disk.FS, dir string, t *format.Table, schema *arrow.Schema, options Options, j *Journal, length int) (*Writer, error) {
	options.Parts = j.Parts
	w := &Writer{Table: t, fsys: fsys, dir: dir, schema: schema, options: options, written: NewWritten(j, length)}
	lines := int64(length)
	var err error
	if w.journal, err = fsys.Append(filepath.Join(dir, JournalFile), lines); err != nil {
		return nil, err
	}
	if lines == 0 {
		if _, err := io.WriteString(w.journal, options.header()); err != nil {
			w.Discard()
			return nil, err
		}
		lines = int64(len(JournalHeader))
	}
	w.lines = lines
	return w, nil
}

// CutStream cuts the last stream of a resumed folder after the last entry of the journal. The stream must have its [PartName].
func (w *Writer) CutStream(last *Entry) error {
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

// Write appends a record to the streams and acknowledges it in the journal, with the number of episodes that it completes.
func (w *Writer) Write(record arrow.Record, episodes int64) error {
	if err := w.openShard(); err != nil {
		return err
	}
	w.shard.rows, w.shard.episodes = record.NumRows(), episodes
	if err := w.shard.stream.Write(record); err != nil {
		return err
	}
	if w.shard.offset >= w.options.ShardBytes {
		return w.closeShard(0)
	}
	return nil
}

func (w *Writer) openShard() error {
	switch {
	case w.shard != nil && w.shard.stream != nil:
		return nil
	case w.shard != nil: // begun by another process
		w.shard.begun = true
	default:
		number := w.written.shards
		f, err := w.fsys.Create(filepath.Join(w.dir, PartName(number)))
		if err != nil {
			return err
		}
		w.shard = &shard{folder: w, file: f, buf: bufio.NewWriterSize(f, 1<<16), number: number}
	}
	w.shard.stream = ipc.NewWriterWithPayloadWriter(w.shard, append([]ipc.Option{ipc.WithSchema(w.schema)}, w.options.Stream...)...)
	return nil
}

func (w *Writer) closeShard(episodes int64) error {
	s := w.shard
	s.episodes = episodes
	end := s.Close
	if s.stream != nil { // nil for one that was begun by another process
		end = s.stream.Close // calls s.Close, after writing the schema if need be
	}
	if err := end(); err != nil {
		return err
	}
	w.shard = nil
	return w.close(s.file)
}

// close closes a finished file.
func (w *Writer) close(f disk.File) error {
	if w.options.SyncFiles {
		if err := f.Sync(); err != nil {
			f.Close()
			return err
		}
	}
	return f.Close()
}

// acknowledge appends an entry to the journal.
func (w *Writer) acknowledge(e Entry) error {
	w.line = e.AppendLine(w.line[:0])
	if _, err := w.journal.Write(w.line); err != nil {
		return err
	}
	w.lines += int64(len(w.line))
	w.written.add(&e, w.line)
	return nil
}

// Mark appends parts to the journal: they are of the rows of the next batch.
func (w *Writer) Mark(parts []Part) error {
	w.line = w.line[:0]
	for i := range parts {
		w.line = parts[i].AppendLine(w.line)
	}
	if len(w.line) == 0 {
		return nil
	}
	if _, err := w.journal.Write(w.line); err != nil {
		return err
	}
	w.lines += int64(len(w.line))
	w.written.lines.Write(w.line)
	return nil
}

// Sync forces what is acknowledged to the disk, unless files are never forced there.
func (w *Writer) Sync() error {
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

// Finish ends the last stream, which it begins if there is none yet, and closes all files. The end acknowledges so many
// episodes.
func (w *Writer) Finish(episodes int64) error {
	if w.written.shards == 0 {
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

// Publish makes a finished folder loadable. r is nil unless the dataset was recovered.
func (w *Writer) Publish(r *format.Recovery) error {
	return w.written.Publish(w.fsys, w.dir, w.Table, r, w.options.SyncFiles)
}

// Discard closes what is open and leaves the files as they are.
func (w *Writer) Discard() {
	if w.shard != nil {
		w.shard.file.Close()
	}
	if w.journal != nil {
		w.journal.Close()
	}
}

// shard is the ipc.PayloadWriter of one stream. It frames messages as the Arrow columnar format's "encapsulated message
// format" says, and acknowledges each one in the journal once its bytes have reached the file.
type shard struct {
	folder *Writer
	file   disk.File
	buf    *bufio.Writer
	stream *ipc.Writer
	number int
	begun  bool // the schema, which stream is about to write, is in the file

	rows, episodes int64 // of the record batch or end that comes next

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
func (s *shard) Write(p []byte) (int, error) {
	s.crc = crc32.Update(s.crc, format.Castagnoli, p)
	s.length += int64(len(p))
	return s.buf.Write(p)
}

// Start implements ipc.PayloadWriter.
func (s *shard) Start() error { return nil }

// WritePayload writes one message: the schema first, record batches after it.
func (s *shard) WritePayload(p ipc.Payload) error {
	if s.begun {
		s.begun = false
		return nil
	}
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
		return s.endMessage(Entry{Kind: Schema})
	}
	return s.endMessage(Entry{Kind: Batch, Rows: s.rows, Episodes: s.episodes})
}

// Close ends the stream. It does not close the file.
func (s *shard) Close() error {
	if _, err := s.Write(endOfStream); err != nil {
		return err
	}
	return s.endMessage(Entry{Kind: End, Episodes: s.episodes})
}

// endMessage writes out the current message and acknowledges it with an entry.
func (s *shard) endMessage(e Entry) error {
	if err := s.buf.Flush(); err != nil {
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
