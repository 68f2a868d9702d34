//go:build !unix

package disk

import (
	"io/fs"
	"os"
)

// openNoLink opens a file for writing, and makes it if there is none. It fails with [ErrLink] for a link: the system
// does not say so while it opens a file, so the name is looked at before, and the file compared with it afterwards.
func openNoLink(path string) (*os.File, error) {
	if found, err := os.Lstat(path); err == nil && found.Mode()&fs.ModeSymlink != 0 {
		return nil, &fs.PathError{Op: "open", Path: path, Err: ErrLink}
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	opened, err := f.Stat()
	if err == nil {
		var named fs.FileInfo
		if named, err = os.Lstat(path); err == nil && !os.SameFile(opened, named) {
			err = &fs.PathError{Op: "open", Path: path, Err: ErrLink}
		}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
