package recorder

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"

	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/internal/tests/disktest"
	"github.com/polyrhythm-rl/polyrhythm/internal/tests/rowtest"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
	"github.com/polyrhythm-rl/polyrhythm/recorder/internal/folder"
)

var oneColumn = []format.Table{{Name: "capture", Columns: []format.Column{{Name: "x", Kind: format.Float64}}}}

func TestCreateRefuses(t *testing.T) {
	columns := oneColumn[0].Columns
	for _, test := range []struct {
		name    string
		tables  []format.Table
		blocks  int
		options Options
		want    string
	}{
		{"no table", nil, 1, Options{}, "0 tables"},
		{"no block", oneColumn, 0, Options{}, "0 blocks"},
		{"no column", []format.Table{{Name: "a"}}, 1, Options{}, "0 columns"},
		{"path as name", []format.Table{{Name: "../a", Columns: columns}}, 1, Options{}, `"../a"`},
		{"same table twice", []format.Table{{Name: "a", Columns: columns}, {Name: "a", Columns: columns}}, 1, Options{},
			`two tables are named "a"`},
		{"same column twice", []format.Table{{Name: "a", Columns: append(columns[:1:1], columns[0])}}, 1, Options{},
			`two columns are named "x"`},
		{"nameless column", []format.Table{{Name: "a", Columns: []format.Column{{Kind: format.Bool}}}}, 1, Options{},
			"has no name"},
		{"no kind", []format.Table{{Name: "a", Columns: []format.Column{{Name: "x"}}}}, 1, Options{}, "kind is 0"},
		{"negative length", []format.Table{{Name: "a", Columns: []format.Column{{Name: "x", Kind: format.Bool, Len: -1}}}}, 1,
			Options{}, "Len is -1"},
		{"negative rows of a table", []format.Table{{Name: "a", BatchRows: -1, Columns: columns}}, 1, Options{},
			"BatchRows is -1"},
		{"negative rows", oneColumn, 1, Options{BatchRows: -4}, "BatchRows -4"},
		{"negative segments", oneColumn, 1, Options{FlushSegments: -1}, "FlushSegments -1"},
		{"negative memory", oneColumn, 1, Options{StagedBytes: -1}, "StagedBytes -1"},
		{"compression", oneColumn, 1, Options{Compression: "gzip"}, `Compression "gzip"`},
		{"synchronisation", oneColumn, 1, Options{Sync: "often"}, `Sync "often"`},
	} {
		dir := filepath.Join(t.TempDir(), "new")
		_, err := Create(dir, test.tables, test.blocks, format.Metadata{}, test.options)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want one with %q", test.name, err, test.want)
		}
		if _, err := os.Stat(dir); err == nil {
			t.Errorf("%s: the folder was made all the same", test.name)
		}
	}
}

