package folder

import (
	"errors"
	"fmt"
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

// MaxJournal is the most bytes of a journal that is read whole.
const MaxJournal = 1 << 30

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

// ErrTwoFiles is wrapped by the error of [Streams] for a stream that has two files.
var ErrTwoFiles = errors.New("want one of them")

// Streams returns the paths of the streams in a folder, finished or not, by number.
func Streams(dir string) (map[int]string, error) {
	files, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	streams := map[int]string{}
	for _, f := range files {
		number, ok := ParseName(f.Name())
		if !ok {
			continue // another program's file
		}
		if other := streams[number]; other != "" {
			return nil, fmt.Errorf("%s holds %s and %s, %w", dir, filepath.Base(other), f.Name(), ErrTwoFiles)
		}
		streams[number] = filepath.Join(dir, f.Name())
	}
	return streams, nil
}

// Dir returns the folder of table i of a dataset: that of the dataset for the first one, else one in it.
func Dir(dataset string, tables []format.Table, i int) string {
	if i == 0 {
		return dataset
	}
	return filepath.Join(dataset, tables[i].Name)
}

// ErrWriting is wrapped by the error of [Lock] for a dataset that another process is writing or recovering.
var ErrWriting = errors.New("dataset is being written by another process")

// Lock takes the lock that whoever changes a dataset holds, which is on polyrhythm.json.
func Lock(dataset string) (*disk.Lock, error) {
	lock, err := disk.TryLock(filepath.Join(dataset, format.DocumentFile))
	switch {
	case errors.Is(err, disk.ErrLocked):
		return nil, fmt.Errorf("%s: %w", dataset, ErrWriting)
	case err != nil:
		return nil, fmt.Errorf("lock: %w", err)
	}
	return lock, nil
}
