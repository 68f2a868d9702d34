package folder

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
)

// State is Hugging Face's state.json. load_from_disk wants every key.
type State struct {
	DataFiles        []DataFile `json:"_data_files"`
	Fingerprint      string     `json:"_fingerprint"`
	FormatColumns    *[]string  `json:"_format_columns"`
	FormatKwargs     struct{}   `json:"_format_kwargs"`
	FormatType       *string    `json:"_format_type"`
	OutputAllColumns bool       `json:"_output_all_columns"`
	Split            *string    `json:"_split"`
}

// DataFile is the entry of a stream in state.json.
type DataFile struct {
	Filename string `json:"filename"`
}

// NewState returns the state.json of a folder with so many streams; sum is a checksum over their contents.
func NewState(shards int, sum []byte) State {
	state := State{Fingerprint: hex.EncodeToString(sum[:8])}
	for i := range shards {
		state.DataFiles = append(state.DataFiles, DataFile{ShardName(i, shards)})
	}
	return state
}

type file struct {
	name string
	data []byte
}

// describe returns the files that make a folder of so many finished streams loadable, in the order of writing. The
// checksums in the journal's text cover every byte of the streams. r is nil unless the dataset was recovered.
func describe(t *format.Table, r *format.Recovery, shards int, journal []byte) ([]file, error) {
	description := t.Description
	if r != nil {
		description = strings.TrimSpace(description + " " + format.RecoveredNote)
	}
	info, err := format.JSON(map[string]string{"description": description}) // the streams' schema has the features
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(journal[len(JournalHeader):])
	state, err := format.JSON(NewState(shards, sum[:]))
	return []file{{InfoFile, info}, {StateFile, state}}, err
}

// Publish names the streams of a finished folder and makes it loadable. r is nil unless the dataset was recovered.
func (w *TableWriter) Publish(r *format.Recovery) error {
	for i := range w.shards {
		part, shard := filepath.Join(w.dir, PartName(i)), filepath.Join(w.dir, ShardName(i, w.shards))
		if err := w.fsys.Rename(part, shard); err != nil {
			return err
		}
	}
	journal, err := disk.ReadFile(filepath.Join(w.dir, JournalFile), MaxJournal)
	if err != nil {
		return err
	}
	files, err := describe(w.table, r, w.shards, journal)
	if err != nil {
		return err
	}
	for _, f := range files {
		path := filepath.Join(w.dir, f.name)
		if err := disk.Replace(w.fsys, path, w.options.SyncFiles, disk.Bytes(f.data)); err != nil {
			return err
		}
	}
	if !w.options.SyncFiles {
		return nil
	}
	return w.fsys.SyncDir(w.dir)
}
