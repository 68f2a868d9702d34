package env

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/polyrhythm-rl/polyrhythm/internal/random"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// The arrays below are row-major, with one row per world that the env holds, in the order of
// their numbers: row 0 is world Slice().From. They are allocated once and
// never moved, so a slice stays valid and always holds the values of the last step. They
// belong to the env, and only Actions may be written. Step, Reset and ResetWorlds write
// the others, so read them between calls.

// Slice returns the worlds of the run that the env holds: all, unless OpenOptions.Slice
// selects some.
func (e *Env) Slice() sim.Slice { return e.sim.Slice() }

// ParseSlice is [sim.ParseSlice], for OpenOptions.Slice.
func ParseSlice(text string) (sim.Slice, error) { return sim.ParseSlice(text) }

// Worlds returns the number of worlds that the env holds.
func (e *Env) Worlds() int { return e.sim.Worlds() }

// Spec returns the description of the task: sizes, bounds and names of observations,
// actions and infos, and the time limit.
func (e *Env) Spec() sim.Spec { return e.sim.Spec() }

// Observations returns the current observations, Worlds × ObservationSize. With
// SameStep, the row of a world whose episode ended in the last step is the first
// observation of the next episode.
func (e *Env) Observations() []float64 { return e.sim.Observation() }

// Actions returns the actions of the next step, Worlds × ActionSize, for the caller to
// write. The task clips values outside the bounds of Spec. A discrete action is one
// value, a whole number from 0 to Discrete-1.
func (e *Env) Actions() []float32 { return e.sim.Action() }

// Rewards returns the rewards of the last step, one per world.
func (e *Env) Rewards() []float64 { return e.sim.Reward() }

// Terminations returns, for each world, whether a rule of the task ended its episode in
// the last step.
func (e *Env) Terminations() []bool { return e.sim.Terminated() }

// Truncations returns, for each world, whether the time limit or a fault ended its
// episode in the last step.
func (e *Env) Truncations() []bool { return e.sim.Truncated() }

// Faults returns, for each world, whether a failure of physics or of the task ended its
// episode in the last step.
func (e *Env) Faults() []bool { return e.sim.Fault() }

// Infos returns the task's infos about the last step, Worlds × len(InfoNames).
func (e *Env) Infos() []float64 { return e.sim.Info() }

// FinalObservations returns the last observations of the episodes that ended in the last
// step, Worlds × ObservationSize. The rows of other worlds are those of earlier episodes.
func (e *Env) FinalObservations() []float64 { return e.sim.FinalObservation() }

// FinalInfos returns the infos of the last step of the episodes that ended in it, Worlds
// × len(InfoNames). The rows of other worlds are those of earlier episodes.
func (e *Env) FinalInfos() []float64 { return e.sim.FinalInfo() }

// EpisodeReturns returns the sums of rewards of the episodes that ended in the last
// step, one per world. The values of other worlds are those of earlier episodes.
func (e *Env) EpisodeReturns() []float64 { return e.sim.EpisodeReturn() }

// EpisodeLengths returns the numbers of control steps of the episodes that ended in the
// last step, one per world. The values of other worlds are those of earlier episodes.
func (e *Env) EpisodeLengths() []int64 { return e.sim.EpisodeLength() }

var errClosed = errors.New("the env is closed; open another one")

// usable returns an error if the worlds cannot be stepped or reset.
func (e *Env) usable() error {
	if e.closed {
		return errClosed
	}
	if e.failed != nil {
		return fmt.Errorf("the env cannot go on after an error; open another one: %w", e.failed)
	}
	return nil
}

// Step takes one control step of every world that has an episode to run, with the
// actions in [Env.Actions]. If an action is not finite, or not one of the choices of a
// discrete action, it returns an error and steps no world. After any other error, such
// as one of the disk, the env can only be closed.
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

// Reset begins a new episode in every world. It ends a running episode as incomplete. A
// new env needs no Reset.
func (e *Env) Reset() error { return e.ResetWorlds(nil, nil) }

// ResetWorlds begins a new episode in each world whose value in mask is true, in all
// worlds if mask is nil. If seeds is not nil, each of these worlds then draws the same
// numbers as the only world of an env with that seed. mask and seeds have one value per
// world.
func (e *Env) ResetWorlds(mask []bool, seeds []uint64) error {
	if err := e.usable(); err != nil {
		return err
	}
	n := e.Worlds()
	if mask != nil && len(mask) != n || seeds != nil && len(seeds) != n {
		return fmt.Errorf("the length of mask is %d and that of seeds %d, want %d or nil", len(mask), len(seeds), n)
	}
	if mask == nil {
		mask = make([]bool, n)
		for i := range mask {
			mask[i] = true
		}
	}
	e.failed = e.Each(func(w *sim.Worker, b *sim.Block) error {
		first, end := b.Row(), b.Row()+b.Len()
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
// bounds, or from the standard normal distribution if it has none; a discrete action is
// drawn from its choices. The draws depend on the env's seed only.
func (e *Env) SampleActions() {
	for _, b := range e.sim.Blocks() {
		e.SampleBlock(b)
	}
}

// SampleBlock is [Env.SampleActions] for one block. Several goroutines may call it for
// different blocks at the same time. Each world has its own random stream, so its
// actions do not depend on the order of the calls.
func (e *Env) SampleBlock(b *sim.Block) {
	e.makeSamplers()
	spec, action := &e.spec, b.Action()
	for i := range b.Len() {
		source := e.samplers[b.Row()+i]
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

// makeSamplers creates the generators of random actions, by row.
func (e *Env) makeSamplers() {
	e.sampling.Do(func() {
		e.sources, e.samplers = make([]*rand.ChaCha8, e.Worlds()), make([]*rand.Rand, e.Worlds())
		for w := range e.samplers {
			e.sources[w] = random.Actions(e.seed, uint64(e.Slice().From+w))
			e.samplers[w] = rand.New(e.sources[w])
		}
	})
}

// samplerStates returns the states of the sources of random actions, for setSamplers.
func (e *Env) samplerStates() ([][]byte, error) {
	e.makeSamplers()
	states := make([][]byte, len(e.sources))
	for w, source := range e.sources {
		var err error
		if states[w], err = source.MarshalBinary(); err != nil {
			return nil, err
		}
	}
	return states, nil
}

func (e *Env) setSamplers(states [][]byte) error {
	if len(states) != e.Worlds() {
		return fmt.Errorf("the states of random actions are of %d worlds, want %d", len(states), e.Worlds())
	}
	e.makeSamplers()
	for w, source := range e.sources {
		if err := source.UnmarshalBinary(states[w]); err != nil {
			return fmt.Errorf("the state of random actions of row %d: %w", w, err)
		}
	}
	return nil
}
