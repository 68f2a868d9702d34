package sim

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/internal/bounds"
	"github.com/polyrhythm-rl/polyrhythm/internal/errtree"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sensors"
	"github.com/polyrhythm-rl/polyrhythm/sim/runlog"
)

// MaxBlockSize is the largest number of worlds in a block. The rows of small ones stay in the cache.
const MaxBlockSize = 16

// Callback is a function that a binding calls for one world. ctx and w are valid only during the call. It may be
// called on several goroutines at once, for different worlds, and its results must not depend on the goroutine.
type Callback func(ctx *runners.StepContext, w *World)

// Binding is a binding of the role Callback with the function that it calls.
type Binding struct {
	runners.Binding
	Call Callback // nil: nothing
}

// Autoreset is when a world whose episode ended begins the next one, by the names that Gymnasium uses; "" is SameStep.
type Autoreset string

const (
	SameStep Autoreset = "same_step" // in the step that ended it; the row of Observations is of the new episode
	NextStep Autoreset = "next_step" // in the step after, which ignores the action and has reward 0
	Disabled Autoreset = "disabled"  // when Restart is called
)

// autoresets has each at the number that snapshots have for it.
var autoresets = []Autoreset{SameStep, NextStep, Disabled}

// Observer is notified of rewards and episodes. Its methods are called for one world of a block at a time, but on
// different goroutines at once for worlds of different blocks.
type Observer interface {
	// Rewarded is called at the end of every control step of a world, at the instant of the reward and after
	// Task.Reward.
	Rewarded(w *World, reward float64)
	// Ended is called when an episode is closed.
	Ended(w *World, e Episode)
}

// Episode describes an episode when it is closed.
type Episode struct {
	Number           int64 // run-wide
	Start            int64 // step n at which it began
	LengthNS         int64 // T in ns: it covers [0, T)
	Steps            int64 // control steps
	Return           float64
	Terminated       bool
	Truncated        bool // by the time limit, or by a fault
	Fault            physics.Fault
	FaultMessage     string
	End              string    // how it ended, one of [Spec.Ends]; "" if it is not complete
	Complete         bool      // false: cut by the end of the run or by Restart
	FinalObservation []float64 // valid during the call
	InfoSum          []float64 // sums of World.Info over its steps; valid during the call
}

// Config describes a run of many worlds.
type Config struct {
	Model     physics.Model
	Task      Task
	Sensors   *sensors.Suite
	Clock     *runners.Clock      // with roles; the sim makes changes to a copy
	Calls     map[string]Callback // what bindings of the role Callback call, by name; others call nothing
	Observers []Observer

	// Log records the state of the worlds, one segment for each call of Each; New makes the first. It may be nil. The
	// caller closes it.
	Log *runlog.Log

	// Updated is called for a block whose rows of the arrays, see [Sim], have new values: at the end of its Step or
	// Restart, by the goroutine that called it, and in Skip and Restore. New does not call it. It may be nil.
	Updated func(*Block)

	Trace *Trace // records one world for a timeline viewer; may be nil

	StateSaver StateSaver // adds its own state to snapshots; may be nil
	Identity   []string   // further lines "name: value" on which a snapshot must agree

	// Probes are further sources of the physics engine's probes, for callbacks that only read, such as a recorder:
	// World.Probe numbers them after those of the task. They are not part of the run log, and a run without them can be
	// restored from a snapshot with them.
	Probes []string

	Worlds    int   // of the run
	Slice     Slice // those that the sim holds; the zero value for all
	BlockSize int   // 0: chosen from Worlds
	Workers   int   // goroutines that step blocks; at least 1
	Seed      uint64
	Episodes  int64 // worlds stop after this many episodes together; 0: no limit
	MaxSteps  int64 // overrides the task's time limit; 0: the task's own
	Stagger   bool  // the first episode of each world has a time limit drawn uniformly from 1 to that limit
	Autoreset Autoreset

	// Independent makes each episode the first one of a run of one world with the seed [EpisodeSeed], whose curriculum
	// stands where that of the run began: an episode depends on its number, and not on the number of worlds or on
	// others. Their numbers begin with FirstEpisode; Episodes is still where they end. It goes without a Log.
	Independent  bool
	FirstEpisode int64

	// What the caller needs counts where New checks that there is enough memory.
	Snapshots int                    // of all worlds that are in memory at once, encoded ones included
	Beside    func(worlds int) int64 // bytes on Go's heap beside so many worlds; nil: none
}

