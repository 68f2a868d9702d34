package export

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"path/filepath"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/ipc"

	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
)

var _ = register("hf", "Hugging Face datasets: a DatasetDict with a split per table, for load_from_disk", (*job).writeHuggingFace)

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

// arrowTable writes one split.
type arrowTable struct {
	job    *job
	name   string
	layout *format.Layout
	schema *arrow.Schema
	hash   hash.Hash // of the streams' bytes

	file   *file
	writer *ipc.Writer
	shards int
}

func partName(shard int) string { return fmt.Sprintf("data-%05d.arrow.part", shard) }

func (w *arrowTable) open() (err error) {
	w.file, err = w.job.open(w.name, partName(w.shards))
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
	files := []map[string]string{}
	for i := range w.shards {
		name := fmt.Sprintf("data-%05d-of-%05d.arrow", i, w.shards)
		folder := filepath.Join(w.job.dir, w.name)
		if err := w.job.fsys.Rename(filepath.Join(folder, partName(i)), filepath.Join(folder, name)); err != nil {
			return err
		}
		files = append(files, map[string]string{"filename": name})
	}
	if err := w.job.writeJSON(filepath.Join(w.name, "dataset_info.json"), map[string]any{}); err != nil {
		return err
	}
	return w.job.writeJSON(filepath.Join(w.name, "state.json"), map[string]any{
		"_data_files":         files,
		"_fingerprint":        hex.EncodeToString(w.hash.Sum(nil)[:8]),
		"_format_columns":     nil,
		"_format_kwargs":      map[string]any{},
		"_format_type":        nil,
		"_output_all_columns": false,
		"_split":              w.name,
	})
}
