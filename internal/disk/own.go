package disk

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// Owner says whether an entry of a folder, or one further down, is ours, by its name from the folder and its contents:
// whether this program wrote it. What is in a folder that is not ours is not asked for. An error of an entry that is ours
// says what is damaged, else why it cannot be read.
type Owner = func(folder, name string, entry fs.DirEntry) (ours bool, err error)

// Judge is an [Owner] of a single file.
type Judge func(path string, entry fs.DirEntry) (ours bool, err error)

// OrBlank also takes a file for ours that begins with so many zeros, or has zeros alone, which is damaged: where the power was
// cut, the disk may have the size of a file and not all that was written to it.
func OrBlank(judge Judge, zeros int) Judge {
	return func(path string, entry fs.DirEntry) (bool, error) {
		ours, err := judge(path, entry)
		if ours || err != nil {
			return ours, err
		}
		begin, err := firstBytes(path, entry, zeros)
		if len(begin) == 0 || len(bytes.Trim(begin, "\x00")) > 0 {
			return false, err
		}
		return true, fmt.Errorf("%s %w: it begins with zeros", path, ErrDamaged)
	}
}

// Files is the owner of a folder that has files alone, all of a kind.
func Files(judge Judge) Owner {
	return func(folder, name string, entry fs.DirEntry) (bool, error) {
		return judge(filepath.Join(folder, name), entry)
	}
}

// Holding is what a folder holds. Paths begin with that of the folder.
type Holding struct {
	Ours    []string // files and links of ours, damaged ones too
	Foreign []string // files, and folders as a whole
	Unclear []error  // what is damaged, or cannot be read. The latter counts as foreign
	Folders []string // of ours, the outermost first: the one that was looked at
	Bytes   int64    // of the files of ours
}

// Hold looks at all that is in a folder. It follows no link. The error is one of the folder itself.
func Hold(folder string, own Owner) (*Holding, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	h := &Holding{Folders: []string{folder}}
	h.add(folder, "", entries, own)
	return h, nil
}

// add looks at the entries of the folder that has a name from the one that is looked at, "" for that itself.
func (h *Holding) add(folder, name string, entries []fs.DirEntry, own Owner) {
	for _, e := range entries {
		name := filepath.Join(name, e.Name())
		path := filepath.Join(folder, name)
		ours, err := own(folder, name, e)
		var below []fs.DirEntry
		if ours && err == nil && e.IsDir() {
			below, err = os.ReadDir(path)
			ours = err == nil
		}
		if errors.Is(err, fs.ErrNotExist) { // removed meanwhile
			continue
		}
		if err != nil {
			h.Unclear = append(h.Unclear, err)
		}
		switch {
		case !ours:
			h.Foreign = append(h.Foreign, path)
		case e.IsDir():
			h.Folders = append(h.Folders, path)
			h.add(folder, name, below, own)
		default:
			h.Ours = append(h.Ours, path)
			if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
				h.Bytes += info.Size()
			}
		}
	}
}

// Remove removes what is ours, and the folders that are empty then.
func (h *Holding) Remove(fsys FS) error {
	return errors.Join(RemoveFiles(fsys, h.Ours), h.RemoveFolders(fsys, false))
}

// RemoveFiles removes the files at these paths, as far as they are there.
func RemoveFiles(fsys FS, paths []string) (err error) {
	for _, path := range paths {
		if removed := fsys.Remove(path); !errors.Is(removed, fs.ErrNotExist) {
			err = errors.Join(err, removed)
		}
	}
	return err
}

// RemoveFolders removes the folders of ours that are empty, the outermost only if it is not to be kept.
func (h *Holding) RemoveFolders(fsys FS, keep bool) (err error) {
	for i, path := range slices.Backward(h.Folders) {
		if i == 0 && keep {
			break
		}
		removed := fsys.Remove(path)
		if errors.Is(removed, syscall.ENOTEMPTY) || errors.Is(removed, syscall.EEXIST) || errors.Is(removed, fs.ErrNotExist) {
			continue // something foreign is in it
		}
		err = errors.Join(err, removed)
	}
	return err
}

