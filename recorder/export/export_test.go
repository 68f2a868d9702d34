package export

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/foxglove/mcap/go/mcap"

	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/internal/disk/disktest"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
	"github.com/polyrhythm-rl/polyrhythm/recorder/internal/rowtest"
	"github.com/polyrhythm-rl/polyrhythm/recorder/recovery"
)

// byEpisode sorts the rows of a table as an export does: by what stands in a column, else as they were.
func byEpisode(rows [][]any, column int) [][]any {
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(a, b []any) int { return cmp.Compare(a[column].(int64), b[column].(int64)) })
	return rows
}

// show makes rows comparable: NaN equals NaN, and −0 is not 0.
func show(rows [][]any) []string {
	var lines []string
	for _, row := range rows {
		lines = append(lines, fmt.Sprint(row...))
	}
	return lines
}

func newJob(t *testing.T, d *recorder.Dataset, memory int64) *job {
	tables, err := selectTables(d, nil)
	if err != nil {
		t.Fatal(err)
	}
	return &job{ctx: context.Background(), d: d, tables: tables, opt: Options{Memory: memory}, tmp: t.TempDir(), fsys: disk.OS{}, lacking: map[int64]bool{}}
}

// However little memory there is, the rows of each episode come together in the table's order, with the bits they had.
func TestEpisodesComeTogether(t *testing.T) {
	for _, batchRows := range []int{1, 7, 4096} {
		d := recordExample(t, t.TempDir(), exampleOptions{worlds: 5, steps: 150, seed: 3, batchRows: batchRows, shardBytes: 20_000})
		for _, memory := range []int64{1, 3 << 10, 100 << 10, 1 << 30} {
			j := newJob(t, d, memory)
			for i := range d.Tables {
				table := &d.Tables[i]
				l := format.NewLayout(table)
				schema, err := d.Schema(table.Name)
				if err != nil {
					t.Fatal(err)
				}
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
						record := l.Record(schema, rows)
						for i := range int(record.NumRows()) {
							var row []any
							for _, column := range record.Columns() {
								row = append(row, valueAt(column, i))
							}
							got = append(got, row)
						}
						record.Release()
					}
				})
				if err != nil {
					t.Fatal(err)
				}
				want := byEpisode(rowsOf(t, d, table.Name), l.Column("episode"))
				if !slices.Equal(show(got), show(want)) {
					t.Errorf("batches of %d rows, %d bytes of memory, table %s: rows are not those of the dataset in order of episodes",
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
	f, err := FormatOf(format)
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "example-v0")
	r, err := Export(context.Background(), d, f, out, opt)
	if err != nil {
		t.Fatal(err)
	}
	return out, r
}

func TestCSV(t *testing.T) {
	d := recordExample(t, t.TempDir(), exampleOptions{worlds: 3, steps: 100, seed: 1, batchRows: 16})
	out, result := exportExample(t, d, "csv", Options{Memory: 4096})
	total := int64(0)
	for _, table := range d.Tables {
		l := format.NewLayout(&table)
		want := byEpisode(rowsOf(t, d, table.Name), l.Column("episode"))
		total += int64(len(want))
		data, err := os.ReadFile(filepath.Join(out, table.Name+".csv"))
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(data, []byte("\r\n")); n != len(want)+1 || n != bytes.Count(data, []byte("\n")) {
			t.Errorf("%s: %d lines end in CR LF, want all %d", table.Name, n, len(want)+1)
		}
		lines, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		if len(lines) != len(want)+1 {
			t.Fatalf("%s: %d lines, want %d", table.Name, len(lines), len(want)+1)
		}
		at := 0
		for i, c := range table.Columns {
			for k := range max(1, c.Len) {
				name := c.Name
				if c.Len > 0 {
					name += "[" + strconv.Itoa(k) + "]"
				}
				if lines[0][at] != name {
					t.Errorf("%s: column %d is %q, want %q", table.Name, at, lines[0][at], name)
				}
				for r, row := range want {
					checkField(t, table.Name+" "+name, lines[r+1][at], row[i], c, k)
				}
				at++
			}
		}
	}
	if result.Rows != total || result.Bytes == 0 {
		t.Errorf("result %+v, want %d rows", result, total)
	}
}

// checkField compares a field with value k of what a column holds, bit by bit.
func checkField(t *testing.T, what, field string, value any, c format.Column, k int) {
	t.Helper()
	if value == nil {
		if field != "" {
			t.Errorf("%s: %q where there is a null", what, field)
		}
		return
	}
	if c.Len > 0 {
		value = value.([]any)[k]
	}
	ok := false
	switch v := value.(type) {
	case int64:
		got, err := strconv.ParseInt(field, 10, 64)
		ok = err == nil && got == v
	case bool:
		got, err := strconv.ParseBool(field)
		ok = err == nil && got == v
	case float32:
		got, err := strconv.ParseFloat(field, 32)
		ok = err == nil && math.Float32bits(float32(got)) == math.Float32bits(v)
	case float64:
		got, err := strconv.ParseFloat(field, 64)
		ok = err == nil && (math.Float64bits(got) == math.Float64bits(v) || math.IsNaN(got) && math.IsNaN(v))
	}
	if !ok {
		t.Errorf("%s: %q, want %v", what, field, value)
	}
}

// Each file is one episode: its rows in each table's channel at the exact times, and its row of the table episodes.
func TestMCAP(t *testing.T) {
	d := recordExample(t, t.TempDir(), exampleOptions{worlds: 3, steps: 100, seed: 1, batchRows: 16})
	out, _ := exportExample(t, d, "mcap", Options{Memory: 4096})
	got := map[string][][]any{}
	files, err := filepath.Glob(filepath.Join(out, "*.mcap"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, path := range files { // in ascending order of episodes
		readMCAP(t, path, d, got)
	}
	for _, table := range d.Tables {
		l := format.NewLayout(&table)
		want := byEpisode(rowsOf(t, d, table.Name), l.Column("episode"))
		if !slices.Equal(show(got[table.Name]), show(want)) {
			t.Errorf("table %s: messages are not the rows", table.Name)
		}
	}
}

func readMCAP(t *testing.T, path string, d *recorder.Dataset, got map[string][][]any) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := mcap.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	info, err := r.Info()
	if err != nil || len(info.ChunkIndexes) == 0 || info.Statistics.MessageCount == 0 {
		t.Fatalf("%s: no index or statistics: %v", path, err)
	}
	messages, err := r.Messages(mcap.InOrder(mcap.LogTimeOrder))
	if err != nil {
		t.Fatal(err)
	}
	last := uint64(0)
	for {
		schema, channel, m, err := messages.NextInto(nil)
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(d.Tables, func(x format.Table) bool { return "/"+x.Name == channel.Topic })
		table := &d.Tables[i]
		if schema.Name != table.Name || !json.Valid(schema.Data) {
			t.Errorf("%s: schema %q of channel %q", path, schema.Name, channel.Topic)
		}
		var object map[string]any
		dec := json.NewDecoder(bytes.NewReader(m.Data))
		dec.UseNumber()
		if err := dec.Decode(&object); err != nil {
			t.Fatalf("%s: %v: %s", path, err, m.Data)
		}
		var row []any
		for _, c := range table.Columns {
			row = append(row, fromJSON(t, object[c.Name], c.Kind))
		}
		got[table.Name] = append(got[table.Name], row)
		at, _ := object["t_ns"].(json.Number)
		if table.Name == "episodes" {
			at = object["length_ns"].(json.Number)
		}
		if at.String() != strconv.FormatUint(m.LogTime, 10) || m.PublishTime != m.LogTime || m.LogTime < last {
			t.Errorf("%s: message of %s ns logged at %d, after %d", path, at, m.LogTime, last)
		}
		last = m.LogTime
	}
}

func fromJSON(t *testing.T, v any, kind format.Kind) any {
	t.Helper()
	switch v := v.(type) {
	case []any:
		var list []any
		for _, x := range v {
			list = append(list, fromJSON(t, x, kind))
		}
		return list
	case nil, bool:
		return v
	}
	text := strings.ReplaceAll(fmt.Sprint(v), "Infinity", "Inf")
	switch kind {
	case format.Float64:
		x, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Error(err)
		}
		return x
	case format.Float32:
		x, err := strconv.ParseFloat(text, 32)
		if err != nil {
			t.Error(err)
		}
		return float32(x)
	default:
		x, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			t.Error(err)
		}
		return x
	}
}

