//go:build !linux

package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// SyncAll implements [FS].
func (OS) SyncAll(path string) error {
	return filepath.WalkDir(path, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() && !entry.Type().IsRegular() {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		return errors.Join(f.Sync(), f.Close())
	})
}
