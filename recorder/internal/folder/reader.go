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
	text, err := os.ReadFile(path)
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
		got, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		if !bytes.Equal(got, want.data) {
			return nil, fmt.Errorf("%s does not match %s", path, JournalFile)
		}
	}
	return shards, nil
}

// Record returns the record batch of one of the shard's entries, nil for its schema or its end, if the stream has this
// schema. Checksums are compared before anything interprets the bytes. The caller releases the record.
func (s *Shard) Record(e *JournalEntry, schema *arrow.Schema) (_ arrow.Record, err error) {
	f, err := os.Open(s.Path)
	if err != nil {
		return nil, err
	}
	defer func() {
		if f.Close(); err != nil {
			err = fmt.Errorf("%s: %w", s.Path, err)
		}
	}()
	message, err := Message(f, e)
	if err != nil {
		return nil, err
	}
	if e.Kind == End {
		if !bytes.Equal(message, endOfStream) {
			return nil, fmt.Errorf("it has a batch where the journal has the end of the stream")
		}
		info, err := f.Stat()
		if err == nil && info.Size() != e.End() {
			err = fmt.Errorf("it has %d bytes after the end of the stream", info.Size()-e.End())
		}
		return nil, err
	}
	head := message
	if e.Kind != Schema {
		if head, err = Message(f, &s.Entries[0]); err != nil {
			return nil, err
		}
	}
	stream, err := ipc.NewReader(io.MultiReader(bytes.NewReader(head), bytes.NewReader(message)))
	if err != nil {
		return nil, err
	}
	defer stream.Release()
	if got := stream.Schema(); !got.Equal(schema) || !got.Metadata().Equal(schema.Metadata()) {
		return nil, fmt.Errorf("its schema does not match %s", format.DocumentFile)
	}
	if e.Kind == Schema {
		return nil, nil
	}
	if !stream.Next() {
		return nil, cmp.Or(stream.Err(), fmt.Errorf("stream ends at %d, where the journal has a batch", e.Offset))
	}
	if got := stream.Record().NumRows(); got != e.Rows {
		return nil, fmt.Errorf("batch at %d has %d rows, want %d", e.Offset, got, e.Rows)
	}
	stream.Record().Retain()
	return stream.Record(), nil
}

// Message returns the bytes of an entry's message in its stream. An error but that of a read (fs.PathError) means that
// they are damaged, and does not name the stream.
func Message(f *os.File, e *JournalEntry) ([]byte, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if size := info.Size(); e.End() > size {
		return nil, fmt.Errorf("%s of %d bytes at %d, but the file ends at %d", e.Kind, e.Length, e.Offset, size)
	}
	message := make([]byte, e.Length)
	if _, err := f.ReadAt(message, e.Offset); err != nil {
		return nil, fmt.Errorf("%s at %d: %w", e.Kind, e.Offset, err)
	}
	if sum := crc32.Checksum(message, format.Castagnoli); sum != e.CRC {
		return nil, fmt.Errorf("%s at %d is damaged: its checksum is %08x, want %08x", e.Kind, e.Offset, sum, e.CRC)
	}
	return message, nil
}
