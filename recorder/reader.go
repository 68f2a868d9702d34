package recorder

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// ErrUnfinished is wrapped by the error of [Open] for a dataset whose writing was not finished.
var ErrUnfinished = errors.New("dataset is unfinished")

// Dataset is a finished dataset, opened for reading. Any number of goroutines may use it.
type Dataset struct {
	Metadata Metadata
	Tables   []Table
	Recovery *Recovery // what [Recover] made of a killed run; nil for a dataset that was closed

	dir      string
	document []byte
	shards   [][]shard // by table
}

// shard is one stream of a table: a file and the journal's lines about it.
type shard struct {
	path    string
	entries []entry // a schema, batches and, unless whoever wrote it is gone, an end
}

// Open reads what a dataset is, without its rows. It fails with [ErrUnfinished] for one that was not closed, and where any
// of the files that describe it is damaged or contradicts the others.
func Open(dir string) (*Dataset, error) {
	doc, text, err := readDocument(dir)
	if err != nil {
		return nil, err
	}
	if _, err := os.Lstat(filepath.Join(dir, stateFile)); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("recorder: %s: %w: it has no %s", dir, ErrUnfinished, stateFile)
	}
	d := &Dataset{Metadata: doc.Metadata, Tables: doc.Tables, dir: dir, document: text}
	if d.Recovery, err = readRecovery(dir); err != nil {
		return nil, err
	}
	for i := range d.Tables {
		shards, err := openTable(tableDir(dir, d.Tables, i), &d.Tables[i], d.Recovery)
		if err != nil {
			return nil, err
		}
		d.shards = append(d.shards, shards)
		if err := d.checkSchema(i); err != nil {
			return nil, fmt.Errorf("recorder: table %q: %w", d.Tables[i].Name, err)
		}
	}
	return d, nil
}

// readDocument reads polyrhythm.json.
func readDocument(dir string) (*document, []byte, error) {
	path := filepath.Join(dir, DocumentFile)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, fmt.Errorf("recorder: not a dataset: %w", err)
	}
	doc, err := parseDocument(text)
	if err != nil {
		return nil, nil, fmt.Errorf("recorder: %s: %w", path, err)
	}
	return doc, text, nil
}

// parseDocument reads the text of polyrhythm.json strictly.
func parseDocument(text []byte) (*document, error) {
	doc := &document{}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(doc); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = fmt.Errorf("it is cut after %d bytes", len(text))
		}
		return nil, err
	}
	if rest := bytes.TrimSpace(text[dec.InputOffset():]); len(rest) > 0 {
		return nil, fmt.Errorf("%d bytes after the end, want none", len(rest))
	}
	if doc.FormatVersion != formatVersion {
		return nil, fmt.Errorf("format version %d, want %d", doc.FormatVersion, formatVersion)
	}
	return doc, validateTables(doc.Tables)
}

