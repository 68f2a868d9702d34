// Package disk changes files safely: it creates them without following links, replaces them atomically and locks
// folders.
//
// All changes go through an [FS], so that a test can make any of them fail.
package disk

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Advice returns what to do about an error, to follow its text: for a full disk, else nothing.
func Advice(err error) string {
	if errors.Is(err, syscall.ENOSPC) {
		return "; make room there, then resume it or do the same again"
	}
	return ""
}

// Missing is an error about a file or folder that is not there, whose text says what is wanted. It is fs.ErrNotExist, and
// an *fs.PathError.
type Missing struct{ Path, Text string }

func (m *Missing) Error() string { return m.Text }

// Unwrap returns the error of an attempt to open the file.
func (m *Missing) Unwrap() error {
	return &fs.PathError{Op: "open", Path: m.Path, Err: syscall.ENOENT}
}

// File is a file opened for writing.
type File interface {
	io.Writer
	Sync() error
	Close() error
}

// FS changes files. Programs use [OS]. None of its methods follows a symbolic link in the last element of a path.
type FS interface {
	// Create makes a new file and fails with fs.ErrExist if there is something at the path.
	Create(path string) (File, error)
	// Append opens a file for writing at its end, after cutting it to a length, or makes an empty one. It fails with
	// [ErrLink] for a link.
	Append(path string, length int64) (File, error)
	Rename(from, to string) error
	// Symlink makes a symbolic link at path.
	Symlink(target, path string) error
	Remove(path string) error
	// RemoveAll removes a folder and everything in it. It returns nil if there is none.
	RemoveAll(path string) error
	// Mkdir makes a folder and fails with fs.ErrExist if there is something at the path.
	Mkdir(path string) error
	// MkdirAll makes a folder and its missing parents. It returns nil if the folder exists.
	MkdirAll(path string) error
	// SyncDir forces the names in a folder to the disk, so that they survive a crash of the machine.
	SyncDir(path string) error
	// SyncAll forces a folder and everything in it to the disk, and perhaps more of the same disk.
	SyncAll(path string) error
}

// Part is what [Replace] and [ReplaceLink] add to the name of a file that is not finished.
const Part = ".part"

// ErrLink is wrapped by the error for a path that is a symbolic link.
var ErrLink = errors.New("is a symbolic link")

// OS is the file system of the machine.
type OS struct{}

// Create implements [FS].
func (OS) Create(path string) (File, error) {
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
}

// Append implements [FS].
func (OS) Append(path string, length int64) (File, error) {
	f, err := openNoLink(path)
	if err != nil {
		return nil, err
	}
	if err = f.Truncate(length); err == nil {
		_, err = f.Seek(length, io.SeekStart)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// Rename implements [FS].
func (OS) Rename(from, to string) error { return os.Rename(from, to) }

// Symlink implements [FS].
func (OS) Symlink(target, path string) error { return os.Symlink(target, path) }

// Remove implements [FS].
func (OS) Remove(path string) error { return os.Remove(path) }

// RemoveAll implements [FS].
func (OS) RemoveAll(path string) error { return os.RemoveAll(path) }

// Mkdir implements [FS].
func (OS) Mkdir(path string) error { return os.Mkdir(path, 0o777) }

// MkdirAll implements [FS]. It refuses a URI, which would become a folder such as s3: of this machine.
func (OS) MkdirAll(path string) error {
	if scheme, _, found := strings.Cut(path+"/", ":/"); found && !strings.ContainsAny(scheme, "/.") {
		return fmt.Errorf("%s is in %s:, want a path of this machine: mount what is elsewhere, or copy it",
			path, scheme)
	}
	return os.MkdirAll(path, 0o777)
}

// SyncDir implements [FS].
func (OS) SyncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	if err := d.Sync(); err != nil {
		d.Close()
		return err
	}
	return d.Close()
}

// SyncName forces the name of a file or folder to the disk. Where its folder may be written to but not read, so that it
// cannot be forced alone, everything on that disk is (see SyncAll).
func SyncName(fsys FS, path string) error {
	err := fsys.SyncDir(filepath.Dir(filepath.Clean(path)))
	if errors.Is(err, fs.ErrPermission) {
		return fsys.SyncAll(path)
	}
	return err
}

// byteOrderMark begins the CSV files of some spreadsheets.
const byteOrderMark = "\ufeff"

// Unmarked returns a reader of the same text without a byte order mark.
func Unmarked(r io.Reader) io.Reader {
	text := bufio.NewReader(r)
	if mark, _ := text.Peek(len(byteOrderMark)); string(mark) == byteOrderMark {
		text.Discard(len(byteOrderMark))
	}
	return text
}

// WriteFile creates a file with the given contents and, if sync is set, forces them to the disk. It fails with
// fs.ErrExist if there is something at the path.
func WriteFile(fsys FS, path string, data []byte, sync bool) error {
	return writeNew(fsys, path, sync, Bytes(data))
}

func writeNew(fsys FS, path string, sync bool, write func(io.Writer) error) error {
	f, err := fsys.Create(path)
	if err != nil {
		return err
	}
	err = write(f)
	if err == nil && sync {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// Replace writes a file under the name path.part and renames it to path, so that readers see either the old contents
// or the new ones. It first removes a path.part that a killed process may have left, and removes its own after an
// error. A link at path is replaced, not followed.
func Replace(fsys FS, path string, sync bool, write func(io.Writer) error) error {
	next, err := clearPart(fsys, path)
	if err == nil {
		err = writeNew(fsys, next, sync, write)
	}
	return finishPart(fsys, next, path, err)
}

// ReplaceLink is [Replace] for a symbolic link.
func ReplaceLink(fsys FS, target, path string) error {
	next, err := clearPart(fsys, path)
	if err == nil {
		err = fsys.Symlink(target, next)
	}
	return finishPart(fsys, next, path, err)
}

// clearPart returns the name under which path is written, after removing the file of that name.
func clearPart(fsys FS, path string) (next string, err error) {
	next = path + Part
	err = fsys.Remove(next)
	if errors.Is(err, fs.ErrNotExist) {
		return next, nil
	}
	var failed *fs.PathError
	if errors.As(err, &failed) { // nobody asked to remove anything, as on a read-only disk
		err = &fs.PathError{Op: "write", Path: path, Err: failed.Err}
	}
	return next, err
}

// finishPart renames next to path or, if err is not nil or the rename fails, removes it and returns the error.
func finishPart(fsys FS, next, path string, err error) error {
	if err == nil {
		err = fsys.Rename(next, path)
	}
	if err != nil {
		fsys.Remove(next)
	}
	return nameError(err, next, path)
}

// nameError returns err and, if it is about the file or folder hidden, which nobody but the program knows, with the
// path that somebody asked for.
func nameError(err error, hidden, path string) error {
	if failed, ok := err.(*fs.PathError); ok && failed.Path == hidden {
		return &fs.PathError{Op: failed.Op, Path: path, Err: failed.Err}
	}
	return err
}

// Bytes returns a function for [Replace] that writes data.
func Bytes(data []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}
}

// JSON returns a function for [Replace] that writes v as indented JSON.
func JSON(v any) func(io.Writer) error {
	return func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(v)
	}
}
