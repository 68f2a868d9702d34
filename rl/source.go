package rl

import (
	"cmp"
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
	if settings.Algorithm != AlgorithmSAC {
		return nil, unsuited(w.Shape(), settings, "worlds and what was recorded")
	}
	if err := someRows(w.Recorded); err != nil {
		return nil, err
	}
	s, err := newSAC(w.Env, settings, seed)
	if err != nil {
		return nil, err
	}
	return s, s.fill(w.Recorded)
}

func (w Worlds) open(settings Settings, seed uint64) (trainable, error) {
	switch settings.Algorithm {
	case "", AlgorithmPPO:
		return newPPO(w.Shape(), settings, seed, collecting(w.Env, nil))
	case AlgorithmSAC:
		return newSAC(w.Env, settings, seed)
	}
	return nil, unsuited(w.Shape(), settings, "worlds that nobody teaches")
}

// TaughtWorlds are worlds which the learner steps and in which a teacher says what it would have done.
type TaughtWorlds struct {
	Env
	Teacher
}

func (w TaughtWorlds) open(settings Settings, seed uint64) (trainable, error) {
	if settings.Algorithm != AlgorithmDistill {
		return nil, unsuited(w.Shape(), settings, "a teacher")
	}
	return newDistiller(w.Env, w.Teacher, settings, seed)
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
	if cmp.Or(settings.Algorithm, AlgorithmPPO) != AlgorithmPPO {
		return nil, unsuited(p.Of, settings, "parts of rollouts")
	}
	return newPPO(p.Of, settings, seed, elsewhere(p.Collect).open)
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
	switch settings.Algorithm {
	case AlgorithmClone:
		return newCloner(r.Of, r.Recorded, settings, seed)
	case AlgorithmTD3BC:
		return newTD3BC(r.Of, r.Recorded, settings, seed)
	}
	return nil, unsuited(r.Of, settings, "what was recorded")
}

// unsuited is the error of settings whose algorithm cannot learn from a source, or of what else is wrong with them.
func unsuited(shape Shape, settings Settings, what string) error {
	if _, err := Check(shape, settings); err != nil {
		return err
	}
	return SettingsError{fmt.Errorf("algorithm is %s, want one that learns from %s", settings.Algorithm, what)}
}
