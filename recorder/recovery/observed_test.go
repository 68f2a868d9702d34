package recovery

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
	"github.com/polyrhythm-rl/polyrhythm/recorder/internal/folder"
)

// packed returns the rows of a table in their layout.
func packed(t *testing.T, d *recorder.Dataset, table string) (rows [][]byte) {
	t.Helper()
	for r, err := range d.EachRow(table) {
		polytest.NoError(t, err)
		rows = append(rows, slices.Clone(r.Row))
	}
	return rows
}

// A dataset with observed pictures that was torn at any byte is recovered to a beginning of its rows, to the last bit.
func TestRecoverOfObservedPictures(t *testing.T) {
	source := polytest.Must(recorder.Open(filepath.Join("..", "testdata", "version-4")))(t)
	if document, _, err := format.ReadDocument(source.Dir()); err != nil || document.FormatVersion != format.Version {
		t.Fatalf("%v, %v, want a dataset with observed pictures", document, err)
	}
	table := source.Tables[0].Name
	rows := packed(t, source, table)
	record := func() string {
		dir := filepath.Join(t.TempDir(), "dataset")
		w := polytest.Must(recorder.Create(dir, source.Tables, 1, format.Metadata{Task: "observed"},
			recorder.Options{BatchRows: 4, Compression: recorder.Zstd, Sync: recorder.SyncNever}))(t)
		for n, row := range rows {
			s := w.BlockWriter(0)
			s.Begin(0, recorder.Key{N: int64(n)}).Copy(row)
			polytest.NoError(t, s.EndSegment())
		}
		polytest.NoError(t, w.Drain())
		w.Abort()
		return dir
	}
	stream := func(dir string) string {
		files := polytest.Must(folder.Streams(folder.Dir(dir, source.Tables, 0)))(t)
		polytest.Equal(t, len(files), 1, "streams")
		return files[0]
	}
	size := polytest.Must(os.Stat(stream(record())))(t).Size()
	recovered := map[int]bool{}
	for cut := size; cut >= 0; cut -= 1 + size/40 {
		dir := record()
		polytest.NoError(t, os.Truncate(stream(dir), cut))
		polytest.Must(Recover(dir, Options{NoSync: true}))(t)
		got := packed(t, polytest.Must(recorder.Open(dir))(t), table)
		if len(got) > len(rows) || !slices.EqualFunc(got, rows[:len(got)], slices.Equal) {
			t.Fatalf("cut after %d of %d bytes: %d rows, which are no beginning of the %d that were recorded", cut, size,
				len(got), len(rows))
		}
		recovered[len(got)] = true
	}
	if len(recovered) != 1+len(rows)/4 {
		t.Errorf("recovered are %v rows, want each number of whole batches", recovered)
	}
}
