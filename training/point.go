package training

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/internal/runlog"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/rl"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// pointEvery is the wall time after which a training keeps another point. A point has no
// influence on the results.
const pointEvery = 30 * time.Second

// Point is everything that decides how a training goes on after an iteration: the
// learner, the worlds, and how far each file of the run folder had been written. A
// training that continues from it leaves the files of one that never stopped, byte for
// byte, whatever happened after the point. The files are forced to the disk before a
// point is, so that it also holds after a crash of the machine; of a dataset, except with
// recording.sync none.
//
// In [PointFile], little-endian: the magic "prpoint" and a zero, the version as a uint32
// (1 or 2), three parts of a length (uint64) and that many bytes, which are a JSON text, a
// checkpoint and a snapshot, and the CRC32C of all before (uint32).
//
// The first point of a run is made before anything else: its run has to begin again. It
// has no snapshot, and a checkpoint only if the run is to begin from one.
type Point struct {
	*Checkpoint // its Path is that of the point; nil if there is none

	folder string
	state  pointState
	worlds *sim.Snapshot // nil: the run has to begin again
	from   []byte        // then: the file of the checkpoint
}

// Configuration returns the configuration of the run, as YAML.
func (p *Point) Configuration() string {
	if p.state.Unbegun {
		return p.state.Configuration
	}
	return p.User
}

// pointState is the JSON text of a point.
type pointState struct {
	Unbegun       bool   `json:"unbegun,omitempty"`       // the run has to begin again
	Configuration string `json:"configuration,omitempty"` // then, and else in the checkpoint

	Versions    map[string]string  `json:"versions"`              // on which the bits depend
	Resumed     bool               `json:"resumed"`               // the run began from a checkpoint, DriverFile
	StepOffset  int64              `json:"step_offset,omitempty"` // see env.OpenOptions
	Discounted  []uint64           `json:"discounted"`            // bits of rl.WorldState.Discounted
	States      []byte             `json:"states,omitempty"`      // rl.WorldState.States, little-endian
	MetricsSize int64              `json:"metrics"`               // bytes of MetricsFile
	EventsSize  int64              `json:"events"`                // bytes of EventsFile
	Checkpoints []string           `json:"checkpoints"`           // files
	LogEvery    int64              `json:"log_every"`
	Log         runlog.Position    `json:"log"`
	Dataset     *recorder.Position `json:"dataset,omitempty"`
	Slices      []slicePoint       `json:"slices,omitempty"` // of a training in parts that records

	// With one of these the version is 2, so that a program that has them not refuses the point.
	Evaluate bool     `json:"evaluate,omitempty"` // the evaluation after this iteration is missing
	Changes  []Change `json:"changes,omitempty"`  // of settings, so far
}

const (
	pointMagic   = "prpoint\x00"
	pointVersion = 2 // the newest
)

// version is the oldest version of the format that has the fields of a point.
func (s *pointState) version() uint32 {
	if s.Evaluate || len(s.Changes) > 0 {
		return 2
	}
	return 1
}

// ReadPoint reads the point in a run folder. The error is fs.ErrNotExist if it has none.
func ReadPoint(folder string) (*Point, error) {
	path := filepath.Join(folder, PointFile)
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	p := &Point{folder: folder}
	if err := p.decode(data); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if p.Checkpoint != nil {
		p.Checkpoint.Path = path
	}
	return p, nil
}

func (p *Point) decode(data []byte) error {
	if len(data) < len(pointMagic) || string(data[:len(pointMagic)]) != pointMagic {
		return fmt.Errorf("it is no point to continue from: it begins with %q, want %q", data[:min(len(data), len(pointMagic))], pointMagic)
	}
	version := uint32(pointVersion)
	if rest := data[len(pointMagic):]; len(rest) >= 4 && binary.LittleEndian.Uint32(rest) == 1 {
		version = 1
	}
	parts, err := unframe(data, pointMagic, version)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(parts[0], &p.state); err != nil {
		return fmt.Errorf("damaged: %w", err)
	}
	if p.state.Unbegun && len(parts[1]) == 0 {
		return nil
	}
	checkpoint, err := rl.ReadCheckpoint(bytes.NewReader(parts[1]))
	if err != nil {
		return err
	}
	p.Checkpoint = &Checkpoint{Checkpoint: checkpoint}
	if p.state.Unbegun {
		p.from = parts[1]
		return nil
	}
	p.worlds, err = sim.ReadSnapshot(bytes.NewReader(parts[2]))
	return err
}