// The tools that the formats are for read the same values. POLYTEST_PYTHON names an interpreter that has them; the test
// workflow sets it.
func TestPythonReads(t *testing.T) {
	python := os.Getenv("POLYTEST_PYTHON")
	if python == "" {
		t.Skip("POLYTEST_PYTHON is not set")
	}
	source := t.TempDir()
	d := recordExample(t, source, exampleOptions{worlds: 5, steps: 300, seed: 2, batchRows: 64, shardBytes: 30_000, skip: true})
	home := t.TempDir()
	for _, f := range Formats() {
		out := filepath.Join(home, f.Name)
		if f.Name == "minari" {
			out += "-v0"
		}
		if _, err := Export(context.Background(), d, f, out, Options{Memory: 100_000}); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(python, "testdata/read.py", source, home)
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
				t.Errorf("%s: %d complete episodes and %v left out, want %d and %d", f.Name, some.Episodes, some.LeftOut, complete, skipped)
			}
		default:
			if len(all.LeftOut) > 0 {
				t.Errorf("%s: left out %v", f.Name, all.LeftOut)
			}
		}
	}
}

// A killed run has episodes that lost rows: those that Minari cannot have are left out and counted, the others are marked.
func TestRecoveredDataset(t *testing.T) {
	dir := t.TempDir()
	recordExample(t, dir, exampleOptions{worlds: 4, steps: 100, seed: 5, batchRows: 16, abort: true})
	if _, err := recovery.Recover(dir, recovery.Options{}); err != nil {
		t.Fatal(err)
	}
	d, err := recorder.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
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
	if err := os.WriteFile(filepath.Join(full, "x"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	blocked := filepath.Join(t.TempDir(), "out")
	held, err := disk.LockPartial(disk.OS{}, filepath.Join(filepath.Dir(blocked), ".out.partial"))
	if err != nil {
		t.Fatal(err)
	}
	defer held.Release()
	lying := recordExample(t, t.TempDir(), exampleOptions{worlds: 1, steps: 50, batchRows: 16, lie: true})
	for _, c := range []struct {
		format string
		d      *recorder.Dataset
		out    string
		opt    Options
		want   string
		is     error
	}{
		{"csv", d, full, Options{}, "is not empty", ErrFolder},
		{"csv", d, filepath.Join(full, "x"), Options{}, "not a directory", ErrFolder},
		{"csv", d, blocked, Options{}, "another process is writing it", nil},
		{"minari", d, "plain", Options{}, `output folder "plain"`, ErrName},
		{"minari", d, "a-v0", Options{Tables: []string{"capture"}}, `"control" was not selected`, ErrTable},
		{"csv", d, "out", Options{Tables: []string{"captur"}}, `no table "captur": want other tables: capture, control, episodes`, ErrTable},
		{"lerobot", d, "out", Options{Tables: []string{"capture", "control"}}, "the frames of one table", ErrTable},
		{"lerobot", d, "out", Options{Tables: []string{"episodes"}}, `table "episodes" has no rate`, ErrTable},
		{"csv", lying, "out", Options{}, "rows of episode 0, but the table \"episodes\" says", nil},
	} {
		t.Run(c.format+" "+c.want, func(t *testing.T) {
			f, err := FormatOf(c.format)
			if err != nil {
				t.Fatal(err)
			}
			out := c.out
			if !filepath.IsAbs(out) {
				out = filepath.Join(t.TempDir(), out)
			}
			_, err = Export(context.Background(), c.d, f, out, c.opt)
			if err == nil || !strings.Contains(err.Error(), c.want) || c.is != nil && !errors.Is(err, c.is) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
			if !filepath.IsAbs(c.out) {
				wantNothing(t, out)
			}
		})
	}
	if _, err := FormatOf("lerobt"); err == nil || !strings.Contains(err.Error(), "lerobot, mcap, minari") {
		t.Errorf("unknown format: error %v, want those there are", err)
	}
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
	partial := filepath.Join(filepath.Dir(out), ".out.partial")
	held, err := disk.LockPartial(disk.OS{}, partial)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(partial, "capture.csv"), []byte("half"), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := FormatOf("csv")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Export(context.Background(), d, f, out, Options{}); err == nil || !strings.Contains(err.Error(), "another process is writing it") {
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

// However far the disk reaches, an export ends with an error that says so, and leaves nothing. Files are longer than buffers.
func TestDiskFull(t *testing.T) {
	d := recordExample(t, t.TempDir(), exampleOptions{worlds: 4, steps: 2000, longest: 3000, seed: 1})
	for _, f := range Formats() {
		_, whole := exportExample(t, d, f.Name, Options{})
		for _, room := range []int64{0, 1, whole.Bytes / 3, whole.Bytes * 2 / 3, whole.Bytes - 1} {
			out := filepath.Join(t.TempDir(), "example-v0")
			full := &disktest.FS{Fail: disktest.Space(room)}
			_, err := exportOn(context.Background(), full, d, f, out, Options{})
			if !errors.Is(err, syscall.ENOSPC) || strings.Count(err.Error(), "no space left") != 1 || strings.Contains(err.Error(), "unknown") {
				t.Errorf("%s with room for %d of %d bytes: error %v, want once that the disk is full", f.Name, room, whole.Bytes, err)
			}
			wantNothing(t, out)
		}
	}
}

// An export of which any file operation fails ends with that error and leaves nothing. One that is killed in any operation leaves
// nothing in the way of the next, which writes the same files. POLYTEST_SLOW=1 tries all operations.
func TestEveryOperationFails(t *testing.T) {
	d := recordExample(t, t.TempDir(), exampleOptions{worlds: 2, steps: 40, seed: 1, batchRows: 16})
	for _, f := range Formats() {
		opt := Options{Memory: 4 << 10} // some rows are sorted on the disk
		whole, _ := exportExample(t, d, f.Name, opt)
		want := rowtest.Files(t, whole)
		count := &disktest.FS{}
		if _, err := exportOn(context.Background(), count, d, f, filepath.Join(t.TempDir(), "example-v0"), opt); err != nil {
			t.Fatal(err)
		}
		stride := max(1, count.Count()/8)
		if os.Getenv("POLYTEST_SLOW") == "1" {
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
			harmless := failed.Name == "remove" || failed.Name == "close" && filepath.Base(filepath.Dir(failed.Path)) == ".sort" // of the spill file
			if !errors.Is(err, syscall.EIO) && !harmless {
				t.Errorf("%s, operation %+v fails: error %v", f.Name, failed, err)
			}
			if err != nil {
				wantNothing(t, out)
			}

			out = filepath.Join(t.TempDir(), "example-v0")
			if _, err := exportOn(context.Background(), &disktest.FS{Fail: disktest.Kill(n)}, d, f, out, opt); !errors.Is(err, disktest.ErrKilled) {
				t.Errorf("%s, killed in operation %d: error %v", f.Name, n, err)
			}
			if _, err := os.Lstat(out); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s, killed in operation %d: the folder is there", f.Name, n)
			}
			if _, err := Export(context.Background(), d, f, out, opt); err != nil {
				t.Errorf("%s, again after a kill in operation %d: %v", f.Name, n, err)
			}
			rowtest.Same(t, want, rowtest.Files(t, out))
		}
	}
}

// An export that is interrupted, wherever it is, leaves nothing.
func TestInterrupt(t *testing.T) {
	d := recordExample(t, t.TempDir(), exampleOptions{worlds: 2, steps: 60, batchRows: 16})
	for _, f := range Formats() {
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

// Progress only grows, and ends at its total.
func TestProgress(t *testing.T) {
	d := recordExample(t, t.TempDir(), exampleOptions{worlds: 3, steps: 100, batchRows: 16})
	for _, f := range Formats() {
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
		b.Run(f.Name, func(b *testing.B) {
			rows, size := int64(0), int64(0)
			for i := range b.N {
				r, err := Export(context.Background(), d, f, filepath.Join(b.TempDir(), fmt.Sprintf("run-v%d", i)), Options{})
				if err != nil {
					b.Fatal(err)
				}
				rows += r.Rows
				size += r.Bytes
			}
			b.ReportMetric(float64(rows)/b.Elapsed().Seconds(), "rows/s")
			b.ReportMetric(float64(size)/float64(rows), "bytes/row")
		})
	}
}
