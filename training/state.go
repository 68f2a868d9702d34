package training

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/container"
	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/live"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/sim/runlog"
)

// state is the state of a run, or of a slice of its worlds, between two segments: all that decides how it goes on. A
// training, a slice of one or of a rollout and a live run each have the parts that they need. In a file, see package
// container, the section state has the JSON text, learner a checkpoint, memory that of a recurrent policy (float32),
// and worlds a snapshot.
type state struct {
	env.State
	Run      *runlog.Header  `json:"run,omitempty"`     // of a slice
	Recorded Recorded        `json:"recorded,omitzero"` // of a slice, so far
	Log      runlog.Position `json:"log,omitzero"`
	Script   []int64         `json:"script,omitempty"` // memory.Steps

	Training *trainingState `json:"training,omitempty"`
	Slices   []sliceState   `json:"slices,omitempty"` // of a training in parts that records
	Infos    [][]float64    `json:"infos,omitempty"`  // of the rollout before, see results.sums
	Fault    string         `json:"fault,omitempty"`  // the first that a slice saw
	Live     *liveState     `json:"live,omitempty"`

	learner []byte
	memory  []float32
	worlds  []byte // of Worlds
}

// snapshotsOfState is how often a snapshot of all worlds is in memory while a state is encoded: as records of worlds,
// as its bytes, and in those of the state.
const snapshotsOfState = 3

type trainingState struct {
	Configuration string            `json:"configuration"`         // YAML
	Unbegun       bool              `json:"unbegun,omitempty"`     // the run has to begin again and has no worlds
	Versions      map[string]string `json:"versions"`              // on which the bits depend
	Resumed       bool              `json:"resumed"`               // the run began from a checkpoint, DriverFile
	StepOffset    int64             `json:"step_offset,omitempty"` // see env.OpenOptions
	Discounted    []float64         `json:"discounted"`            // see rl.Continue
	ConfigFile    []disk.Beginning  `json:"config"`                // any of these is ConfigFile
	Teacher       string            `json:"teacher,omitempty"`     // see logging
	Metrics       disk.Beginning    `json:"metrics"`               // MetricsFile
	Events        disk.Beginning    `json:"events"`                // EventsFile
	Evaluations   disk.Beginning    `json:"evaluations"`           // EvaluationsFile
	Checkpoints   []keptCheckpoint  `json:"checkpoints"`
	LogEvery      int64             `json:"log_every"`
	Evaluate      bool              `json:"evaluate,omitempty"` // the evaluation after this iteration is missing
	Changes       []Change          `json:"changes,omitempty"`  // of settings, so far
	Replay        []replayFile      `json:"replay,omitempty"`   // in ReplayFolder, in their order
}

// keptCheckpoint is the file of a checkpoint.
type keptCheckpoint struct {
	Name string `json:"name"`
	disk.Beginning
}

type sliceState struct {
	sim.Slice
	Recorded Recorded           `json:"recorded"`
	Dataset  *recorder.Position `json:"dataset,omitempty"`
}

type liveState struct {
	Part       int        `json:"part"` // of the log, which began at Log
	Server     live.State `json:"server"`
	Channels   []string   `json:"channels,omitempty"`
	Resolution float64    `json:"resolution"`
}

var stateKind = container.Format{Name: "state", Version: 5, Sections: []string{"state", "learner", "memory", "worlds"}}

func (s *state) encode() ([]byte, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	worlds := s.worlds
	if s.Worlds != nil {
		worlds = s.Worlds.Encode()
	}
	return stateKind.Encode(text, s.learner, container.AppendFloats(nil, s.memory...), worlds), nil
}

// decodeState is the inverse of encode, but for the worlds, see open.
func decodeState(data []byte) (*state, error) {
	sections, _, err := stateKind.Decode(data)
	if err != nil {
		return nil, err
	}
	s := &state{learner: sections[1], memory: make([]float32, len(sections[2])/4), worlds: sections[3]}
	if err := json.Unmarshal(sections[0], s); err != nil {
		return nil, fmt.Errorf("damaged: %w", err)
	}
	container.TakeFloats(sections[2], s.memory)
	return s, nil
}

