package recovery

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/internal/tests/disktest"
	"github.com/polyrhythm-rl/polyrhythm/internal/tests/rowtest"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
	"github.com/polyrhythm-rl/polyrhythm/recorder/internal/folder"
)

// keyedTables are those of a small run: two tables of rows at different rates, and the episodes that they belong to.
var keyedTables = []format.Table{
	{Name: "capture", Rate: "30", Description: "Rows.", BatchRows: 3, Columns: []format.Column{
		{Name: "t_ns", Kind: format.Int64}, {Name: "episode", Kind: format.Int64}, {Name: "world",
			Kind: format.Int32}, {Name: "x", Kind: format.Float64},
	}},
	{Name: "sensors", Rate: "60", BatchRows: 5, Columns: []format.Column{
		{Name: "t_ns", Kind: format.Int64}, {Name: "episode", Kind: format.Int64}, {Name: "world",
			Kind: format.Int32}, {Name: "y", Kind: format.Float64, Len: 2},
	}},
	{Name: format.EpisodesTable, BatchRows: 2, Columns: []format.Column{
		{Name: "episode", Kind: format.Int64}, {Name: "world", Kind: format.Int32}, {Name: "start_n",
			Kind: format.Int64}, {Name: "length_ns", Kind: format.Int64},
		{Name: "steps", Kind: format.Int64}, {Name: "terminated", Kind: format.Bool}, {Name: "truncated",
			Kind: format.Bool}, {Name: "fault", Kind: format.Bool},
		{Name: "complete", Kind: format.Bool}, {Name: "return", Kind: format.Float64},
		{Name: "tail_reward", Kind: format.Float64}, {Name: "tail_reward_steps", Kind: format.Int32}, {Name: "rows",
			Kind: format.Int64},
		{Name: "sensors_tail_reward", Kind: format.Float64}, {Name: "sensors_tail_reward_steps",
			Kind: format.Int32}, {Name: "sensors_rows", Kind: format.Int64},
	}},
}

// rowsAnEpisode of table capture; there are twice as many of table sensors.
const rowsAnEpisode = 4

// playKeyed records step n of two worlds, each in a block of its own: a row of capture, two of sensors and, with the
// last step of an episode, the episode.
func playKeyed(w *recorder.Writer, n int64) {
	for world := range int64(2) {
		s := w.BlockWriter(int(world))
		k := n % rowsAnEpisode
		episode := n/rowsAnEpisode*2 + world
		row := func(table int, t int64) format.Row {
			r := s.Begin(table, recorder.Key{N: n, OffsetNS: t, World: int32(world)})
			r.Int(0, t)
			r.Int(1, episode)
			r.Int(2, world)
			return r
		}
		row(0, k*33).Float(3, float64(n)/3)
		for half := range int64(2) {
			row(1, (2*k+half)*16).Floats(3, []float64{float64(n), float64(half)})
		}
		if k == rowsAnEpisode-1 {
			r := s.Begin(2, recorder.Key{N: n, World: int32(world)})
			for col, c := range keyedTables[2].Columns {
				switch c.Kind {
				case format.Bool:
					r.Bool(col, false)
				case format.Float64:
					r.Float(col, 0)
				default:
					r.Int(col, map[string]int64{"episode": episode, "world": world, "rows": rowsAnEpisode,
						"sensors_rows": 2 * rowsAnEpisode}[c.Name])
				}
			}
		}
		if err := s.EndSegment(); err != nil {
			panic(err)
		}
	}
}

// recordSlice records steps in dir of a slice of a run, or all of it, on a file system, and ends as if the process had
// been killed if that fails. It returns the first error.
func recordSlice(dir string, steps int64, fsys disk.FS, slice *recorder.Slice) (err error) {
	w, err := createKeyed(dir, fsys, slice)
	if err != nil {
		return err // before there was a writer
	}
	defer func() {
		if r := recover(); r != nil {
			err = r.(error)
			w.Abort()
		}
	}()
	for n := range steps {
		playKeyed(w, n)
	}
	return w.Close()
}

// createKeyed begins a dataset of the keyed tables, with shards of a few batches. On a file system of tests it also
// syncs.
func createKeyed(dir string, fsys disk.FS, slice *recorder.Slice) (*recorder.Writer, error) {
	sync := recorder.SyncNever
	if _, ok := fsys.(*disktest.FS); ok {
		sync = recorder.SyncEveryBatch
	}
	return recorder.CreateOn(fsys, dir, keyedTables, 2, format.Metadata{Task: "example"},
		recorder.Options{ShardBytes: 9000, Sync: sync, Slice: slice})
}

