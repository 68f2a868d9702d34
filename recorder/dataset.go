package recorder

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
	"github.com/polyrhythm-rl/polyrhythm/recorder/internal/folder"
)

// ErrUnfinished is wrapped by the error of [Open] for a dataset whose writing was not finished.
var ErrUnfinished = errors.New("dataset is unfinished")

// Dataset is a finished dataset, opened for reading. Any number of goroutines may use it.
type Dataset struct {
	Metadata format.Metadata
	Tables   []format.Table
	Recovery *format.Recovery // what a recovery made of a killed run; nil if the dataset was closed

	dir      string
	document []byte
	shards   [][]folder.Shard // by table
	join     *join            // columns of another dataset; nil: none
}

// Open reads the description of a dataset, without its rows. It fails with [ErrUnfinished] if the dataset was not
// closed, and if any of the files that describe it is damaged or contradicts the others.
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

// OpenShards returns a dataset of those messages that shards names, by table, for the recovery of an unfinished one.
func OpenShards(dir string, doc *format.Document, text []byte, shards [][]folder.Shard) *Dataset {
	return &Dataset{Metadata: doc.Metadata, Tables: doc.Tables, dir: dir, document: text, shards: shards}
}

// Table returns the place of a table in Tables, −1 if there is none of that name.
func (d *Dataset) Table(name string) int {
	return slices.IndexFunc(d.Tables, func(t format.Table) bool { return t.Name == name })
}

func (d *Dataset) table(name string) (int, error) {
	i := d.Table(name)
	if i < 0 {
		return 0, fmt.Errorf("%s has no table %q", d.dir, name)
	}
	return i, nil
}

// Dir returns the folder that the dataset was opened from.
func (d *Dataset) Dir() string { return d.dir }

// Document returns the text of polyrhythm.json, which must not be changed.
func (d *Dataset) Document() []byte { return d.document }

// Digest returns the digest of a table's streams, from its state.json.
func (d *Dataset) Digest(table string) (string, error) {
	i, err := d.table(table)
	if err != nil {
		return "", err
	}
	var state folder.State
	text, err := readState(d.dir, d.Tables, i)
	if err == nil {
		err = json.Unmarshal(text, &state)
	}
	return state.Fingerprint, err
}

// CompareBytes counts the tables whose streams have the bytes that those of the dataset in another folder have or had:
// it compares their state.json, which has a digest, and which the other may lack. None is compared where
// polyrhythm.json, which is in each stream, is not the same or not there. The error names a table that differs.
func (d *Dataset) CompareBytes(other string) (same int, err error) {
	if _, text, err := format.ReadDocument(other); err != nil || !bytes.Equal(text, d.document) {
		return 0, nil
	}
	for i, t := range d.Tables {
		want, err := readState(other, d.Tables, i)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		var got []byte
		if err == nil {
			got, err = readState(d.dir, d.Tables, i)
		}
		switch {
		case err != nil:
			return same, err
		case !bytes.Equal(got, want):
			return same, fmt.Errorf("the table %q in %s has other bytes than that in %s", t.Name, d.dir, other)
		}
		same++
	}
	return same, nil
}

// readState returns the text of state.json of table i in the dataset in a folder.
func readState(dir string, tables []format.Table, i int) ([]byte, error) {
	return disk.ReadFile(filepath.Join(folder.Dir(dir, tables, i), folder.StateFile), disk.MaxText)
}

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
	rows, _, err := d.sum(table)
	return rows, err
}

// Bytes returns the size of a table's streams.
func (d *Dataset) Bytes(table string) (int64, error) {
	_, bytes, err := d.sum(table)
	return bytes, err
}

func (d *Dataset) sum(table string) (rows, bytes int64, err error) {
	i, err := d.table(table)
	if err != nil {
		return 0, 0, err
	}
	for _, s := range d.shards[i] {
		for _, e := range s.Entries {
			rows, bytes = rows+e.Rows, bytes+e.Length
		}
	}
	return rows, bytes, nil
}

// Batches returns the record batches of a table in order. A batch is valid until the next one; Retain keeps it longer.
// The bytes of each are compared with their checksum before anything interprets them. An error ends the sequence: what
// came before it is right, and what comes after it is missing. One batch is in memory at a time.
func (d *Dataset) Batches(table string) iter.Seq2[arrow.Record, error] {
	return func(yield func(arrow.Record, error) bool) {
		i, err := d.table(table)
		if err != nil {
			yield(nil, err)
			return
		}
		if j := d.join; j != nil {
			if j.table != i {
				j.base.Batches(table)(yield)
			} else {
				j.batches(format.NewLayout(&d.Tables[i]), d.Tables[i].ArrowSchema(d.document))(yield)
			}
			return
		}
		reader := folder.NewReader(&d.Tables[i], d.document)
		for _, s := range d.shards[i] {
			for k := range s.Entries {
				record, err := reader.Record(&s, &s.Entries[k])
				if err != nil {
					yield(nil, fmt.Errorf("table %q: %w", table, err))
					return
				}
				if record == nil {
					continue
				}
				more := yield(record, nil)
				record.Release()
				if !more {
					return
				}
			}
		}
	}
}

// Packed is [Dataset.Batches] with the rows of each batch in their [format.Layout].
func (d *Dataset) Packed(table string) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		if j := d.join; j != nil && d.Table(table) == j.table {
			j.packed(format.NewLayout(&d.Tables[j.table]))(yield)
			return
		}
		var layout *format.Layout
		if i := d.Table(table); i >= 0 {
			layout = format.NewLayout(&d.Tables[i])
		}
		var rows []byte
		for record, err := range d.Batches(table) {
			if err == nil {
				rows, err = layout.AppendRecord(rows[:0], record)
			}
			if !yield(rows, err) {
				return
			}
		}
	}
}

// EachRow returns the rows of a table one by one, each valid until the next. An error ends the sequence.
func (d *Dataset) EachRow(table string) iter.Seq2[*format.RowReader, error] {
	return func(yield func(*format.RowReader, error) bool) {
		r := &format.RowReader{}
		if i := d.Table(table); i >= 0 {
			r.Layout = format.NewLayout(&d.Tables[i])
		}
		for rows, err := range d.Packed(table) {
			if err != nil {
				yield(nil, err)
				return
			}
			for ; len(rows) > 0; rows = rows[r.Stride:] {
				if r.Row = rows[:r.Stride]; !yield(r, nil) {
					return
				}
			}
		}
	}
}

// CheckSchema compares polyrhythm.json with the copy of it in the first stream of a table, if there is one.
func (d *Dataset) CheckSchema(table int) error {
	if len(d.shards[table]) == 0 {
		return nil
	}
	s := &d.shards[table][0]
	_, err := folder.NewReader(&d.Tables[table], d.document).Record(s, &s.Entries[0])
	return err
}
