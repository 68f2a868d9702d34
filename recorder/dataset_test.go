package recorder

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/tests/rowtest"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	recordExample(t, dir, 25, Options{BatchRows: 8})
	d := polytest.Must(Open(dir))(t)
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
	polytest.ErrorContains(t, polytest.Err(d.Rows("sensors")), `no table "sensors"`)
	if _, _, err := rowtest.Rows(d.Batches("sensors")); err == nil {
		t.Error("Batches(sensors) gave no error")
	}
	for range d.Batches("capture") { // leaving early is allowed
		break
	}
}

func TestOpenRefuses(t *testing.T) {
	polytest.ErrorIs(t, polytest.Err(Open(t.TempDir())), os.ErrNotExist)
	dir := t.TempDir()
	writeTestFile(t, filepath.Join(dir, format.DocumentFile), `{"format_version": 99}`)
	polytest.ErrorContains(t, polytest.Err(Open(dir)), "format version is 99, want at most 4")
}
