package rl

import (
	"fmt"
)

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
