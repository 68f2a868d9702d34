package sim

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/internal/container"
)

// In the file of a snapshot, fits has the lines on which the runs agree, and worlds the record of each world, in
// order, after its length (uint64); for a run with Config.Probes, observed has those, in lines, and samples has
// theirs likewise.
var snapshotKind = container.Format{Name: "snapshot", Version: 5,
	Sections: []string{"fits", "worlds", "observed", "samples"}}

// Encode returns the snapshot as bytes for [ReadSnapshot].
func (s *Snapshot) Encode() []byte {
	return snapshotKind.Encode([]byte(strings.Join(s.fits, "\n")), joined(s.worlds),
		[]byte(strings.Join(s.observed, "\n")), joined(s.samples))
}

// joined returns records one after the other.
func joined(records [][]byte) (data []byte) {
	size := 0
	for _, r := range records {
		size += 8 + len(r)
	}
	data = make([]byte, 0, size)
	for _, r := range records {
		data = append(binary.LittleEndian.AppendUint64(data, uint64(len(r))), r...)
	}
	return data
}

// divided is the inverse of joined. The records share memory with data.
func divided(data []byte) (records [][]byte, err error) {
	for len(data) > 0 {
		if len(data) < 8 || binary.LittleEndian.Uint64(data) > uint64(len(data)-8) {
			return nil, fmt.Errorf("damaged: world %d has more bytes than all", len(records))
		}
		n := binary.LittleEndian.Uint64(data)
		records, data = append(records, data[8:8+n:8+n]), data[8+n:]
	}
	return records, nil
}

// ReadSnapshot reads the output of [Snapshot.Encode]. It returns an error for a file that is not a snapshot, has
// another version, is cut short or is damaged. It allocates memory in proportion to the bytes read, whatever lengths
// the file declares.
func ReadSnapshot(r io.Reader) (*Snapshot, error) {
	sections, err := snapshotKind.Read(r)
	var s *Snapshot
	if err == nil {
		s, err = decodeSnapshot(sections)
	}
	if err != nil {
		return nil, fmt.Errorf("sim: snapshot: %w", err)
	}
	return s, nil
}

func decodeSnapshot(sections [][]byte) (s *Snapshot, err error) {
	s = &Snapshot{fits: strings.Split(string(sections[0]), "\n")}
	if s.worlds, err = divided(sections[1]); err != nil || sections[2] == nil {
		return s, err
	}
	s.observed = strings.Split(string(sections[2]), "\n")
	if s.samples, err = divided(sections[3]); err == nil && len(s.samples) != len(s.worlds) {
		err = errors.New("damaged: there are not samples for each world")
	}
	return s, err
}
