package recovery

import (
	"errors"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/internal/tests/rowtest"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
	"github.com/polyrhythm-rl/polyrhythm/recorder/internal/folder"
)

// damaged is a copy of a dataset whose files are damaged one after the other.
type damaged struct {
	dir   string
	files map[string]string // as they are when whole
	names []string          // of them, in order
	whole map[string][][]any
}

// newDamaged makes a small dataset: finished or, with a number of bytes that may be written, killed.
func newDamaged(t *testing.T, left int64) *damaged {
	t.Helper()
	d := &damaged{dir: t.TempDir()}
	const steps = 14
	undisturbed := t.TempDir()
	recordSlice(undisturbed, steps, disk.OS{}, nil)
	d.whole = polytest.Must(readAll(undisturbed))(t)
	if left > 0 {
		recordSlice(d.dir, steps, space(left), nil)
	} else {
		recordSlice(d.dir, steps, disk.OS{}, nil)
	}
	d.keep(t)
	return d
}

// keep takes the files as they are for whole.
func (d *damaged) keep(t *testing.T) {
	t.Helper()
	d.files = polytest.Files(t, d.dir)
	d.names = slices.Sorted(maps.Keys(d.files))
}

// restore makes every file whole again.
func (d *damaged) restore(t *testing.T) {
	t.Helper()
	now := polytest.Files(t, d.dir)
	for name := range now {
		if _, ok := d.files[name]; !ok {
			polytest.NoError(t, os.Remove(filepath.Join(d.dir, name)))
		}
	}
	for name, data := range d.files {
		if got, ok := now[name]; !ok || got != data {
			d.write(t, name, []byte(data))
		}
	}
}

func (d *damaged) write(t *testing.T, name string, data []byte) {
	t.Helper()
	polytest.NoError(t, os.WriteFile(filepath.Join(d.dir, name), data, 0o666))
}

// flips damages one random bit of any file, each file as likely as another, and calls f: n times, four times
// as many if slow tests are wanted, a fourth with -short.
func (d *damaged) flips(t *testing.T, n int, f func(name string, place int)) {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	n, _ = polytest.Cases(t, (n+3)/4, n, 4*n)
	for range n {
		name := d.names[random.IntN(len(d.names))]
		data := []byte(d.files[name])
		if len(data) == 0 {
			continue
		}
		place := random.IntN(8 * len(data))
		data[place/8] ^= 1 << (place % 8)
		d.write(t, name, data)
		f(name, place)
	}
}

// cuts cuts each file in some places, among them the first and the last 50, and calls f.
func (d *damaged) cuts(t *testing.T, f func(name string, place int)) {
	t.Helper()
	for _, name := range d.names {
		data := []byte(d.files[name])
		for place := 0; place < len(data); place++ {
			if place > 50 && place < len(data)-50 && place%stride(t, 389) != 0 {
				continue
			}
			d.write(t, name, data[:place])
			f(name, place)
		}
		d.write(t, name, data)
	}
}

// isBeginning reports rows that are not the first ones of what was recorded.
func (d *damaged) isBeginning(t *testing.T, rows map[string][][]any, what, name string, place int) {
	t.Helper()
	for table, got := range rows {
		if want := d.whole[table]; len(got) > len(want) || !rowtest.Equal(got, want[:len(got)]) {
			t.Fatalf("%s %s at %d: wrong rows in table %s", name, what, place, table)
		}
	}
}

// Wherever a file of a finished dataset is cut, and whatever bit is flipped: the reader says so, and the rows that it
// gave before are the right ones.
func TestDamageIsSeenLong(t *testing.T) {
	t.Run("closed", func(t *testing.T) { damageIsSeen(t, newDamaged(t, 0), 250) })
	t.Run("recovered", func(t *testing.T) {
		d := newDamaged(t, 26_000)
		if _, err := Recover(d.dir, Options{NoSync: true}); err != nil {
			t.Fatal(err)
		}
		d.keep(t)
		damageIsSeen(t, d, 75)
	})
	for name, compression := range map[string]recorder.Compression{"lz4": recorder.LZ4, "zstd": recorder.Zstd} {
		t.Run(name, func(t *testing.T) {
			d := &damaged{dir: t.TempDir()}
			w := polytest.Must(recorder.Create(d.dir, keyedTables, 2, format.Metadata{},
				recorder.Options{ShardBytes: 9000, Sync: recorder.SyncNever, Compression: compression}))(t)
			for n := range int64(14) {
				playKeyed(w, n)
			}
			polytest.NoError(t, w.Close())
			d.whole = polytest.Must(readAll(d.dir))(t)
			d.keep(t)
			damageIsSeen(t, d, 75)
		})
	}
}

