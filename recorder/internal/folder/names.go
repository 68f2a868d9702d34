package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
)

// Names of files in a table's folder.
const (
	JournalFile = "data.journal"
	InfoFile    = "dataset_info.json"
	StateFile   = "state.json"
)

// PartName returns the name of a stream while it is written.
func PartName(shard int) string { return fmt.Sprintf("data-%05d.arrow.part", shard) }

// ShardName returns the name of a finished stream, one of so many.
func ShardName(shard, shards int) string {
	return fmt.Sprintf("data-%05d-of-%05d.arrow", shard, shards)
}

// ParseName returns the number of the stream that has this name, finished or not.
func ParseName(name string) (shard int, ok bool) {
	shards := 0
	if _, err := fmt.Sscanf(name, "data-%05d", &shard); err != nil {
		return 0, false
	}
	if name == PartName(shard) {
		return shard, true
	}
	_, err := fmt.Sscanf(name, "data-%05d-of-%05d", &shard, &shards)
	return shard, err == nil && name == ShardName(shard, shards)
}

// Dir returns the folder of table i of a dataset. The dataset's folder is that of the first table; the others are in it.
func Dir(dataset string, tables []format.Table, i int) string {
	if i == 0 {
		return dataset
	}
	return filepath.Join(dataset, tables[i].Name)
}

// ErrWriting is wrapped by the error of [Lock] for a dataset that another process is writing or recovering.
var ErrWriting = errors.New("dataset is being written by another process")

// Lock takes the lock that whoever changes a dataset holds, which is on the first table's journal. If there is no journal it
// makes an empty one.
func Lock(fsys disk.FS, dataset string) (*disk.Lock, error) {
	path := filepath.Join(dataset, JournalFile)
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		f, err := fsys.Create(path)
		if err == nil {
			err = f.Close()
		}
		if err != nil {
			return nil, fmt.Errorf("lock: %w", err)
		}
	}
	lock, err := disk.TryLock(path)
	if errors.Is(err, disk.ErrLocked) {
		return nil, fmt.Errorf("%s: %w", dataset, ErrWriting)
	}
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	return lock, nil
}
