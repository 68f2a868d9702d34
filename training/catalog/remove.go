package catalog

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// Removal is a run that is to be removed.
type Removal struct {
	Run
	Frees int64    // bytes of what the run wrote
	Keeps []string // paths of what is in its folder and no run wrote, folders as a whole: they stay

	holds *disk.Holding
}

// NewRemoval looks at the run in a folder, whose files show that it is one. It removes nothing. It fails for a symbolic link,
// for a run that a process uses and, unless it is forced, for one of which something is damaged or cannot be read.
func NewRemoval(path string, force bool) (r Removal, err error) {
	clean := filepath.Clean(path) // after a slash a link would be followed
	if info, err := os.Lstat(clean); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		target, err := filepath.EvalSymlinks(clean)
		if err != nil {
			return r, err
		}
		return r, fmt.Errorf("%s is a symbolic link, want the run itself: %s", clean, target)
	}
	r.Run, err = Open(path)
	if err != nil && r.Problem == nil {
		return r, err
	}
	if r.State == Running {
		return r, fmt.Errorf("%s is running, want a run that has ended", path)
	}
	if r.holds, err = disk.Hold(path, rundir.Owns); err != nil {
		return r, err
	}
	r.Frees, r.Keeps = r.holds.Bytes, r.holds.Foreign
	problem := r.Problem
	if problem == nil && len(r.holds.Unclear) > 0 {
		problem = r.holds.Unclear[0]
	}
	if problem != nil && !force {
		return r, fmt.Errorf("%s: %w; --force removes it, but for what nothing shows to be of a run", path, problem)
	}
	return r, nil
}

// Remove removes what the run wrote, and its folder if nothing else is in it. It fails, and removes nothing, if a process
// uses the folder, or one of a run in it.
func (r *Removal) Remove() error {
	lock, err := disk.TryLock(r.Path)
	if errors.Is(err, disk.ErrLocked) {
		err = fmt.Errorf("%s is in use by a run, want one that has ended", r.Path)
	}
	if err != nil {
		return err
	}
	defer lock.Release()
	for _, folder := range r.holds.Folders[1:] {
		if disk.Locked(folder) {
			return fmt.Errorf("%s is in use by a run, want one that has ended", folder)
		}
	}
	return r.holds.Remove(disk.OS{})
}