// Sim holds the worlds of a run, or a slice of them. One goroutine at a time may call Each and the methods that change
// the sim. Close alone may be called at any time: it waits.
//
// What the caller writes and reads is in arrays: Actions, Observations, Rewards, Terminations, Truncations, Faults,
// Infos, FinalObservations, FinalInfos, EpisodeReturns and EpisodeLengths. They are row-major, with one row per world
// that the sim holds, in the order of their numbers: row 0 is world Slice().From. They are allocated once and never
// moved, so a slice stays valid, also after Close, and always holds the values of the last step. They belong to the
// sim, and only Actions may be written. Steps and new episodes write the others: read them between calls of Each. The
// methods of the same names of a [Block] return its rows of these arrays, for whoever steps the block to read between
// its steps.
type Sim struct {
	buffers

	config Config // with its defaults
	spec   Spec
	suite  *sensors.Suite

	clock   *runners.Clock
	calls   []Callback // by Entry.First
	outputs physics.Outputs
	nominal []float64 // values of the parameters as an episode begins
	slots   int

	blocks  []*Block
	workers []*Worker
	each    each

	stepping sync.Mutex // held by Each, and by Close
	closed   bool       // under stepping
}

// Worker holds an engine stepper and scratch memory, with which one goroutine steps blocks. It keeps no data from
// one block to the next.
type Worker struct {
	index   int
	stepper physics.Stepper
	eyes    *sensors.Eyes // nil without cameras
	walking []int32
	ids     []int32
	n       []int32

	share atomic.Uint64 // blocks to call f for: the first in the lower 32 bits, the end in the upper ones

	next      atomic.Pointer[workerSet] // next call for its goroutine, or what that does
	finished  time.Time                 // when the last call ended; of the first worker
	yielded   time.Time                 // when it last yielded to other goroutines
	preempted int64                     // how often its thread was; see crowded
}

// Index is the worker's number, below the number of workers.
func (w *Worker) Index() int { return w.index }

// BlockSize is the number of worlds in a block of a run with worlds worlds; size is Config.BlockSize. When size is
// 0, it chooses one of at most MaxBlockSize that gives enough blocks for several workers. It does not depend on the
// number of workers, so neither does the block order of any output.
func BlockSize(worlds, size int) int {
	if size != 0 {
		return size
	}
	return min(MaxBlockSize, max(1, worlds/8))
}

// Blocks is the number of blocks of a run with worlds worlds; size is Config.BlockSize, which may be 0.
func Blocks(worlds, size int) int {
	size = BlockSize(worlds, size)
	return (worlds + size - 1) / size
}

