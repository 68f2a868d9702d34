package training

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"math"

	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// standing is where the worlds of a slice stand between two rollouts, from which another
// collector goes on with the same bits. In bytes it is framed as a [Point], with the magic
// "prstand": a JSON text, the states of a recurrent policy (float32) and a snapshot.
type standing struct {
	state  standingState
	states []float32
	worlds *sim.Snapshot
}

type standingState struct {
	Configuration string             `json:"configuration"` // Assignment.digest
	Step          int64              `json:"step"`          // control steps of each world
	Recorded      Recorded           `json:"recorded"`
	Dataset       *recorder.Position `json:"dataset,omitempty"`
}

const (
	standingMagic   = "prstand\x00"
	standingVersion = 1
)

// encodeStanding returns the bytes of a standing with a snapshot that is bytes already.
func encodeStanding(state *standingState, states []float32, worlds []byte) ([]byte, error) {
	text, err := json.Marshal(state)
	if err != nil {
		return nil, err
	}
	return frame(standingMagic, standingVersion, text, appendSingles(nil, states), worlds), nil
}

// readStanding is the inverse; nil if there are no bytes.
func readStanding(data []byte) (*standing, error) {
	if len(data) == 0 {
		return nil, nil
	}
	s := &standing{}
	if err := s.decode(data); err != nil {
		return nil, fmt.Errorf("snapshot of a collector: %w", err)
	}
	return s, nil
}

func (s *standing) decode(data []byte) error {
	parts, err := unframe(data, standingMagic, standingVersion)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(parts[0], &s.state); err != nil {
		return fmt.Errorf("damaged: %w", err)
	}
	s.states = readSingles(parts[1])
	s.worlds, err = sim.ReadSnapshot(bytes.NewReader(parts[2]))
	return err
}

// frame puts three parts between a magic, of 8 bytes, and a checksum.
func frame(magic string, version uint32, parts ...[]byte) []byte {
	data := binary.LittleEndian.AppendUint32([]byte(magic), version)
	for _, part := range parts {
		data = binary.LittleEndian.AppendUint64(data, uint64(len(part)))
		data = append(data, part...)
	}
	return binary.LittleEndian.AppendUint32(data, crc32.Checksum(data, castagnoli))
}

// unframe is the inverse of frame.
func unframe(data []byte, magic string, version uint32) (parts [3][]byte, err error) {
	head := len(magic) + 4
	if len(data) < head+4 || string(data[:len(magic)]) != magic {
		return parts, fmt.Errorf("it begins with %q, want %q", data[:min(len(data), len(magic))], magic)
	}
	if got := binary.LittleEndian.Uint32(data[len(magic):]); got != version {
		return parts, fmt.Errorf("its version is %d, want %d", got, version)
	}
	body := data[:len(data)-4]
	if got, want := crc32.Checksum(body, castagnoli), binary.LittleEndian.Uint32(data[len(body):]); got != want {
		return parts, fmt.Errorf("damaged: its checksum is %08x, want %08x", got, want)
	}
	rest := body[head:]
	for i := range parts {
		if len(rest) < 8 || binary.LittleEndian.Uint64(rest) > uint64(len(rest)-8) {
			return parts, errors.New("damaged: a part is longer than the file")
		}
		n := binary.LittleEndian.Uint64(rest)
		parts[i], rest = rest[8:8+n], rest[8+n:]
	}
	return parts, nil
}

func appendSingles(dst []byte, values []float32) []byte {
	for _, v := range values {
		dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(v))
	}
	return dst
}

func readSingles(data []byte) (values []float32) {
	for ; len(data) >= 4; data = data[4:] {
		values = append(values, math.Float32frombits(binary.LittleEndian.Uint32(data)))
	}
	return values
}

// slicePoint is where a slice stands in a [Point].
type slicePoint struct {
	From     int                `json:"from"`
	To       int                `json:"to"`
	Recorded Recorded           `json:"recorded"`
	Dataset  *recorder.Position `json:"dataset,omitempty"`
}
