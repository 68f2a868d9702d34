package disk

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// ReadJSON reads the JSON of the file at path into dst.
func ReadJSON(path string, dst any) error {
	data, err := ReadFile(path, MaxText)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, dst); err != nil {
		return fmt.Errorf("%s is damaged: %w", path, err)
	}
	return nil
}

// RemoveFile removes the file at path, if there is one.
func RemoveFile(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
