package main

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"sync"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/rl"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/training"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// learnerRequest describes a training in parts.
type learnerRequest struct {
	Worlds request     `json:"worlds"` // with Resume only its workers count
	Task   string      `json:"task"`   // its preset takes the place of Worlds' text; "": none
	Out    string      `json:"out"`    // the run folder
	Slices []sim.Slice `json:"slices"` // empty: Count slices
	Count  int         `json:"count"`
	Resume bool        `json:"resume"` // go on with the training in the folder
	Set    []string    `json:"set"`    // then, the settings, key=value, to go on with
	Keep   bool        `json:"keep"`   // keep a point when the training is done
}

// learner is the training in parts of a handle. Any number of threads may use it.
type learner struct {
	parts *training.Parts
	task  string

	mu       sync.Mutex
	reached  training.TrainProgress
	warnings []string // since they were asked for
}

// openLearner begins a training, or goes on with one.
func openLearner(c *call) error {
	var r learnerRequest
	if err := c.read(&r); err != nil {
		return err
	}
	workers := r.Worlds.Workers
	r.Worlds.Workers = 0 // the run folder does not depend on them
	config, opt, err := r.training()
	if err != nil {
		return err
	}
	if len(r.Slices) == 0 {
		if r.Slices, err = sim.Split(config.Worlds, config.BlockSize, r.Count); err != nil {
			return usageError{err}
		}
	}
	l := &learner{task: config.Task.Name}
	opt.Workers = workers
	opt.Progress = func(p training.TrainProgress) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.reached = p
	}
	opt.Warn = func(text string) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.warnings = append(l.warnings, text)
	}
	parts, err := training.TrainInParts(context.Background(), config, opt, r.Slices)
	if err != nil {
		return err
	}
	l.parts, c.opened = parts, l
	c.answer = map[string]any{"assignments": parts.Assignments(), "folder": parts.Folder(),
		"recording": config.Recording.Enabled} // collectors may record
	return nil
}

// training returns the configuration and where the training begins.
func (r *learnerRequest) training() (*configs.Config, training.TrainOptions, error) {
	if !r.Resume {
		if r.Task != "" {
			_, text, err := env.Preset(r.Task)
			if err != nil {
				return nil, training.TrainOptions{}, usageError{err}
			}
			r.Worlds.Text = string(text)
		}
		c, err := r.Worlds.config()
		return c, training.TrainOptions{Folder: r.Out, KeepState: r.Keep}, err
	}
	point, err := training.ReadState(r.Out)
	if errors.Is(err, fs.ErrNotExist) {
		err = &disk.Missing{Path: filepath.Join(r.Out, rundir.StateFile),
			Text: fmt.Sprintf("%s has no %s, want the folder of a training that was stopped", r.Out, rundir.StateFile)}
	}
	if err != nil {
		return nil, training.TrainOptions{}, err
	}
	c, err := configs.Parse(rundir.StateFile, []byte(point.Configuration()), r.Set, nil)
	if err != nil {
		return nil, training.TrainOptions{}, usageError{err}
	}
	return c, training.TrainOptions{Continue: point, Change: len(r.Set) > 0, KeepState: r.Keep}, nil
}

// weights waits for weights, at most for some milliseconds, and returns them, no bytes when the training is over. The
// answer is whether they are still to come.
func (l *learner) weights(c *call) error {
	var ms int64
	if err := c.read(&ms); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(ms)*time.Millisecond)
	defer cancel()
	var err error
	c.payload, err = l.parts.Weights(ctx)
	late := errors.Is(err, context.DeadlineExceeded)
	c.answer = late
	if late {
		return nil
	}
	return err
}

// snapshot returns the snapshot of the worlds of a slice at the beginning of the rollout, for a collector.
func (l *learner) snapshot(c *call) (err error) {
	var slice int
	if err := c.read(&slice); err != nil {
		return err
	}
	c.payload, err = l.parts.Snapshot(slice)
	return err
}

// progress returns the slices whose parts of this rollout are missing, and the metrics of the newest iteration,
// null where there is none or no number.
func (l *learner) progress(c *call) error {
	var metrics map[string]*float64
	for name, v := range l.parts.Metrics() {
		if metrics == nil {
			metrics = map[string]*float64{}
		}
		metrics[name] = number(v)
	}
	c.answer = map[string]any{"missing": append([]int{}, l.parts.Missing()...), "metrics": metrics}
	return nil
}

// number returns v for JSON: null where it is no number.
func number(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

// status returns how far the training is, and its warnings since the last call.
func (l *learner) status(c *call) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := l.reached
	c.answer = map[string]any{"task": l.task, "env_steps": p.EnvSteps, "total": p.Total,
		"steps_per_s": number(p.StepsPerS), "mean_return": number(p.MeanReturn),
		"warnings": append([]string{}, l.warnings...)}
	l.warnings = nil
	return nil
}

// end ends the training, unless it is over, and returns its report. A training that the caller ended early can be
// resumed, and its end is no error.
func (l *learner) end(c *call) error {
	report, err := l.parts.Close()
	if err != nil && report.Status == rundir.StatusInterrupted {
		err = nil
	}
	c.answer = report
	return err
}

func (l *learner) release() error { return l.end(&call{}) }

// identify says which part of a rollout the data are.
func identify(c *call) error {
	p, digest, err := rl.ReadPart(c.data)
	if err != nil {
		return usagef("%d bytes are no part of a rollout: %w", len(c.data), err)
	}
	c.answer = map[string]any{"first": p.First, "end": p.First + p.Worlds, "step": p.Step,
		"weights": hex.EncodeToString(p.Weights[:]), "digest": hex.EncodeToString(digest[:])}
	return nil
}
