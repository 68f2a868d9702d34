package env

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/polyrhythm-rl/polyrhythm/internal/random"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// The arrays of all worlds are row-major, one row per world, allocated once and never
// moved: a slice stays valid, and shows the newest step, until the env is garbage. Step
// and Reset write them, so read them between calls.

// Worlds is the number of worlds.
func (e *Env) Worlds() int { return e.sim.Worlds() }

// Spec describes the task: sizes, bounds and names of observations, actions and infos,
// and the time limit.
func (e *Env) Spec() sim.Spec { return e.sim.Spec() }

// Observations is Worlds × ObservationSize: what the agent of each world sees now. Of a
// world that ended its episode in the step just taken it is, with SameStep, the first
// of the next one.
func (e *Env) Observations() []float64 { return e.sim.Observation() }

// Actions is Worlds × ActionSize: the caller writes here before Step. Values outside
// the bounds of Spec are clipped as the task has it; a discrete action is one value, a
// whole number from 0 to Discrete-1.
func (e *Env) Actions() []float32 { return e.sim.Action() }

// Rewards is one value per world: what the step just taken earned.
func (e *Env) Rewards() []float64 { return e.sim.Reward() }

// Terminations says of each world whether its episode ended in the step just taken by
// the task's own rules.
func (e *Env) Terminations() []bool { return e.sim.Terminated() }

// Truncations says of each world whether its episode ended in the step just taken by
// its time limit or by a fault.
func (e *Env) Truncations() []bool { return e.sim.Truncated() }

// Faults says of each world whether its episode ended in the step just taken because
// physics or the task broke down.
func (e *Env) Faults() []bool { return e.sim.Fault() }

// Infos is Worlds × len(InfoNames): what the task says about the step just taken.
func (e *Env) Infos() []float64 { return e.sim.Info() }

// FinalObservations is Worlds × ObservationSize: the last observation of the episodes
// that ended in the step just taken; other rows are older.
func (e *Env) FinalObservations() []float64 { return e.sim.FinalObservation() }

// FinalInfos is Worlds × len(InfoNames): the infos of the last step of the episodes
// that ended in the step just taken; other rows are older.
func (e *Env) FinalInfos() []float64 { return e.sim.FinalInfo() }

// EpisodeReturns is one value per world: the sum of rewards of the episodes that ended
// in the step just taken; other values are older.
func (e *Env) EpisodeReturns() []float64 { return e.sim.EpisodeReturn() }

// EpisodeLengths is one value per world: the number of control steps of the episodes
// that ended in the step just taken; other values are older.
func (e *Env) EpisodeLengths() []int64 { return e.sim.EpisodeLength() }

var errClosed = errors.New("the env is closed; open another one")

// usable returns why the worlds cannot be stepped or reset; nil if they can.
func (e *Env) usable() error {
	if e.closed {
		return errClosed
	}
	if e.failed != nil {
		return fmt.Errorf("the env cannot go on after an error; open another one: %w", e.failed)
	}
	return nil
}

// Step takes one control step of every world that has an episode to run, under the
// actions in [Env.Actions]. An action that is not finite, or none of a task's choices,
// is an error before any world moves. After any other error, such as one of the disk,
// the env can only be closed.
func (e *Env) Step() error {
	if err := e.usable(); err != nil {
		return err
	}
	if err := e.sim.CheckActions(); err != nil {
		return err
	}
	e.failed = e.Each(stepBlock)
	return e.failed
}

func stepBlock(w *sim.Worker, b *sim.Block) error { return b.Step(w) }

// Reset begins a new episode in every world. An episode that was running is closed as
// incomplete. A new env has begun its first episodes already.
func (e *Env) Reset() error { return e.ResetWorlds(nil, nil) }

// ResetWorlds begins a new episode in the worlds that mask names, all where it is nil.
// Where seeds is not nil each of these worlds draws from now on what the one world of
// an env with that seed draws. Both have a value for each world.
func (e *Env) ResetWorlds(mask []bool, seeds []uint64) error {
	if err := e.usable(); err != nil {
		return err
	}
	n := e.Worlds()
	if mask != nil && len(mask) != n || seeds != nil && len(seeds) != n {
		return fmt.Errorf("the mask has %d and the seeds %d values, want %d of each or none", len(mask), len(seeds), n)
	}
	if mask == nil {
		mask = make([]bool, n)
		for i := range mask {
			mask[i] = true
		}
	}
	e.failed = e.Each(func(w *sim.Worker, b *sim.Block) error {
		first, end := b.First(), b.First()+b.Len()
		for i := range b.Len() {
			if mask[first+i] {
				b.Reward()[i], b.Terminated()[i], b.Truncated()[i], b.Fault()[i] = 0, false, false, false
			}
		}
		var own []uint64
		if seeds != nil {
			own = seeds[first:end]
		}
		b.Restart(w, mask[first:end], own)
		return nil
	})
	return e.failed
}

// SampleActions draws an action for every world: each value uniformly between its
// bounds, or from the standard normal distribution where it has none, and one of the
// choices where actions are discrete. The draws follow from the env's seed alone.
func (e *Env) SampleActions() {
	for _, b := range e.sim.Blocks() {
		e.SampleBlock(b)
	}
}

// SampleBlock is [Env.SampleActions] for one block. It may be called for different
// blocks at the same time. Each world has a source of its own, so its actions do not
// depend on who draws first.
func (e *Env) SampleBlock(b *sim.Block) {
	e.sampling.Do(func() {
		e.samplers = make([]*rand.Rand, e.Worlds())
		for w := range e.samplers {
			e.samplers[w] = random.Actions(e.seed, uint64(w))
		}
	})
	spec, action := &e.spec, b.Action()
	for i := range b.Len() {
		source := e.samplers[b.First()+i]
		if spec.Discrete > 0 {
			action[i] = float32(source.IntN(spec.Discrete))
			continue
		}
		for j := range spec.ActionSize {
			low, high := spec.ActionLow[j], spec.ActionHigh[j]
			a := source.NormFloat64()
			if !math.IsInf(low, 0) && !math.IsInf(high, 0) {
				a = low + float64(source.Float64()*(high-low))
			}
			action[i*spec.ActionSize+j] = float32(a)
		}
	}
}
