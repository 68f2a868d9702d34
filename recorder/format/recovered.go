package format

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"path/filepath"

	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
)

// RecoveryFile says what a recovery found. A dataset that was not recovered has none.
const RecoveryFile = "recovered.json"

// RecoveredNote is added to the description in a recovered table's dataset_info.json.
const RecoveredNote = "Recovered from a run that was killed: its last rows and episodes are missing, see " +
	RecoveryFile + "."

// Recovery says what a recovered dataset holds and what it lacks. recovered.json, beside polyrhythm.json, holds it.
type Recovery struct {
	Recovered bool             `json:"recovered"` // always true
	Tables    []RecoveredTable `json:"tables"`
	// Episodes is the number of episodes that are closed and have all their rows. All others of which any table has a
	// row are Incomplete, in order of their numbers.
	Episodes   int64               `json:"episodes"`
	Incomplete []IncompleteEpisode `json:"incomplete"`
	// CRC32C is the checksum of the file's text with "" in its place, so that a changed file is noticed.
	CRC32C string `json:"crc32c"`
}

// RecoveredTable says how far a table reaches. Tables are written independently; one may reach further than another.
type RecoveredTable struct {
	Table string `json:"table"`
	Rows  int64  `json:"rows"`
	// Acknowledged is the number of rows in lines of the journal. It exceeds Rows only after damage.
	Acknowledged int64 `json:"acknowledged_rows"`
	// Cut is the bytes that were cut off streams: the message that was being written or, after damage, all that
	// followed.
	Cut    int64    `json:"cut_bytes"`
	Damage string   `json:"damage,omitempty"` // why valid rows end here, if it was not the kill
	Last   *LastRow `json:"last,omitempty"`   // nil if there is none, or the table has no such columns
}

// LastRow is the key of a table's last row.
type LastRow struct {
	Episode int64 `json:"episode"`
	World   int64 `json:"world"`
	TimeNS  int64 `json:"t_ns"`
}

// IncompleteEpisode is an episode that lacks rows.
type IncompleteEpisode struct {
	Episode int64            `json:"episode"`
	World   int64            `json:"world"`
	Closed  bool             `json:"closed"` // it has a row in the table episodes
	Rows    map[string]int64 `json:"rows"`   // number of the episode's rows by table
	// number of the episode's rows that were recorded, by table, where Closed
	Want map[string]int64 `json:"want,omitempty"`
}

// Encode returns the text of recovered.json. It sets CRC32C.
func (r *Recovery) Encode() ([]byte, error) {
	r.CRC32C = ""
	text, err := JSON(r)
	if err != nil {
		return nil, err
	}
	r.CRC32C = fmt.Sprintf("%08x", crc32.Checksum(text, Castagnoli))
	return JSON(r)
}

// ParseRecovery accepts exactly what Encode makes.
func ParseRecovery(text []byte) (*Recovery, error) {
	r := &Recovery{}
	if err := parseStrictly(text, r); err != nil {
		return nil, err
	}
	checksum := r.CRC32C
	encoded, err := r.Encode()
	if err != nil {
		return nil, err
	}
	if r.CRC32C != checksum || !bytes.Equal(encoded, text) {
		return nil, fmt.Errorf("checksum %q does not match, want %q", checksum, r.CRC32C)
	}
	return r, nil
}

// ReadRecovery reads the recovered.json of a dataset's folder. It returns nil for a dataset that was not recovered.
func ReadRecovery(dir string) (*Recovery, error) {
	path := filepath.Join(dir, RecoveryFile)
	text, err := disk.ReadFile(path, disk.MaxText)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	r, err := ParseRecovery(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}
