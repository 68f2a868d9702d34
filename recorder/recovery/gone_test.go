package recovery

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/internal/tests/disktest"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
	"github.com/polyrhythm-rl/polyrhythm/recorder/internal/folder"
)

// A kill takes no file away. If a table's folder, journal or all of its files are gone, a recovery refuses and changes
// nothing; told to cut, it keeps the other tables and says of this one that rows may be lost.
func TestRecoverWhereFilesAreGone(t *testing.T) {
	for name, left := range map[string]int64{"killed": 26_000, "closed": 0} {
		for i, table := range keyedTables {
			for what, remove := range map[string]func(dir string) error{
				"journal": func(dir string) error { return os.Remove(filepath.Join(dir, folder.JournalFile)) },
				"folder":  removeTable,
				"contents of the journal": func(dir string) error {
					return os.Truncate(filepath.Join(dir, folder.JournalFile), 5)
				},
			} {
				d := newDamaged(t, left)
				polytest.NoError(t, remove(folder.Dir(d.dir, keyedTables, i)))
				before := polytest.Files(t, d.dir)
				_, err := Recover(d.dir, Options{NoSync: true})
				if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "nothing says how many rows there were") {
					t.Errorf("%s, %s of table %s gone: error %v, want damage of unknown extent", name, what, table.Name, err)
				}
				polytest.SameFiles(t, "changed", polytest.Files(t, d.dir), before)

				r, err := Recover(d.dir, Options{NoSync: true, Cut: true})
				if err != nil || r.Tables[i].Damage == "" || r.Tables[i].Rows != 0 {
					t.Errorf("%s, %s of table %s gone and cut: %+v, %v", name, what, table.Name, r, err)
				}
				rows := polytest.Must(readAll(d.dir))(t)
				for j := range keyedTables {
					if n := len(rows[keyedTables[j].Name]); j != i && (n == 0 || int64(n) != r.Tables[j].Rows) {
						t.Errorf("%s, %s of table %s gone and cut: %d rows of table %s, said to be %d", name, what, table.Name, n,
							keyedTables[j].Name, r.Tables[j].Rows)
					}
				}
			}
		}
	}
}

// A recovered dataset whose report is gone is not whole: the report is made again.
func TestRecoverWhereTheReportIsGone(t *testing.T) {
	d := newDamaged(t, 26_000)
	r, err := Recover(d.dir, Options{NoSync: true})
	if err != nil || len(r.Incomplete) == 0 {
		t.Fatalf("recovered: %+v, %v, want some incomplete episodes", r, err)
	}
	polytest.NoError(t, os.Remove(filepath.Join(d.dir, format.RecoveryFile)))
	again, err := Recover(d.dir, Options{NoSync: true})
	if err != nil || again == nil || !reflect.DeepEqual(again.Incomplete, r.Incomplete) {
		t.Errorf("recovered without the report: %+v, %v, want the incomplete episodes %+v", again, err, r.Incomplete)
	}
	if opened, err := recorder.Open(d.dir); err != nil || opened.Recovery == nil {
		t.Errorf("opened: %+v, %v, want a recovered dataset", opened, err)
	}
}

// A recovery writes through no symbolic link: it refuses, and changes neither the dataset nor what the link leads to.
func TestRecoverWritesThroughNoLink(t *testing.T) {
	for _, name := range []string{
		folder.JournalFile, folder.PartName(0), "sensors", "sensors/" + folder.JournalFile, "episodes/" + folder.PartName(0),
	} {
		d := newDamaged(t, 20_000)
		path, store := filepath.Join(d.dir, name), filepath.Join(t.TempDir(), "store")
		polytest.NoError(t, os.Rename(path, store))
		polytest.NoError(t, os.Symlink(store, path))
		dataset, kept := polytest.Files(t, d.dir), polytest.Files(t, filepath.Dir(store))
		for what, recover := range map[string]func() error{
			"Recover": func() error { _, err := Recover(d.dir, Options{NoSync: true, Cut: true}); return err },
			"Open":    func() error { _, _, err := Open(d.dir); return err },
		} {
			if err := recover(); !errors.Is(err, disk.ErrLink) || !strings.Contains(err.Error(), path) {
				t.Errorf("%s with the link %s: error %v, want ErrLink and its path", what, name, err)
			}
			polytest.SameFiles(t, "changed", polytest.Files(t, d.dir), dataset)
			polytest.SameFiles(t, "changed", polytest.Files(t, filepath.Dir(store)), kept)
		}
	}
}

// A dataset of links that is whole can be read.
func TestOpenThroughLinks(t *testing.T) {
	d := newDamaged(t, 0)
	path, store := filepath.Join(d.dir, folder.JournalFile), filepath.Join(t.TempDir(), "store")
	polytest.NoError(t, errors.Join(os.Rename(path, store), os.Symlink(store, path)))
	if _, _, err := Open(d.dir); err != nil {
		t.Error(err)
	}
	if r, err := Recover(d.dir, Options{}); r != nil || err != nil {
		t.Errorf("Recover returned %v, %v, want nothing to do", r, err)
	}
}

// Who may not write to a killed dataset is told that, and what would help.
func TestOpenOfAnotherUsersKilledDataset(t *testing.T) {
	d := newDamaged(t, 20_000)
	for _, cause := range []error{syscall.EACCES, syscall.EROFS} {
		readOnly := &disktest.FS{Fail: func(disktest.Op) error { return cause }}
		_, _, err := openOn(readOnly, d.dir)
		if !errors.Is(err, recorder.ErrUnfinished) || !errors.Is(err, cause) ||
			!strings.Contains(err.Error(), "this user cannot recover it") {
			t.Errorf("%v: error %v, want one that says so", cause, err)
		}
	}
}

// removeTable removes all files of a table, and its folder unless it is the dataset's.
func removeTable(dir string) error {
	if _, err := os.Stat(filepath.Join(dir, format.DocumentFile)); err != nil {
		return os.RemoveAll(dir)
	}
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		_, stream := folder.ParseName(e.Name())
		if stream || e.Name() == folder.JournalFile {
			err = errors.Join(err, os.Remove(filepath.Join(dir, e.Name())))
		}
	}
	return err
}
