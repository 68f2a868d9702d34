package folder

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/ipc"

	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
)

// Shard is one stream of a table: its file and the entries about it, a schema, batches and, if it was finished, an end.
type Shard struct {
	Path    string
	Entries []JournalEntry
}

// Shards groups the entries of a journal by shard. It leaves the paths to the caller.
func Shards(entries []JournalEntry) []Shard {
	var shards []Shard
	for i := range entries {
		if entries[i].Kind == Schema {
			shards = append(shards, Shard{})
		}
		s := &shards[len(shards)-1]
		s.Entries = append(s.Entries, entries[i])
	}
	return shards
}

// Open reads the journal of a finished table and compares the files that are derived from it. r is nil unless
// recovered.
func Open(dir string, t *format.Table, r *format.Recovery) ([]Shard, error) {
	path := filepath.Join(dir, JournalFile)
	text, err := disk.ReadFile(path, MaxJournal)
	if err != nil {
		return nil, err
	}
	journal, err := ParseJournal(text)
	if n := len(journal.Entries); err == nil && (n == 0 || journal.Entries[n-1].Kind != End) {
		err = errors.New("journal ends before its stream does")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	shards := Shards(journal.Entries)
	for i := range shards {
		shards[i].Path = filepath.Join(dir, ShardName(i, len(shards)))
	}
	files, err := describe(t, r, len(shards), text)
	if err != nil {
		return nil, err
	}
	for _, want := range files {
		path := filepath.Join(dir, want.name)
		got, err := disk.ReadFile(path, disk.MaxText)
		if err != nil {
			return nil, err
		}
		if !bytes.Equal(got, want.data) {
			return nil, fmt.Errorf("%s does not match %s", path, JournalFile)
		}
	}
	return shards, nil
}

// Reader reads the messages of a table's streams. Any number of goroutines may use it.
type Reader struct {
	Schema *arrow.Schema // of the streams

	layout *format.Layout // of what is stored
	first  []byte         // first message of each stream
}

// NewReader returns a reader of a table of the dataset with this text of polyrhythm.json.
func NewReader(t *format.Table, document []byte) *Reader {
	schema := t.ArrowSchema(document)
	return &Reader{Schema: schema, layout: format.NewLayout(t).Storage(), first: firstMessage(schema)}
}

// Record returns the record batch of one of the shard's entries, nil for its schema or its end. The message is compared
// with its checksum, with the schema and with the entry before anything interprets it. The caller releases the record.
func (r *Reader) Record(s *Shard, e *JournalEntry) (_ arrow.Record, err error) {
	f, err := disk.Open(s.Path)
	if err != nil {
		return nil, err
	}
	defer func() {
		if f.Close(); err != nil {
			err = fmt.Errorf("%s: %w", s.Path, err)
		}
	}()
	if e.Kind != Batch {
		return nil, r.checkEnds(f, e)
	}
	// Arrow's reader sees our schema alone, and a stream of another one is of no use.
	if err := r.checkEnds(f, &s.Entries[0]); err != nil {
		return nil, err
	}
	record, err := r.batch(f, e)
	if err != nil {
		return nil, fmt.Errorf("batch at %d: %w", e.Offset, err)
	}
	return record, nil
}

func (r *Reader) batch(f *os.File, e *JournalEntry) (arrow.Record, error) {
	if most := format.MaxBatchBytes / int64(r.layout.Stride); e.Rows > most {
		return nil, fmt.Errorf("it has %d rows, want at most %d", e.Rows, most)
	}
	if most := r.longest(e.Rows); e.Length > most {
		return nil, fmt.Errorf("it has %d bytes for %d rows, want at most %d", e.Length, e.Rows, most)
	}
	message, err := Message(f, e)
	if err == nil {
		err = r.checkBatch(message, e.Rows)
	}
	if err != nil {
		return nil, err
	}
	return r.decode(message)
}

// has reports whether an entry's message is this one.
func has(f *os.File, e *JournalEntry, want []byte) (bool, error) {
	if e.Length != int64(len(want)) {
		return false, Verify(f, e)
	}
	got, err := Message(f, e)
	return bytes.Equal(got, want), err
}

// checkEnds returns an error unless an entry is that of our schema or of the end of a stream.
func (r *Reader) checkEnds(f *os.File, e *JournalEntry) error {
	if e.Kind == Schema {
		same, err := has(f, e, r.first)
		if err == nil && !same {
			err = fmt.Errorf("its schema does not match %s", format.DocumentFile)
		}
		return err
	}
	same, err := has(f, e, endOfStream)
	if err == nil && !same {
		err = errors.New("it has a batch where the journal has the end of the stream")
	}
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err == nil && info.Size() != e.End() {
		err = fmt.Errorf("it has %d bytes after the end of the stream", info.Size()-e.End())
	}
	return err
}

// decode returns the record of a batch's message that was checked. A panic of Arrow's is an error.
func (r *Reader) decode(message []byte) (_ arrow.Record, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("it cannot be read: %v", reason)
		}
	}()
	stream, err := ipc.NewReader(io.MultiReader(bytes.NewReader(r.first), bytes.NewReader(message)))
	if err != nil {
		return nil, err
	}
	defer stream.Release()
	if !stream.Next() {
		return nil, cmp.Or(stream.Err(), errors.New("there is none"))
	}
	record := stream.Record()
	if err := checkValues(record); err != nil {
		return nil, err
	}
	record.Retain()
	return record, nil
}

// Message returns the bytes of an entry's message in its stream, whose length the caller has bounded. An error but that
// of a read (fs.PathError) means that they are damaged, and does not name the stream.
func Message(f *os.File, e *JournalEntry) ([]byte, error) {
	section, err := section(f, e)
	if err != nil {
		return nil, err
	}
	message := make([]byte, e.Length)
	if _, err := io.ReadFull(section, message); err != nil {
		return nil, fmt.Errorf("%s at %d: %w", e.Kind, e.Offset, err)
	}
	return message, e.checkSum(crc32.Checksum(message, format.Castagnoli))
}

// Verify compares an entry's message with its checksum, without keeping it. Its errors are those of [Message].
func Verify(f *os.File, e *JournalEntry) error {
	section, err := section(f, e)
	if err != nil {
		return err
	}
	sum := crc32.New(format.Castagnoli)
	if _, err := io.Copy(sum, section); err != nil {
		return fmt.Errorf("%s at %d: %w", e.Kind, e.Offset, err)
	}
	return e.checkSum(sum.Sum32())
}

// section returns what has an entry's message in its stream.
func section(f *os.File, e *JournalEntry) (*io.SectionReader, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if size := info.Size(); e.End() > size {
		return nil, fmt.Errorf("%s of %d bytes at %d, but the file ends at %d", e.Kind, e.Length, e.Offset, size)
	}
	return io.NewSectionReader(f, e.Offset, e.Length), nil
}

func (e *JournalEntry) checkSum(sum uint32) error {
	if sum != e.CRC {
		return fmt.Errorf("%s at %d is damaged: its checksum is %08x, want %08x", e.Kind, e.Offset, sum, e.CRC)
	}
	return nil
}