// Whoever cannot fill a row fails the writing, and hears of it where the segment ends.
func TestFailOfABlock(t *testing.T) {
	w := polytest.Must(Create(t.TempDir(), exampleTables, 2, exampleMetadata, Options{}))(t)
	playExample(w, 0)
	w.BlockWriter(1).Fail(2, errors.New("no value"))
	w.BlockWriter(0).Fail(0, errors.New("another one"))
	const want = `table "control": no value`
	for _, err := range []error{w.BlockWriter(0).EndSegment(), w.BlockWriter(1).EndSegment(), w.Close()} {
		if err == nil || err.Error() != want {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func TestCreateRefusesAFolderWithADataset(t *testing.T) {
	finished := t.TempDir()
	recordExample(t, finished, 1, Options{})

	unfinished := t.TempDir()
	w := polytest.Must(Create(unfinished, exampleTables, 1, format.Metadata{}, Options{}))(t)
	if _, err := Create(unfinished, exampleTables, 1, format.Metadata{}, Options{}); !errors.Is(err, ErrExists) {
		t.Errorf("while another writer is at work: error %v, want ErrExists", err)
	}
	w.Abort()

	foreign := t.TempDir()
	writeTestFile(t, filepath.Join(foreign, "dataset_dict.json"), "{}")

	below := t.TempDir()
	polytest.NoError(t, os.Mkdir(filepath.Join(below, "episodes"), 0o777))
	writeTestFile(t, filepath.Join(below, "episodes", folder.StateFile), "{}")

	for name, dir := range map[string]string{"finished": finished, "unfinished": unfinished, "foreign": foreign,
		"below": below} {
		before := polytest.Files(t, dir)
		_, err := Create(dir, exampleTables, 1, format.Metadata{}, Options{})
		if !errors.Is(err, ErrExists) {
			t.Errorf("%s dataset: error %v, want ErrExists", name, err)
		}
		polytest.SameFiles(t, name, polytest.Files(t, dir), before)
	}
}

func TestCreateLeavesOtherFilesAlone(t *testing.T) {
	dir := t.TempDir()
	writeTestFile(t, filepath.Join(dir, "notes.txt"), "mine")
	recordExample(t, dir, 3, Options{})
	if data, err := os.ReadFile(filepath.Join(dir, "notes.txt")); err != nil || string(data) != "mine" {
		t.Errorf("notes.txt holds %q, %v", data, err)
	}
}

func TestCreateInAPlaceThatCannotBeWritten(t *testing.T) {
	plain := filepath.Join(t.TempDir(), "file")
	writeTestFile(t, plain, "")
	_, err := Create(filepath.Join(plain, "dataset"), oneColumn, 1, format.Metadata{}, Options{})
	if !errors.Is(err, syscall.ENOTDIR) || !strings.Contains(err.Error(), plain) {
		t.Errorf("below a plain file: error %v, want one that names it", err)
	}

	// Refused by the disk rather than by permissions, which a privileged user passes: nothing may be left behind.
	dir := t.TempDir()
	for allowed := range int64(3) {
		full := &disktest.FS{Fail: disktest.Space(allowed * 300)}
		_, err := CreateOn(full, dir, exampleTables, 1, exampleMetadata, Options{})
		if !errors.Is(err, syscall.ENOSPC) {
			t.Fatalf("%d bytes: error %v, want no space left on device", allowed*300, err)
		}
		if files, err := filepath.Glob(filepath.Join(dir, "*.*")); err != nil || len(files) > 0 {
			t.Errorf("%d bytes: %v, %q stayed behind", allowed*300, err, files)
		}
	}
}

func writeTestFile(t *testing.T, path, text string) {
	t.Helper()
	polytest.NoError(t, os.WriteFile(path, []byte(text), 0o666))
}

// However much space there is, the error comes out of EndSegment or Close, and what the journal acknowledges is a
// beginning of the undisturbed recording.
func TestDiskFull(t *testing.T) {
	const segments = 40
	whole := t.TempDir()
	recordExample(t, whole, segments, Options{BatchRows: 8, ShardBytes: 10_000})
	space := int64(0)
	for _, data := range polytest.Files(t, whole) {
		space += int64(len(data))
	}
	undisturbed := polytest.Must(os.ReadFile(filepath.Join(whole, folder.JournalFile)))(t)

	for left := int64(8000); left < space; left += space / 50 {
		dir := t.TempDir()
		full := &disktest.FS{Fail: disktest.Space(left)}
		w, err := CreateOn(full, dir, exampleTables, 2, exampleMetadata, Options{BatchRows: 8, ShardBytes: 10_000})
		polytest.NoError(t, err)
		failed := playUntilError(w, segments)
		closed := w.Close()
		if !errors.Is(closed, syscall.ENOSPC) {
			t.Fatalf("%d bytes: Close returned %v, want no space left on device", left, closed)
		}
		if failed != nil && failed.Error() != closed.Error() {
			t.Errorf("%d bytes: EndSegment returned %v, Close %v, want the same", left, failed, closed)
		}
		if again := w.Close(); again != closed {
			t.Errorf("%d bytes: Close returned %v, then %v", left, closed, again)
		}
		checkAcknowledged(t, dir, undisturbed)
		if _, err := Open(dir); !errors.Is(err, ErrUnfinished) {
			t.Errorf("%d bytes: Open returned %v, want ErrUnfinished", left, err)
		}
	}
}

// playUntilError plays the example's segments and returns the first error of EndSegment.
func playUntilError(w *Writer, segments int64) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = r.(error)
		}
	}()
	for n := range segments {
		playExample(w, n)
	}
	return nil
}

