package recorder

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
	"github.com/polyrhythm-rl/polyrhythm/recorder/internal/folder"
)

// ErrUnfinished is wrapped by the error of [Open] for a dataset whose writing was not finished.
var ErrUnfinished = errors.New("dataset is unfinished")

// Dataset is a finished dataset, opened for reading. Any number of goroutines may use it.
type Dataset struct {
	Metadata format.Metadata
	Tables   []format.Table
	Recovery *format.Recovery // what a recovery made of a killed run; nil for a dataset that was closed

	dir      string
	document []byte
	shards   [][]folder.Shard // by table
}

// Open reads the description of a dataset, without its rows. It fails with [ErrUnfinished] if the dataset was not closed, and
// if any of the files that describe it is damaged or contradicts the others.
func Open(dir string) (*Dataset, error) {
	doc, text, err := format.ReadDocument(dir)
	if err != nil {
		return nil, err
	}
	if _, err := os.Lstat(filepath.Join(dir, folder.StateFile)); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w: it has no %s", dir, ErrUnfinished, folder.StateFile)
	}
	recovery, err := format.ReadRecovery(dir)
	if err != nil {
		return nil, err
	}
	shards := make([][]folder.Shard, len(doc.Tables))
	for i := range doc.Tables {
		if shards[i], err = folder.Open(folder.Dir(dir, doc.Tables, i), &doc.Tables[i], recovery); err != nil {
			return nil, err
		}
	}
	d := OpenShards(dir, doc, text, shards)
	d.Recovery = recovery
	for i := range d.Tables {
		if err := d.CheckSchema(i); err != nil {
			return nil, fmt.Errorf("table %q: %w", d.Tables[i].Name, err)
		}
	}
	return d, nil
}

// OpenShards returns a dataset of those messages that shards names, by table. A recovery reads an unfinished dataset with it.
func OpenShards(dir string, doc *format.Document, text []byte, shards [][]folder.Shard) *Dataset {
	return &Dataset{Metadata: doc.Metadata, Tables: doc.Tables, dir: dir, document: text, shards: shards}
}

// table returns the place of a table.
func (d *Dataset) table(name string) (int, error) {
	for i := range d.Tables {
		if d.Tables[i].Name == name {
			return i, nil
		}
	}
	return 0, fmt.Errorf("%s has no table %q", d.dir, name)
}

// Dir returns the folder that the dataset was opened from.
func (d *Dataset) Dir() string { return d.dir }

// Document returns the text of polyrhythm.json, which must not be changed.
func (d *Dataset) Document() []byte { return d.document }

// Schema returns the Arrow schema of a table's batches. Its metadata holds [Dataset.Document].
func (d *Dataset) Schema(table string) (*arrow.Schema, error) {
	i, err := d.table(table)
	if err != nil {
		return nil, err
	}
	return d.Tables[i].ArrowSchema(d.document), nil
}

// Rows returns the number of rows of a table.
func (d *Dataset) Rows(table string) (int64, error) {
	return d.sum(table, func(e *folder.Entry) int64 { return e.Rows })
}

// Bytes returns the size of a table's streams.
func (d *Dataset) Bytes(table string) (int64, error) {
	return d.sum(table, func(e *folder.Entry) int64 { return e.Length })
}

func (d *Dataset) sum(table string, of func(*folder.Entry) int64) (int64, error) {
	i, err := d.table(table)
	if err != nil {
		return 0, err
	}
	total := int64(0)
	for _, s := range d.shards[i] {
		for j := range s.Entries {
			total += of(&s.Entries[j])
		}
	}
	return total, nil
}

// Batches returns the record batches of a table in order. A batch is valid until the next one; Retain keeps it longer. The
// bytes of each are compared with their checksum before anything interprets them. An error ends the sequence: what came
// before it is right, and what comes after it is missing. One batch is in memory at a time.
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
		d.batchesFrom(i, 0, mem)(yield)
	}
}

// batchesFrom returns the record batches of a table but the first ones.
func (d *Dataset) batchesFrom(i, skip int, mem memory.Allocator) iter.Seq2[arrow.Record, error] {
	return func(yield func(arrow.Record, error) bool) {
		table, schema := d.Tables[i].Name, d.Tables[i].ArrowSchema(d.document)
		for _, s := range d.shards[i] {
			if n := s.Batches(); skip > n {
				skip -= n
				continue
			}
			s, skip = s.From(skip), 0
			more, err := s.Read(schema, mem, func(r arrow.Record) bool { return yield(r, nil) })
			if err != nil {
				yield(nil, fmt.Errorf("table %q: %w", table, err))
				return
			}
			if !more {
				return
			}
		}
	}
}

// CheckSchema compares polyrhythm.json with the copy of it in the first stream of a table, if there is one.
func (d *Dataset) CheckSchema(table int) error {
	if len(d.shards[table]) == 0 {
		return nil
	}
	return d.shards[table][0].CheckSchema(d.Tables[table].ArrowSchema(d.document))
}
