package env

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/polyrhythm-rl/polyrhythm/internal/random"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/recorder/worlds"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/sim/runlog"
)

// Version is the version of Polyrhythm, which is stored in datasets and run folders.
const Version = "0.1.0"

// Env holds the worlds of a configuration. One goroutine at a time may call its methods,
// which work on several goroutines themselves. Those of an Env that neither [Open] nor
// [Make] returned, nil or zero, panic, but for Close, which returns an error.
type Env struct {
	plan   *Plan
	model  physics.Model
	sim    *sim.Sim
	rows   *worlds.Recorder // nil without recording
	writer *recorder.Writer // nil without recording
	log    *runlog.Log      // nil without a log
	digest string           // see ModelDigest

	segmentSteps int64 // limit of control steps per segment, set by the recording; 0 for none
	lastStep     int64 // number of control steps after which the run ends; 0 for no limit
	warnings     []string

	stepping sync.Mutex // held by a call that steps the worlds
	closing  sync.Once
	closed   atomic.Bool
	failed   error // the error after which the worlds cannot be stepped

	bodies []physics.Body // that can move
	poses  []int          // probes of their poses, one after the other; nil without OpenOptions.Poses
	pushes []runlog.Push  // that act in the next control steps
	forces []force        // of the pushes, while Each runs

	captureRunners []string // with a binding of captures; nil without OpenOptions.Capture
	capture        func(runner int, ctx *runners.StepContext, w *sim.World)
	boundaries     plannerBoundaries

	configured int // changes of the clock that the configuration has

	seed     uint64
	spec     sim.Spec
	sampling sync.Once // creates samplers
	samplers []*rand.Rand
	sources  []*rand.ChaCha8 // of samplers
}

// Step takes one control step of every world that has an episode to run, with the actions in [sim.Sim.Actions]. If an
// action is not finite, or not one of the choices of a discrete action, it returns a [sim.ActionError] and steps no
// world. After any other error, such as one of the disk, the env can only be closed; see [Env.Err].
func (e *Env) Step() error {
	if err := e.begin("Step"); err != nil {
		return err
	}
	defer e.stepping.Unlock()
	if err := cmp.Or(e.goesOn(), e.sim.CheckActions()); err != nil {
		return err
	}
	e.failed = e.each(func(w *sim.Worker, b *sim.Block) error { return b.Step(w) })
	return e.failed
}

// errUnmade is the error of methods of an Env that is none.
var errUnmade = errors.New("the Env is nil or zero, want one that Open or Make returned")

// made returns e; it panics unless Open has made it.
func (e *Env) made() *Env {
	if e == nil || e.sim == nil {
		panic(errUnmade)
	}
	return e
}

// Reset begins a new episode in every world. It ends a running episode as incomplete. A new env needs none.
func (e *Env) Reset() error { return e.ResetWorlds(nil, nil, nil) }

// ResetWorlds begins a new episode in each world whose value in mask is true, in all worlds if mask is nil. A world
// with a seed then draws the same numbers as the only world of an env with that seed; one without goes on with its
// own. If seeds is nil, no world has one; else those have whose value in seeded is true, or all if seeded is nil. mask,
// seeded and seeds have one value per world. As after Step, the env can only be closed after an error of the worlds.
func (e *Env) ResetWorlds(mask, seeded []bool, seeds []uint64) error {
	if err := e.begin("Reset"); err != nil {
		return err
	}
	defer e.stepping.Unlock()
	if err := e.goesOn(); err != nil {
		return err
	}
	n := e.sim.Worlds()
	if mask != nil && len(mask) != n || seeded != nil && len(seeded) != n || seeds != nil && len(seeds) != n {
		return fmt.Errorf("the length of mask is %d, that of seeded %d and that of seeds %d, want %d or nil", len(mask),
			len(seeded), len(seeds), n)
	}
	if mask == nil {
		mask = slices.Repeat([]bool{true}, n)
	}
	e.cancelPushes(e.sim.Slice().From, mask)
	e.failed = e.each(func(w *sim.Worker, b *sim.Block) error {
		first, end := b.Row(), b.Row()+b.Len()
		for i := range b.Len() {
			if mask[first+i] {
				b.Rewards()[i], b.Terminations()[i], b.Truncations()[i], b.Faults()[i] = 0, false, false, false
			}
		}
		switch {
		case seeds == nil:
			b.Restart(w, mask[first:end], nil)
		case seeded == nil:
			b.Restart(w, mask[first:end], seeds[first:end])
		default:
			plain, reseeded := slices.Clone(mask[first:end]), slices.Clone(mask[first:end])
			for i, s := range seeded[first:end] {
				plain[i], reseeded[i] = plain[i] && !s, reseeded[i] && s
			}
			if slices.Contains(plain, true) {
				b.Restart(w, plain, nil)
			}
			if slices.Contains(reseeded, true) {
				b.Restart(w, reseeded, seeds[first:end])
			}
		}
		return nil
	})
	return e.failed
}

