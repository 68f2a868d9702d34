// Package disktest provides file systems that fail, for tests of code that changes files.
package disktest

import (
	"errors"
	"sync"
	"syscall"

	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
)

// FS is a file system in which every operation can be made to fail. Operations are numbered from 0 in the order in
// which they happen: each call of a method of [disk.FS], and of Write, Sync and Close of a file, is one. The zero
// value never fails. Any goroutine may use it.
type FS struct {
	disk.OS
	// Fail returns the error of an operation, or nil. An operation that fails has no effect, except that a write that
	// fails with a [Partial] error has written that many bytes. Fail is called with a lock held.
	Fail func(op Op) error

	mu    sync.Mutex
	count int
}

// Op is one operation.
type Op struct {
	Number int
	Name   string // create, append, write, sync, close, rename, symlink, remove, removeall, mkdir, syncdir, syncall
	Path   string
	Bytes  int // number of bytes of a write
}

// Partial is the error of a write that writes some bytes before it fails.
type Partial struct {
	Bytes int
	Err   error
}

// Error implements error.
func (p Partial) Error() string { return p.Err.Error() }

// Unwrap returns the cause.
func (p Partial) Unwrap() error { return p.Err }

// ErrKilled is the error of an operation that happens after a kill.
var ErrKilled = errors.New("killed")

// Count returns the number of operations so far.
func (f *FS) Count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.count
}

func (f *FS) op(name, path string, bytes int) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	op := Op{f.count, name, path, bytes}
	f.count++
	if f.Fail == nil {
		return nil
	}
	return f.Fail(op)
}

// Space returns a function for [FS.Fail]: a disk with left bytes of free space.
func Space(free int64) func(Op) error {
	return func(op Op) error {
		if op.Name != "write" {
			return nil
		}
		if free -= int64(op.Bytes); free < 0 {
			room := free + int64(op.Bytes)
			free = 0
			return Partial{int(room), syscall.ENOSPC}
		}
		return nil
	}
}

// Kill returns a function for [FS.Fail]: a process that is killed in operation n. If that is a write, half of it is
// done. All later operations fail.
func Kill(n int) func(Op) error {
	return func(op Op) error {
		switch {
		case op.Number < n:
			return nil
		case op.Number == n && op.Name == "write":
			return Partial{op.Bytes / 2, ErrKilled}
		}
		return ErrKilled
	}
}

// Once returns a function for [FS.Fail]: operation n fails with err.
func Once(n int, err error) func(Op) error {
	return func(op Op) error {
		if op.Number == n {
			return err
		}
		return nil
	}
}

// apply is an operation that change makes, unless it fails.
func (f *FS) apply(name, path string, change func() error) error {
	if err := f.op(name, path, 0); err != nil {
		return err
	}
	return change()
}

// open is apply for what opens a file.
func (f *FS) open(name, path string, open func() (disk.File, error)) (opened disk.File, err error) {
	err = f.apply(name, path, func() error {
		target, err := open()
		opened = &file{f, target, path}
		return err
	})
	if err != nil {
		return nil, err
	}
	return opened, nil
}

// Create implements [disk.FS].
func (f *FS) Create(path string) (disk.File, error) {
	return f.open("create", path, func() (disk.File, error) { return f.OS.Create(path) })
}

// Append implements [disk.FS].
func (f *FS) Append(path string, length int64) (disk.File, error) {
	return f.open("append", path, func() (disk.File, error) { return f.OS.Append(path, length) })
}

// Rename implements [disk.FS].
func (f *FS) Rename(from, to string) error {
	return f.apply("rename", from, func() error { return f.OS.Rename(from, to) })
}

// Symlink implements [disk.FS].
func (f *FS) Symlink(target, path string) error {
	return f.apply("symlink", path, func() error { return f.OS.Symlink(target, path) })
}

// Remove implements [disk.FS].
func (f *FS) Remove(path string) error {
	return f.apply("remove", path, func() error { return f.OS.Remove(path) })
}

// RemoveAll implements [disk.FS].
func (f *FS) RemoveAll(path string) error {
	return f.apply("removeall", path, func() error { return f.OS.RemoveAll(path) })
}

// Mkdir implements [disk.FS].
func (f *FS) Mkdir(path string) error {
	return f.apply("mkdir", path, func() error { return f.OS.Mkdir(path) })
}

// MkdirAll implements [disk.FS].
func (f *FS) MkdirAll(path string) error {
	return f.apply("mkdir", path, func() error { return f.OS.MkdirAll(path) })
}

// SyncDir implements [disk.FS]. It forces nothing to the disk, which would be slow.
func (f *FS) SyncDir(path string) error {
	return f.op("syncdir", path, 0)
}

// SyncAll implements [disk.FS], likewise.
func (f *FS) SyncAll(path string) error {
	return f.op("syncall", path, 0)
}

type file struct {
	fs     *FS
	target disk.File
	path   string
}

func (f *file) Write(p []byte) (int, error) {
	err := f.fs.op("write", f.path, len(p))
	if err == nil {
		return f.target.Write(p)
	}
	n := 0
	if partial := (Partial{}); errors.As(err, &partial) {
		if n, _ = f.target.Write(p[:partial.Bytes]); n == len(p) {
			return n, nil
		}
	}
	return n, err
}

// Sync forces nothing to the disk, which would be slow.
func (f *file) Sync() error { return f.fs.op("sync", f.path, 0) }

// Close closes the file even if it returns an error, so that tests leave no file open.
func (f *file) Close() error {
	err := f.fs.op("close", f.path, 0)
	return errors.Join(err, f.target.Close())
}
