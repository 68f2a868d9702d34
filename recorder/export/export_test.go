package export

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/internal/tests/disktest"
	"github.com/polyrhythm-rl/polyrhythm/internal/tests/rowtest"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
	"github.com/polyrhythm-rl/polyrhythm/recorder/recovery"
)

// byEpisode returns the rows of a table as an export sorts them: by their episode, else as they were.
func byEpisode(t *testing.T, d *recorder.Dataset, table *format.Table) [][]any {
	rows, column := rowsOf(t, d, table.Name), format.NewLayout(table).Column("episode")
	slices.SortStableFunc(rows, func(a, b []any) int { return cmp.Compare(a[column].(int64), b[column].(int64)) })
	return rows
}

func newJob(t *testing.T, d *recorder.Dataset, memory int64) *job {
	tables := polytest.Must(selectTables(d, nil))(t)
	return &job{ctx: context.Background(), d: d, tables: tables, opt: Options{Memory: memory}, tmp: t.TempDir(),
		fsys: disk.OS{}, incomplete: map[int64]bool{}}
}

// However little memory there is, the rows of each episode come together in the table's order, with the bits they had.
func TestEpisodesComeTogether(t *testing.T) {
	for _, batchRows := range []int{1, 7, 4096} {
		d := recordExample(t, t.TempDir(), exampleOptions{worlds: 5, steps: 150, seed: 3, batchRows: batchRows,
			shardBytes: 20_000})
		for _, memory := range []int64{1, 3 << 10, 100 << 10, 1 << 30} {
			j := newJob(t, d, memory)
			for i := range d.Tables {
				table := &d.Tables[i]
				l := format.NewLayout(table)
				schema, err := d.Schema(table.Name)
				polytest.NoError(t, err)
				var got [][]any
				last := int64(-1)
				err = j.eachEpisode([]*format.Table{table}, func(e *episode) error {
					if e.number <= last {
						t.Errorf("episode %d after %d", e.number, last)
					}
					last = e.number
					for {
						rows, err := e.rows(0)
						if err != nil || len(rows) == 0 {
							return err
						}
						some, _, err := rowtest.Rows(func(yield func(arrow.Record, error) bool) {
							yield(l.Record(schema, rows), nil)
						})
						got = append(got, some...)
						polytest.NoError(t, err)
					}
				})
				polytest.NoError(t, err)
				want := byEpisode(t, d, table)
				if !rowtest.Equal(got, want) {
					t.Errorf("batches of %d rows, %d bytes of memory, table %s: rows are not the dataset's by episodes",
						batchRows, memory, table.Name)
				}
			}
			if left, err := os.ReadDir(j.tmp); err != nil || len(left) > 0 {
				t.Errorf("%v, %v left in the folder for rows that are put aside", left, err)
			}
		}
	}
}

// exportExample exports a dataset to a new folder and returns it.
func exportExample(t *testing.T, d *recorder.Dataset, format string, opt Options) (string, Result) {
	t.Helper()
	f := polytest.Must(FormatOf(format))(t)
	out := filepath.Join(t.TempDir(), "example-v0")
	r := polytest.Must(Export(context.Background(), d, f, out, opt))(t)
	return out, r
}

// Lines of a CSV file end in CR LF, and a list has a column for each value. TestPythonReads compares the values.
func TestCSV(t *testing.T) {
	d := recordExample(t, t.TempDir(), exampleOptions{worlds: 3, steps: 100, seed: 1, batchRows: 16})
	out, result := exportExample(t, d, "csv", Options{Memory: 4096})
	total := 0
	for _, table := range d.Tables {
		rows := len(rowsOf(t, d, table.Name))
		total += rows
		data := polytest.Must(os.ReadFile(filepath.Join(out, table.Name+".csv")))(t)
		if n := bytes.Count(data, []byte("\r\n")); n != rows+1 || n != bytes.Count(data, []byte("\n")) {
			t.Errorf("%s: %d lines end in CR LF, want all %d", table.Name, n, rows+1)
		}
		lines := polytest.Must(csv.NewReader(bytes.NewReader(data)).ReadAll())(t)
		if table.Name == "capture" && (!slices.Contains(lines[0], "gyro[2]") || !slices.Contains(lines[0], `odd, "name"`)) {
			t.Errorf("columns %q", lines[0])
		}
	}
	if result.Rows != int64(total) || result.Bytes == 0 {
		t.Errorf("result %+v, want %d rows", result, total)
	}
}

