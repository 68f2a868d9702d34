package sweep

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// The names of the files in the folder of a sweep, beside those of its trials.
const (
	StateFile   = rundir.SweepFile // the plan and the results so far
	TableFile   = "sweep.csv"      // a line for each trial that is over
	PictureFile = "sweep.png"
	BestFile    = "best.yaml" // the configuration of the best trial
)

// runKey names a run: a seed of a trial, up to a rung.
type runKey struct {
	Rung  int    `json:"rung"`  // from 1
	Trial int    `json:"trial"` // likewise
	Seed  uint64 `json:"seed"`
}

type result struct {
	runKey
	Value    float64 `json:"value"`            // of the objective
	Spread   float64 `json:"spread,omitempty"` // standard deviation over the episodes, of Return
	EnvSteps int64   `json:"env_steps"`
	Faults   int     `json:"faults,omitempty"` // episodes that a fault ended
	Error    string  `json:"error,omitempty"`  // it failed: why
}

type state struct {
	Plan *Plan    `json:"plan"`
	Runs []result `json:"runs"` // that are over, by rung, trial and seed
}

// Read reads the plan of the sweep in a folder. The error is fs.ErrNotExist if it has none.
func Read(folder string) (*Plan, error) {
	s, err := readState(folder)
	if err != nil {
		return nil, err
	}
	return s.Plan, nil
}

func readState(folder string) (*state, error) {
	path := filepath.Join(folder, StateFile)
	data, err := disk.ReadFile(path, disk.MaxText)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, env.ConfigError{Err: fmt.Errorf("%s holds no sweep: %w", folder, err)}
	}
	if err != nil {
		return nil, err
	}
	s := &state{}
	if err := json.Unmarshal(data, s); err != nil {
		return nil, fmt.Errorf("%s: damaged: %w", path, err)
	}
	if s.Plan == nil {
		return nil, fmt.Errorf("%s: damaged: it has no plan", path)
	}
	return s, nil
}

// writeState writes the plan and the results so far. The caller holds s.mu, or no run has begun.
func (s *sweep) writeState() error {
	all := state{Plan: s.plan, Runs: []result{}}
	for _, r := range s.results {
		all.Runs = append(all.Runs, r)
	}
	slices.SortFunc(all.Runs, func(a, b result) int {
		return cmp.Or(cmp.Compare(a.Rung, b.Rung), cmp.Compare(a.Trial, b.Trial), cmp.Compare(a.Seed, b.Seed))
	})
	return disk.Replace(disk.OS{}, filepath.Join(s.report.Folder, StateFile), true, disk.JSON(all))
}