// keepPoint writes a point of the iteration that has ended. All that the point refers to
// is on the disk before.
func (t *training) keepPoint() error {
	state := pointState{Resumed: t.resumed, StepOffset: t.offset, LogEvery: t.log.every, Evaluate: t.unevaluated, Changes: t.changes}
	kept := t.learner.WorldState()
	for _, v := range kept.Discounted {
		state.Discounted = append(state.Discounted, math.Float64bits(v))
	}
	state.States = appendSingles(nil, kept.States)
	at, err := t.position(&state)
	if err != nil {
		return err
	}
	if t.log.log != nil {
		if state.Log, err = t.log.log.Position(); err != nil {
			return err
		}
	}
	if state.MetricsSize, state.EventsSize, err = t.metrics.sizes(); err != nil {
		return err
	}
	if state.Checkpoints, err = checkpointsIn(t.folder); err != nil {
		return err
	}
	var checkpoint, worlds bytes.Buffer
	if err := t.learner.Checkpoint(&checkpoint, t.user); err != nil {
		return err
	}
	if _, err := at.Worlds.WriteTo(&worlds); err != nil {
		return err
	}
	return t.writePoint(&state, checkpoint.Bytes(), worlds.Bytes())
}

// position returns where the worlds stand, and sets how far their dataset was written.
func (t *training) position(state *pointState) (at *env.Position, err error) {
	if t.parts != nil {
		at, state.Slices, err = t.parts.position()
		return at, err
	}
	if at, err = t.env.Position(); err == nil {
		state.Dataset = at.Dataset
	}
	return at, err
}

// keepBeginning writes the point of a run that is about to begin.
func (t *training) keepBeginning() error {
	return t.writePoint(&pointState{Unbegun: true, Configuration: t.user, LogEvery: t.log.every}, t.log.contents, nil)
}

// writePoint writes the parts of a point.
func (t *training) writePoint(state *pointState, checkpoint, worlds []byte) error {
	state.Versions = versions()
	text, err := json.Marshal(state)
	if err != nil {
		return err
	}
	data := frame(pointMagic, state.version(), text, checkpoint, worlds)
	err = disk.Replace(disk.OS{}, filepath.Join(t.folder, PointFile), true, disk.Bytes(data))
	if err != nil {
		return fmt.Errorf("point to continue from: %w", err)
	}
	if !state.Unbegun {
		t.kept, t.keptAt = time.Now(), t.learner.EnvSteps()
	}
	return nil
}

// versions returns the versions of everything on which the bits of a run depend.
func versions() map[string]string {
	all := env.LogHeader(&configs.Config{}, env.OpenOptions{}).Versions
	all[kernelVersion] = rl.Kernel()
	return all
}

// checkVersions returns an error unless this program and machine have the versions of
// the point.
func (p *Point) checkVersions() error {
	if name, was, own := firstDifference(p.state.Versions, versions()); name != "" {
		return usagef("%s was made with %s %s, this is %s, want the same to continue; --out DIR begins another run", p.folder, name, was, own)
	}
	return nil
}

// checkpointsIn returns the names of the checkpoints in a run folder, in order.
func checkpointsIn(folder string) ([]string, error) {
	entries, err := os.ReadDir(folder) // sorted
	var names []string
	for _, e := range entries {
		if ok, _ := filepath.Match("checkpoint-*.ckpt", e.Name()); ok {
			names = append(names, e.Name())
		}
	}
	return names, err
}

// kept returns what the learner kept of the worlds.
func (p *Point) kept() rl.WorldState {
	var s rl.WorldState
	for _, bits := range p.state.Discounted {
		s.Discounted = append(s.Discounted, math.Float64frombits(bits))
	}
	s.States = readSingles(p.state.States)
	return s
}

// removeParts removes the files that a killed process had not finished.
func (p *Point) removeParts() error {
	entries, err := os.ReadDir(p.folder)
	for _, e := range entries {
		if !e.IsDir() && strings.HasSuffix(e.Name(), disk.Part) {
			err = errors.Join(err, os.Remove(filepath.Join(p.folder, e.Name())))
		}
	}
	return err
}

// cutCheckpoints removes the checkpoints that were written after the point, and links
// latest to the newest of the others.
func (p *Point) cutCheckpoints() error {
	found, err := checkpointsIn(p.folder)
	if err != nil {
		return err
	}
	latest := filepath.Join(p.folder, LatestFile)
	if n := len(p.state.Checkpoints); n > 0 {
		err = disk.ReplaceLink(disk.OS{}, p.state.Checkpoints[n-1], latest)
	} else if err = os.Remove(latest); errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	for _, name := range found {
		if !slices.Contains(p.state.Checkpoints, name) {
			err = errors.Join(err, os.Remove(filepath.Join(p.folder, name)))
		}
	}
	return err
}

// evaluations returns the evaluations before the point and removes later ones from
// EvaluationsFile.
func (p *Point) evaluations() ([]Intermediate, error) {
	path := filepath.Join(p.folder, EvaluationsFile)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []Intermediate
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	all = slices.DeleteFunc(all, func(e Intermediate) bool {
		return e.EnvSteps > p.EnvSteps || e.EnvSteps == p.EnvSteps && p.state.Evaluate
	})
	if len(all) == 0 {
		return nil, os.Remove(path)
	}
	return all, disk.Replace(disk.OS{}, path, false, disk.JSON(all))
}
