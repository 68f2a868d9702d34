package runs

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
	"time"

	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/container"
	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/live"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/sim/runlog"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/usage"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// State is the state of a run, or of a slice of its worlds, between two segments: all that decides how it goes on. A
// training, a slice of one or of a rollout and a live run each have the parts that they need. In a file, see package
// container, the section state has the JSON text, learner a checkpoint, memory that of a recurrent policy (float32),
// and worlds a snapshot.
type State struct {
	env.State
	Run      *runlog.Header  `json:"run,omitempty"`     // of a slice
	Recorded rundir.Recorded `json:"recorded,omitzero"` // of a slice, so far
	Log      runlog.Position `json:"log,omitzero"`
	Script   []int64         `json:"script,omitempty"` // memory.Steps

	Training *TrainingState `json:"training,omitempty"`
	Slices   []sliceState   `json:"slices,omitempty"` // of a training in parts that records
	Infos    [][]float64    `json:"infos,omitempty"`  // of the rollout before, see results.sums
	Fault    string         `json:"fault,omitempty"`  // the first that a slice saw
	Live     *LiveState     `json:"live,omitempty"`

	Learner    []byte    `json:"-"` // a checkpoint
	Memory     []float32 `json:"-"` // of a recurrent policy
	WorldBytes []byte    `json:"-"` // of Worlds, a snapshot
}

// StateSnapshots is how often a snapshot of all worlds is in memory while a state is encoded: as records of worlds,
// as its bytes, and in those of the state.
const StateSnapshots = 3

// TrainingState is the part of a state that a training has.
type TrainingState struct {
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
	Checkpoints   []KeptCheckpoint  `json:"checkpoints"`
	LogEvery      int64             `json:"log_every"`
	Evaluate      bool              `json:"evaluate,omitempty"` // the evaluation after this iteration is missing
	Changes       []rundir.Change   `json:"changes,omitempty"`  // of settings, so far
	Stopped       *rundir.Stopped   `json:"stopped,omitempty"`  // how far the run is on its way to its early end
	Replay        []ReplayFile      `json:"replay,omitempty"`   // in ReplayFolder, in their order
}

// KeptCheckpoint is the file of a checkpoint.
type KeptCheckpoint struct {
	Name string `json:"name"`
	disk.Beginning
}

type sliceState struct {
	sim.Slice
	Recorded rundir.Recorded    `json:"recorded"`
	Dataset  *recorder.Position `json:"dataset,omitempty"`
}

// LiveState is the part of a state that a live run has.
type LiveState struct {
	Part       int        `json:"part"` // of the log, which began at Log
	Server     live.State `json:"server"`
	Channels   []string   `json:"channels,omitempty"`
	Resolution float64    `json:"resolution"`
}

// StateKind is the format of the file of a state.
var StateKind = container.Format{Name: "state", Version: 5, Sections: []string{"state", "learner", "memory", "worlds"}}

// Encode returns the state as the bytes of its file.
func (s *State) Encode() ([]byte, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	worlds := s.WorldBytes
	if s.Worlds != nil {
		worlds = s.Worlds.Encode()
	}
	return StateKind.Encode(text, s.Learner, container.AppendFloats(nil, s.Memory...), worlds), nil
}

// DecodeState is the inverse of encode, but for the worlds, see open.
func DecodeState(data []byte) (*State, error) {
	sections, _, err := StateKind.Decode(data)
	if err != nil {
		return nil, err
	}
	s := &State{Learner: sections[1], Memory: make([]float32, len(sections[2])/4), WorldBytes: sections[3]}
	if err := json.Unmarshal(sections[0], s); err != nil {
		return nil, fmt.Errorf("damaged: %w", err)
	}
	container.TakeFloats(sections[2], s.Memory)
	return s, nil
}

// Open reads the worlds, which a run that is yet to begin does not have.
func (s *State) Open() (err error) {
	if s.Training == nil || !s.Training.Unbegun {
		s.Worlds, err = sim.ReadSnapshot(bytes.NewReader(s.WorldBytes))
	}
	return err
}

