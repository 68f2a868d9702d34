package export

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
)

// ErrFolder is wrapped by the error of [Export] for an output folder that it refuses.
var ErrFolder = errors.New("want a folder that is not there or empty")

func checkEmpty(out string) error {
	entries, err := os.ReadDir(out)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("%s: %w: %w", out, ErrFolder, err)
	case len(entries) > 0:
		return fmt.Errorf("%s is not empty: %w", out, ErrFolder)
	}
	return nil
}

// makePartial makes the folder of an export and takes the lock on it, which the export holds until it ends. It first removes a
// folder that nobody has locked: a killed export left it.
func makePartial(fsys disk.FS, partial string) (*disk.Lock, error) {
	if err := fsys.MkdirAll(filepath.Dir(partial)); err != nil {
		return nil, fmt.Errorf("output folder: %w", err)
	}
	lock, err := lockNew(fsys, partial)
	if errors.Is(err, fs.ErrExist) {
		if err = removeLeft(fsys, partial); err == nil {
			lock, err = lockNew(fsys, partial)
		}
	}
	switch {
	case errors.Is(err, fs.ErrExist), errors.Is(err, disk.ErrLocked):
		return nil, fmt.Errorf("%s is there: another export is writing it", partial)
	case err != nil:
		return nil, fmt.Errorf("output folder: %w", err)
	}
	return lock, nil
}

// lockNew makes a folder and locks it. It fails with fs.ErrExist if there is one.
func lockNew(fsys disk.FS, dir string) (*disk.Lock, error) {
	if err := fsys.Mkdir(dir); err != nil {
		return nil, err
	}
	lock, err := disk.TryLock(dir)
	if err != nil {
		return nil, err
	}
	// Before it was locked, another export may have taken it for what a killed one left.
	mine, err := lock.Is(dir)
	if err == nil && !mine {
		err = fs.ErrExist
	}
	if err != nil {
		lock.Release()
		return nil, err
	}
	return lock, nil
}

// removeLeft removes the folder of an export that was killed. It fails if an export holds the lock.
func removeLeft(fsys disk.FS, dir string) error {
	lock, err := disk.TryLock(dir)
	if err != nil {
		return err
	}
	defer lock.Release()
	return fsys.RemoveAll(dir)
}
