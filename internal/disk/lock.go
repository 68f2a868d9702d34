package disk

import (
	"errors"
	"os"
	"syscall"

	"github.com/gofrs/flock"
)

// ErrLocked is returned by [TryLock] where another process holds the lock.
var ErrLocked = errors.New("locked by another process")

// Lock is a held lock. The operating system also releases it when the process ends.
type Lock struct{ file *flock.Flock }

// TryLock takes the lock on a file or folder, which must exist. It writes nothing, and does not wait for the writer of
// a pipe. On a file system without locks it succeeds without taking a lock.
func TryLock(path string) (*Lock, error) {
	file := flock.New(path, flock.SetFlag(os.O_RDONLY|syscall.O_NONBLOCK))
	ok, err := file.TryLock()
	switch {
	case errors.Is(err, syscall.ENOLCK), errors.Is(err, syscall.ENOTSUP), errors.Is(err, syscall.ENOSYS):
		return &Lock{file}, nil
	case err != nil:
		return nil, err
	case !ok:
		return nil, ErrLocked
	}
	return &Lock{file}, nil
}

// Holds reports whether path still names the file or folder that was locked.
func (l *Lock) Holds(path string) (bool, error) {
	locked, err := l.file.Stat()
	if err != nil {
		return false, err
	}
	found, err := os.Stat(path)
	return err == nil && os.SameFile(locked, found), err
}

// Release releases the lock. Further calls do nothing, and neither do calls on a nil lock.
func (l *Lock) Release() {
	if l != nil {
		l.file.Close()
	}
}
