//go:build unix

package disk

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"github.com/polyrhythm-rl/polyrhythm/internal/container"
)

// openNoLink opens a file for writing, and makes it if there is none. It fails with [ErrLink] for a link, and
// for what is no file.
func openNoLink(path string) (*os.File, error) {
	f, err := container.Open(path, os.O_WRONLY|os.O_CREATE|syscall.O_NOFOLLOW)
	if errors.Is(err, syscall.ELOOP) {
		return nil, &fs.PathError{Op: "open", Path: path, Err: ErrLink}
	}
	return f, err
}