// openTable reads the journal of a finished table, and compares with it the files that are made from it for other readers.
func openTable(dir string, t *Table, r *Recovery) ([]shard, error) {
	entries, err := readJournal(filepath.Join(dir, journalFile))
	if err != nil {
		return nil, err
	}
	shards, all := cutShards(entries), writtenOf(entries)
	for i := range shards {
		shards[i].path = filepath.Join(dir, shardName(i, len(shards)))
	}
	for _, file := range [...]struct {
		name string
		v    any
	}{{stateFile, all.state()}, {infoFile, infoOf(t, r)}} {
		want, err := marshalFile(file.v)
		if err != nil {
			return nil, err
		}
		path := filepath.Join(dir, file.name)
		if got, err := os.ReadFile(path); err != nil {
			return nil, fmt.Errorf("recorder: %w", err)
		} else if !bytes.Equal(got, want) {
			return nil, fmt.Errorf("recorder: %s is not what %s says it must be; it begins to differ at byte %d", path, journalFile, firstDifference(got, want))
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

// readJournal returns the entries of a finished table.
func readJournal(path string) ([]entry, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("recorder: %w", err)
	}
	entries, err := parseJournal(data)
	if err == nil && (len(entries) == 0 || entries[len(entries)-1].kind != entryEnd) {
		err = errors.New("journal ends before its stream does")
	}
	if err != nil {
		return nil, fmt.Errorf("recorder: %s: %w", path, err)
	}
	return entries, nil
}

// cutShards parts the entries of a journal by shard; the paths are left to the caller.
func cutShards(entries []entry) []shard {
	var shards []shard
	for i := range entries {
		if entries[i].kind == entrySchema {
			shards = append(shards, shard{})
		}
		s := &shards[len(shards)-1]
		s.entries = append(s.entries, entries[i])
	}
	return shards
}

// table returns the place of a table.
func (d *Dataset) table(name string) (int, error) {
	for i := range d.Tables {
		if d.Tables[i].Name == name {
			return i, nil
		}
	}
	return 0, fmt.Errorf("recorder: %s has no table %q", d.dir, name)
}

// Dir returns the folder that the dataset was opened from.
func (d *Dataset) Dir() string { return d.dir }

// Rows returns the number of rows of a table.
func (d *Dataset) Rows(table string) (int64, error) {
	return d.sum(table, func(e *entry) int64 { return e.rows })
}

// Bytes returns the size of a table's streams.
func (d *Dataset) Bytes(table string) (int64, error) {
	return d.sum(table, func(e *entry) int64 { return e.length })
}

func (d *Dataset) sum(table string, of func(*entry) int64) (int64, error) {
	i, err := d.table(table)
	if err != nil {
		return 0, err
	}
	total := int64(0)
	for _, s := range d.shards[i] {
		for j := range s.entries {
			total += of(&s.entries[j])
		}
	}
	return total, nil
}

// Batches returns the record batches of a table in order. A batch is valid until the next one; Retain keeps it longer.
// The bytes of each are compared with their checksum before anything interprets them. An error ends the sequence: what
// came before it is right, and what comes after it is missing. One batch is held in memory at a time.
func (d *Dataset) Batches(table string) iter.Seq2[arrow.Record, error] {
	return d.batches(table, memory.DefaultAllocator)
}

func (d *Dataset) batches(table string, mem memory.Allocator) iter.Seq2[arrow.Record, error] {
	return func(yield func(arrow.Record, error) bool) {
		i, err := d.table(table)
		if err != nil {
			yield(nil, err)
			return
		}
		for _, s := range d.shards[i] {
			more, err := d.readShard(s, i, mem, yield)
			if err != nil {
				yield(nil, fmt.Errorf("recorder: table %q: %w", table, err))
				return
			}
			if !more {
				return
			}
		}
	}
}

// checkSchema compares polyrhythm.json with the text that the table's first stream carries of it.
func (d *Dataset) checkSchema(table int) error {
	if len(d.shards[table]) == 0 {
		return nil
	}
	s := d.shards[table][0]
	s.entries = s.entries[:1]
	_, err := d.readShard(s, table, memory.DefaultAllocator, nil)
	return err
}

// readShard yields the record batches of one stream; more is false when yield asked to stop.
func (d *Dataset) readShard(s shard, table int, mem memory.Allocator, yield func(arrow.Record, error) bool) (more bool, err error) {
	f, err := os.Open(s.path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return false, err
	}
	verified := &verifiedStream{path: s.path, from: bufio.NewReader(f), size: info.Size(), entries: s.entries}
	stream, err := ipc.NewReader(verified, ipc.WithAllocator(mem))
	if err != nil {
		return false, cmp.Or(verified.err, err)
	}
	defer stream.Release()
	if want := d.Tables[table].arrowSchema(d.document); !sameSchema(stream.Schema(), want) {
		return false, fmt.Errorf("%s: its schema is not what %s says", s.path, DocumentFile)
	}
	for _, e := range s.entries {
		if e.kind != entryBatch {
			continue
		}
		if !stream.Next() {
			if err := cmp.Or(verified.err, stream.Err()); err != nil {
				return false, err
			}
			return false, fmt.Errorf("%s: stream ends at %d, where the journal has a batch", s.path, e.offset)
		}
		if got := stream.Record().NumRows(); got != e.rows {
			return false, fmt.Errorf("%s: batch at %d has %d rows, want %d", s.path, e.offset, got, e.rows)
		}
		if !yield(stream.Record(), nil) {
			return false, nil
		}
	}
	last := s.entries[len(s.entries)-1]
	if last.kind != entryEnd {
		return true, nil
	}
	if stream.Next() {
		return false, fmt.Errorf("%s: a batch where the journal has the end of the stream", s.path)
	}
	if err := cmp.Or(verified.err, stream.Err()); err != nil {
		return false, err
	}
	if end := last.end(); info.Size() != end {
		return false, fmt.Errorf("%s: %d bytes after the end of the stream", s.path, info.Size()-end)
	}
	return true, nil
}

func sameSchema(a, b *arrow.Schema) bool { return a.Equal(b) && a.Metadata().Equal(b.Metadata()) }

// verifiedStream reads a stream message by message, and lets a message's bytes out only if their checksum is right.
type verifiedStream struct {
	path    string
	from    io.Reader
	size    int64 // of the file
	entries []entry
	message []byte
	ready   []byte // what is left of message to let out
	err     error
}

// Read is part of io.Reader.
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
	if e.end() > v.size {
		return fmt.Errorf("%s: %s of %d bytes at %d, but the file ends at %d", v.path, e.kind, e.length, e.offset, v.size)
	}
	if int64(cap(v.message)) < e.length {
		v.message = make([]byte, e.length)
	}
	v.message = v.message[:e.length]
	if _, err := io.ReadFull(v.from, v.message); err != nil {
		return fmt.Errorf("%s: %s at %d: %w", v.path, e.kind, e.offset, err)
	}
	if sum := crc32.Checksum(v.message, castagnoli); sum != e.crc {
		return fmt.Errorf("%s: %s at %d is damaged: checksum %08x, want %08x", v.path, e.kind, e.offset, sum, e.crc)
	}
	v.ready = v.message
	return nil
}
