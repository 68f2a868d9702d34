package recorder

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/memory"
)

// keyedTables are those of a small run: two tables of rows at different rates, and the episodes that they belong to.
var keyedTables = []Table{
	{Name: "capture", Rate: "30", Description: "Rows.", BatchRows: 3, Columns: []Column{
		{Name: "t_ns", Kind: Int64}, {Name: "episode", Kind: Int64}, {Name: "world", Kind: Int32}, {Name: "x", Kind: Float64},
	}},
	{Name: "sensors", Rate: "60", BatchRows: 5, Columns: []Column{
		{Name: "t_ns", Kind: Int64}, {Name: "episode", Kind: Int64}, {Name: "world", Kind: Int32}, {Name: "y", Kind: Float64, Len: 2},
	}},
	{Name: EpisodesTable, BatchRows: 2, Columns: []Column{
		{Name: "episode", Kind: Int64}, {Name: "world", Kind: Int32}, {Name: "start_n", Kind: Int64}, {Name: "length_ns", Kind: Int64},
		{Name: "steps", Kind: Int64}, {Name: "terminated", Kind: Bool}, {Name: "truncated", Kind: Bool}, {Name: "fault", Kind: Bool},
		{Name: "complete", Kind: Bool}, {Name: "return", Kind: Float64},
		{Name: "tail_reward", Kind: Float64}, {Name: "tail_reward_steps", Kind: Int32}, {Name: "rows", Kind: Int64},
		{Name: "sensors_tail_reward", Kind: Float64}, {Name: "sensors_tail_reward_steps", Kind: Int32}, {Name: "sensors_rows", Kind: Int64},
	}},
}

// rowsAnEpisode of table capture; there are twice as many of table sensors.
const rowsAnEpisode = 4

// playKeyed records step n of two worlds, each in a block of its own: a row of capture, two of sensors and, with the last
// step of an episode, the episode.
func playKeyed(w *Writer, n int64) {
	for world := range int64(2) {
		s := w.BlockWriter(int(world))
		k := n % rowsAnEpisode
		episode := n/rowsAnEpisode*2 + world
		row := func(table int, t int64) Row {
			r := s.Begin(table, Key{N: n, OffsetNS: t, World: int32(world)})
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
			r := s.Begin(2, Key{N: n, World: int32(world)})
			for col, c := range keyedTables[2].Columns {
				switch c.Kind {
				case Bool:
					r.Bool(col, false)
				case Float64:
					r.Float(col, 0)
				default:
					r.Int(col, map[string]int64{"episode": episode, "world": world, "rows": rowsAnEpisode, "sensors_rows": 2 * rowsAnEpisode}[c.Name])
				}
			}
		}
		if err := s.EndSegment(); err != nil {
			panic(err)
		}
	}
}

// recordKeyed records steps in dir, to files made by create, and ends as if the process had been killed where one cannot be
// written.
func recordKeyed(t *testing.T, dir string, steps int64, create fileCreator) {
	t.Helper()
	w, err := create4(dir, create)
	if err != nil {
		return // killed before there was a writer
	}
	defer func() {
		if recover() != nil {
			w.Abort()
		}
	}()
	for n := range steps {
		playKeyed(w, n)
	}
	w.Close()
}

// create4 is create for the keyed tables, with shards of a few batches.
func create4(dir string, createFile fileCreator) (*Writer, error) {
	return create(dir, keyedTables, 2, exampleMetadata, Options{ShardBytes: 9000, Sync: SyncNever}, memory.DefaultAllocator, createFile)
}

// thorough scales what a test tries n of: POLYTEST_SLOW=1 asks for four times as many.
func thorough(n int) int {
	if os.Getenv("POLYTEST_SLOW") == "1" {
		return 4 * n
	}
	return n
}

// stride returns how far apart the places lie that a test tries: n bytes, a fourth of that with POLYTEST_SLOW=1, and
// one with POLYTEST_EXHAUSTIVE=1, which takes minutes.
func stride(n int) int {
	if os.Getenv("POLYTEST_EXHAUSTIVE") == "1" {
		return 1
	}
	return n / thorough(1)
}

// acknowledgedRows counts, without the parser, the rows that the whole lines of a journal speak of.
func acknowledgedRows(t *testing.T, dir string) (rows int64) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, journalFile))
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

