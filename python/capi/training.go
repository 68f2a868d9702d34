package main

import (
	"context"
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
	"github.com/polyrhythm-rl/polyrhythm/training"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// trainingRequest describes a training.
type trainingRequest struct {
	Worlds    request  `json:"worlds"`    // with Resume only its workers count
	Task      string   `json:"task"`      // its preset takes the place of Worlds' text; "": none
	Algorithm string   `json:"algorithm"` // that of the preset; "": of the task's own
	Out       string   `json:"out"`       // the run folder
	Resume    bool     `json:"resume"`    // go on with the training in the folder
	Set       []string `json:"set"`       // then, the settings, key=value, to go on with
}

// training returns the configuration and where the training begins.
func (r *trainingRequest) training() (*configs.Config, training.TrainOptions, error) {
	if !r.Resume {
		if r.Task != "" {
			_, text, err := env.AlgorithmPreset(r.Task, r.Algorithm)
			if err != nil {
				return nil, training.TrainOptions{}, usageError{err}
			}
			r.Worlds.Text = string(text)
		}
		c, err := r.Worlds.config()
		return c, training.TrainOptions{Folder: r.Out}, err
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
	return c, training.TrainOptions{Continue: point, Change: len(r.Set) > 0}, nil
}

// watched is what a training says of itself while it goes on.
type watched struct {
	task string

	mu       sync.Mutex
	reached  training.TrainProgress
	warnings []string // since they were asked for
}

// watch makes a training that is to begin say it.
func (w *watched) watch(config *configs.Config, opt *training.TrainOptions) {
	w.task = config.Task.Name
	opt.Progress = func(p training.TrainProgress) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.reached = p
	}
	opt.Warn = func(text string) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.warnings = append(w.warnings, text)
	}
}

// number returns v for JSON: null where it is no number.
func number(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

// status returns how far the training is, and its warnings since the last call.
func (w *watched) status(c *call) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	p := w.reached
	c.answer = map[string]any{"task": w.task, "env_steps": p.EnvSteps, "total": p.Total,
		"steps_per_s": number(p.StepsPerS), "mean_return": number(p.MeanReturn),
		"warnings": append([]string{}, w.warnings...)}
	w.warnings = nil
	return nil
}

// metricsForJSON returns metrics with null for what is no number; nil for nil.
func metricsForJSON(metrics map[string]float64) (all map[string]*float64) {
	for name, v := range metrics {
		if all == nil {
			all = map[string]*float64{}
		}
		all[name] = number(v)
	}
	return all
}

// answerReport answers with the report of a training that has ended. That the caller ended it is no error: it can be
// resumed.
func answerReport(c *call, report *rundir.Report, err error) error {
	if report != nil && report.Status == rundir.StatusInterrupted {
		err = nil
	}
	c.answer = report
	return err
}

// aTraining is what status and end are of.
type aTraining interface {
	status(*call) error
	end(*call) error
}

// trainer is a training in this process. One thread uses it.
type trainer struct {
	watched
	cancel  context.CancelFunc
	metrics chan map[string]*float64 // of an iteration, after which the training waits for a value of next
	next    chan struct{}
	waits   bool // for that value
	over    chan struct{}

	report *rundir.Report // once it is over
	err    error
}

// openTrainer begins a training, or goes on with one.
func openTrainer(c *call) error {
	var r trainingRequest
	if err := c.read(&r); err != nil {
		return err
	}
	config, opt, err := r.training()
	if err != nil {
		return err
	}
	if r.Resume && r.Worlds.Workers > 0 {
		config.Workers = r.Worlds.Workers
	}
	ctx, cancel := context.WithCancel(context.Background())
	t := &trainer{cancel: cancel, metrics: make(chan map[string]*float64), next: make(chan struct{}),
		over: make(chan struct{})}
	t.watch(config, &opt)
	opt.Metrics = func(m map[string]float64) {
		select {
		case t.metrics <- metricsForJSON(m):
		case <-ctx.Done():
			return
		}
		select {
		case <-t.next:
		case <-ctx.Done():
		}
	}
	opt.LogEvery = 1 // as of train run
	go func() {
		defer cancel()
		defer close(t.over)
		t.report, t.err = training.Train(ctx, config, opt)
	}()
	c.opened = t
	return nil
}

// iteration lets the training go on and waits for the metrics of its next iteration, at most for some milliseconds.
// The answer is whether they are still to come, and the metrics: null when the training is over.
func (t *trainer) iteration(c *call) error {
	var ms int64
	if err := c.read(&ms); err != nil {
		return err
	}
	if t.waits {
		select {
		case t.next <- struct{}{}:
		case <-t.over: // it was ended in between
		}
		t.waits = false
	}
	var metrics map[string]*float64
	coming := false
	select {
	case metrics = <-t.metrics:
		t.waits = true
	case <-t.over:
	case <-time.After(time.Duration(ms) * time.Millisecond):
		coming = true
	}
	c.answer = map[string]any{"coming": coming, "metrics": metrics}
	return nil
}

// end ends the training, unless it is over, and returns its report.
func (t *trainer) end(c *call) error {
	t.cancel()
	<-t.over
	return answerReport(c, t.report, t.err)
}

// release ends the training. Its error is that of end.
func (t *trainer) release() error {
	t.cancel()
	<-t.over
	return nil
}
