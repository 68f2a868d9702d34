package disk

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// SyncAll implements [FS], by one call for the whole file system: a folder may have thousands of files.
func (OS) SyncAll(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	err = unix.Syncfs(int(d.Fd()))
	if err != nil {
		err = &os.PathError{Op: "syncfs", Path: path, Err: err}
	}
	return errors.Join(err, d.Close())
}