// open reads the worlds, which a run that is yet to begin does not have.
func (s *state) open() (err error) {
	if s.Training == nil || !s.Training.Unbegun {
		s.Worlds, err = sim.ReadSnapshot(bytes.NewReader(s.worlds))
	}
	return err
}

// write forces the state to the disk, in place of the one in the file at path.
func (s *state) write(path string) error {
	data, err := s.encode()
	if err == nil {
		err = disk.Replace(disk.OS{}, path, true, disk.Bytes(data))
	}
	if err != nil {
		return fmt.Errorf("state to continue from: %w", err)
	}
	return nil
}

// readState reads the file of a state in a run folder. The error is fs.ErrNotExist if there is none.
func readState(folder, name string) (s *state, err error) {
	path := filepath.Join(folder, name)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		// Until version 2 the file had another name. A run that has one must not begin anew.
		before := strings.TrimSuffix(path, ".state") + ".point"
		if _, has := os.Lstat(before); has == nil {
			return nil, fmt.Errorf("%s is a state of version 1, want version %d: the program that wrote it can finish the run",
				before, stateKind.Version)
		}
	}
	if err != nil {
		return nil, err
	}
	s, err = decodeState(data)
	switch {
	case err != nil:
	case name == StateFile && s.Training == nil:
		err = errors.New("it is not the state of a training")
	case name == LiveStateFile && s.Live == nil:
		err = errors.New("it is not the state of a live run")
	default:
		err = s.open()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

// openState reads the state of a slice with its worlds; nil if there are no bytes.
func openState(data []byte) (s *state, err error) {
	if len(data) == 0 {
		return nil, nil
	}
	if s, err = decodeState(data); err == nil {
		err = s.open()
	}
	if err != nil {
		return nil, fmt.Errorf("snapshot of a slice: %w", err)
	}
	return s, nil
}

// join sets the worlds, and how far each slice has recorded, from the states of slices that
// divide the worlds in order.
func (s *state) join(slices []sim.Slice, parts [][]byte) error {
	var worlds []*sim.Snapshot
	recorded := false
	for i, data := range parts {
		part, err := openState(data)
		if err == nil && part == nil {
			err = errors.New("a slice has not begun")
		}
		if err != nil {
			return fmt.Errorf("worlds %v: %w", slices[i], err)
		}
		worlds = append(worlds, part.Worlds)
		s.Slices = append(s.Slices, sliceState{slices[i], part.Recorded, part.Dataset})
		recorded = recorded || part.Dataset != nil
	}
	if !recorded {
		s.Slices = nil
	}
	var err error
	s.Worlds, err = sim.JoinSnapshots(worlds)
	return err
}

// cut returns the state of a slice of a training; its run and its memory are the caller's to set.
func (s *state) cut(slice sim.Slice) (*state, error) {
	worlds, err := s.Worlds.Cut(slice)
	part := &state{State: env.State{Worlds: worlds}}
	for _, piece := range s.Slices {
		if piece.Slice == slice {
			part.Recorded, part.Dataset = piece.Recorded, piece.Dataset
		}
	}
	return part, err
}

// fits returns an error unless the training in a folder can go on in slices that divide its
// worlds, or without slices in one process.
func (s *state) fits(folder string, divided []sim.Slice) error {
	var recorded []sim.Slice
	for _, piece := range s.Slices {
		recorded = append(recorded, piece.Slice)
	}
	switch {
	case s.Dataset != nil && divided != nil:
		return usagef("%s is of a training in one process that recorded a dataset, want it to go on so", folder)
	case recorded != nil && !slices.Equal(recorded, divided):
		return usagef("%s is of a training that recorded the slices %v, want it to go on in these", folder, recorded)
	}
	return nil
}

func removeFile(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