// space returns a file system with room for so many bytes.
func space(left int64) disk.FS { return &disktest.FS{Fail: disktest.Space(left)} }

// readAll returns the rows of all tables of a dataset, as far as they can be read.
func readAll(dir string) (rows map[string][][]any, err error) {
	d, err := recorder.Open(dir)
	if err != nil {
		return nil, err
	}
	rows = map[string][][]any{}
	for _, table := range d.Tables {
		some, _, e := rowtest.Rows(d.Batches(table.Name))
		rows[table.Name] = some
		err = errors.Join(err, e)
	}
	return rows, err
}

// stride returns how far apart the places lie that a test tries: n of them, a fourth of that with POLYTEST_SLOW=1, four
// times that with -short, and one with POLYTEST_EXHAUSTIVE=1, which takes minutes.
func stride(t testing.TB, n int) int {
	switch {
	case os.Getenv("POLYTEST_EXHAUSTIVE") == "1":
		return 1
	case polytest.Slow(t):
		return n / 4
	case testing.Short():
		return 4 * n
	}
	return n
}

// acknowledgedRows counts, without the parser, the rows that the whole lines of a journal speak of.
func acknowledgedRows(t *testing.T, dir string) (rows int64) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, folder.JournalFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); strings.HasSuffix(line, "\n") && fields[0] == "batch" {
			n := int64(0)
			fmt.Sscan(fields[4], &n)
			rows += n
		}
	}
	return rows
}

// checkRecovered compares a recovered dataset with the undisturbed one: each table is a beginning of that one, with as
// many rows as were acknowledged, and what is said about episodes is what a plain count finds.
func checkRecovered(t *testing.T, dir string, r *format.Recovery, acknowledged map[string]int64,
	whole map[string][][]any) {
	t.Helper()
	d := polytest.Must(recorder.Open(dir))(t)
	if !reflect.DeepEqual(d.Recovery, r) {
		t.Errorf("Open says %+v, Recover said %+v", d.Recovery, r)
	}
	rows := polytest.Must(readAll(dir))(t)
	for name, want := range whole {
		got := rows[name]
		if int64(len(got)) != acknowledged[name] {
			t.Errorf("table %s has %d rows, want the %d acknowledged ones", name, len(got), acknowledged[name])
		}
		if len(got) > len(want) || !rowtest.Equal(got, want[:len(got)]) {
			t.Errorf("table %s is not a beginning of the undisturbed one", name)
		}
	}
	count := map[int64][2]int64{}
	for i, name := range []string{"capture", "sensors"} {
		for _, row := range rows[name] {
			c := count[row[1].(int64)]
			c[i]++
			count[row[1].(int64)] = c
		}
	}
	closed := map[int64]bool{}
	for _, row := range rows[format.EpisodesTable] {
		closed[row[0].(int64)] = true
		if _, ok := count[row[0].(int64)]; !ok {
			count[row[0].(int64)] = [2]int64{}
		}
	}
	lacking := map[int64]bool{}
	for _, e := range r.Incomplete {
		lacking[e.Episode] = true
		if c := count[e.Episode]; e.Rows["capture"] != c[0] || e.Rows["sensors"] != c[1] || e.Closed != closed[e.Episode] {
			t.Errorf("episode %d: %+v, counted %v, closed %v", e.Episode, e, c, closed[e.Episode])
		}
	}
	for episode, c := range count {
		if whole := closed[episode] && c == [2]int64{rowsAnEpisode, 2 * rowsAnEpisode}; whole == lacking[episode] {
			t.Errorf("episode %d: whole %v, said to be incomplete %v", episode, whole, lacking[episode])
		}
	}
	if int64(len(count)-len(lacking)) != r.Episodes {
		t.Errorf("%d whole episodes, want %d", r.Episodes, len(count)-len(lacking))
	}
	for e, err := range d.Episodes() {
		polytest.NoError(t, err)
		if e.Whole == lacking[e.Number] {
			t.Errorf("episode %d: Whole is %v", e.Number, e.Whole)
		}
	}
}