// Write forces the state to the disk, in place of the one in the file at path. The names of what is in the same folder
// are on the disk before the state is, which may rely on them.
func (s *State) Write(path string) error {
	fsys, folder := disk.OS{}, filepath.Dir(path)
	data, err := s.Encode()
	if err == nil {
		err = fsys.SyncDir(folder)
	}
	if err == nil {
		err = disk.Replace(fsys, path, true, disk.Bytes(data))
	}
	if err == nil {
		err = fsys.SyncDir(folder)
	}
	if err != nil {
		return fmt.Errorf("state to continue from: %w", err)
	}
	return nil
}

// ReadStateFile reads a file that has a state, but for its worlds, and returns its bytes as well. The error is
// fs.ErrNotExist if there is none, and names the file.
func ReadStateFile(path string) (s *State, data []byte, err error) {
	if data, err = disk.ReadKind(path, container.Magic, disk.MaxWhole); err != nil {
		return nil, nil, err
	}
	if s, err = DecodeState(data); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, data, nil
}

// ReadState reads the file of a state in a run folder. The error is fs.ErrNotExist if there is none.
func ReadState(folder, name string) (s *State, err error) {
	path := filepath.Join(folder, name)
	s, _, err = ReadStateFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		// Until version 2 the file had another name. A run that has one must not begin anew.
		before := strings.TrimSuffix(path, ".state") + ".point"
		if _, has := os.Lstat(before); has == nil {
			return nil, fmt.Errorf("%s is a state of version 1, want version %d: the program that wrote it can finish the run",
				before, StateKind.Version)
		}
	}
	switch {
	case err != nil:
		return nil, err
	case name == rundir.StateFile && s.Training == nil:
		err = errors.New("it is not the state of a training")
	case name == rundir.LiveStateFile && s.Live == nil:
		err = errors.New("it is not the state of a live run")
	default:
		err = s.Open()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

// openState reads the state of a slice with its worlds; nil if there are no bytes.
func openState(data []byte) (s *State, err error) {
	if len(data) == 0 {
		return nil, nil
	}
	if s, err = DecodeState(data); err == nil {
		err = s.Open()
	}
	if err != nil {
		return nil, fmt.Errorf("snapshot of a slice: %w", err)
	}
	return s, nil
}

// Join sets the worlds, and how far each slice has recorded, from the states of slices that
// divide the worlds in order.
func (s *State) Join(slices []sim.Slice, parts [][]byte) error {
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

// Cut returns the state of a slice of a training; its run and its memory are the caller's to set.
func (s *State) Cut(slice sim.Slice) (*State, error) {
	worlds, err := s.Worlds.Cut(slice)
	part := &State{State: env.State{Worlds: worlds}}
	for _, piece := range s.Slices {
		if piece.Slice == slice {
			part.Recorded, part.Dataset = piece.Recorded, piece.Dataset
		}
	}
	return part, err
}

// Fits returns an error unless the training in a folder can go on in slices that divide its
// worlds, or without slices in one process.
func (s *State) Fits(folder string, divided []sim.Slice) error {
	var recorded []sim.Slice
	for _, piece := range s.Slices {
		recorded = append(recorded, piece.Slice)
	}
	switch {
	case s.Dataset != nil && divided != nil:
		return usage.Errorf("%s is of a training in one process that recorded a dataset, want it to go on so", folder)
	case recorded != nil && !slices.Equal(recorded, divided):
		return usage.Errorf("%s is of a training that recorded the slices %v, want it to go on in these", folder, recorded)
	}
	return nil
}

// ReplayFile is a file in [rundir.ReplayFolder]: what a replay was given between two states. One that is read no more,
// since the replay has newer rows in place of all of its own, is removed once a state says so.
type ReplayFile struct {
	Name         string `json:"name"`
	ControlSteps int64  `json:"control_steps"` // of every world, when it was written
}

// SaveLive forces the log of the live run in a folder to the disk, and then its state.
func (s *State) SaveLive(folder string) error {
	log := filepath.Join(folder, rundir.LogFile)
	for part := s.Live.Part - 1; part <= s.Live.Part; part++ {
		if err := SyncFile(runlog.FilePath(log, part)); err != nil {
			return err
		}
	}
	return s.Write(filepath.Join(folder, rundir.LiveStateFile))
}

// SyncFile forces what has been written to a file to the disk.
func SyncFile(path string) error {
	f, err := disk.Change(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// StateEvery is the wall time after which a training keeps its state again. That has no influence on the results.
const StateEvery = 30 * time.Second
