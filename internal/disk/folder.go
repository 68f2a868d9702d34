package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// ErrFolder is wrapped by the error of [NewFolder] for a path that it refuses.
var ErrFolder = errors.New("want a new or an empty folder")

// CheckFolder returns an error, which wraps [ErrFolder], unless out is not there or an empty folder.
func CheckFolder(out string) error {
	entries, err := os.ReadDir(out)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.Is(err, syscall.ENOTDIR):
		return FolderError(out, "is a file or in one")
	case err != nil:
		return FolderError(out, "cannot be read: "+err.Error())
	case len(entries) > 0:
		return FolderError(out, "is not empty")
	}
	return nil
}

// FolderError returns an error about the output folder out, which wraps [ErrFolder]. The reason is a predicate.
func FolderError(out, reason string) error {
	return fmt.Errorf("output folder: %s %s, %w", out, reason, ErrFolder)
}

// NewFolder makes the folder out, which must not be there or be empty, by a call of build on a folder beside it,
// .NAME.partial, which it renames at the end. After an error it removes that folder, as it removes what a killed
// process left there, both as far as own says that it is ours: it fails where something else is in the way, and leaves it.
// When it returns nil the folder is on the disk: a power cut leaves all of it or, before, nothing.
func NewFolder(fsys FS, out string, own Owner, build func(partial string) error) (err error) {
	if err := CheckFolder(out); err != nil {
		return err
	}
	if out, err = filepath.Abs(out); err != nil {
		return err
	}
	partial, lock, err := LockPartial(fsys, out, own)
	if err != nil {
		return err
	}
	defer lock.Release()
	defer func() {
		if err != nil {
			err = errors.Join(err, discard(fsys, partial, own))
		}
	}()
	if err := build(partial); err != nil {
		return err
	}
	if err := fsys.SyncAll(partial); err != nil {
		return err
	}
	if err := fsys.Remove(out); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := fsys.Rename(partial, out); err != nil {
		return err
	}
	if err := SyncName(fsys, out); err != nil {
		return errors.Join(err, discard(fsys, out, own))
	}
	return nil
}

// discard removes what is ours in a folder that could not be finished, and names what somebody else has put there.
func discard(fsys FS, folder string, own Owner) error {
	foreign, err := RemoveKnown(fsys, folder, own) // where it is gone, the caller has seen its name changed
	if len(foreign) > 0 {
		err = errors.Join(err, ForeignError(foreign))
	}
	return err
}

// LockPartial makes the folder partial in which [NewFolder] builds the folder out, and takes the lock on it. It first
// removes a folder that nobody has locked: a killed process left it. It fails where own does not know all that is in it.
func LockPartial(fsys FS, out string, own Owner) (partial string, lock *Lock, err error) {
	parent, name := filepath.Split(out)
	partial = filepath.Join(parent, "."+name+".partial")
	if err := fsys.MkdirAll(filepath.Dir(out)); err != nil {
		return "", nil, fmt.Errorf("output folder: %w", err)
	}
	lock, err = lockNew(fsys, partial)
	if errors.Is(err, fs.ErrExist) {
		if err = removeLeft(fsys, partial, own); err == nil {
			lock, err = lockNew(fsys, partial)
		}
	}
	switch {
	case errors.Is(err, ErrForeign):
		return "", nil, err
	case errors.Is(err, fs.ErrExist), errors.Is(err, ErrLocked):
		return "", nil, fmt.Errorf("%s is there: another process is writing it", partial)
	case err != nil:
		return "", nil, fmt.Errorf("output folder: %w", nameError(err, partial, out))
	}
	return partial, lock, nil
}

// lockNew makes a folder and locks it. It fails with fs.ErrExist if there is one.
func lockNew(fsys FS, dir string) (*Lock, error) {
	if err := fsys.Mkdir(dir); err != nil {
		return nil, err
	}
	lock, err := TryLock(dir)
	if err != nil {
		return nil, errors.Join(err, fsys.Remove(dir))
	}
	// Before it was locked, another process may have taken it for what a killed one left.
	same, err := lock.Holds(dir)
	if err == nil && !same {
		err = fs.ErrExist
	}
	if err != nil {
		lock.Release()
		return nil, err
	}
	return lock, nil
}

// removeLeft removes the folder of a process that was killed. It fails if a process holds the lock.
func removeLeft(fsys FS, dir string, own Owner) error {
	lock, err := TryLock(dir)
	if err != nil {
		return err
	}
	defer lock.Release()
	return RemoveOurs(fsys, dir, own)
}
