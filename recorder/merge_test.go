package recorder

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"pgregory.net/rapid"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/internal/tests/disktest"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
)

// slice plays the blocks from … to−1 of a script into a dataset, or all into that of the whole run. In segment n of
// a block the episodes with the keys ended[n][block] are closed. A segment after which stop is true is followed by a
// new writer that continues where the old one, which is aborted, stood.
func (s *script) slice(tb fatal, dir string, ended [][][]Key, slice *Slice, from, to int, stop func(segment int) bool) {
	options, meta := s.options, format.Metadata{Task: "test", Seed: 7}
	options.Slice = slice
	w, err := Create(dir, s.tables, to-from, meta, options)
	if err != nil {
		tb.Fatalf("Create: %v", err)
	}
	for segment := range s.segments {
		for b := from; b < to; b++ {
			writer := w.BlockWriter(b - from)
			for i := range s.rows[segment][b] {
				s.rows[segment][b][i].play(writer)
			}
			for _, key := range ended[segment][b] {
				writer.EndEpisode(key)
			}
			if err := writer.EndSegment(); err != nil {
				tb.Fatalf("EndSegment: %v", err)
			}
		}
		if !stop(segment) {
			continue
		}
		position, err := w.Position()
		if err != nil {
			tb.Fatalf("Position: %v", err)
		}
		w.Abort()
		if w, err = Continue(dir, s.tables, to-from, meta, options, position); err != nil {
			tb.Fatalf("Continue: %v", err)
		}
	}
	if err := w.Close(); err != nil {
		tb.Fatalf("Close: %v", err)
	}
}

// fatal is what *testing.T and *rapid.T have in common.
type fatal interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// openAll opens datasets.
func openAll(tb fatal, dirs ...string) []*Dataset {
	tb.Helper()
	var all []*Dataset
	for _, dir := range dirs {
		d, err := Open(dir)
		if err != nil {
			tb.Fatalf("%v", err)
		}
		all = append(all, d)
	}
	return all
}

// Whatever the tables, rows, ends of episodes and options, and however the blocks are divided, slices are merged into
// the bytes of the whole dataset; also if their writers stopped and continued.
func TestMergeMakesTheWholeDataset(outer *testing.T) {
	rapid.Check(outer, func(t *rapid.T) {
		s := drawScript(t)
		for segment := range s.rows { // some without rows, and blocks that have fallen silent
			if rapid.IntRange(0, 3).Draw(t, "silent") == 0 {
				s.rows[segment] = make([][]scriptRow, s.blocks)
			}
		}
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "ends"), 1))
		ended := make([][][]Key, s.segments)
		for segment := range ended {
			ended[segment] = make([][]Key, s.blocks)
			for b := range ended[segment] {
				for range random.IntN(1 + random.IntN(5)) {
					ended[segment][b] = append(ended[segment][b], Key{N: random.Int64N(3), OffsetNS: random.Int64N(2),
						World: random.Int32N(2)})
				}
			}
		}
		dir := tempDir(t)
		defer os.RemoveAll(dir)
		whole, merged := filepath.Join(dir, "whole"), filepath.Join(dir, "merged")
		s.slice(t, whole, ended, nil, 0, s.blocks, func(int) bool { return false })
		var slices []string
		for from := 0; from < s.blocks; {
			to := from + rapid.IntRange(1, s.blocks-from).Draw(t, "blocks of a slice")
			slices = append(slices, filepath.Join(dir, fmt.Sprintf("slice%d", from)))
			s.slice(t, slices[len(slices)-1], ended, &Slice{from}, from, to, func(int) bool { return random.IntN(4) == 0 })
			from = to
		}
		if err := Merge(context.Background(), merged, openAll(t, slices...), s.options, nil); err != nil {
			t.Fatalf("Merge: %v", err)
		}
		if !maps.Equal(polytest.Files(outer, whole), polytest.Files(outer, merged)) {
			t.Errorf("the merged dataset has other bytes")
		}
	})
}

// mergeExample writes two slices of the example's run, of a block each, and the whole.
func mergeExample(t *testing.T, segments int64, options Options) (slices []string, whole string) {
	t.Helper()
	write := func(slice *Slice, blocks ...int) string {
		dir := filepath.Join(t.TempDir(), "data")
		options.Slice = slice
		w := polytest.Must(Create(dir, oneColumn, len(blocks), format.Metadata{}, options))(t)
		for n := range segments {
			for i, b := range blocks {
				for k := range int64(10) {
					w.BlockWriter(i).Begin(0, Key{N: 10*n + k, World: int32(b)}).Float(0, float64(100*n+10*int64(b)+k))
				}
				w.BlockWriter(i).EndEpisode(Key{N: 10*n + 4, World: int32(b)})
				polytest.NoError(t, w.BlockWriter(i).EndSegment())
			}
		}
		polytest.NoError(t, w.Close())
		return dir
	}
	return []string{write(&Slice{0}, 0), write(&Slice{1}, 1)}, write(nil, 0, 1)
}

