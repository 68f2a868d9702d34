package folder

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"path/filepath"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
)

// info is the part of Hugging Face's dataset_info.json that we fill. The features are in the streams' schema.
type info struct {
	Description string `json:"description"`
}

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

// Written is what state.json says of a journal. The lines need not be kept for it.
type Written struct {
	shards int
	lines  hash.Hash // of the lines, whose checksums cover every byte of the streams
}

// NewWritten returns what the first bytes of a journal amount to, which end with a line.
func NewWritten(j *Journal, length int) Written {
	w := Written{lines: sha256.New()}
	if length > len(JournalHeader) {
		w.lines.Write(j.text[len(JournalHeader):length])
	}
	for i := range j.Entries {
		if j.ends[i] <= length {
			w.shards = j.Entries[i].Shard + 1
		}
	}
	return w
}

// add adds the next entry and its line.
func (w *Written) add(e *Entry, line []byte) {
	w.shards = e.Shard + 1
	w.lines.Write(line)
}

// Files returns the contents of dataset_info.json and state.json for a table, by name, in the order in which they are written.
// r is nil unless the dataset was recovered.
func (w *Written) Files(t *format.Table, r *format.Recovery) ([]File, error) {
	description := t.Description
	if r != nil {
		description = strings.TrimSpace(description + " " + format.RecoveredNote)
	}
	infoText, err := format.JSON(info{description})
	if err != nil {
		return nil, err
	}
	stateText, err := format.JSON(NewState(w.shards, w.lines.Sum(nil)))
	return []File{{InfoFile, infoText}, {StateFile, stateText}}, err
}

// File is a file's name and contents.
type File struct {
	Name string
	Data []byte
}

// Publish gives the finished streams of a folder their names and writes the files that make it loadable.
func (w *Written) Publish(fsys disk.FS, dir string, t *format.Table, r *format.Recovery, sync bool) error {
	for i := range w.shards {
		if err := fsys.Rename(filepath.Join(dir, PartName(i)), filepath.Join(dir, ShardName(i, w.shards))); err != nil {
			return err
		}
	}
	files, err := w.Files(t, r)
	if err != nil {
		return err
	}
	for _, f := range files {
		if err := disk.Replace(fsys, filepath.Join(dir, f.Name), sync, disk.Bytes(f.Data)); err != nil {
			return err
		}
	}
	if !sync {
		return nil
	}
	return fsys.SyncDir(dir)
}
