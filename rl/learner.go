package rl

import (
	"context"
	"fmt"
	"io"
)

// Learner is an algorithm at work on a [Source]: a [PPO], a [SAC], a [Distiller], a [Cloner] or a [TD3BC]. Not safe for
// concurrent use; inside, it works on Shape.Workers goroutines.
type Learner interface {
	// Iterate collects a rollout and learns. When ctx is cancelled it ends early with ctx's error, and the learner is
	// as it was before the call, but for its Memory, so that a checkpoint can be written. A Replay then ends where it
	// did; its oldest rows may be lost, those that the same rollout writes over again before anything is drawn. After
	// any error the worlds stand anywhere, and the learner is not to be used for more than that.
	Iterate(ctx context.Context) (Metrics, error)

	Policy() *Policy     // a copy, as it is now
	ControlSteps() int64 // that every world has taken, those before the checkpoint that it continues included
	EnvSteps() int64     // since the start, over all worlds

	// Checkpoint writes the learner's state to w. user, in UTF-8, is kept as it is for CheckpointHeader.User. The bytes
	// depend on nothing but the state and user.
	Checkpoint(w io.Writer, user string) error

	// Memory returns, for [Continue], what the learner keeps of the worlds between two iterations and a checkpoint does
	// not have.
	Memory() Memory
}

// Memory is what a learner keeps of the worlds.
type Memory struct {
	Discounted []float64 // of PPO: the discounted return so far, by world

	// States of a recurrent policy, worlds × units of its GRU, then of the value network's and, with a symmetry, of the
	// policy's that sees mirror images.
	States []float32

	Replay *Replay // of SAC; it shares memory with the learner, and the others are copies
}

// NewLearner prepares learning from scratch by the algorithm of the settings. Two learners with the same source,
// settings and seed do the same, bit for bit, whatever their number of workers and the size of blocks.
func NewLearner(source Source, settings Settings, seed uint64) (Learner, error) {
	l, err := source.open(settings, seed)
	if err != nil {
		return nil, err
	}
	l.initialise()
	return l, nil
}

// Check returns an error if [NewLearner] would refuse the settings in worlds of this shape, and else
// about how many bytes a learner takes. It allocates nothing large.
func Check(shape Shape, settings Settings) (bytes int64, err error) {
	need, err := settings.Algorithm.definition().check(shape, settings)
	return need.Go, err
}

// Segment is the number of control steps that every world takes in an iteration.
func (s *Settings) Segment() int {
	if s.Algorithm.definition().replays {
		return s.SAC.filled().Segment
	}
	return s.RolloutSteps
}

// Continue returns the learner that wrote the checkpoint as it then was, from a source whose worlds stand where they
// then stood. m is its Memory of that time, which becomes the learner's. With the checkpoint's settings it goes on bit
// for bit as the first learner did; others must pass [Checkpoint.CheckResume] and be of the update alone.
func Continue(source Source, c *Checkpoint, m Memory, settings Settings) (Learner, error) {
	l, err := c.learner(source, settings, c.Seed)
	if err != nil {
		return nil, err
	}
	if err := l.remember(m); err != nil {
		return nil, fmt.Errorf("rl: continue: %w", err)
	}
	return l, nil
}

// Resume continues learning from a checkpoint, with fresh episodes: worlds may stand anywhere. There may be another
// number of worlds than before, but the same observations and actions. The settings and the seed may differ from the
// checkpoint's as far as [Checkpoint.CheckResume] allows. PPO's learning rate goes on from the checkpoint's, but begins
// anew at Settings.LearningRate where that or the schedule is another one. After a clone its steps are counted from 0.
// SAC's replay is empty, and fills under its policy before it learns.
func Resume(source Source, c *Checkpoint, settings Settings, seed uint64) (Learner, error) {
	if err := c.CheckResume(settings); err != nil {
		return nil, fmt.Errorf("rl: resume: %w", err)
	}
	if err := settings.checkRandomSteps(c.EnvSteps); err != nil {
		return nil, SettingsError{err}
	}
	begun := *c
	begun.ReplayFrom = c.ControlSteps
	return begun.learner(source, settings, seed)
}

// learner returns a learner that knows what the checkpoint holds.
func (c *Checkpoint) learner(source Source, settings Settings, seed uint64) (trainable, error) {
	if err := c.checkShape(source.Shape()); err != nil {
		return nil, err
	}
	l, err := source.open(settings, seed)
	if err != nil {
		return nil, err
	}
	l.restore(c)
	return l, nil
}
