package recorder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// ErrWriting is wrapped by the error of [Recover] for a dataset that a live process is writing or recovering.
var ErrWriting = errors.New("dataset is being written by another process")

// lockDataset takes the lock that whoever changes a dataset holds: an flock on the first table's journal, which the system
// gives back when the process ends, however it ends. Where there is no journal yet, an empty one is made. Closing the file
// gives the lock back.
func lockDataset(dir string) (*os.File, error) {
	path := filepath.Join(dir, journalFile)
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		f, err = os.OpenFile(path, os.O_RDONLY|os.O_CREATE, 0o666)
	}
	if err != nil {
		return nil, fmt.Errorf("recorder: lock: %w", err)
	}
	switch err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); {
	case err == nil, errors.Is(err, syscall.ENOLCK), errors.Is(err, syscall.ENOTSUP), errors.Is(err, syscall.ENOSYS):
		return f, nil // a file system without locks guards nothing
	case errors.Is(err, syscall.EWOULDBLOCK):
		f.Close()
		return nil, fmt.Errorf("recorder: %s: %w", dir, ErrWriting)
	default:
		f.Close()
		return nil, fmt.Errorf("recorder: lock %s: %w", path, err)
	}
}
