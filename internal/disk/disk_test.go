package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// unreadable is a file system with a folder that may not be read.
type unreadable struct {
	OS
	folder string
	synced []string // with everything on its disk
}

func (u *unreadable) SyncDir(path string) error {
	if path == u.folder {
		return &fs.PathError{Op: "open", Path: path, Err: fs.ErrPermission}
	}
	return u.OS.SyncDir(path)
}

func (u *unreadable) SyncAll(path string) error {
	u.synced = append(u.synced, path)
	return nil
}

// A name in a folder that may be written to but not read is forced to the disk, too.
func TestSyncNameInUnreadableFolder(t *testing.T) {
	folder := t.TempDir()
	polytest.NoError(t, SyncName(OS{}, filepath.Join(folder, "new")))
	u := &unreadable{folder: folder}
	polytest.NoError(t, SyncName(u, filepath.Join(folder, "new")+"/"))
	if want := []string{filepath.Join(folder, "new") + "/"}; !slices.Equal(u.synced, want) {
		t.Errorf("forced %q, want %q", u.synced, want)
	}
	polytest.ErrorContains(t, SyncName(OS{}, filepath.Join(folder, "nowhere", "new")), "no such file")
}

// unopened is a file system whose new folders cannot be opened.
type unopened struct{ OS }

func (unopened) Mkdir(path string) error { return os.Symlink(path, path) } // a loop, for whoever opens it

// What fails when it opens its folder leaves none.
func TestNewFolderThatCannotBeOpened(t *testing.T) {
	parent := t.TempDir()
	err := NewFolder(unopened{}, filepath.Join(parent, "out"), Files(Any), func(string) error { return nil })
	if !errors.Is(err, syscall.ELOOP) {
		t.Errorf("error %v, want that of the opening", err)
	}
	if entries := polytest.Must(os.ReadDir(parent))(t); len(entries) > 0 {
		t.Errorf("%v are left", entries)
	}
}

// A new folder takes the place of nothing that somebody else has put where it is made: neither at first, nor after an error.
func TestNewFolderLeavesForeignFiles(t *testing.T) {
	parent := t.TempDir()
	out, partial := filepath.Join(parent, "out"), filepath.Join(parent, ".out.partial")
	polytest.NoError(t, os.Mkdir(partial, 0o777))
	theirs := filepath.Join(partial, "thesis.tex")
	polytest.NoError(t, os.WriteFile(theirs, []byte("x"), 0o666))
	own := Files(BeginsWith("ours"))
	if err := NewFolder(OS{}, out, own, func(string) error { return nil }); !errors.Is(err, ErrForeign) ||
		!strings.Contains(err.Error(), theirs) {
		t.Errorf("error %v, want one about %s", err, theirs)
	}
	polytest.NoError(t, polytest.Err(os.Stat(theirs)))
	polytest.NoError(t, os.WriteFile(theirs, []byte("our"), 0o666)) // as far as a killed process came
	failed := errors.New("it fails")
	err := NewFolder(OS{}, out, own, func(partial string) error {
		return errors.Join(os.WriteFile(filepath.Join(partial, "a"), []byte("ours, and whole"), 0o666),
			os.WriteFile(theirs, []byte("theirs"), 0o666), failed)
	})
	if !errors.Is(err, failed) || !errors.Is(err, ErrForeign) {
		t.Errorf("error %v, want %v and one about %s", err, failed, theirs)
	}
	polytest.SameFiles(t, "left", polytest.Files(t, parent), map[string]string{".out.partial/thesis.tex": "theirs"})
}
