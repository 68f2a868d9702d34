package recorder

import (
	"os"
	"path/filepath"

	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
	"github.com/polyrhythm-rl/polyrhythm/recorder/internal/folder"
)

// Unwritten reports whether a file in the folder of a dataset, or the folder of a table, is one that a killed process
// left before any row was safe: a recovery would find none. It does not follow a link.
func Unwritten(path string) bool {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return false
	case info.IsDir():
		entries, err := os.ReadDir(path)
		for _, e := range entries {
			if e.IsDir() || !Unwritten(filepath.Join(path, e.Name())) {
				return false
			}
		}
		return err == nil
	case !info.Mode().IsRegular():
		return false
	}
	switch name := filepath.Base(path); name {
	case format.DocumentFile:
		return true
	case folder.JournalFile:
		return info.Size() <= int64(len(folder.JournalHeader))
	default:
		shard, ok := folder.ParseName(name)
		return ok && name == folder.PartName(shard)
	}
}