func TestMergeRefuses(t *testing.T) {
	slices, whole := mergeExample(t, 3, Options{BatchRows: 8, Sync: SyncNever})
	other, _ := mergeExample(t, 3, Options{BatchRows: 8, Sync: SyncNever})
	text := polytest.Must(os.ReadFile(filepath.Join(other[1], format.DocumentFile)))(t)
	foreign := Dataset{dir: "elsewhere", document: append(text, ' '), Tables: oneColumn}
	recovered := *openAll(t, slices[1])[0]
	recovered.Recovery = &format.Recovery{}
	a, b, all := openAll(t, slices[0])[0], openAll(t, slices[1])[0], openAll(t, whole)[0]
	for want, slices := range map[string][]*Dataset{
		"are datasets of different runs":                    {a, &foreign},
		"dataset is not a whole slice of a run: it was":     {a, &recovered},
		"of a run: its journal has no parts":                {a, all},
		"its journal has block 0 after block 1":             {b, a},
		slices[0] + ": its journal has block 0 after block": {b, a},
	} {
		err := Merge(t.Context(), filepath.Join(t.TempDir(), "merged"), slices, Options{}, nil)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	polytest.ErrorIs(t, Merge(t.Context(), whole, []*Dataset{a, b}, Options{}, nil), ErrExists)
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Merge(cancelled, filepath.Join(t.TempDir(), "merged"), []*Dataset{a, b}, Options{}, nil); !errors.Is(err,
		context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// Each changed byte of a slice is an error, or changes nothing.
func TestMergeOfDamagedSlices(t *testing.T) {
	slices, whole := mergeExample(t, 2, Options{BatchRows: 8, Sync: SyncNever})
	for name, text := range polytest.Files(t, slices[1]) {
		data := []byte(text)
		stride := max(1, len(data)/150)
		for place := 0; place < len(data); place += stride {
			changed := []byte(text)
			changed[place] ^= 1 << (place % 8)
			path := filepath.Join(slices[1], name)
			polytest.NoError(t, os.WriteFile(path, changed, 0o666))
			merged := filepath.Join(t.TempDir(), "merged")
			d, err := Open(slices[1])
			if err == nil {
				err = Merge(t.Context(), merged, append(openAll(t, slices[0]), d), Options{BatchRows: 8, Sync: SyncNever}, nil)
			}
			if err == nil {
				polytest.SameFiles(t, "merged", polytest.Files(t, merged), polytest.Files(t, whole))
			} else if _, err := Open(merged); err == nil {
				t.Errorf("byte %d of %s: the merge failed, and its dataset is finished", place, name)
			}
			polytest.NoError(t, os.WriteFile(path, data, 0o666))
		}
	}
}

// On a full disk a merge is one error, and nothing that looks finished.
func TestMergeOnAFullDisk(t *testing.T) {
	slices, _ := mergeExample(t, 40, Options{BatchRows: 8, Sync: SyncNever})
	for left := int64(0); ; left += 1500 {
		dir := filepath.Join(t.TempDir(), "merged")
		full := &disktest.FS{Fail: disktest.Space(left)}
		err := mergeOn(t.Context(), full, dir, openAll(t, slices...), Options{BatchRows: 8, ShardBytes: 3000}, nil)
		if err == nil && left > 20_000 {
			return
		}
		if !errors.Is(err, syscall.ENOSPC) {
			t.Fatalf("%d bytes: %v, want no space left on device", left, err)
		}
		if _, err := Open(dir); err == nil {
			t.Errorf("%d bytes: the dataset is finished", left)
		}
	}
}

// A merge holds a batch of each slice and not the dataset.
func TestMergeMemoryIsBounded(t *testing.T) {
	const rows, width = 64, 1000
	tables := []format.Table{{Name: "capture", Columns: []format.Column{{Name: "x", Kind: format.Float64, Len: width}}}}
	segments, most := int64(40), uint64(0)
	var slices []string
	for b := range 4 {
		dir := filepath.Join(t.TempDir(), "data")
		w, err := Create(dir, tables, 1, format.Metadata{}, Options{BatchRows: rows, Sync: SyncNever, Slice: &Slice{b}})
		polytest.NoError(t, err)
		for n := range segments * rows {
			w.BlockWriter(0).Begin(0, Key{N: n}).Floats(0, make([]float64, width))
			if (n+1)%rows == 0 {
				polytest.NoError(t, w.BlockWriter(0).EndSegment())
			}
		}
		polytest.NoError(t, w.Close())
		slices = append(slices, dir)
	}
	datasets := openAll(t, slices...)
	var before, now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	err := Merge(t.Context(), filepath.Join(t.TempDir(), "merged"), datasets, Options{BatchRows: rows, Sync: SyncNever},
		func(done, total int64) {
			if done%(rows*8) == 0 {
				runtime.GC()
				runtime.ReadMemStats(&now)
				most = max(most, now.HeapAlloc-min(before.HeapAlloc, now.HeapAlloc))
			}
			polytest.Equal(t, total, 4*segments*rows, "rows in all")
		})
	polytest.NoError(t, err)
	batch := uint64(rows * width * 8)
	if all := 4 * uint64(segments) * batch; most == 0 || most > 4*4*batch {
		t.Errorf("%d bytes in memory, want at most 4 batches of each of 4 slices, %d; the dataset has %d", most, 4*4*batch,
			all)
	}
}