// After one failed write nothing more is written, even if the disk would take it, and the error stays.
func TestNothingIsWrittenAfterAnError(t *testing.T) {
	for k := 5; k < 60; k++ { // the first four make the folder
		writes := 0
		failing := &disktest.FS{Fail: func(op disktest.Op) error {
			if op.Name == "write" {
				if writes++; writes == k {
					return syscall.EIO
				}
			}
			return nil
		}}
		w := polytest.Must(CreateOn(failing, t.TempDir(), exampleTables, 2, exampleMetadata,
			Options{BatchRows: 2, ShardBytes: 3000, Sync: SyncNever}))(t)
		failed := playUntilError(w, 100)
		if closed := w.Close(); !errors.Is(closed, syscall.EIO) || failed != closed {
			t.Errorf("write %d: EndSegment returned %v, Close %v, want the same input/output error", k, failed, closed)
		}
		if writes > k {
			t.Errorf("write %d: %d writes after it", k, writes-k)
		}
	}
}

// checkAcknowledged compares an unfinished table with the journal of the undisturbed one.
func checkAcknowledged(t *testing.T, dir string, undisturbed []byte) {
	t.Helper()
	journal := polytest.Must(os.ReadFile(filepath.Join(dir, folder.JournalFile)))(t)
	parsed, _ := folder.ParseJournal(journal) // the last line may be torn
	for i, e := range parsed.Entries {
		if !bytes.Contains(undisturbed, e.AppendLine(nil)) {
			t.Errorf("entry %d, %+v, is not in the undisturbed journal", i, e)
		}
		// Of a dataset that failed in its last moments some files have their names already.
		paths, err := filepath.Glob(filepath.Join(dir, fmt.Sprintf("data-%05d*", e.Shard)))
		if err != nil || len(paths) != 1 {
			t.Fatalf("files of shard %d: %q, %v, want one", e.Shard, paths, err)
		}
		data := polytest.Must(os.ReadFile(paths[0]))(t)
		if int64(len(data)) < e.End() || crc32.Checksum(data[e.Offset:e.End()], format.Castagnoli) != e.CRC {
			t.Errorf("entry %d, %+v, is acknowledged but its bytes are not in the file of %d bytes", i, e, len(data))
		}
	}
}

// A dataset that is killed leaves parts and a journal, and is not taken for a finished one.
func TestUnfinishedDataset(t *testing.T) {
	dir := t.TempDir()
	w := polytest.Must(Create(dir, exampleTables, 2, exampleMetadata, Options{BatchRows: 4}))(t)
	for n := range int64(9) {
		playExample(w, n)
	}
	w.Abort()
	if err := w.Close(); err != ErrAborted {
		t.Errorf("Close after Abort returned %v, want ErrAborted", err)
	}
	if err := w.BlockWriter(0).EndSegment(); err != ErrAborted {
		t.Errorf("EndSegment after Abort returned %v, want ErrAborted", err)
	}
	polytest.ErrorIs(t, polytest.Err(Open(dir)), ErrUnfinished)
	data := polytest.Must(os.ReadFile(filepath.Join(dir, folder.JournalFile)))(t)
	journal, err := folder.ParseJournal(data)
	entries := journal.Entries
	if err != nil || len(entries) < 3 || entries[0].Kind != folder.Schema || entries[1].Rows != 4 {
		t.Errorf("journal reads %+v, %v, want a schema and batches of 4 rows", entries, err)
	}
}

// gate returns a file system whose streams and journals cannot be written before open is closed.
func gate(open chan struct{}) disk.FS {
	return &disktest.FS{Fail: func(op disktest.Op) error {
		if op.Name == "write" && strings.HasSuffix(op.Path, ".part") {
			<-open
		}
		return nil
	}}
}

// With a disk that stands still a block writer hands over one segment and waits in the second; nothing is lost once it
// goes on.
func TestSlowDiskHoldsTheProducer(t *testing.T) { synctest.Test(t, slowDiskHoldsTheProducer) }

