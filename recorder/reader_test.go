package recorder

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/memory"
)

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	recordExample(t, dir, 25, Options{BatchRows: 8})
	d, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(d.Metadata, exampleMetadata) {
		t.Errorf("metadata %+v, want %+v", d.Metadata, exampleMetadata)
	}
	if !reflect.DeepEqual(d.Tables, exampleTables) {
		t.Errorf("tables %+v, want %+v", d.Tables, exampleTables)
	}
	for table, want := range map[string]int64{"capture": 50, "episodes": 4, "control": 0} {
		if rows, err := d.Rows(table); err != nil || rows != want {
			t.Errorf("Rows(%s) = %d, %v, want %d", table, rows, err, want)
		}
	}
	if _, err := d.Rows("sensors"); err == nil || !strings.Contains(err.Error(), `no table "sensors"`) {
		t.Errorf("Rows(sensors) returned %v, want an error that names it", err)
	}
	if _, _, err := readRows(d, "sensors", memory.DefaultAllocator); err == nil {
		t.Error("Batches(sensors) gave no error")
	}
	for range d.Batches("capture") { // leaving early is allowed
		break
	}
}

func TestOpenRefuses(t *testing.T) {
	if _, err := Open(t.TempDir()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("empty folder: error %v, want that a file does not exist", err)
	}
	dir := t.TempDir()
	writeTestFile(t, filepath.Join(dir, DocumentFile), `{"format_version": 99}`)
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "format version 99, want 2") {
		t.Errorf("later format: error %v, want one about the version", err)
	}
}

// readAll returns the rows of all tables of a dataset, as far as they can be read.
func readAll(dir string) (rows map[string][][]any, err error) {
	d, err := Open(dir)
	if err != nil {
		return nil, err
	}
	rows = map[string][][]any{}
	for _, table := range d.Tables {
		some, _, e := readRows(d, table.Name, memory.DefaultAllocator)
		rows[table.Name] = some
		err = errors.Join(err, e)
	}
	return rows, err
}

// Whatever the text is, what is accepted of it describes tables that can be read, and says the same when it is written again.
func FuzzParseDocument(f *testing.F) {
	text, err := (&document{FormatVersion: formatVersion, Metadata: exampleMetadata, Tables: exampleTables}).encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte(`{"format_version": 2, "tables": [{"name": "a", "columns": [{"name": "x", "kind": "bool", "len": 1048576}]}]}`))
	f.Add([]byte(`{"format_version": 2, "tables": [{"name": "a", "batch_rows": 9223372036854775807, "columns": [{"name": "x", "kind": "int64"}]}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		doc, err := parseDocument(text)
		if err != nil {
			return
		}
		for i := range doc.Tables {
			if l := newLayout(&doc.Tables[i]); l.stride > 2*maxRowBytes {
				t.Errorf("rows of %d bytes", l.stride)
			}
			doc.Tables[i].arrowSchema(text)
		}
		again, err := doc.encode()
		if err != nil {
			t.Fatal(err)
		}
		if second, err := parseDocument(again); err != nil || !reflect.DeepEqual(second, doc) {
			t.Errorf("%q was read as %+v, and written and read again as %+v, %v", text, doc, second, err)
		}
	})
}

// Only what a recovery writes is read as its report.
func FuzzParseRecovery(f *testing.F) {
	r := &Recovery{Recovered: true, Tables: []RecoveredTable{{Table: "capture", Rows: 3, Acknowledged: 4, Damage: "data.journal: torn", Last: &LastRow{1, 2, 3}}},
		Incomplete: []IncompleteEpisode{{Episode: 5, Closed: true, Rows: map[string]int64{"capture": 1}, Want: map[string]int64{"capture": 2}}}}
	text, err := r.encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := parseRecovery(text)
		if err != nil {
			return
		}
		if again, err := r.encode(); err != nil || string(again) != string(text) {
			t.Errorf("%q was read as %+v, which is written as %q, %v", text, r, again, err)
		}
	})
}
