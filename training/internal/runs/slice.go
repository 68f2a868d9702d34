package runs

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/sim/runlog"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// SliceRecord is the contents of [rundir.SliceFile].
type SliceRecord struct {
	Run      runlog.Header   `json:"run"` // From and To are the slice
	Recorded rundir.Recorded `json:"recorded"`
	Digest   string          `json:"digest"` // SHA-256 of the record as JSON with an empty one
}

// Signed returns the record with its digest.
func (r SliceRecord) Signed() SliceRecord {
	r.Digest = ""
	text, err := json.Marshal(r)
	if err != nil {
		panic(err) // cannot happen: plain data
	}
	r.Digest = sha256Of(text)
	return r
}

// ReadSlice reads the record of a slice, which is as it was written, byte for byte.
func ReadSlice(path string) (r SliceRecord, err error) {
	data, err := disk.ReadFile(path, disk.MaxText)
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(data, &r); err != nil {
		return r, fmt.Errorf("%s is damaged: %w", path, err)
	}
	var whole bytes.Buffer
	if err := disk.JSON(r.Signed())(&whole); err != nil || !bytes.Equal(data, whole.Bytes()) {
		return r, fmt.Errorf("%s is damaged: it has not the digest %q that it says", path, r.Digest)
	}
	return r, nil
}

// EpisodeCount returns how many of the first episodes of a run its slice has.
func EpisodeCount(slice sim.Slice, worlds int, episodes int64) int64 {
	if slice.IsAll() {
		return episodes
	}
	rest := int(episodes % int64(worlds)) // the worlds below it have one more
	return episodes/int64(worlds)*int64(slice.Len()) + int64(max(0, min(rest, slice.To)-slice.From))
}
