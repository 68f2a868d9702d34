// Package atomicfile writes files that are there whole or not at all.
package atomicfile

import (
	"encoding/json"
	"errors"
	"io"
	"os"
)

// Write makes the file at path of what write writes. The file appears, or replaces the
// one that was there, when all is written; after an error there is nothing new.
func Write(path string, write func(io.Writer) error) error {
	next := path + ".next"
	f, err := os.Create(next)
	if err != nil {
		return err
	}
	err = errors.Join(write(f), f.Close())
	if err == nil {
		err = os.Rename(next, path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(next))
	}
	return nil
}

// WriteJSON makes the file at path of v, as indented JSON.
func WriteJSON(path string, v any) error {
	return Write(path, func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(v)
	})
}