func slowDiskHoldsTheProducer(t *testing.T) {
	dir := t.TempDir()
	open := make(chan struct{})
	w := polytest.Must(CreateOn(gate(open), dir, oneColumn, 1, format.Metadata{}, Options{BatchRows: 1}))(t)
	ended := make(chan int, 3)
	go func() {
		for n := range 3 {
			w.BlockWriter(0).Begin(0, Key{N: int64(n)}).Float(0, float64(n))
			if err := w.BlockWriter(0).EndSegment(); err != nil {
				t.Error(err)
			}
			ended <- n
		}
		close(ended)
	}()
	synctest.Wait() // until nothing goes on
	polytest.Equal(t, len(ended), 1, "segments that ended while segment 0 was not written")
	close(open)
	for range ended {
	}
	polytest.NoError(t, w.Close())
	d := polytest.Must(Open(dir))(t)
	if rows, _, err := rowtest.Rows(d.Batches("capture")); err != nil || !rowtest.Equal(rows, [][]any{{0.}, {1.}, {2.}}) {
		t.Errorf("rows %v, %v, want 0, 1, 2", rows, err)
	}
}

// Abort frees a producer that waits for a block whose goroutine is gone.
func TestAbortFreesWaitingProducers(t *testing.T) { synctest.Test(t, abortFreesWaitingProducers) }

func abortFreesWaitingProducers(t *testing.T) {
	w := polytest.Must(Create(t.TempDir(), oneColumn, 2, format.Metadata{}, Options{}))(t)
	result := make(chan error)
	go func() {
		for {
			if err := w.BlockWriter(1).EndSegment(); err != nil {
				result <- err
				return
			}
		}
	}()
	synctest.Wait() // until nothing goes on
	w.Abort()
	if err := <-result; err != ErrAborted {
		t.Errorf("EndSegment returned %v, want ErrAborted", err)
	}
}

func TestRowsNobodyHandedOver(t *testing.T) {
	w := polytest.Must(Create(t.TempDir(), oneColumn, 2, format.Metadata{}, Options{}))(t)
	w.BlockWriter(1).Begin(0, Key{}).Float(0, 1)
	polytest.ErrorContains(t, w.Close(), "1 rows of block 1")
}

func TestUnsetColumnThatIsNotNullable(t *testing.T) {
	tables := []format.Table{{Name: "capture", Columns: []format.Column{{Name: "a", Kind: format.Int64, Nullable: true},
		{Name: "b", Kind: format.Int64}}}}
	w := polytest.Must(Create(t.TempDir(), tables, 1, format.Metadata{}, Options{}))(t)
	w.BlockWriter(0).Begin(0, Key{N: 5, World: 3}).Int(0, 1)
	for range 3 { // the error stays, and nobody hangs
		err := w.BlockWriter(0).EndSegment()
		polytest.ErrorContains(t, err, `step 5 + 0 ns of world 3 leaves column "b" unset`)
	}
	if err := w.Close(); err == nil {
		t.Error("Close returned no error")
	}
}

func TestRowMisusePanics(t *testing.T) {
	w := polytest.Must(Create(t.TempDir(), exampleTables, 1, format.Metadata{}, Options{}))(t)
	defer w.Abort()
	r := w.BlockWriter(0).Begin(0, Key{})
	for want, misuse := range map[string]func(){
		`Float on table "capture" column "t_ns", which holds one int64`:            func() { r.Float(0, 1) },
		`Int on table "capture" column "reward", which holds one float64`:          func() { r.Int(3, 1) },
		`Bool on table "capture" column "reward", which holds one float64`:         func() { r.Bool(3, true) },
		`Float on table "capture" column "gyro", which holds a list of 3 float64`:  func() { r.Float(5, 1) },
		`Floats on table "capture" column "reward", which holds one float64`:       func() { r.Floats(3, []float64{1}) },
		`Floats on table "capture" column "gyro": 2 values, want 3`:                func() { r.Floats(5, []float64{1, 2}) },
		`Floats on table "capture" column "stamps", which holds a list of 2 int64`: func() { r.Floats(8, []float64{1, 2}) },
		`Floats32 on table "capture" column "contact", which holds a list of 4`: func() {
			r.Floats32(7,
				make([]float32, 4))
		},
		`Ints on table "capture" column "gyro", which holds a list of 3 float64`:  func() { r.Ints(5, make([]int64, 3)) },
		`Bools on table "capture" column "gyro", which holds a list of 3 float64`: func() { r.Bools(5, make([]bool, 3)) },
		`table "capture" column "world": value 2147483648 does not fit int32`:     func() { r.Int(1, 1<<31) },
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.Contains(got, want) {
					t.Errorf("panic %q, want one with %q", got, want)
				}
			}()
			misuse()
		}()
	}
}

