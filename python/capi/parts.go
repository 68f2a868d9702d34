package main

import (
	"context"
	"encoding/hex"
	"errors"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/rl"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/training"
)

// learnerRequest describes a training in parts.
type learnerRequest struct {
	trainingRequest
	Slices []sim.Slice `json:"slices"` // empty: Count slices
	Count  int         `json:"count"`
	Keep   bool        `json:"keep"` // keep a point when the training is done
}

// learner is the training in parts of a handle. Any number of threads may use it.
type learner struct {
	watched
	parts *training.Parts
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
	l := &learner{}
	l.watch(config, &opt)
	opt.Workers, opt.KeepState = workers, r.Keep
	parts, err := training.TrainInParts(context.Background(), config, opt, r.Slices)
	if err != nil {
		return err
	}
	l.parts, c.opened = parts, l
	c.answer = map[string]any{"assignments": parts.Assignments(), "folder": parts.Folder(),
		"recording": config.Recording.Enabled} // collectors may record
	return nil
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
	c.answer = map[string]any{"missing": append([]int{}, l.parts.Missing()...), "metrics": metricsForJSON(l.parts.Metrics())}
	return nil
}

// end ends the training, unless it is over, and returns its report. A training that the caller ended early can be
// resumed, and its end is no error.
func (l *learner) end(c *call) error {
	report, err := l.parts.Close()
	return answerReport(c, report, err)
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
