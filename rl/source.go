package rl

import (
	"context"
	"fmt"
)

// Source is what a learner learns from: [Worlds] and [TaughtWorlds] are stepped in this process, [Parts] of rollouts
// come from other processes, and [Rows] were recorded. Which algorithms learn from it is the source's to say.
type Source interface {
	Shape() Shape

	// open returns a learner by the algorithm of the settings, whose parameters are zero.
	open(settings Settings, seed uint64) (trainable, error)
}

// trainable is a learner whose parameters can be set.
type trainable interface {
	Learner
	initialise()             // draws the first parameters
	restore(c *Checkpoint)   // takes over what a checkpoint holds
	remember(m Memory) error // takes over the memory of another learner
}

// Worlds are those of an environment, which the learner steps: by PPO or SAC.
type Worlds struct{ Env }

// FilledWorlds are worlds which the learner steps by SAC, and whose replay begins with what was recorded elsewhere. What
// was observed there counts in the moments, too, unless the learner goes on from a checkpoint, which has its own.
type FilledWorlds struct {
	Env
	Recorded RecordedRewards // rows of Shape.Observation and Shape.Action values; not used after the learner is there
}

func (w FilledWorlds) open(settings Settings, seed uint64) (trainable, error) {
	return openBy(settings.Algorithm.definition().filled, w, settings, seed, "worlds and what was recorded")
}

func (w Worlds) open(settings Settings, seed uint64) (trainable, error) {
	return openBy(settings.Algorithm.definition().worlds, w, settings, seed, "worlds that nobody teaches")
}

// TaughtWorlds are worlds which the learner steps and in which a teacher says what it would have done.
type TaughtWorlds struct {
	Env
	Teacher
}

func (w TaughtWorlds) open(settings Settings, seed uint64) (trainable, error) {
	return openBy(settings.Algorithm.definition().taught, w, settings, seed, "a teacher")
}

// Parts are the rollouts of worlds that others step: a [Collector] for each slice of the worlds, in any process. Of is
// their shape. Collect returns the parts of all worlds, in any order, collected under the weights; the learner keeps
// the parts until the next call, and changes them.
type Parts struct {
	Of      Shape
	Collect func(context.Context, *Weights) ([]*RolloutPart, error)
}

// Shape implements [Source].
func (p Parts) Shape() Shape { return p.Of }

func (p Parts) open(settings Settings, seed uint64) (trainable, error) {
	return openBy(settings.Algorithm.definition().parts, p, settings, seed, "parts of rollouts")
}

// Rows are what was recorded, in the place of worlds of a shape: an iteration takes as many rows as these would have
// steps. [AlgorithmTD3BC] wants [RecordedRewards].
type Rows struct {
	Of Shape
	Recorded
}

// Shape implements [Source].
func (r Rows) Shape() Shape { return r.Of }

func (r Rows) open(settings Settings, seed uint64) (trainable, error) {
	return openBy(settings.Algorithm.definition().rows, r, settings, seed, "what was recorded")
}

// openBy calls what an algorithm has for a source. Without it the error is that of settings whose algorithm cannot learn
// from the source, or of what else is wrong with them.
func openBy[S Source](open func(S, Settings, uint64) (trainable, error), source S, settings Settings, seed uint64,
	what string) (trainable, error) {
	if open != nil {
		return open(source, settings, seed)
	}
	if _, err := Check(source.Shape(), settings); err != nil {
		return nil, err
	}
	return nil, SettingsError{fmt.Errorf("algorithm is %s, want one that learns from %s", settings.Algorithm, what)}
}
