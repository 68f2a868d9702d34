package rl

import (
	"context"
	"errors"
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

// Teacher says what it would have done in the place of a learner, which [AlgorithmDistill] learns from: the learner
// acts, and its policy becomes likelier to do what the teacher would have done. This is DAgger (Ross, Gordon and
// Bagnell, "A Reduction of Imitation Learning and Structured Prediction to No-Regret Online Learning", 2011), without
// the steps that its teacher takes at first, and with the newest rollout in place of all.
type Teacher interface {
	// Teach writes the teacher's action, within the bounds, for what each world of a block shows before the step:
	// Len × Action. worker is that of [Env.Rollout], different for calls that run at the same time.
	Teach(worker int, b Block, dst []float32) error
}

// Recorded is what somebody observed and did, which [AlgorithmClone] learns from: behaviour cloning. It is read by one
// goroutine at a time, and must not change while a learner has it.
type Recorded interface {
	Len() int // observations, at least 1

	// Row writes observation i, Shape.Observation values, and the action that followed.
	Row(i int, observation []float64, action []float32)
}

// RecordedEpisodes is what a policy with a memory, or one that decides on chunks of actions, learns from.
type RecordedEpisodes interface {
	Recorded

	// Episodes returns the observations of each episode, at least one, in the order of time. Each is in one of them.
	Episodes() [][]int32
}

// RecordedRewards is what a policy learns from by AlgorithmTD3BC.
type RecordedRewards interface {
	RecordedEpisodes

	// Reward returns what the action of row i earned, and whether the episode was then over, by a termination or a fault.
	// known is false where the dataset does not have what followed: the row is then the one before's next observation
	// alone. The last row of an episode that is not over is such a row.
	Reward(i int) (reward float64, over, known bool)
}

// someRows returns an error if there are none.
func someRows(rows Recorded) error {
	if rows == nil || rows.Len() == 0 {
		return errors.New("rl: nothing was recorded, want at least one row to learn from")
	}
	return nil
}