// allRows reads all tables of a dataset.
func allRows(t *testing.T, dir string) map[string][][]any {
	t.Helper()
	rows, err := readAll(dir)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// checkRecovered compares a recovered dataset with the undisturbed one: each table is a beginning of that one, with as many
// rows as were acknowledged, and what is said about episodes is what a plain count finds.
func checkRecovered(t *testing.T, dir string, r *Recovery, acknowledged map[string]int64, whole map[string][][]any) {
	t.Helper()
	d, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(d.Recovery, r) {
		t.Errorf("Open says %+v, Recover said %+v", d.Recovery, r)
	}
	rows := allRows(t, dir)
	for name, want := range whole {
		got := rows[name]
		if int64(len(got)) != acknowledged[name] {
			t.Errorf("table %s has %d rows, want the %d acknowledged ones", name, len(got), acknowledged[name])
		}
		if len(got) > len(want) || !equalRows(got, want[:len(got)]) {
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
	for _, row := range rows[EpisodesTable] {
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
		if err != nil {
			t.Fatal(err)
		}
		if e.Whole == lacking[e.Number] {
			t.Errorf("episode %d: Whole is %v", e.Number, e.Whole)
		}
	}
}

// A writer that may write just so many bytes leaves what one leaves that is killed then. Wherever that is, the recovered
// dataset holds exactly what was acknowledged, and recovering it again changes nothing.
func TestRecoverWhateverTheLastByte(t *testing.T) {
	const steps = 14
	undisturbed := t.TempDir()
	recordKeyed(t, undisturbed, steps, createFile)
	whole := allRows(t, undisturbed)
	space := int64(0)
	for _, data := range readFiles(t, undisturbed) {
		space += int64(len(data))
	}
	recovered := 0
	for left := int64(0); left <= space; left += int64(stride(509)) {
		dir := t.TempDir()
		disk := &fullDisk{left: left}
		recordKeyed(t, dir, steps, func(path string) (file, error) {
			if disk.left == 0 {
				return nil, syscall.ENOSPC // a killed process makes no files
			}
			return disk.create(path)
		})
		acknowledged := map[string]int64{}
		for i, table := range keyedTables {
			acknowledged[table.Name] = acknowledgedRows(t, tableDir(dir, keyedTables, i))
		}
		_, opened := Open(dir)
		r, err := Recover(dir, RecoverOptions{Sync: SyncNever})
		if err != nil {
			if acknowledged["capture"] > 0 || !strings.Contains(err.Error(), DocumentFile) {
				t.Fatalf("%d bytes: %v", left, err)
			}
			continue
		}
		if opened == nil { // it had just been finished
			if r != nil {
				t.Errorf("%d bytes: a finished dataset was recovered: %+v", left, r)
			}
			continue
		}
		recovered++
		checkRecovered(t, dir, r, acknowledged, whole)
		if lost := r.Lost(); lost != 0 {
			t.Errorf("%d bytes: %d rows lost", left, lost)
		}
		files := readFiles(t, dir)
		again, err := Recover(dir, RecoverOptions{Sync: SyncNever})
		if err != nil || !reflect.DeepEqual(again, r) {
			t.Errorf("%d bytes: recovered again: %+v, %v, want %+v", left, again, err, r)
		}
		sameContents(t, files, readFiles(t, dir))
		for name := range files {
			if strings.HasSuffix(name, ".part") {
				t.Errorf("%d bytes: %s is left", left, name)
			}
		}
		if t.Failed() {
			t.Fatalf("after %d of %d bytes", left, space)
		}
	}
	if recovered < 20 {
		t.Errorf("only %d recoveries were tried", recovered)
	}
}

func sameContents(t *testing.T, a, b map[string][]byte) {
	t.Helper()
	if len(a) != len(b) {
		t.Errorf("%d files, then %d", len(a), len(b))
	}
	for name, data := range a {
		if !bytes.Equal(data, b[name]) {
			t.Errorf("%s has changed", name)
		}
	}
}

var errKilled = errors.New("killed")

// Killed before any of its own steps, a recovery that is called again ends with the same files.
func TestRecoverKilledAndCalledAgain(t *testing.T) {
	left := t.TempDir()
	recordKeyed(t, left, 14, (&fullDisk{left: 26_000}).create)
	// The last acknowledged batch never reached the disk, as after a power cut.
	part := filepath.Join(left, "sensors", partName(lastShard(t, filepath.Join(left, "sensors"))))
	info, err := os.Stat(part)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(part, info.Size()-300); err != nil {
		t.Fatal(err)
	}

	want := t.TempDir()
	copyDir(t, want, left)
	r, err := Recover(want, RecoverOptions{Sync: SyncNever})
	if err != nil {
		t.Fatal(err)
	}
	if r.Lost() == 0 || r.Tables[1].Damage == "" || r.Tables[0].Rows == 0 {
		t.Errorf("recovery %+v, want one that misses rows of sensors and has some of capture", r)
	}
	files := readFiles(t, want)
	for steps := 0; ; steps++ {
		dir := t.TempDir()
		copyDir(t, dir, left)
		done := 0
		step := func() error {
			if done == steps {
				return errKilled
			}
			done++
			return nil
		}
		create := func(path string) (file, error) {
			if err := step(); err != nil {
				// The file may also be there, with a part of what it was to hold.
				os.WriteFile(path, []byte("{"), 0o666)
				return nil, err
			}
			return createFile(path)
		}
		_, err := recoverDataset(dir, RecoverOptions{Sync: SyncNever}, create, step)
		if err == nil {
			if steps < 12 {
				t.Errorf("a recovery has %d steps", steps)
			}
			break
		}
		if !errors.Is(err, errKilled) {
			t.Fatalf("step %d: %v", steps, err)
		}
		if _, err := Open(dir); !errors.Is(err, ErrUnfinished) {
			t.Errorf("killed before step %d: Open returned %v, want ErrUnfinished", steps, err)
		}
		again, err := Recover(dir, RecoverOptions{Sync: SyncNever})
		if err != nil || !reflect.DeepEqual(again, r) {
			t.Errorf("killed before step %d: %+v, %v, want %+v", steps, again, err, r)
		}
		sameContents(t, files, readFiles(t, dir))
		if t.Failed() {
			t.FailNow()
		}
	}
}

func lastShard(t *testing.T, dir string) int {
	t.Helper()
	r := &remains{dir: dir}
	if err := r.findFiles(); err != nil || len(r.files) == 0 {
		t.Fatalf("streams in %s: %v, %v", dir, r.files, err)
	}
	return len(r.files) - 1
}

func copyDir(t *testing.T, to, from string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}

// While a writer is at work its dataset is left alone.
func TestRecoverLeavesALiveWriterAlone(t *testing.T) {
	dir := t.TempDir()
	w, err := create4(dir, createFile)
	if err != nil {
		t.Fatal(err)
	}
	playKeyed(w, 0)
	if err := w.Drain(); err != nil {
		t.Fatal(err)
	}
	before := readFiles(t, dir)
	if _, err := Recover(dir, RecoverOptions{Cut: true, Sync: SyncNever}); !errors.Is(err, ErrWriting) {
		t.Errorf("Recover returned %v, want ErrWriting", err)
	}
	if _, _, err := OpenRecovering(dir); !errors.Is(err, ErrWriting) {
		t.Errorf("OpenRecovering returned %v, want ErrWriting", err)
	}
	sameContents(t, before, readFiles(t, dir))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if r, err := Recover(dir, RecoverOptions{Sync: SyncNever}); r != nil || err != nil {
		t.Errorf("once it is closed: %+v, %v, want nothing to do", r, err)
	}
}

func TestOpenRecovering(t *testing.T) {
	dir := t.TempDir()
	recordKeyed(t, dir, 14, (&fullDisk{left: 20_000}).create)
	d, r, err := OpenRecovering(dir)
	if err != nil || r == nil || d == nil {
		t.Fatalf("a killed run: %v, %+v, %v, want a dataset and a recovery", d, r, err)
	}
	d, r, err = OpenRecovering(dir)
	if err != nil || r != nil || d.Recovery == nil {
		t.Errorf("the second time: %+v, %v, want no recovery", r, err)
	}
	if _, _, err := OpenRecovering(t.TempDir()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an empty folder: error %v, want that a file does not exist", err)
	}
}