// New allocates the worlds and begins the first episode of each. Close the sim when done; the caller closes the
// model. When the worlds do not fit in memory, the error has the size that they need.
func New(c Config) (*Sim, error) {
	c.BlockSize, c.Autoreset = BlockSize(c.Worlds, c.BlockSize), cmp.Or(c.Autoreset, SameStep)
	if err := c.check(); err != nil {
		return nil, err
	}
	c.Slice, c.Probes = c.Held(), slices.Clone(c.Probes)
	s := &Sim{config: c, spec: c.Task.Spec(), suite: c.Sensors, clock: c.Clock}
	if c.MaxSteps > 0 {
		s.spec.MaxSteps = c.MaxSteps
	}
	if err := s.resolveTask(); err != nil {
		return nil, fmt.Errorf("task %s: %w", s.spec.Name, err)
	}
	if err := s.checkClock(); err != nil {
		return nil, err
	}
	for _, b := range c.Clock.Schedule(0).Bindings() {
		s.calls = append(s.calls, c.Calls[b.Name])
	}
	// The first episodes begin with the first schedule, even if a change is due at step 0.
	s.clock = runners.NewClock(c.Clock.Schedule(0))
	if err := s.CheckMemory(s.Worlds(), c.Workers, 0); err != nil {
		return nil, err
	}
	if err := s.makeBlocks(); err != nil {
		return nil, err
	}
	err := s.openWorkers(min(c.Workers, len(s.blocks)))
	if err == nil {
		err = s.beginFirstEpisodes()
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	s.clock = c.Clock.Clone()
	return s, nil
}

// Held returns the worlds that the sim holds, by their run-wide numbers.
func (c *Config) Held() Slice {
	if c.Slice.IsAll() {
		return Slice{To: c.Worlds}
	}
	return c.Slice
}

// check returns an error if a number of the configuration is out of range. BlockSize has its default by then.
func (c *Config) check() error {
	if c.Clock == nil || c.Clock.First() > 0 || c.Clock.Schedule(0).Control() == runners.NoRunner {
		return errors.New("the clock is nil, has forgotten versions or has no roles, want a whole one with roles")
	}
	if c.Independent && c.Log != nil {
		return errors.New("independent episodes have a log, want none: it would say nothing of their seeds")
	}
	var b bounds.Check
	b.Whole("first episode", c.FirstEpisode, 0, math.MaxInt64/2)
	b.Whole("worlds", int64(c.Worlds), 1, math.MaxInt64)
	b.Whole("workers", int64(c.Workers), 1, math.MaxInt64)
	b.Whole("block size", int64(c.BlockSize), 1, MaxBlockSize)
	if err := b.Err(); err != nil {
		return err
	}
	if !slices.Contains(autoresets, c.Autoreset) {
		return fmt.Errorf("autoreset is %q, want one of %q", c.Autoreset, autoresets)
	}
	if err := c.Slice.Check(c.Worlds, c.BlockSize); err != nil {
		return err
	}
	if t, held := c.Trace, c.Held(); t != nil && (t.World < held.From || t.World >= held.To || t.Events < 1) {
		return fmt.Errorf("trace of world %d with %d events, want one of the worlds %v and at least 1 event",
			t.World, t.Events, held)
	}
	return nil
}

// resolveTask checks what the task says of itself, and finds what the engine must output besides the state row.
func (s *Sim) resolveTask() (err error) {
	if err := s.spec.Check(); err != nil {
		return err
	}
	if s.suite, err = s.suite.With(s.config.Model, s.spec.Parameters, s.spec.Probes, s.config.Probes); err != nil {
		return err
	}
	s.outputs.Probes = s.suite.Probes()
	for _, source := range s.spec.Parameters {
		p, err := s.config.Model.Parameter(source)
		nominal, err2 := s.config.Model.Nominal(source)
		if err := cmp.Or(err, err2); err != nil {
			return err
		}
		s.outputs.Parameters = append(s.outputs.Parameters, p)
		s.nominal = append(s.nominal, nominal...)
	}
	for _, source := range s.spec.Derived {
		d, err := s.config.Model.Derived(source)
		if err != nil {
			return err
		}
		s.outputs.Derived = append(s.outputs.Derived, d)
	}
	return nil
}

// makeBlocks allocates the worlds and connects them to the trace and the run log.
func (s *Sim) makeBlocks() error {
	s.buffers = newBuffers(s.spec, s.Worlds())
	for first := s.config.Slice.From; first < s.config.Slice.To; first += s.config.BlockSize {
		view := s.buffers.view(s.spec, first-s.config.Slice.From, min(s.config.BlockSize, s.config.Slice.To-first))
		s.blocks = append(s.blocks, newBlock(s, len(s.blocks), first, view))
	}
	if s.config.Trace != nil {
		s.config.Trace.start()
		b, i := s.find(s.config.Trace.World)
		b.worlds[i].trace = s.config.Trace
	}
	if s.config.Log == nil {
		return nil
	}
	if err := s.config.Log.Start(len(s.blocks)); err != nil {
		return err
	}
	for i, b := range s.blocks {
		b.log, b.states = s.config.Log.Block(i), make([]runlog.State, b.Len())
		b.row = make([]float64, s.config.Model.StateSize())
	}
	return nil
}

// openWorkers opens n workers. After an error, Close closes those that are open.
func (s *Sim) openWorkers(n int) error {
	for i := range n {
		stepper, err := s.config.Model.NewStepper(s.config.BlockSize, s.outputs)
		if err != nil {
			return err
		}
		eyes, err := s.suite.Open(s.config.Model)
		if err != nil {
			return errors.Join(err, eyes.Close(), stepper.Close())
		}
		s.workers = append(s.workers, &Worker{
			index:   i,
			stepper: stepper,
			eyes:    eyes,
			walking: make([]int32, 0, s.config.BlockSize),
			ids:     make([]int32, 0, s.config.BlockSize),
			n:       make([]int32, 0, s.config.BlockSize),
		})
	}
	return nil
}

// beginFirstEpisodes takes every world to the decision point of its first step.
func (s *Sim) beginFirstEpisodes() error {
	err := s.Each(func(w *Worker, b *Block) error {
		for i := range b.worlds {
			b.restart = append(b.restart, int32(i))
		}
		b.begin(w)
		b.logState()
		return nil
	})
	if errors.Is(err, runlog.ErrEnd) {
		return nil
	}
	return err
}

// Spec describes the task as it runs here, time limit included.
func (s *Sim) Spec() Spec { return s.spec }

// Schedule is the schedule with which an episode would begin now, after all changes that are due. A world may still
// follow an earlier one, which is its [World.Schedule]. Schedule must not be called while Each runs.
func (s *Sim) Schedule() *runners.Schedule { return s.clock.Schedule(s.clock.Begin(s.blocks[0].n)) }

// Sensors are the channels of every world.
func (s *Sim) Sensors() *sensors.Suite { return s.suite }

// Worlds is the number of worlds that the sim holds.
func (s *Sim) Worlds() int { return s.config.Slice.Len() }

// Slice is the worlds that the sim holds, by their run-wide numbers: those of the run, unless it holds a slice.
func (s *Sim) Slice() Slice { return s.config.Slice }

// Workers is the number of goroutines that step the worlds.
func (s *Sim) Workers() int { return len(s.workers) }

// Blocks returns the blocks in order. The slice must not be modified.
func (s *Sim) Blocks() []*Block { return s.blocks }

// FaultCount is the number of episodes that a fault ended. It must not be called while Each runs.
func (s *Sim) FaultCount() int64 {
	var n int64
	for w := range s.all() {
		n += w.faults
	}
	return n
}

// FirstFault describes the first fault that ended an episode since the sim was made or restored: its world, its
// control step of the run, from 0, and what went wrong; "" if there was none. It must not be called while Each runs.
func (s *Sim) FirstFault() string {
	text, n := "", int64(math.MaxInt64)
	for _, b := range s.blocks {
		if b.firstFault != "" && b.faultN < n {
			text, n = b.firstFault, b.faultN
		}
	}
	return text
}

// LastFault describes the fault that ended the newest of a world's episodes that one ended, since the sim was made; "" if
// there is none. World is the run-wide number. It must not be called while a worker has the world's block.
func (s *Sim) LastFault(world int) string {
	b, i := s.find(world)
	return b.worlds[i].lastFault
}

// updated is [Block.updated] for all blocks.
func (s *Sim) updated() {
	for _, b := range s.blocks {
		b.updated()
	}
}

// find returns the block of a world, which is named by its run-wide number, and its row there.
func (s *Sim) find(world int) (*Block, int) {
	return s.blocks[(world-s.config.Slice.From)/s.config.BlockSize], world % s.config.BlockSize
}

// Each calls f once for every block, on as many goroutines as there are workers, including the caller's, and waits
// for all. During a call of f no other call uses the same block or worker. If calls fail or panic, Each returns the
// error of the block with the lowest index, of those that say more than that a context was cancelled if there are any. Only one Each may run at a time: a second one, from another goroutine or
// from f, returns an error and calls nothing, and so does Each after Close.
//
// If f calls runtime.Goexit, as testing.T.Fatal does, the other blocks are still called before its goroutine ends.
// Where that is not the caller's, Each returns an error.
//
// In a run log, one call of Each is one segment. Each also returns the error of the log, for example that the run
// differs from the one with which it is compared. A segment in which a call fails with context.Canceled is left out
// of the log, because a repeated run is not interrupted at the same step.
func (s *Sim) Each(f func(w *Worker, b *Block) error) (err error) {
	if !s.stepping.TryLock() {
		return fmt.Errorf("sim: Each %w", ErrBusy)
	}
	defer s.stepping.Unlock()
	if s.closed {
		return ErrClosed
	}
	if s.each.work == nil {
		s.each.errs, s.each.work = make([]error, len(s.blocks)), s.workEach
	}
	s.each.f = f
	for i, w := range s.workers {
		w.share.Store(uint64(len(s.blocks)*i/len(s.workers)) | uint64(len(s.blocks)*(i+1)/len(s.workers))<<32)
	}
	defer func() { err = s.endEach() }() // also where f ends this goroutine
	run(s.workers, s.each.work)
	return nil
}

// The errors of Each and Restore at the wrong time. They change nothing.
var (
	ErrClosed = errors.New("the worlds are closed; open others")
	ErrBusy   = errors.New("was called while Each or Close runs on the same worlds, want one call at a time")
)

// endEach returns the first error of a call of Each, and ends its segment of the log.
func (s *Sim) endEach() error {
	s.each.f = nil
	var first error
	cancelled := false
	for i, err := range s.each.errs {
		s.each.errs[i] = nil
		if first == nil || err != nil && errtree.Only(first, context.Canceled) && !errtree.Only(err, context.Canceled) {
			first = err
		}
		cancelled = cancelled || errors.Is(err, context.Canceled)
	}
	if s.config.Log == nil {
		return first
	}
	if cancelled {
		s.config.Log.DropSegment()
		return first
	}
	return errors.Join(first, s.config.Log.EndSegment())
}

// each is what the goroutines of a call of Each share. It is kept for the next, so that a call with one worker
// allocates nothing.
type each struct {
	f    func(*Worker, *Block) error
	errs []error // by block
	work func(*Worker)
}

// workEach calls f for the worker's share of the blocks, and then for what is left of the others' shares. A worker
// has the same share every time, so that the worlds stay in the caches of its processor.
func (s *Sim) workEach(w *Worker) {
	for k := range s.workers {
		for owner := s.workers[(w.index+k)%len(s.workers)]; ; {
			i, ok := owner.take((owner != w))
			if !ok {
				break
			}
			s.call(w, i)
		}
	}
}

// take takes the first block of the worker's share or, for another worker, the last.
func (w *Worker) take(last bool) (block int, ok bool) {
	for {
		share := w.share.Load()
		first, end := uint32(share), uint32(share>>32)
		switch {
		case first == end:
			return 0, false
		case last && w.share.CompareAndSwap(share, share-1<<32):
			return int(end) - 1, true
		case !last && w.share.CompareAndSwap(share, share+1):
			return int(first), true
		}
	}
}

// call calls f for a block and keeps its error. A panic is an error, so that the run can be closed. Goexit ends the
// goroutine when the deferred function returns, which therefore calls the blocks that are left.
func (s *Sim) call(w *Worker, i int) {
	returned := false
	defer func() {
		if p := recover(); p != nil {
			s.each.errs[i] = fmt.Errorf("block %d: panic: %v\n%s", i, p, debug.Stack())
		} else if !returned {
			s.each.errs[i] = fmt.Errorf("block %d: a callback called runtime.Goexit, want it to return", i)
			s.workEach(w)
		}
	}()
	s.blocks[i].bank.Lend(w.eyes)
	s.each.errs[i] = s.each.f(w, s.blocks[i])
	returned = true
}

// Step takes one control step of every world, under the actions in the blocks.
func (s *Sim) Step() error {
	return s.Each(func(w *Worker, b *Block) error { return b.Step(w) })
}

// CheckActions returns the error that [Block.Step] would return for the first block with an invalid action.
func (s *Sim) CheckActions() error {
	for _, b := range s.blocks {
		if err := b.CheckActions(); err != nil {
			return err
		}
	}
	return nil
}

// Active reports whether any world still has an episode to run.
func (s *Sim) Active() bool {
	for w := range s.all() {
		if w.state != retired {
			return true
		}
	}
	return false
}

// all yields the worlds in order.
func (s *Sim) all() iter.Seq[*World] {
	return func(yield func(*World) bool) {
		for _, b := range s.blocks {
			for i := range b.worlds {
				if !yield(&b.worlds[i]) {
					return
				}
			}
		}
	}
}

// Close waits for a call of Each that is under way, ends the running episodes as incomplete, and frees the steppers
// and the engine's memory for the worlds. The model stays open, and the buffers stay valid. Further calls do
// nothing. Any goroutine may call Close, but no callback, for whose end it would wait.
func (s *Sim) Close() error {
	s.stepping.Lock()
	defer s.stepping.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	for w := range s.all() {
		w.block.cut(w.id)
	}
	var errs []error
	for _, w := range s.workers {
		errs = append(errs, w.stepper.Close(), w.eyes.Close())
	}
	for _, b := range s.blocks {
		errs = append(errs, b.rows.Close())
	}
	return errors.Join(errs...)
}