// A writer that may write just so many bytes leaves what one leaves that is killed then. Wherever that is, the
// recovered dataset holds exactly what was acknowledged, and recovering it again changes nothing.
func TestRecoverWhateverTheLastByteLong(t *testing.T) {
	undisturbed := t.TempDir()
	polytest.NoError(t, recordSlice(undisturbed, stepsKeyed, disk.OS{}, nil))
	whole := polytest.Must(readAll(undisturbed))(t)
	size := int64(0)
	for _, data := range polytest.Files(t, undisturbed) {
		size += int64(len(data))
	}
	recovered := 0
	for left := int64(0); left <= size; left += int64(stride(t, 509)) {
		room, dead := disktest.Space(left), false
		dir := t.TempDir()
		recordSlice(dir, stepsKeyed, &disktest.FS{Fail: func(op disktest.Op) error {
			if dead {
				return disktest.ErrKilled
			}
			err := room(op)
			dead = err != nil
			return err
		}}, nil)
		if recoverAcknowledged(t, dir, whole) {
			recovered++
		}
		if t.Failed() {
			t.Fatalf("after %d of %d bytes", left, size)
		}
	}
	if recovered < 10 {
		t.Errorf("only %d recoveries were tried", recovered)
	}
}

// A slice that is killed in any file operation, also between a stream's schema and its first batch, has a journal that
// fits the recovered rows.
func TestRecoverOfAKilledSliceLong(t *testing.T) {
	t.Parallel()
	undisturbed, count, slice := t.TempDir(), &disktest.FS{}, &recorder.Slice{FirstBlock: 2}
	polytest.NoError(t, recordSlice(undisturbed, stepsKeyed, count, slice))
	whole := polytest.Must(readAll(undisturbed))(t)
	for n := 0; n < count.Count(); n += stride(t, 12) {
		dir := t.TempDir()
		if err := recordSlice(dir, stepsKeyed, &disktest.FS{Fail: disktest.Kill(n)}, slice); !errors.Is(err,
			disktest.ErrKilled) {
			t.Errorf("it returned %v", err)
		}
		recoverAcknowledged(t, dir, whole)
		if t.Failed() {
			t.Fatalf("killed in operation %d of %d", n, count.Count())
		}
	}
}

// lost is the number of rows that were acknowledged and are not there.
func lost(r *format.Recovery) (rows int64) {
	for _, t := range r.Tables {
		rows += t.Acknowledged - t.Rows
	}
	return rows
}

// stepsKeyed is how many steps the tests record of the keyed tables.
const stepsKeyed = 14

// Whatever file operation a writer is killed in, or fails, what was acknowledged is recovered. An error is returned.
func TestRecoverWhateverTheLastOperationLong(t *testing.T) {
	undisturbed, count := t.TempDir(), &disktest.FS{}
	polytest.NoError(t, recordSlice(undisturbed, stepsKeyed, count, nil))
	whole := polytest.Must(readAll(undisturbed))(t)
	recovered := 0
	for n := 0; n < count.Count(); n += stride(t, 8) {
		for what, fail := range map[string]func(disktest.Op) error{"killed in": disktest.Kill(n),
			"error of": disktest.Once(n, syscall.EIO)} {
			dir := t.TempDir()
			if err := recordSlice(dir, stepsKeyed, &disktest.FS{Fail: fail}, nil); !errors.Is(err, disktest.ErrKilled) &&
				!errors.Is(err, syscall.EIO) {
				t.Errorf("it returned %v", err)
			}
			if recoverAcknowledged(t, dir, whole) {
				recovered++
			}
			if t.Failed() {
				t.Fatalf("%s operation %d of %d", what, n, count.Count())
			}
		}
	}
	if recovered < 10 {
		t.Errorf("only %d recoveries were tried", recovered)
	}
}

// recoverAcknowledged recovers what a killed writer left, and checks that it has exactly the rows that were
// acknowledged. It returns false if there was nothing to recover.
func recoverAcknowledged(t *testing.T, dir string, whole map[string][][]any) bool {
	t.Helper()
	acknowledged := map[string]int64{}
	for i, table := range keyedTables {
		acknowledged[table.Name] = acknowledgedRows(t, folder.Dir(dir, keyedTables, i))
	}
	_, opened := recorder.Open(dir)
	r, err := Recover(dir, Options{NoSync: true})
	if err != nil {
		if acknowledged["capture"] > 0 || !strings.Contains(err.Error(), format.DocumentFile) {
			t.Error(err)
		}
		return false
	}
	if opened == nil { // it had just been finished
		if r != nil {
			t.Errorf("a finished dataset was recovered: %+v", r)
		}
		return false
	}
	checkRecovered(t, dir, r, acknowledged, whole)
	polytest.Equal(t, lost(r), 0, "rows lost")
	files := polytest.Files(t, dir)
	again, err := Recover(dir, Options{NoSync: true})
	if err != nil || !reflect.DeepEqual(again, r) {
		t.Errorf("recovered again: %+v, %v, want %+v", again, err, r)
	}
	polytest.SameFiles(t, "changed", polytest.Files(t, dir), files)
	for name := range files {
		if strings.HasSuffix(name, ".part") {
			t.Errorf("%s is left", name)
		}
	}
	return true
}

