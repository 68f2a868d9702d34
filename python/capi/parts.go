package main

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"sync"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/training"
)

// learnerRequest describes a training in parts.
type learnerRequest struct {
	Worlds json.RawMessage `json:"worlds"` // a request; its dataset, and with Resume all of it, is ignored
	Task   string          `json:"task"`   // its preset takes the place of Worlds' text; "": none
	Out    string          `json:"out"`    // the run folder
	Slices [][2]int        `json:"slices"` // the worlds of each; empty: Count slices
	Count  int             `json:"count"`
	Resume bool            `json:"resume"` // go on with the training in the folder
	Set    []string        `json:"set"`    // then, the settings, key=value, to go on with
	Keep   bool            `json:"keep"`   // keep a point when the training is done
}

// learner is the training in parts of a handle. Any number of threads may use it.
type learner struct{ parts *training.Parts }

// learnerDescription describes a training in parts to the caller.
type learnerDescription struct {
	Assignments []training.Assignment `json:"assignments"` // by slice
	Folder      string                `json:"folder"`
	Recording   bool                  `json:"recording"` // collectors may record
}

// openLearner begins a training, or goes on with one.
func openLearner(data []byte) (*learner, *learnerDescription, error) {
	var r learnerRequest
	if err := readStrictly(data, &r); err != nil {
		return nil, nil, err
	}
	c, opt, err := r.training()
	if err != nil {
		return nil, nil, err
	}
	divided, err := r.slices(c)
	if err != nil {
		return nil, nil, usageError{err}
	}
	parts, err := training.TrainInParts(context.Background(), c, opt, divided)
	if err != nil {
		return nil, nil, asUsage(err)
	}
	return &learner{parts}, &learnerDescription{parts.Assignments(), parts.Folder(), c.Recording.Enabled}, nil
}

// training returns the configuration and where the training begins.
func (r *learnerRequest) training() (*configs.Config, training.TrainOptions, error) {
	if !r.Resume {
		worlds, err := readRequest(r.Worlds)
		if err != nil {
			return nil, training.TrainOptions{}, err
		}
		if r.Task != "" {
			_, text, err := env.Preset(r.Task)
			if err != nil {
				return nil, training.TrainOptions{}, usageError{err}
			}
			worlds.Text = string(text)
		}
		recording := worlds.Dataset
		worlds.Dataset = ""
		c, err := worlds.config()
		if err == nil && recording != "" {
			err = usagef("dataset is %s, want none: collectors record", recording)
		}
		return c, training.TrainOptions{Folder: r.Out, KeepPoint: r.Keep}, err
	}
	point, err := training.ReadPoint(r.Out)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, training.TrainOptions{}, usagef("%s has no %s, want the folder of a training that was stopped", r.Out, training.PointFile)
	}
	if err != nil {
		return nil, training.TrainOptions{}, err
	}
	c, err := configs.Parse(training.PointFile, []byte(point.Configuration()), r.Set, nil)
	if err != nil {
		return nil, training.TrainOptions{}, usageError{err}
	}
	return c, training.TrainOptions{Continue: point, Change: len(r.Set) > 0, KeepPoint: r.Keep}, nil
}

// slices returns the slices of the worlds of a configuration.
func (r *learnerRequest) slices(c *configs.Config) ([]sim.Slice, error) {
	if len(r.Slices) == 0 {
		return sim.Split(c.Worlds, c.BlockSize, r.Count)
	}
	var all []sim.Slice
	for _, s := range r.Slices {
		all = append(all, sim.Slice{From: s[0], To: s[1]})
	}
	return all, nil
}

// orders waits for orders, at most for a time. waiting is true when that is over.
func (l *learner) orders(most time.Duration) (orders []byte, waiting bool, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), most)
	defer cancel()
	orders, err = l.parts.Orders(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, true, nil
	}
	return orders, false, err
}

// learnerState is what is known of a training at the moment.
type learnerState struct {
	Missing []int               `json:"missing"` // slices whose parts of this rollout have not arrived
	Metrics map[string]*float64 `json:"metrics"` // of the newest iteration; null: there is none, or no number
}

func (l *learner) state() *learnerState {
	s := &learnerState{Missing: l.parts.Missing()}
	if s.Missing == nil {
		s.Missing = []int{}
	}
	for name, v := range l.parts.Metrics() {
		if s.Metrics == nil {
			s.Metrics = map[string]*float64{}
		}
		s.Metrics[name] = nil
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			s.Metrics[name] = &v
		}
	}
	return s
}

// end ends the training and returns its report. That the caller ended it is no error.
func (l *learner) end() (*training.Report, error) {
	report, err := l.parts.Close()
	if err != nil && report.Status == training.StatusInterrupted {
		err = nil
	}
	return report, err
}

// collectorRequest describes a collector.
type collectorRequest struct {
	Assignment training.Assignment `json:"assignment"`
	Workers    int                 `json:"workers"`
	Dataset    string              `json:"dataset"`
}

// collector is the collector of a handle.
type collector struct {
	mu        sync.Mutex // held by the running call; another one fails
	collector *training.Collector
}

// openCollector opens the worlds of an assignment. snapshot is nil for the first collector
// of its slice.
func openCollector(data, snapshot []byte) (*collector, error) {
	var r collectorRequest
	if err := readStrictly(data, &r); err != nil {
		return nil, err
	}
	if r.Workers < 0 {
		return nil, usagef("workers is %d, want at least 0", r.Workers)
	}
	opt := training.CollectorOptions{Workers: r.Workers, Dataset: r.Dataset, Wait: leaving, Snapshot: snapshot}
	c, err := training.OpenCollector(context.Background(), &r.Assignment, opt)
	if err != nil {
		return nil, asUsage(err)
	}
	return &collector{collector: c}, nil
}

// use calls f with the collector, locked.
func (c *collector) use(f func(*training.Collector) error) error {
	if !c.mu.TryLock() {
		return statef("another thread is using this collector; give each thread its own or take turns")
	}
	defer c.mu.Unlock()
	return f(c.collector)
}

// asUsage marks an error that the configuration causes.
func asUsage(err error) error {
	if wrong := (env.ConfigError{}); errors.As(err, &wrong) {
		return usageError{err}
	}
	return err
}
