package export

import (
	"crypto/sha256"
	"errors"
	"hash"
	"io"
	"path/filepath"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/ipc"

	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
	"github.com/polyrhythm-rl/polyrhythm/recorder/internal/folder"
)

// writeHuggingFace writes a folder that datasets.load_from_disk reads as a DatasetDict: a split per table, named as the
// table, whose files are Arrow IPC streams. Schemas and their metadata are the dataset's.
func (j *job) writeHuggingFace() error {
	splits := []string{}
	for _, t := range j.tables {
		splits = append(splits, t.Name)
	}
	if err := j.writeJSON("dataset_dict.json", map[string]any{"splits": splits}); err != nil {
		return err
	}
	return j.writeTables(func(t *format.Table, l *format.Layout) (tableWriter, error) {
		schema, err := j.d.Schema(t.Name)
		if err != nil {
			return nil, err
		}
		w := &arrowTable{job: j, name: t.Name, layout: l, schema: schema, hash: sha256.New()}
		return w, w.open() // at least one shard
	})
}

// shardBytes is the size at which a stream is ended and a new one begun.
const shardBytes = 512 << 20

type arrowTable struct {
	job    *job
	name   string
	layout *format.Layout
	schema *arrow.Schema
	hash   hash.Hash // hash of the bytes of the streams

	file   *file
	writer *ipc.Writer
	shards int
}

func (w *arrowTable) open() (err error) {
	w.file, err = w.job.open(w.name, folder.PartName(w.shards))
	if err != nil {
		return err
	}
	w.shards++
	w.writer = ipc.NewWriter(io.MultiWriter(w.file, w.hash), ipc.WithSchema(w.schema))
	return nil
}

func (w *arrowTable) write(rows []byte) error {
	if w.file.size >= shardBytes {
		if err := w.closeShard(); err != nil {
			return err
		}
		if err := w.open(); err != nil {
			return err
		}
	}
	record := w.layout.Record(w.schema, rows)
	defer record.Release()
	return w.writer.Write(record)
}

func (w *arrowTable) closeShard() error { return errors.Join(w.writer.Close(), w.file.Close()) }

// close gives the shards their names and writes the files that load_from_disk needs.
func (w *arrowTable) close() error {
	if err := w.closeShard(); err != nil {
		return err
	}
	for i := range w.shards {
		part, shard := folder.PartName(i), folder.ShardName(i, w.shards)
		if err := w.job.fsys.Rename(filepath.Join(w.job.dir, w.name, part),
			filepath.Join(w.job.dir, w.name, shard)); err != nil {
			return err
		}
	}
	if err := w.job.writeJSON(filepath.Join(w.name, folder.InfoFile), map[string]any{}); err != nil {
		return err
	}
	state := folder.NewState(w.shards, w.hash.Sum(nil))
	state.Split = &w.name
	return w.job.writeJSON(filepath.Join(w.name, folder.StateFile), state)
}