// RemoveOurs removes what is ours in a folder, and the folder if it is empty then. Where there is none it does nothing. It
// fails, and removes nothing, if the folder holds something else.
func RemoveOurs(fsys FS, folder string, own Owner) error {
	h, err := Hold(folder, own)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case len(h.Foreign) > 0:
		return ForeignError(h.Foreign)
	default:
		return h.Remove(fsys)
	}
}

// RemoveKnown removes what is ours in a folder, and the folder if it is empty then. Where there is none it does nothing. It
// returns what else is in the folder, which stays.
func RemoveKnown(fsys FS, folder string, own Owner) (foreign []string, err error) {
	h, err := Hold(folder, own)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return h.Foreign, h.Remove(fsys)
}

// ErrForeign is wrapped by the error about files that this program did not write, in a place that it is to empty.
var ErrForeign = errors.New("want it elsewhere")

// ForeignError returns an error about these files, of which there is one at least. It wraps [ErrForeign].
func ForeignError(paths []string) error {
	more := ""
	if n := len(paths) - 1; n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	return fmt.Errorf("%s%s: not written by this program, which does not remove it, %w", paths[0], more, ErrForeign)
}

// PNG begins the files of that format.
const PNG = "\x89PNG\r\n\x1a\n"

// longestJSON is more than any file of ours in JSON has.
const longestJSON = 1 << 30

// ErrDamaged is wrapped by the error about a file of ours that is damaged.
var ErrDamaged = errors.New("is damaged")

// BeginsWith judges a file by its first bytes: those of one of ours are all of one magic, or less where the process was
// killed that wrote it. What is no regular file is not ours. It has [OrBlank], as the others have that look at contents.
func BeginsWith(magics ...string) Judge {
	longest := 0
	for _, magic := range magics {
		longest = max(longest, len(magic))
	}
	return OrBlank(func(path string, entry fs.DirEntry) (bool, error) {
		begin, err := firstBytes(path, entry, longest)
		begins := func(magic string) bool { return strings.HasPrefix(magic, string(begin[:min(len(begin), len(magic))])) }
		return err == nil && begin != nil && slices.ContainsFunc(magics, begins), err
	}, max(longest, 1))
}

// Contains judges a file by a text that is somewhere in its first bytes, or that it is empty.
func Contains(text string, first int) Judge {
	return OrBlank(func(path string, entry fs.DirEntry) (bool, error) {
		begin, err := firstBytes(path, entry, first)
		return err == nil && begin != nil && (len(begin) == 0 || bytes.Contains(begin, []byte(text))), err
	}, len(text))
}

// HasKeys judges a file of JSON that was written at once: one of ours is an object with these keys. One that begins like
// ours and is not whole is damaged.
func HasKeys(keys ...string) Judge {
	return OrBlank(func(path string, entry fs.DirEntry) (bool, error) {
		begin, err := firstBytes(path, entry, 1<<12)
		if err != nil || begin == nil {
			return false, err
		}
		data, err := ReadFile(path, longestJSON)
		if err != nil {
			return false, err
		}
		var object map[string]json.RawMessage
		if json.Unmarshal(data, &object) != nil {
			names := func(key string) bool { return bytes.Contains(begin, []byte(`"`+key+`"`)) }
			if len(data) == 0 || begin[0] == '{' && slices.ContainsFunc(keys, names) {
				return true, fmt.Errorf("%s %w", path, ErrDamaged)
			}
			return false, nil
		}
		lacks := func(key string) bool { return object[key] == nil }
		return !slices.ContainsFunc(keys, lacks), nil
	}, 16)
}

// Any takes every regular file for ours, whatever is in it.
func Any(_ string, entry fs.DirEntry) (bool, error) { return entry.Type().IsRegular(), nil }

// LeadsTo judges a symbolic link by the name that it leads to.
func LeadsTo(isOurs func(target string) bool) Judge {
	return func(path string, entry fs.DirEntry) (bool, error) {
		if entry.Type()&fs.ModeSymlink == 0 {
			return false, nil
		}
		target, err := os.Readlink(path)
		return err == nil && isOurs(target), err
	}
}

// firstBytes returns up to n bytes of a regular file, not nil; nil for anything else.
func firstBytes(path string, entry fs.DirEntry, n int) (begin []byte, err error) {
	if !entry.Type().IsRegular() {
		return nil, nil
	}
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	begin = make([]byte, n)
	n, err = io.ReadFull(f, begin)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return begin[:n], err
}