// SampleActions draws an action for every world: each value uniformly between its bounds, or from the standard normal
// distribution if it has none; a discrete action is drawn from its choices. The draws depend on the env's seed only.
func (e *Env) SampleActions() {
	for _, b := range e.made().sim.Blocks() {
		e.SampleBlock(b)
	}
}

// SampleBlock is [Env.SampleActions] for one block. Several goroutines may call it for different blocks at the same
// time: each world has its own random stream.
func (e *Env) SampleBlock(b *sim.Block) {
	e.made().makeSamplers()
	if b == nil {
		panic("env: SampleBlock of no block (nil), want one of Sim().Blocks()")
	}
	spec, action := &e.spec, b.Actions()
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

// Close ends the running episodes as incomplete, completes the dataset and the log, and frees the memory of the
// engine. The recorded rows are written even if it returns an error. The arrays stay readable. Any goroutine may
// call Close at any time, but no callback: it waits for a call that steps the worlds, and later ones return an
// error. Further calls of Close wait for the first, and do nothing.
func (e *Env) Close() (err error) {
	if e == nil || e.sim == nil {
		return errUnmade
	}
	e.closing.Do(func() {
		e.closed.Store(true)
		err = e.close()
	})
	return err
}

func (e *Env) close() error {
	var errs []error
	if e.sim != nil {
		errs = append(errs, e.sim.Close())
		if e.rows != nil {
			for b := range e.sim.Blocks() {
				errs = append(errs, e.rows.EndSegment(b))
			}
		}
	}
	if e.writer != nil {
		errs = append(errs, e.writer.Close())
	}
	if e.log != nil {
		errs = append(errs, e.log.Close())
	}
	if e.model != nil {
		errs = append(errs, e.model.Close())
	}
	e.warnings = nil
	if m, ok := e.model.(*mujoco.Model); ok && m.Overflow() != "" {
		e.warnings = []string{m.Overflow()}
	}
	return errors.Join(errs...)
}

// Each runs one segment: it calls f once for every block, as [sim.Sim.Each] does, and passes the recorded rows to
// the writer. The order of rows in a dataset depends on the number of control steps in each segment, not on the
// number of workers. It returns an error and calls nothing after one of [Env.Err]; its own errors are not among those.
func (e *Env) Each(f func(w *sim.Worker, b *sim.Block) error) error {
	if err := e.begin("Each"); err != nil {
		return err
	}
	defer e.stepping.Unlock()
	if f == nil {
		return errors.New("env: Each of no function (nil), want one that steps a block")
	}
	if err := e.goesOn(); err != nil {
		return err
	}
	return e.each(f)
}

// begin begins a call that steps the worlds, which ends when the caller unlocks e.stepping. It returns an error, and
// locks nothing, if the worlds are closed or another call runs.
func (e *Env) begin(call string) error {
	switch {
	case e.made().closed.Load():
		return sim.ErrClosed
	case !e.stepping.TryLock():
		return fmt.Errorf("env: %s %w", call, sim.ErrBusy)
	}
	return nil
}

// Err returns the error of a Step, Reset or ResetWorlds after which the env can only be closed; nil if there was none.
func (e *Env) Err() error { return e.made().failed }

// goesOn returns an error if one has ended the worlds.
func (e *Env) goesOn() error {
	if e.failed != nil {
		return fmt.Errorf("the env cannot go on after an error; open another one: %w", e.failed)
	}
	return nil
}

// each is Each in a call that has begun.
func (e *Env) each(f func(w *sim.Worker, b *sim.Block) error) error {
	if e.rows != nil {
		act := f
		f = func(w *sim.Worker, b *sim.Block) (err error) {
			// Also after an error or a panic, since the writer waits for every block.
			defer func() { err = errors.Join(err, e.rows.EndSegment(b.Index())) }()
			return act(w, b)
		}
	}
	e.beginPushes()
	err := e.sim.Each(f)
	e.endPushes()
	return err
}

// Active reports whether the run has not reached its limit of steps and some world still has an episode to run.
func (e *Env) Active() bool {
	return e.made().sim.Active() && (e.lastStep == 0 || e.sim.Blocks()[0].N() < e.lastStep)
}

// SegmentSteps returns the number of control steps for the next segment: at most most, the number left in the run,
// and the number whose rows fit into half of recording.memory_mb. The rows of the previous segment may occupy the
// other half. It is the same whether the run records or not, and for every slice of it.
func (e *Env) SegmentSteps(most int) int {
	n := int64(most)
	if e.made().segmentSteps > 0 {
		n = min(n, e.segmentSteps)
	}
	if e.lastStep > 0 {
		n = min(n, e.lastStep-e.sim.Blocks()[0].N())
	}
	return int(n)
}

// Drain waits until the writer of the dataset has written all rows it was given; see [recorder.Writer.Drain].
func (e *Env) Drain() error {
	if e.made().writer == nil {
		return nil
	}
	return e.writer.Drain()
}

// Sim returns the worlds: their arrays, in which actions are written and what happened is read, their numbers and the
// description of the task. They belong to the env, which steps and closes them.
func (e *Env) Sim() *sim.Sim { return e.made().sim }

// Plan returns the resolved clock.
func (e *Env) Plan() *Plan { return e.made().plan }

// Model returns the compiled model. It belongs to the env.
func (e *Env) Model() physics.Model { return e.made().model }

// ModelDigest identifies the compiled model, if it is from files of the user: a described task's, or that of the key
// model. It is "" for a model that belongs to its task.
func (e *Env) ModelDigest() string { return e.made().digest }

// Warnings returns the warnings of the scene and of the task about their settings, one line each. After Close it
// returns those of the engine about the run instead, such as that the model's memory was too small for its contacts.
func (e *Env) Warnings() []string { return e.made().warnings }

// State is the state of the worlds of a run between two calls of [Env.Each]. Every part but the worlds may be absent.
type State struct {
	Worlds  *sim.Snapshot      `json:"-"`
	Dataset *recorder.Position `json:"dataset,omitempty"` // nil without recording
	// Origin is the version of the clock with which it begins for worlds that go on; nil: that of the configuration.
	// Changes are those after it, besides those of the configuration unless there is an origin.
	Origin  *runners.Version `json:"clock_from,omitempty"`
	Changes []runners.Change `json:"clock,omitempty"`
	// by row, the state of the source of [Env.SampleActions]; nil: its beginning
	Samples [][]byte      `json:"samples,omitempty"`
	Pushes  []runlog.Push `json:"pushes,omitempty"` // that act in the next control steps
}

// State is [Env.Standing], and what it refers to is on the disk.
func (e *Env) State() (s State, err error) {
	if s, err = e.Standing(); err == nil {
		err = e.Sync()
	}
	return s, err
}

// Standing waits for the writer of the dataset and returns the state of the run, for OpenOptions.Continue. What was
// recorded until then is on the disk after a call of Sync. At least one call of Each must have been made.
func (e *Env) Standing() (s State, err error) {
	s = State{Worlds: e.made().sim.Snapshot(), Origin: e.sim.Origin(), Changes: e.sim.Changes(),
		Pushes: slices.Clone(e.pushes)}
	if s.Origin == nil {
		s.Changes = s.Changes[e.configured:]
	}
	if e.samplers != nil {
		if s.Samples, err = e.samplerStates(); err != nil {
			return s, err
		}
	}
	if e.writer != nil {
		s.Dataset, err = e.writer.Position()
	}
	return s, err
}

// Sync waits for the writer of the dataset and forces what it has written to the disk, as recording.sync allows.
func (e *Env) Sync() error {
	if e.made().writer == nil {
		return nil
	}
	return e.writer.Sync()
}

// resume continues an earlier run in the state in which it stood, unless state is nil.
func (e *Env) resume(state *State) error {
	if state == nil {
		return nil
	}
	if e.writer != nil { // the first instants of worlds that are not to be
		e.writer.DropSegment()
	}
	if state.Origin != nil {
		if err := e.sim.SetOrigin(state.Origin); err != nil {
			return err
		}
	}
	for _, c := range state.Changes {
		if err := e.sim.Change(c); err != nil {
			return err
		}
	}
	if state.Samples != nil {
		if err := e.setSamplers(state.Samples); err != nil {
			return err
		}
	}
	for i := range state.Pushes {
		if err := e.push(&state.Pushes[i]); err != nil {
			return err
		}
	}
	return e.sim.Restore(state.Worlds)
}

// makeSamplers creates the generators of random actions, by row.
func (e *Env) makeSamplers() {
	e.sampling.Do(func() {
		e.sources, e.samplers = make([]*rand.ChaCha8, e.sim.Worlds()), make([]*rand.Rand, e.sim.Worlds())
		for w := range e.samplers {
			e.sources[w] = random.Actions(e.seed, uint64(e.sim.Slice().From+w))
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
	if len(states) != e.sim.Worlds() {
		return fmt.Errorf("the states of random actions are of %d worlds, want %d", len(states), e.sim.Worlds())
	}
	e.makeSamplers()
	for w, source := range e.sources {
		if err := source.UnmarshalBinary(states[w]); err != nil {
			return fmt.Errorf("the state of random actions of row %d: %w", w, err)
		}
	}
	return nil
}