// Exports of values have whole observations, whether their pictures are columns of the dataset or not; those of Arrow and
// Parquet have the dataset's columns.
func TestExportsOfObservedPictures(t *testing.T) {
	options := exampleOptions{worlds: 3, steps: 90, seed: 4, batchRows: 16, skip: true}
	plain := recordExample(t, t.TempDir(), options)
	options.pictures = true
	seen := recordExample(t, t.TempDir(), options)
	for _, f := range []string{"csv", "mcap", "minari", "lerobot"} {
		want, _ := exportExample(t, plain, f, Options{Memory: 4096})
		got, _ := exportExample(t, seen, f, Options{Memory: 4096})
		// source.json is the dataset's description
		polytest.SameFiles(t, f, polytest.Files(t, got, "source.json"), polytest.Files(t, want, "source.json"))
	}
	for _, f := range []string{"hf", "parquet"} {
		folder, _ := exportExample(t, seen, f, Options{})
		found := 0
		for _, text := range polytest.Files(t, folder) {
			found += strings.Count(text, "observation_front_depth")
		}
		if found < 6 {
			t.Errorf("%s: the column of the pictures is named %d times, want it in the schema of each table", f, found)
		}
	}
}

// The tools that the formats are for read the same values. POLYTEST_PYTHON names an interpreter that has them; the test
// workflow sets it.
func TestPythonReads(t *testing.T) {
	python := polytest.Python(t)
	source := t.TempDir()
	d := recordExample(t, source, exampleOptions{worlds: 5, steps: 300, seed: 2, batchRows: 64, shardBytes: 30_000,
		skip: true})
	home := t.TempDir()
	for _, f := range Formats() {
		if f.Name == "png" { // the example has no pictures; cli has a test with some
			continue
		}
		out := filepath.Join(home, f.Name)
		if f.Name == "minari" {
			out += "-v0"
		}
		if _, err := Export(context.Background(), d, f, out, Options{Memory: 100_000}); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(python, "../../internal/tests/peers/exports.py", source, home)
	cmd.Env = append(os.Environ(), "HF_HUB_OFFLINE=1", "HF_HOME="+t.TempDir(), "MINARI_DATASETS_PATH="+home)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}

func TestIncompleteEpisodes(t *testing.T) {
	d := recordExample(t, t.TempDir(), exampleOptions{worlds: 4, steps: 100, seed: 5, batchRows: 16, skip: true})
	complete, incomplete, skipped := int64(0), int64(0), int64(0)
	for _, row := range rowsOf(t, d, "episodes") {
		switch {
		case !row[7].(bool):
			incomplete++
		case !row[9].(bool):
			skipped++
		default:
			complete++
		}
	}
	if incomplete == 0 || skipped == 0 || complete == 0 {
		t.Fatalf("%d, %d, %d episodes: the example does not have every kind", complete, incomplete, skipped)
	}
	for _, f := range Formats() {
		if f.Name == "png" { // the example has no pictures; cli has a test with some
			continue
		}
		_, all := exportExample(t, d, f.Name, Options{})
		_, some := exportExample(t, d, f.Name, Options{Complete: true})
		if all.Incomplete != incomplete || some.Incomplete != incomplete {
			t.Errorf("%s: %d and %d incomplete episodes, want %d", f.Name, all.Incomplete, some.Incomplete, incomplete)
		}
		if all.Episodes <= some.Episodes {
			t.Errorf("%s: %d episodes, %d complete ones", f.Name, all.Episodes, some.Episodes)
		}
		switch f.Name {
		case "minari", "lerobot":
			if some.LeftOut[notRecorded] != skipped || some.Episodes != complete {
				t.Errorf("%s: %d complete episodes and %v left out, want %d and %d", f.Name, some.Episodes, some.LeftOut, complete,
					skipped)
			}
		default:
			if len(all.LeftOut) > 0 {
				t.Errorf("%s: left out %v", f.Name, all.LeftOut)
			}
		}
	}
}

// A killed run has episodes that lost rows: those that Minari cannot have are left out and counted, the others are
// marked.
func TestRecoveredDataset(t *testing.T) {
	dir := t.TempDir()
	recordExample(t, dir, exampleOptions{worlds: 4, steps: 100, seed: 5, batchRows: 16, abort: true})
	if _, err := recovery.Recover(dir, recovery.Options{}); err != nil {
		t.Fatal(err)
	}
	d := polytest.Must(recorder.Open(dir))(t)
	if len(d.Recovery.Incomplete) == 0 {
		t.Fatal("no episode lost a row")
	}
	_, minari := exportExample(t, d, "minari", Options{})
	if minari.LeftOut[lostRows] == 0 || minari.Episodes == 0 {
		t.Errorf("minari: %d episodes, left out %v, want some of both", minari.Episodes, minari.LeftOut)
	}
	for _, format := range []string{"hf", "lerobot", "parquet", "csv", "mcap"} {
		_, r := exportExample(t, d, format, Options{})
		if r.Incomplete < int64(len(d.Recovery.Incomplete)) {
			t.Errorf("%s: %d incomplete episodes, the recovery says %d", format, r.Incomplete, len(d.Recovery.Incomplete))
		}
	}
}

func TestRefuses(t *testing.T) {
	d := recordExample(t, t.TempDir(), exampleOptions{worlds: 1, steps: 20, batchRows: 16})
	full := t.TempDir()
	polytest.NoError(t, os.WriteFile(filepath.Join(full, "x"), nil, 0o666))
	blocked := filepath.Join(t.TempDir(), "out")
	_, held, err := disk.LockPartial(disk.OS{}, blocked, owns)
	polytest.NoError(t, err)
	defer held.Release()
	lying := recordExample(t, t.TempDir(), exampleOptions{worlds: 1, steps: 50, batchRows: 16, lie: true})
	for _, c := range []struct {
		format string
		d      *recorder.Dataset
		out    string
		opt    Options
		want   string
		target error
	}{
		{"csv", d, full, Options{}, "is not empty", ErrFolder},
		{"csv", d, filepath.Join(full, "x"), Options{}, "is a file or in one", ErrFolder},
		{"csv", d, blocked, Options{}, "another process is writing it", nil},
		{"minari", d, "plain", Options{}, `output folder "plain"`, ErrName},
		{"minari", d, "a-v0", Options{Tables: []string{"capture"}}, `"control" was not selected`, ErrTable},
		{"csv", d, "out", Options{Tables: []string{"captur"}},
			`no table "captur": want other tables: capture, control, episodes, nothing`, ErrTable},
		{"lerobot", d, "out", Options{Tables: []string{"capture", "control"}}, "the frames of one table", ErrTable},
		{"lerobot", d, "out", Options{Tables: []string{"episodes"}}, `table "episodes" has no rate`, ErrTable},
		{"csv", lying, "out", Options{}, "rows of episode 0, but the table \"episodes\" says", nil},
	} {
		t.Run(c.format+" "+c.want, func(t *testing.T) {
			f, err := FormatOf(c.format)
			polytest.NoError(t, err)
			out := c.out
			if !filepath.IsAbs(out) {
				out = filepath.Join(t.TempDir(), out)
			}
			_, err = Export(context.Background(), c.d, f, out, c.opt)
			if err == nil || !strings.Contains(err.Error(), c.want) || c.target != nil && !errors.Is(err, c.target) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
			if !filepath.IsAbs(c.out) {
				wantNothing(t, out)
			}
		})
	}
	polytest.ErrorContains(t, polytest.Err(FormatOf("lerobt")), "lerobot, mcap, minari")
}

// wantNothing fails if an export that failed left anything where its folder would be.
func wantNothing(t *testing.T, out string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(out))
	if err != nil || len(entries) > 0 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

// What a killed export left is in nobody's way.
func TestAfterAKilledExport(t *testing.T) {
	d := recordExample(t, t.TempDir(), exampleOptions{worlds: 1, steps: 20, batchRows: 16})
	out := filepath.Join(t.TempDir(), "out")
	partial, held, err := disk.LockPartial(disk.OS{}, out, owns)
	polytest.NoError(t, err)
	polytest.NoError(t, os.WriteFile(filepath.Join(partial, "capture.csv"), []byte("t_ns,epis"), 0o666))
	f := polytest.Must(FormatOf("csv"))(t)
	if _, err := Export(context.Background(), d, f, out, Options{}); err == nil ||
		!strings.Contains(err.Error(), "another process is writing it") {
		t.Errorf("beside an export at work: error %v", err)
	}
	held.Release() // as the end of its process does
	if _, err := Export(context.Background(), d, f, out, Options{}); err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(filepath.Dir(out)); err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

// Where a killed export has left its folder, only what an export wrote is removed, by its contents: files of somebody else
// block the export, by the name of one, and stay.
func TestStrangersInAKilledExport(t *testing.T) {
	for name, contents := range map[string]struct {
		text string
		ours bool
	}{
		"capture.csv":                         {"t_ns,episode,world,n\r\n0,0,0,0\r\n", true},
		"episodes.csv":                        {"episode,world,start_n", true},
		"empty.csv":                           {"", true},
		"measured.csv":                        {"time;force\n1;2\n", false},
		"videos/a/chunk-000/file-000.mp4":     {"\x00\x00\x00\x20ftypisom\x00\x00", true},
		"videos/a/chunk-000/holidays.mp4":     {"no video", false},
		"meta/info.json.part":                 {"{\"codebase", true},
		"notes.part":                          {"dear diary", false},
		"data/chunk-000/file-000.parquet":     {"PAR1", true},
		"data/chunk-000/other.parquet.part":   {"half a download", false},
		"data/chunk-000/file-000.arrow":       {"ARROW1", true},
		"data/chunk-000/file-001.arrow.part":  {"\xff\xff\xff\xff", true},
		"data/chunk-000/rows-of-a-user.arrow": {"something", false},
	} {
		partial := t.TempDir()
		path := filepath.Join(partial, name)
		polytest.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		polytest.NoError(t, os.WriteFile(path, []byte(contents.text), 0o666))
		err := disk.RemoveOurs(disk.OS{}, partial, owns)
		_, there := os.Lstat(path)
		if contents.ours != (err == nil) || contents.ours != errors.Is(there, fs.ErrNotExist) || !contents.ours &&
			!errors.Is(err, disk.ErrForeign) {
			t.Errorf("%s with %q: %v, and it is there: %v; want that it is ours: %v", name, contents.text, err, there == nil,
				contents.ours)
		}
	}
}

// An export into an empty folder that is there takes its place.
func TestEmptyFolder(t *testing.T) {
	d := recordExample(t, t.TempDir(), exampleOptions{worlds: 1, steps: 20, batchRows: 16})
	out := t.TempDir()
	f, _ := FormatOf("csv")
	if _, err := Export(context.Background(), d, f, out, Options{}); err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile(filepath.Join(out, sourceFile))
	if err != nil || !bytes.Equal(source, d.Document()) {
		t.Errorf("%s is not the dataset's polyrhythm.json: %v", sourceFile, err)
	}
	for _, hidden := range []string{".sort", "../." + filepath.Base(out) + ".partial"} {
		if _, err := os.Lstat(filepath.Join(out, hidden)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is left: %v", hidden, err)
		}
	}
}

// However far the disk reaches, an export ends with an error that says so, and leaves nothing. Files are longer than
// buffers.
func TestDiskFull(t *testing.T) {
	d := recordExample(t, t.TempDir(), exampleOptions{worlds: 4, steps: 2000, longest: 3000, seed: 1})
	for _, f := range Formats() {
		if f.Name == "png" { // the example has no pictures; cli has a test with some
			continue
		}
		_, whole := exportExample(t, d, f.Name, Options{})
		for _, room := range []int64{0, 1, whole.Bytes / 3, whole.Bytes * 2 / 3, whole.Bytes - 1} {
			out := filepath.Join(t.TempDir(), "example-v0")
			full := &disktest.FS{Fail: disktest.Space(room)}
			_, err := exportOn(context.Background(), full, d, f, out, Options{})
			if !errors.Is(err, syscall.ENOSPC) || strings.Count(err.Error(), "no space left") != 1 ||
				strings.Contains(err.Error(), "unknown") {
				t.Errorf("%s with room for %d of %d bytes: error %v, want once that the disk is full", f.Name, room, whole.Bytes,
					err)
			}
			wantNothing(t, out)
		}
	}
}

// An export of which any file operation fails ends with that error and leaves nothing. One that is killed in any
// operation leaves nothing in the way of the next, which writes the same files, or all of its own. POLYTEST_SLOW=1 tries all operations.
func TestEveryOperationFailsLong(t *testing.T) {
	d := recordExample(t, t.TempDir(), exampleOptions{worlds: 2, steps: 40, seed: 1, batchRows: 16})
	for _, f := range Formats() {
		if f.Name == "png" { // the example has no pictures; cli has a test with some
			continue
		}
		opt := Options{Memory: 4 << 10} // some rows are sorted on the disk
		whole, _ := exportExample(t, d, f.Name, opt)
		want := polytest.Files(t, whole)
		count := &disktest.FS{}
		if _, err := exportOn(context.Background(), count, d, f, filepath.Join(t.TempDir(), "example-v0"), opt); err != nil {
			t.Fatal(err)
		}
		stride := max(1, count.Count()/8)
		if polytest.Slow(t) {
			stride = 1
		}
		for n := 0; n < count.Count(); n += stride {
			out := filepath.Join(t.TempDir(), "example-v0")
			var failed disktest.Op
			_, err := exportOn(context.Background(), &disktest.FS{Fail: func(op disktest.Op) error {
				if op.Number != n {
					return nil
				}
				failed = op
				return syscall.EIO
			}}, d, f, out, opt)
			// of the spill file
			harmless := failed.Name == "remove" || failed.Name == "close" && filepath.Base(filepath.Dir(failed.Path)) == ".sort"
			if !errors.Is(err, syscall.EIO) && !harmless {
				t.Errorf("%s, operation %+v fails: error %v", f.Name, failed, err)
			}
			if err != nil {
				wantNothing(t, out)
			}

			out = filepath.Join(t.TempDir(), "example-v0")
			if _, err := exportOn(context.Background(), &disktest.FS{Fail: disktest.Kill(n)}, d, f, out, opt); !errors.Is(err,
				disktest.ErrKilled) {
				t.Errorf("%s, killed in operation %d: error %v", f.Name, n, err)
			}
			// Only a kill in the last operation, which forces the name to the disk, leaves the folder.
			if _, err := os.Lstat(out); errors.Is(err, fs.ErrNotExist) {
				_, err = Export(context.Background(), d, f, out, opt)
				if err != nil || n == count.Count()-1 {
					t.Errorf("%s, again after a kill in operation %d of %d: %v", f.Name, n, count.Count(), err)
				}
			}
			polytest.SameFiles(t, f.Name, polytest.Files(t, out), want)
		}
	}
}

// An export that is interrupted, wherever it is, leaves nothing.
func TestInterrupt(t *testing.T) {
	d := recordExample(t, t.TempDir(), exampleOptions{worlds: 2, steps: 60, batchRows: 16})
	for _, f := range Formats() {
		if f.Name == "png" { // the example has no pictures; cli has a test with some
			continue
		}
		for _, share := range []int64{0, 2, 4} {
			ctx, cancel := context.WithCancel(context.Background())
			out := filepath.Join(t.TempDir(), "example-v0")
			_, err := Export(ctx, d, f, out, Options{Progress: func(done, total int64) {
				if done*5 >= total*share {
					cancel()
				}
			}})
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s: error %v, want that it was cancelled", f.Name, err)
			}
			wantNothing(t, out)
			cancel()
		}
	}
}

// Tables that were not selected are not exported; an episode that has no rows in those that were has no recording.
func TestSelectedTables(t *testing.T) {
	d := recordExample(t, t.TempDir(), exampleOptions{worlds: 3, steps: 100, seed: 5, skip: true})
	rows := rowsOf(t, d, "control")
	recorded := map[any]bool{}
	for _, row := range rows {
		recorded[row[1]] = true
	}
	for _, format := range []string{"csv", "parquet", "hf", "mcap"} {
		out, r := exportExample(t, d, format, Options{Tables: []string{"control"}})
		if r.Rows != int64(len(rows)) || r.Episodes != int64(len(recorded)) {
			t.Errorf("%s: %d rows of %d episodes, want %d of %d", format, r.Rows, r.Episodes, len(rows), len(recorded))
		}
		if other, _ := filepath.Glob(filepath.Join(out, "capture*")); len(other) > 0 {
			t.Errorf("%s: %v", format, other)
		}
		if files, _ := filepath.Glob(filepath.Join(out, "*.mcap")); format == "mcap" && len(files) != len(recorded) {
			t.Errorf("%d recordings, want %d", len(files), len(recorded))
		}
	}
}

// The columns of the table of episodes without a prefix are about the first table, whichever that is.
func TestFirstTableHasNoPrefix(t *testing.T) {
	keys := []format.Column{{Name: "t_ns", Kind: format.Int64}, {Name: "episode", Kind: format.Int64}}
	tables := []format.Table{{Name: "control", Columns: keys}, {Name: "capture", Columns: keys},
		{Name: "episodes", Columns: []format.Column{{Name: "episode", Kind: format.Int64},
			{Name: "rows", Kind: format.Int64}, {Name: "capture_rows", Kind: format.Int64}}}}
	dir := t.TempDir()
	w := polytest.Must(recorder.Create(dir, tables, 1, format.Metadata{}, recorder.Options{}))(t)
	for i, values := range [][]int64{{0, 4}, {0, 4}, {0, 4}, {4, 2, 1}} {
		row := w.BlockWriter(0).Begin([]int{0, 0, 1, 2}[i], recorder.Key{N: int64(i)})
		for column, v := range values {
			row.Int(column, v)
		}
	}
	polytest.NoError(t, errors.Join(w.BlockWriter(0).EndSegment(), w.Close()))
	d := polytest.Must(recorder.Open(dir))(t)
	if _, r := exportExample(t, d, "csv", Options{}); r.Rows != 4 {
		t.Errorf("%d rows, want 4", r.Rows)
	}
}

// Progress only grows, and ends at its total.
func TestProgress(t *testing.T) {
	d := recordExample(t, t.TempDir(), exampleOptions{worlds: 3, steps: 100, batchRows: 16})
	for _, f := range Formats() {
		if f.Name == "png" { // the example has no pictures; cli has a test with some
			continue
		}
		last, all := int64(-1), int64(0)
		exportExample(t, d, f.Name, Options{Progress: func(done, total int64) {
			if done < last || done > total {
				t.Errorf("%s: %d of %d after %d", f.Name, done, total, last)
			}
			last, all = done, total
		}})
		if last != all {
			t.Errorf("%s: ended at %d of %d", f.Name, last, all)
		}
	}
}

// BenchmarkExport measures rows of all tables per second, and the bytes that they become.
func BenchmarkExport(b *testing.B) {
	d := recordExample(b, b.TempDir(), exampleOptions{worlds: 16, steps: 8000, longest: 2000})
	for _, f := range Formats() {
		if f.Name == "png" { // the example has no pictures; cli has a test with some
			continue
		}
		b.Run(f.Name, func(b *testing.B) {
			rows, size := int64(0), int64(0)
			for i := range b.N {
				out := filepath.Join(b.TempDir(), fmt.Sprintf("run-v%d", i))
				r := polytest.Must(Export(context.Background(), d, f, out, Options{}))(b)
				rows += r.Rows
				size += r.Bytes
			}
			b.ReportMetric(float64(rows)/b.Elapsed().Seconds(), "rows/s")
			b.ReportMetric(float64(size)/float64(rows), "bytes/row")
		})
	}
}

// Quantiles are those of all frames, of episodes of one frame too, whatever fits into memory.
// An episode of which nobody has said whether it succeeded is none that failed: frames say so where it is known of all.
func TestLeRobotSuccess(t *testing.T) {
	d := recordExample(t, t.TempDir(), exampleOptions{worlds: 2, steps: 60, seed: 1, batchRows: 64})
	yes, first := true, int64(0)
	for name, c := range map[string]struct {
		labels []recorder.Label
		frames bool
		about  bool
	}{
		"nobody": {},
		"words":  {labels: []recorder.Label{{Task: "stand"}}},
		"one":    {labels: []recorder.Label{{Episode: &first, Success: &yes}}, about: true},
		"all":    {labels: []recorder.Label{{Success: &yes}}, frames: true, about: true},
	} {
		polytest.NoError(t, (&recorder.Labels{List: c.labels}).Write(d))
		out, _ := exportExample(t, d, "lerobot", Options{})
		frames := polytest.Must(os.ReadFile(filepath.Join(out, "data/chunk-000/file-000.parquet")))(t)
		about := polytest.Must(os.ReadFile(filepath.Join(out, "meta/episodes/chunk-000/file-000.parquet")))(t)
		info := polytest.Must(os.ReadFile(filepath.Join(out, "meta/info.json")))(t)
		polytest.Equal(t, bytes.Contains(frames, []byte("next.success")), c.frames, "%s: frames with next.success", name)
		polytest.Equal(t, bytes.Contains(info, []byte("next.success")), c.frames, "%s: a feature next.success", name)
		polytest.Equal(t, bytes.Contains(about, []byte("polyrhythm/success")), c.about, "%s: episodes with their success", name)
	}
}

func TestLeRobotQuantilesOfAllFrames(t *testing.T) {
	for _, c := range []exampleOptions{{worlds: 3, steps: 120, seed: 9}, {worlds: 2, steps: 60, seed: 3, longest: 1}} {
		d := recordExample(t, t.TempDir(), c)
		var seen [3][]float64
		for _, row := range rowsOf(t, d, "capture") {
			for k, v := range row[7].([]any) {
				seen[k] = append(seen[k], float64(float32(v.(float64))))
			}
		}
		for _, memory := range []int64{0, 2000} {
			out, _ := exportExample(t, d, "lerobot", Options{Tables: []string{"capture"}, Memory: memory})
			var all map[string]map[string][]float64
			polytest.NoError(t, json.Unmarshal(polytest.Must(os.ReadFile(filepath.Join(out, "meta", "stats.json")))(t), &all))
			for k, values := range seen {
				slices.Sort(values)
				for q, name := range map[float64]string{0.01: "q01", 0.1: "q10", 0.5: "q50", 0.9: "q90", 0.99: "q99"} {
					position := q * float64(len(values)-1)
					low, high := values[int(position)], values[min(int(position)+1, len(values)-1)]
					want := low + (position-math.Floor(position))*(high-low)
					if got := all["observation.state"][name][k]; math.Abs(got-want) > 1e-12 {
						t.Errorf("%d bytes, %s of value %d is %v, want %v", memory, name, k, got, want)
					}
				}
			}
		}
	}
}