// If a recovery is killed in any of its operations, or that fails, the next one ends with the same files.
func TestRecoverKilledAndCalledAgainLong(t *testing.T) {
	left := t.TempDir()
	recordSlice(left, 14, space(24_000), nil)
	// The last acknowledged batch never reached the disk, as after a power cut.
	part := filepath.Join(left, "sensors", folder.PartName(lastShard(t, filepath.Join(left, "sensors"))))
	info := polytest.Must(os.Stat(part))(t)
	polytest.NoError(t, os.Truncate(part, info.Size()-300))

	want := t.TempDir()
	polytest.NoError(t, os.CopyFS(want, os.DirFS(left)))
	r := polytest.Must(Recover(want, Options{NoSync: true}))(t)
	if lost(r) == 0 || r.Tables[1].Damage == "" || r.Tables[0].Rows == 0 {
		t.Errorf("recovery %+v, want one that misses rows of sensors and has some of capture", r)
	}
	files := polytest.Files(t, want)
	count := &disktest.FS{}
	dir := t.TempDir()
	polytest.NoError(t, os.CopyFS(dir, os.DirFS(left)))
	if _, err := recoverOn(count, dir, Options{}); err != nil {
		t.Fatal(err)
	}
	for n := 0; n < count.Count(); n += stride(t, 12) {
		for what, fail := range map[string]func(disktest.Op) error{"killed in": disktest.Kill(n),
			"error of": disktest.Once(n, syscall.EIO)} {
			dir := t.TempDir()
			polytest.NoError(t, os.CopyFS(dir, os.DirFS(left)))
			if _, err := recoverOn(&disktest.FS{Fail: fail}, dir, Options{}); !errors.Is(err, disktest.ErrKilled) &&
				!errors.Is(err, syscall.EIO) {
				t.Fatalf("%s operation %d: %v", what, n, err)
			}
			if _, err := recorder.Open(dir); err == nil && n < count.Count()-1 { // the last one syncs
				t.Errorf("%s operation %d: it can be opened", what, n)
			}
			again, err := Recover(dir, Options{NoSync: true})
			if err != nil || !reflect.DeepEqual(again, r) {
				t.Errorf("%s operation %d: %+v, %v, want %+v", what, n, again, err, r)
			}
			polytest.SameFiles(t, "changed", polytest.Files(t, dir), files)
			if t.Failed() {
				t.FailNow()
			}
		}
	}
}

func lastShard(t *testing.T, dir string) int {
	t.Helper()
	files, err := folder.Streams(dir)
	if err != nil || len(files) == 0 {
		t.Fatalf("streams in %s: %v, %v", dir, files, err)
	}
	return len(files) - 1
}

// While a writer is at work its dataset is left alone.
func TestRecoverLeavesALiveWriterAlone(t *testing.T) {
	dir := t.TempDir()
	w := polytest.Must(createKeyed(dir, disk.OS{}, nil))(t)
	playKeyed(w, 0)
	polytest.NoError(t, w.Drain())
	before := polytest.Files(t, dir)
	polytest.ErrorIs(t, polytest.Err(Recover(dir, Options{Cut: true, NoSync: true})), ErrWriting)
	if _, _, err := Open(dir); !errors.Is(err, ErrWriting) {
		t.Errorf("Open returned %v, want ErrWriting", err)
	}
	polytest.SameFiles(t, "changed", polytest.Files(t, dir), before)
	polytest.NoError(t, w.Close())
	if r, err := Recover(dir, Options{NoSync: true}); r != nil || err != nil {
		t.Errorf("once it is closed: %+v, %v, want nothing to do", r, err)
	}
}

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	recordSlice(dir, 14, space(20_000), nil)
	d, r, err := Open(dir)
	if err != nil || r == nil || d == nil {
		t.Fatalf("a killed run: %v, %+v, %v, want a dataset and a recovery", d, r, err)
	}
	d, r, err = Open(dir)
	if err != nil || r != nil || d.Recovery == nil {
		t.Errorf("the second time: %+v, %v, want no recovery", r, err)
	}
	if _, _, err := Open(t.TempDir()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an empty folder: error %v, want that a file does not exist", err)
	}
}