func damageIsSeen(t *testing.T, d *damaged, flips int) {
	check := func(what string) func(string, int) {
		return func(name string, place int) {
			rows, err := readAll(d.dir)
			if err == nil || strings.Contains(err.Error(), "panic") {
				t.Fatalf("%s %s at %d: error %v, want one about damage", name, what, place, err)
			}
			d.isBeginning(t, rows, what, name, place)
			d.write(t, name, []byte(d.files[name]))
		}
	}
	d.flips(t, flips, check("with a flipped bit"))
	d.cuts(t, check("cut"))
	for _, name := range d.names {
		d.write(t, name, []byte(d.files[name]+"\x00"))
		check("with a byte more")(name, len(d.files[name]))
		polytest.NoError(t, os.Remove(filepath.Join(d.dir, name)))
		check("gone")(name, 0)
	}
	if _, err := readAll(d.dir); err != nil {
		t.Errorf("whole again: %v", err)
	}
}

// A finished dataset with damage among its rows is not recovered by itself, and nothing of it is touched. What can be
// written again without loss, is.
func TestRecoverOfADamagedDatasetLong(t *testing.T) {
	d := newDamaged(t, 0)
	check := func(what string) func(string, int) {
		return func(name string, place int) {
			before := polytest.Files(t, d.dir)
			r, err := Recover(d.dir, Options{NoSync: true})
			_, opened := readAll(d.dir)
			switch base := filepath.Base(name); {
			case err != nil:
				polytest.SameFiles(t, "changed", polytest.Files(t, d.dir), before)
			case base != folder.StateFile && base != folder.InfoFile:
				t.Fatalf("%s %s at %d: recovered without an error: %+v", name, what, place, r)
			case opened != nil:
				t.Fatalf("%s %s at %d: recovered, and still: %v", name, what, place, opened)
			case r != nil:
				t.Fatalf("%s %s at %d: rows were said to be recovered: %+v", name, what, place, r)
			}
			d.restore(t)
		}
	}
	d.flips(t, 75, check("with a flipped bit"))

	// Told to, it gives up what comes after the damage, and says so.
	cut := func(name string, place int) {
		r, err := Recover(d.dir, Options{Cut: true, NoSync: true})
		if err == nil {
			rows := polytest.Must(readAll(d.dir))(t)
			d.isBeginning(t, rows, "cut off after damage", name, place)
			short := false
			for table, want := range d.whole {
				short = short || len(rows[table]) < len(want)
			}
			hasDamage := r != nil && slices.ContainsFunc(r.Tables, func(t format.RecoveredTable) bool {
				return t.Damage != ""
			})
			if short && !hasDamage {
				t.Fatalf("%s damaged at %d: rows are missing, and it was not said: %+v", name, place, r)
			}
		}
		d.restore(t)
	}
	d.flips(t, 75, cut)
}

// What a kill left may be damaged, too: wherever a file is cut and whatever bit is flipped, a recovery keeps a
// beginning of the rows and says what is missing, or refuses and changes nothing.
func TestRecoverOfADamagedUnfinishedDatasetLong(t *testing.T) {
	d := newDamaged(t, 26_000)
	if _, err := recorder.Open(d.dir); !errors.Is(err, recorder.ErrUnfinished) {
		t.Fatalf("Open returned %v, want recorder.ErrUnfinished", err)
	}
	rows := map[string]int64{}
	for i, table := range keyedTables {
		rows[table.Name] = acknowledgedRows(t, folder.Dir(d.dir, keyedTables, i))
	}
	check := func(what string) func(string, int) {
		return func(name string, place int) {
			before := polytest.Files(t, d.dir)
			r, err := Recover(d.dir, Options{NoSync: true})
			if err != nil {
				polytest.SameFiles(t, "changed", polytest.Files(t, d.dir), before)
				d.restore(t)
				return
			}
			got := polytest.Must(readAll(d.dir))(t)
			d.isBeginning(t, got, what, name, place)
			for i, table := range keyedTables {
				lacks := rows[table.Name] - int64(len(got[table.Name]))
				said := r.Tables[i].Acknowledged - r.Tables[i].Rows
				// A last line of the journal that is gone as if it had never been written leaves bytes that are cut off.
				if lacks > 0 && said == 0 && r.Tables[i].Damage == "" && (r.Tables[i].Cut == 0 || lacks > int64(table.BatchRows)) {
					t.Fatalf("%s %s at %d: %d rows of %s are missing, and it was not said: %+v", name, what, place,
						lacks, table.Name, r)
				}
			}
			d.restore(t)
		}
	}
	d.flips(t, 100, check("with a flipped bit"))
	d.cuts(t, check("cut"))
}
