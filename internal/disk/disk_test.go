package disk

import (
	"io/fs"
	"path/filepath"
	"slices"
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
