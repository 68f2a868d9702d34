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
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
)

// Shard is one stream of a table: its file and the journal's entries about it, which are a schema, batches and, if it was
// finished, an end.
type Shard struct {
	Path    string
	Entries []Entry
}

// Shards groups the entries of a journal by shard. It leaves the paths to the caller.
func Shards(entries []Entry) []Shard {
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

// Open reads the journal of a finished table and compares with it the files that are derived from it. r is nil unless the
// dataset was recovered.
func Open(dir string, t *format.Table, r *format.Recovery) ([]Shard, error) {
	journal, err := readJournal(filepath.Join(dir, JournalFile))
	if err != nil {
		return nil, err
	}
	shards := Shards(journal.Entries)
	for i := range shards {
		shards[i].Path = filepath.Join(dir, ShardName(i, len(shards)))
	}
	written := NewWritten(journal, journal.Length)
	files, err := written.Files(t, r)
	if err != nil {
		return nil, err
	}
	for _, want := range files {
		path := filepath.Join(dir, want.Name)
		if got, err := os.ReadFile(path); err != nil {
			return nil, err
		} else if !bytes.Equal(got, want.Data) {
			return nil, fmt.Errorf("%s does not match %s: it differs at byte %d", path, JournalFile, firstDifference(got, want.Data))
		}
	}
	return shards, nil
}

// firstDifference returns the first place where two texts differ.
func firstDifference(a, b []byte) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// readJournal reads the journal of a finished table.
func readJournal(path string) (*Journal, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	j, err := ParseJournal(data)
	n := len(j.Entries)
	switch {
	case err != nil:
	case n == 0 || j.Entries[n-1].Kind != End:
		err = errors.New("journal ends before its stream does")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return j, nil
}

// CheckSchema returns an error unless the stream begins with this schema.
func (s Shard) CheckSchema(schema *arrow.Schema) error {
	s.Entries = s.Entries[:1]
	_, err := s.Read(schema, memory.DefaultAllocator, nil)
	return err
}

// Batches returns the number of record batches.
func (s Shard) Batches() int {
	n := len(s.Entries) - 1
	if s.Entries[n].Kind == End {
		n--
	}
	return n
}

// From returns the shard without its first n batches.
func (s Shard) From(n int) Shard {
	return Shard{Path: s.Path, Entries: append(s.Entries[:1:1], s.Entries[1+n:]...)}
}

// Read yields the stream's record batches, which must have this schema; more is false once yield has returned false. The bytes
// of each are compared with their checksum before anything interprets them.
func (s Shard) Read(schema *arrow.Schema, mem memory.Allocator, yield func(arrow.Record) bool) (more bool, err error) {
	f, err := os.Open(s.Path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return false, err
	}
	verified := &verifiedStream{path: s.Path, from: f, size: info.Size(), entries: s.Entries}
	stream, err := ipc.NewReader(verified, ipc.WithAllocator(mem))
	if err != nil {
		return false, cmp.Or(verified.err, err)
	}
	defer stream.Release()
	if got := stream.Schema(); !got.Equal(schema) || !got.Metadata().Equal(schema.Metadata()) {
		return false, fmt.Errorf("%s: its schema does not match %s", s.Path, format.DocumentFile)
	}
	for _, e := range s.Entries {
		if e.Kind != Batch {
			continue
		}
		if !stream.Next() {
			if err := cmp.Or(verified.err, stream.Err()); err != nil {
				return false, err
			}
			return false, fmt.Errorf("%s: stream ends at %d, where the journal has a batch", s.Path, e.Offset)
		}
		if got := stream.Record().NumRows(); got != e.Rows {
			return false, fmt.Errorf("%s: batch at %d has %d rows, want %d", s.Path, e.Offset, got, e.Rows)
		}
		if !yield(stream.Record()) {
			return false, nil
		}
	}
	last := s.Entries[len(s.Entries)-1]
	if last.Kind != End {
		return true, nil
	}
	if stream.Next() {
		return false, fmt.Errorf("%s: it has a batch where the journal has the end of the stream", s.Path)
	}
	if err := cmp.Or(verified.err, stream.Err()); err != nil {
		return false, err
	}
	if end := last.End(); info.Size() != end {
		return false, fmt.Errorf("%s: it has %d bytes after the end of the stream", s.Path, info.Size()-end)
	}
	return true, nil
}

// verifiedStream reads a stream message by message, and returns a message's bytes only if their checksum is right.
type verifiedStream struct {
	path    string
	from    io.ReaderAt
	size    int64 // of the file
	entries []Entry
	message []byte
	ready   []byte // the rest of message
	err     error
}

// Read implements io.Reader.
func (v *verifiedStream) Read(p []byte) (int, error) {
	if len(v.ready) == 0 {
		if v.err == nil {
			v.err = v.next()
		}
		if v.err != nil {
			return 0, v.err
		}
		if len(v.ready) == 0 {
			return 0, io.EOF
		}
	}
	n := copy(p, v.ready)
	v.ready = v.ready[n:]
	return n, nil
}

// next reads and checks one message.
func (v *verifiedStream) next() error {
	if len(v.entries) == 0 {
		return nil
	}
	e := &v.entries[0]
	v.entries = v.entries[1:]
	if e.End() > v.size {
		return fmt.Errorf("%s: %s of %d bytes at %d, but the file ends at %d", v.path, e.Kind, e.Length, e.Offset, v.size)
	}
	if int64(cap(v.message)) < e.Length {
		v.message = make([]byte, e.Length)
	}
	v.message = v.message[:e.Length]
	if _, err := v.from.ReadAt(v.message, e.Offset); err != nil {
		return fmt.Errorf("%s: %s at %d: %w", v.path, e.Kind, e.Offset, err)
	}
	if sum := crc32.Checksum(v.message, format.Castagnoli); sum != e.CRC {
		return fmt.Errorf("%s: %s at %d is damaged: its checksum is %08x, want %08x", v.path, e.Kind, e.Offset, sum, e.CRC)
	}
	v.ready = v.message
	return nil
}
