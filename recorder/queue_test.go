package recorder

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
	"github.com/polyrhythm-rl/polyrhythm/recorder/internal/folder"
)

// The bytes do not depend on how many processors there are to compress on.
func TestCompression(t *testing.T) {
	sizes := map[Compression]int64{}
	batch := 30_000
	if testing.Short() {
		batch = 3_000
	}
	for _, compression := range []Compression{Plain, LZ4, Zstd} {
		var first map[string]string
		for _, processors := range []int{1, 2, 5} {
			before := runtime.GOMAXPROCS(processors)
			dir := t.TempDir()
			recordExample(t, dir, batch+batch/3, Options{BatchRows: batch, Sync: SyncNever, Compression: compression})
			runtime.GOMAXPROCS(before)
			if first == nil {
				first = polytest.Files(t, dir)
			}
			polytest.SameFiles(t, "processors", polytest.Files(t, dir), first)
			d, err := Open(dir)
			polytest.NoError(t, err)
			sizes[compression], err = d.Bytes("capture")
			polytest.NoError(t, err)
		}
	}
	if sizes[LZ4] >= sizes[Plain] || sizes[Zstd] >= sizes[Plain] {
		t.Errorf("sizes %v: compression makes nothing smaller", sizes)
	}
}

// The rows of a batch that does not fill are written after a number of segments, counted from its oldest row.
func TestFlushSegments(t *testing.T) {
	dir := t.TempDir()
	w := polytest.Must(Create(dir, oneColumn, 2, format.Metadata{}, Options{BatchRows: 5, FlushSegments: 3}))(t)
	// Rows by segment: the first batch waits from 1 to 3, the second fills in 4, the third waits from 4 to 6.
	for segment, rows := range []int{0, 1, 0, 1, 7, 0, 0, 0, 1} {
		for n := range rows {
			w.BlockWriter(n%2).Begin(0, Key{N: int64(10*segment + n)}).Float(0, 1)
		}
		for block := range 2 {
			polytest.NoError(t, w.BlockWriter(block).EndSegment())
		}
	}
	polytest.NoError(t, w.Close())
	var got []int64
	for _, e := range journalOf(t, dir) {
		if e.Kind == folder.Batch {
			got = append(got, e.Rows)
		}
	}
	if want := []int64{2, 5, 2, 1}; !slices.Equal(got, want) {
		t.Errorf("batches of %v rows, want %v", got, want)
	}
}

func journalOf(t *testing.T, dir string) []folder.JournalEntry {
	t.Helper()
	data := polytest.Must(os.ReadFile(filepath.Join(dir, folder.JournalFile)))(t)
	journal := polytest.Must(folder.ParseJournal(data))(t)
	return journal.Entries
}

// Lines of the journal count each closed episode once, not before its last row is in, and at the latest with the first
// batch whose last row comes after it.
func TestJournalCountsEpisodes(t *testing.T) {
	type item struct {
		key   Key
		order int // segment and block
		ended bool
	}
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 0))
		dir := t.TempDir()
		w := polytest.Must(Create(dir, oneColumn, 2, format.Metadata{}, Options{BatchRows: 1 + random.IntN(6),
			FlushSegments: random.IntN(3), Sync: SyncNever}))(t)
		var all []item
		total := int64(0)
		for order := range 2 * 6 {
			blockWriter := w.BlockWriter(order % 2)
			for range random.IntN(10) {
				i := item{Key{N: random.Int64N(4), OffsetNS: random.Int64N(2), World: random.Int32N(2)}, order, random.IntN(3) == 0}
				if all = append(all, i); i.ended {
					blockWriter.EndEpisode(i.key)
					total++
				} else {
					blockWriter.Begin(0, i.key).Float(0, 0)
				}
			}
			polytest.NoError(t, blockWriter.EndSegment())
		}
		polytest.NoError(t, w.Close())
		// In the order of the rows; an episode that ends where a row stands ends after it.
		slices.SortStableFunc(all, func(a, b item) int {
			return cmp.Or(cmp.Compare(a.order, b.order), a.key.Compare(b.key),
				cmp.Compare(fmt.Sprint(a.ended), fmt.Sprint(b.ended)))
		})
		rows, counted := int64(0), int64(0)
		for _, e := range journalOf(t, dir) {
			rows, counted = rows+e.Rows, counted+e.Episodes
			if e.Kind != folder.Batch {
				continue
			}
			least, most, seen := int64(0), int64(0), int64(0)
			for _, i := range all {
				switch {
				case !i.ended:
					seen++
				case seen < rows:
					least++
					fallthrough
				case seen == rows:
					most++
				}
			}
			if counted < least || counted > most {
				t.Fatalf("seed %d: %d episodes counted after %d rows, want %d to %d", seed, counted, rows, least, most)
			}
		}
		if counted != total {
			t.Errorf("seed %d: %d episodes counted in all, want %d", seed, counted, total)
		}
	}
}

// However many blocks there are, a disk at a standstill stops the goroutine that would stage more than may wait, and
// the memory of segments that have been written is used again.
func TestSegmentsShareTheirMemory(t *testing.T) { synctest.Test(t, segmentsShareTheirMemory) }

func segmentsShareTheirMemory(t *testing.T) {
	const blocks, rows = 64, 100
	one := int64(rows * (format.NewLayout(&oneColumn[0]).Stride + keyBytes))
	open := make(chan struct{})
	w := polytest.Must(CreateOn(gate(open), t.TempDir(), oneColumn, blocks, format.Metadata{},
		Options{BatchRows: 64, StagedBytes: 4 * one, Sync: SyncNever}))(t)
	var ended atomic.Int64
	done := make(chan struct{})
	go func() {
		defer close(done)
		for segment := range 20 {
			for b := range blocks {
				for n := range rows {
					w.BlockWriter(b).Begin(0, Key{N: int64(segment*rows + n)}).Float(0, 1)
				}
				if err := w.BlockWriter(b).EndSegment(); err != nil {
					t.Error(err)
				}
				ended.Add(1)
			}
		}
	}()
	synctest.Wait() // until nothing goes on
	if n := ended.Load(); n == 0 || n > 4 {
		t.Errorf("%d segments handed over with the disk at a standstill, want 1 to 4", n)
	}
	close(open)
	<-done
	polytest.NoError(t, w.Close())
	if n := len(w.queue.free); n > 8 {
		t.Errorf("%d segments were made, want the few that were needed at once", n)
	}
	polytest.Equal(t, w.queue.stagedBytes, 0, "bytes are still counted as waiting")
}

// While the writer is at work and more waits than may, handOver waits too; it does not where the writer waits itself.
func TestQueueWaits(t *testing.T) { synctest.Test(t, queueWaits) }

func queueWaits(t *testing.T) {
	for name, let := range map[string]func(q *queue){
		"written":  func(q *queue) { q.removeOldest(0) },
		"awaiting": func(q *queue) { go q.oldest(1) },
		"closed":   func(q *queue) { q.close(true) },
	} {
		q := newQueue(1, 2, 100)
		seg := q.get()
		seg.tables[0].extend(format.NewLayout(&oneColumn[0]), Key{})
		seg.tables[0].data = slices.Grow(seg.tables[0].data, 200)
		done := make(chan struct{})
		go func() {
			q.handOver(seg, 0)
			close(done)
		}()
		q.oldest(0)
		synctest.Wait() // until nothing goes on
		select {
		case <-done:
			t.Errorf("%s: it did not wait", name)
		default:
		}
		let(q)
		<-done
		q.close(true)
	}
}
