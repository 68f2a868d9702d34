//go:build unix

package disk

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// openNoLink opens a file for writing, and makes it if there is none. It fails with [ErrLink] for a link.
func openNoLink(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|syscall.O_NOFOLLOW, 0o666)
	if errors.Is(err, syscall.ELOOP) {
		return nil, &fs.PathError{Op: "open", Path: path, Err: ErrLink}
	}
	return f, err
}