// A shard is ended by the batch that brings it to ShardBytes.
func TestShards(t *testing.T) {
	const limit = 8000
	dir := t.TempDir()
	recordExample(t, dir, 50, Options{BatchRows: 8, ShardBytes: limit})
	entries := journalOf(t, dir)
	shards := entries[len(entries)-1].Shard + 1
	if shards < 3 {
		t.Fatalf("%d shards, want several", shards)
	}
	for _, e := range entries {
		if e.Kind == folder.Batch && e.Offset >= limit {
			t.Errorf("a batch of shard %d begins at %d, want below %d", e.Shard, e.Offset, limit)
		}
		if e.Kind == folder.End && e.Offset < limit && e.Shard < shards-1 {
			t.Errorf("shard %d ends at %d, want %d or more", e.Shard, e.Offset, limit)
		}
	}
}

func TestSyncPoliciesWriteTheSameBytes(t *testing.T) {
	var first map[string]string
	for _, sync := range []SyncPolicy{SyncAtClose, SyncEveryBatch, SyncNever} {
		dir := t.TempDir()
		recordExample(t, dir, 20, Options{BatchRows: 8, Sync: sync})
		files := polytest.Files(t, dir)
		if first == nil {
			first = files
		}
		polytest.SameFiles(t, "sync", files, first)
	}
}

func TestStagingDoesNotAllocate(t *testing.T) {
	w, err := Create(t.TempDir(), exampleTables, 1, format.Metadata{}, Options{BatchRows: 1 << 16, Sync: SyncNever})
	polytest.NoError(t, err)
	defer w.Abort()
	s := w.BlockWriter(0)
	gyro, contact := make([]float64, 3), make([]bool, 4)
	observation, stamps := make([]float32, 5), make([]int64, 2)
	n := int64(0)
	segment := func() {
		for range 50 {
			n++
			r := s.Begin(0, Key{N: n})
			r.Int(0, n)
			r.Int(1, n)
			r.Bool(2, true)
			r.Float(4, 1)
			r.Floats(5, gyro)
			r.Floats32(6, observation)
			r.Bools(7, contact)
			r.Ints(8, stamps)
		}
		polytest.NoError(t, s.EndSegment())
	}
	for range 4 {
		segment()
	}
	polytest.Equal(t, polytest.Allocations(100, segment), 0, "allocations a segment")
}

// What has been written leaves nothing in memory, so that a run may be as long as it likes.
func TestMemoryOfALongRun(t *testing.T) {
	w := polytest.Must(Create(t.TempDir(), []format.Table{{Name: "rows", Columns: []format.Column{{Name: "n",
		Kind: format.Int64}}}}, 1, format.Metadata{}, Options{BatchRows: 1, Sync: SyncNever}))(t)
	defer w.Abort()
	n := int64(0)
	write := func(batches int64) (heap uint64) {
		for end := n + batches; n < end; n++ {
			w.BlockWriter(0).Begin(0, Key{N: n}).Int(0, n)
			if n%100 == 0 {
				polytest.NoError(t, w.BlockWriter(0).EndSegment())
			}
		}
		polytest.NoError(t, w.Drain())
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	const batches = 20_000
	before := write(1000)
	if grown := int64(write(batches)) - int64(before); grown > 10*batches {
		t.Errorf("%d batches leave %d bytes in memory", batches, grown)
	}
}
