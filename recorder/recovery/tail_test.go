package recovery

import (
	"bytes"
	"errors"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/recorder/internal/folder"
)

// wantRefused checks that a recovery refuses a dataset and changes nothing, and that it obeys when it is told to cut.
func (d *damaged) wantRefused(t *testing.T, what string) {
	t.Helper()
	before := polytest.Files(t, d.dir)
	if r, err := Recover(d.dir, Options{NoSync: true}); !errors.Is(err, ErrDamaged) {
		t.Errorf("%s: recovered with %+v, %v, want ErrDamaged", what, r, err)
	}
	polytest.SameFiles(t, what+": changed", polytest.Files(t, d.dir), before)
	if _, err := Recover(d.dir, Options{NoSync: true, Cut: true}); err == nil {
		d.isBeginning(t, polytest.Must(readAll(d.dir))(t), "cut", what, 0)
	}
	d.restore(t)
}

// entriesOf returns the entries of a table's journal.
func (d *damaged) entriesOf(t *testing.T, i int) []folder.JournalEntry {
	t.Helper()
	text := polytest.Must(os.ReadFile(filepath.Join(folder.Dir(d.dir, keyedTables, i), folder.JournalFile)))(t)
	return polytest.Must(folder.ParseJournal(text))(t).Entries
}

// No kill exchanges the journals of two tables.
func TestRecoverWithAnothersJournal(t *testing.T) {
	d := newDamaged(t, 26_000)
	for i := range keyedTables {
		for j := range keyedTables {
			if i == j {
				continue
			}
			other := polytest.Must(os.ReadFile(filepath.Join(folder.Dir(d.dir, keyedTables, j), folder.JournalFile)))(t)
			polytest.NoError(t, os.WriteFile(filepath.Join(folder.Dir(d.dir, keyedTables, i), folder.JournalFile), other, 0o666))
			d.wantRefused(t, keyedTables[i].Name+" with the journal of "+keyedTables[j].Name)
		}
	}
}

// No kill inserts bytes before the last message that the journal acknowledges, or removes some: of the rows after that
// place none is given up, and those of other tables are not either.
func TestRecoverWithMovedBytesLong(t *testing.T) {
	d := newDamaged(t, 26_000)
	random := rand.New(rand.NewPCG(3, 4))
	cases, _ := polytest.Cases(t, 1, 1, 40)
	tried := 0
	for i, table := range keyedTables {
		streams := polytest.Must(folder.Streams(folder.Dir(d.dir, keyedTables, i)))(t)
		last := map[int]int64{} // by stream: where its last message begins
		for _, e := range d.entriesOf(t, i) {
			last[e.Shard] = e.Offset
		}
		for _, shard := range slices.Sorted(maps.Keys(last)) {
			name := polytest.Must(filepath.Rel(d.dir, streams[shard]))(t)
			data := []byte(d.files[name])
			for _, size := range []int{1, 8, 64, 512, 4096} {
				for range cases {
					place := random.IntN(int(last[shard]) + 1)
					for _, fill := range []byte{0, 0xff, 7} {
						d.write(t, name, slices.Concat(data[:place], bytes.Repeat([]byte{fill}, size), data[place:]))
						d.wantRefused(t, table.Name+" with bytes that were inserted")
						tried++
					}
					if place+size <= int(last[shard]) {
						d.write(t, name, slices.Delete(slices.Clone(data), place, place+size))
						d.wantRefused(t, table.Name+" with bytes that were removed")
						tried++
					}
				}
			}
		}
	}
	if tried < 50 {
		t.Errorf("%d cases, want some more", tried)
	}
}

// What a power cut takes of the end of a stream is given up, and said: the end of the file, or zeros in its place.
func TestRecoverWithoutTheEnd(t *testing.T) {
	d := newDamaged(t, 26_000)
	for i, table := range keyedTables {
		entries := d.entriesOf(t, i)
		last := entries[len(entries)-1]
		name := polytest.Must(filepath.Rel(d.dir, polytest.Must(folder.Streams(folder.Dir(d.dir, keyedTables, i)))(t)[last.Shard]))(t)
		data := []byte(d.files[name])
		for from := last.Offset; from < last.End(); from += max(1, last.Length/7) {
			zeros := slices.Clone(data)
			clear(zeros[from/sector*sector:])
			for what, left := range map[string][]byte{"cut": data[:from], "zeros": zeros} {
				if what == "zeros" && from/sector*sector < last.Offset {
					continue
				}
				d.write(t, name, left)
				r, err := Recover(d.dir, Options{NoSync: true})
				if err != nil || r.Tables[i].Rows != r.Tables[i].Acknowledged-last.Rows || last.Rows > 0 && r.Tables[i].Damage == "" {
					t.Errorf("%s, %s from %d of %d to %d: %+v, %v", table.Name, what, from, last.Offset, last.End(), r, err)
				}
				d.restore(t)
			}
		}
	}
}
