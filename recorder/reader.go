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

	dir      string
	document []byte
	journals [][]entry // by table
}

// Open reads what a dataset is, without its rows. It fails with [ErrUnfinished] for one that was not closed, and for one
// whose journal is damaged or incomplete.
func Open(dir string) (*Dataset, error) {
	text, err := os.ReadFile(filepath.Join(dir, documentFile))
	if err != nil {
		return nil, fmt.Errorf("recorder: not a dataset: %w", err)
	}
	doc := document{}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&doc); err != nil {
		return nil, fmt.Errorf("recorder: %s: %w", filepath.Join(dir, documentFile), err)
	}
	if doc.FormatVersion != formatVersion {
		return nil, fmt.Errorf("recorder: %s: format version %d, want %d", dir, doc.FormatVersion, formatVersion)
	}
	if err := validateTables(doc.Tables); err != nil {
		return nil, fmt.Errorf("%w (in %s)", err, filepath.Join(dir, documentFile))
	}
	d := &Dataset{Metadata: doc.Metadata, Tables: doc.Tables, dir: dir, document: text}
	if _, err := os.Lstat(filepath.Join(dir, stateFile)); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("recorder: %s: %w: it has no %s", dir, ErrUnfinished, stateFile)
	}
	for i := range d.Tables {
		entries, err := readJournal(filepath.Join(tableDir(dir, d.Tables, i), journalFile))
		if err != nil {
			return nil, err
		}
		d.journals = append(d.journals, entries)
	}
	return d, nil
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

// table returns the place of a table.
func (d *Dataset) table(name string) (int, error) {
	for i := range d.Tables {
		if d.Tables[i].Name == name {
			return i, nil
		}
	}
	return 0, fmt.Errorf("recorder: %s has no table %q", d.dir, name)
}

// Rows returns the number of rows of a table.
func (d *Dataset) Rows(table string) (int64, error) {
	i, err := d.table(table)
	if err != nil {
		return 0, err
	}
	rows := int64(0)
	for _, e := range d.journals[i] {
		rows += e.rows
	}
	return rows, nil
}

// Batches returns the record batches of a table in order. A batch is valid until the next one; Retain keeps it longer.
// The bytes of each are compared with their checksum before anything interprets them. An error ends the sequence: what
// came before it is right, and what comes after it is missing.
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
		entries := d.journals[i]
		shards := entries[len(entries)-1].shard + 1
		for len(entries) > 0 {
			n := 1
			for entries[n-1].kind != entryEnd {
				n++
			}
			path := filepath.Join(tableDir(d.dir, d.Tables, i), shardName(entries[0].shard, shards))
			more, err := d.readShard(path, i, entries[:n], mem, yield)
			if err != nil {
				yield(nil, fmt.Errorf("recorder: table %q: %w", table, err))
				return
			}
			if !more {
				return
			}
			entries = entries[n:]
		}
	}
}

// readShard yields the record batches of one stream; more is false when yield asked to stop.
func (d *Dataset) readShard(path string, table int, entries []entry, mem memory.Allocator, yield func(arrow.Record, error) bool) (more bool, err error) {
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return false, err
	}
	verified := &verifiedStream{path: path, from: bufio.NewReader(f), size: info.Size(), entries: entries}
	stream, err := ipc.NewReader(verified, ipc.WithAllocator(mem))
	if err != nil {
		return false, cmp.Or(verified.err, err)
	}
	defer stream.Release()
	if want := d.Tables[table].arrowSchema(d.document); !sameSchema(stream.Schema(), want) {
		return false, fmt.Errorf("%s: its schema is not what %s says", path, documentFile)
	}
	for _, e := range entries {
		if e.kind != entryBatch {
			continue
		}
		if !stream.Next() {
			if err := cmp.Or(verified.err, stream.Err()); err != nil {
				return false, err
			}
			return false, fmt.Errorf("%s: stream ends at %d, where the journal has a batch", path, e.offset)
		}
		if got := stream.Record().NumRows(); got != e.rows {
			return false, fmt.Errorf("%s: batch at %d has %d rows, want %d", path, e.offset, got, e.rows)
		}
		if !yield(stream.Record(), nil) {
			return false, nil
		}
	}
	if stream.Next() {
		return false, fmt.Errorf("%s: a batch where the journal has the end of the stream", path)
	}
	if err := cmp.Or(verified.err, stream.Err()); err != nil {
		return false, err
	}
	if end := entries[len(entries)-1].end(); info.Size() != end {
		return false, fmt.Errorf("%s: %d bytes after the end of the stream", path, info.Size()-end)
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
