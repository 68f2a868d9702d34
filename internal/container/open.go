package container

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// Open is os.OpenFile for a file that has bytes of its own, as all of ours have. It does not wait, and refuses a folder, a
// pipe, a socket or a device, also behind a link. Package disk opens by it.
func Open(path string, flag int) (*os.File, error) {
	f, err := os.OpenFile(path, flag|syscall.O_NONBLOCK, 0o666)
	if err != nil {
		return nil, err
	}
	if err := checkRegular(f); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// checkRegular returns an error unless a file has bytes of its own.
func checkRegular(f *os.File) error {
	info, err := f.Stat()
	if err != nil || info.Mode().IsRegular() {
		return err
	}
	if info.IsDir() {
		return &fs.PathError{Op: "read", Path: f.Name(), Err: fmt.Errorf("%w, want a file", syscall.EISDIR)}
	}
	kind := "a device"
	switch {
	case info.Mode()&fs.ModeNamedPipe != 0:
		kind = "a pipe"
	case info.Mode()&fs.ModeSocket != 0:
		kind = "a socket"
	}
	return &fs.PathError{Op: "open", Path: f.Name(), Err: fmt.Errorf("it is %s, want a file", kind)}
}
