package main

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/recorder/frames"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sensors"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/training"
	"github.com/polyrhythm-rl/polyrhythm/training/policies"
	"github.com/polyrhythm-rl/polyrhythm/training/rollouts"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// collectorRequest describes a collector: of a training or of a rollout.
type collectorRequest struct {
	Training *training.Assignment `json:"training"`
	Rollout  *rolloutRequest      `json:"rollout"`
	Workers  int                  `json:"workers"`
	Dataset  string               `json:"dataset"`
}

// rolloutRequest describes a slice of a rollout. Either Episodes or Seconds is given.
type rolloutRequest struct {
	sim.Slice
	Worlds   request `json:"worlds"`
	Policy   string  `json:"policy"` // as of train rollout
	Episodes int64   `json:"episodes"`
	Seconds  string  `json:"seconds"` // of simulated time, exact; "": Episodes ends the run
}

// lockWait is how long a collector waits for its dataset's folder, which a worker that was given up as lost may still
// lock.
const lockWait = 30 * time.Second

// collector has the worlds of a slice of a training, whose weights change, or of a rollout.
type collector struct {
	sync.Mutex // held by the running call; another one fails
	training   *training.Collector
	rollout    *rollouts.SliceRollout
	slice      sim.Slice
}

// openCollector opens a collector. The data are the snapshot of its worlds, nil for the first collector of its slice.
func openCollector(c *call) error {
	var r collectorRequest
	if err := c.read(&r); err != nil {
		return err
	}
	if r.Workers < 0 {
		return usagef("workers is %d, want at least 0", r.Workers)
	}
	opened := &collector{}
	var err error
	switch {
	case r.Rollout != nil:
		opened.slice = r.Rollout.Slice
		opened.rollout, err = r.openRollout(c.data)
	case r.Training != nil:
		opt := training.CollectorOptions{Workers: r.Workers, Dataset: r.Dataset, Wait: lockWait, Snapshot: c.data}
		opened.training, err = training.OpenCollector(context.Background(), r.Training, opt)
	default:
		err = usagef("the assignment is of neither a training nor a rollout")
	}
	if err != nil {
		return err
	}
	c.opened = opened
	return nil
}

func (r *collectorRequest) openRollout(snapshot []byte) (*rollouts.SliceRollout, error) {
	if r.Dataset == "" {
		return nil, usagef("a collector of a rollout wants a dataset")
	}
	worlds := r.Rollout.Worlds
	worlds.Dataset, worlds.Workers = r.Dataset, r.Workers
	config, err := worlds.config()
	if err != nil {
		return nil, err
	}
	opt := rollouts.RolloutOptions{Episodes: r.Rollout.Episodes, Folder: r.Dataset, Slice: r.Rollout.Slice, Wait: lockWait}
	if text := r.Rollout.Seconds; text != "" {
		if opt.Seconds, err = runners.ParseSeconds(text); err != nil {
			return nil, usageError{err}
		}
	} else if r.Rollout.Episodes < 1 {
		return nil, usagef("episodes is %d, want at least 1", r.Rollout.Episodes)
	}
	if opt.Policy, err = policies.Open(r.Rollout.Policy); err != nil {
		return nil, err
	}
	return rollouts.OpenSliceRollout(context.Background(), config, opt, snapshot)
}

func (*collector) isOpen() bool { return true }

// collect collects a rollout under weights, the data, and returns the part for the learner.
func (c *collector) collect(call *call) (err error) {
	if c.training == nil {
		return errors.New("this collector is of a rollout, which has no weights to collect under: use next")
	}
	call.payload, err = c.training.Collect(context.Background(), call.data)
	return err
}

// next records a segment of a rollout and returns the snapshot of the slice after it.
func (c *collector) next(call *call) error {
	if c.rollout == nil {
		return errors.New("this collector is of a training: use collect")
	}
	done, err := c.rollout.Next(context.Background())
	if err != nil {
		return err
	}
	recorded := c.rollout.Recorded()
	snapshot, number, err := c.rollout.Snapshot()
	call.payload = snapshot
	call.answer = map[string]any{ // as parts.Segment
		"first": c.slice.From, "end": c.slice.To, "number": number, "done": done,
		"episodes": recorded.Episodes, "faults": recorded.Faults,
	}
	return err
}

// release completes the dataset and frees the engine.
func (c *collector) release() error {
	c.Lock()
	defer c.Unlock()
	if c.rollout != nil {
		return c.rollout.Close()
	}
	return c.training.Close()
}

// split returns a number of slices of a rollout's worlds.
func split(c *call) error {
	var r struct {
		Worlds request `json:"worlds"`
		Count  int     `json:"count"`
	}
	if err := c.read(&r); err != nil {
		return err
	}
	config, err := r.Worlds.config()
	if err != nil {
		return err
	}
	if c.answer, err = sim.Split(config.Worlds, config.BlockSize, r.Count); err != nil {
		return usageError{err}
	}
	return nil
}

// merge makes the dataset of a run from its slices.
func merge(c *call) error {
	var r struct {
		Folders []string `json:"folders"`
		Out     string   `json:"out"`
		Mixed   bool     `json:"mixed"`
	}
	if err := c.read(&r); err != nil {
		return err
	}
	merged, err := rollouts.Merge(context.Background(), r.Folders, r.Out, rollouts.MergeOptions{Mixed: r.Mixed})
	c.answer = map[string]any{
		"episodes": merged.Episodes, "faults": merged.Faults, "task": merged.Task, "rows": merged.Rows, "bytes": merged.Bytes,
		"no_log": merged.NoLog, "cameras": merged.Cameras,
	}
	return err
}

// discard removes what a run wrote into a folder, and the folder if nothing else is in it.
func discard(c *call) error {
	var folder string
	err := c.read(&folder)
	if err == nil {
		err = rundir.Remove(folder)
	}
	return err
}

// addFrames adds the pictures of a camera to a dataset, or replaces them.
func addFrames(c *call) error {
	var r struct {
		Dataset string   `json:"dataset"`
		Camera  string   `json:"camera"`
		Size    [2]int   `json:"size"`
		Kinds   []string `json:"kinds"`
		Workers int      `json:"workers"`
	}
	if err := c.read(&r); err != nil {
		return err
	}
	d, err := recorder.Open(r.Dataset)
	if err != nil {
		return err
	}
	camera := sensors.Camera{Name: r.Camera, Width: r.Size[0], Height: r.Size[1], Kinds: r.Kinds}
	_, rows, err := rollouts.AddFrames(context.Background(), d, frames.Options{Camera: camera, Workers: r.Workers, Replace: true})
	c.answer = rows
	return err
}
