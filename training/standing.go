package training

import (
	"bytes"
	"encoding/json"
	"fmt"

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

// slicePoint is where a slice stands in a [Point].
type slicePoint struct {
	From     int                `json:"from"`
	To       int                `json:"to"`
	Recorded Recorded           `json:"recorded"`
	Dataset  *recorder.Position `json:"dataset,omitempty"`
}
