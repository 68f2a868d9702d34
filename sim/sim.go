package sim

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/internal/runlog"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sensors"
)

// MaxBlockSize is the largest number of worlds in a block. Small blocks are also the
// fastest: their rows stay in the cache.
const MaxBlockSize = 16

// Role is what a binding does when it fires.
type Role uint8

const (
	Call      Role = iota // calls a function
	Act                   // puts the action in force; the controller
	Integrate             // advances physics
	Observe               // reward, termination, observation
	Sense                 // takes a sensor channel
	Latch                 // latches the world at a beat
)

// Callback is a function that a binding calls for one world. ctx and w are valid only
// during the call. It may be called on several goroutines at once, for different
// worlds, and its results must not depend on the goroutine.
type Callback func(ctx *runners.StepContext, w *World)

// Binding attaches a role to a place in the schedule.
type Binding struct {
	runners.Binding
	Role     Role
	Call     Callback // Role Call; nil: does nothing
	Channel  int      // Role Sense: index in the suite
	Substeps int      // Role Integrate: engine steps per step of the runner
}

// Autoreset is when a world whose episode ended begins the next one.
type Autoreset uint8

const (
	SameStep Autoreset = iota // in the step that ended it; Observation is that of the new episode
	NextStep                  // in the step after, which ignores the action and has reward 0
	Disabled                  // when Restart is called
)

// Observer is notified of rewards and episodes. Its methods are called for one world of
// a block at a time, but on different goroutines at once for worlds of different blocks.
type Observer interface {
	// Rewarded is called at the end of every control step of a world, at the instant
	// of the reward and after Task.Reward.
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
	Complete         bool      // false: cut by the end of the run or by Restart
	FinalObservation []float64 // valid during the call
	InfoSum          []float64 // sums of World.Info over its steps; valid during the call
}

// Config describes a run of many worlds.
type Config struct {
	Model     physics.Model
	Task      Task
	Sensors   *sensors.Suite
	Runners   []runners.Runner
	Bindings  []Binding     // one each of Act, Integrate, Observe
	Clock     *runners.Plan // from NewPlan with Runners, Bindings and changes; nil: New makes it, without changes
	Observers []Observer

	// Log records the state of the worlds, one segment for each call of Each; New
	// makes the first. It may be nil. The caller closes it.
	Log *runlog.Log

	Trace *Trace // records one world for a timeline viewer; may be nil

	Companion Companion // adds its own state to snapshots; may be nil
	Identity  []string  // further lines "name: value" on which a snapshot must agree

	// Probes are further sources of the physics engine's probes, for callbacks that
	// only read, such as a recorder: World.Probe numbers them after those of the task.
	// The simulation does not depend on them, so they are not part of the run log, and
	// a run without them can be restored from a snapshot with them.
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
}

// Sim holds the worlds of a run, or a slice of them. Its buffers have one row per world that
// it holds, and those of the blocks are parts of them; calls of Each change them. One goroutine at a time may call
// Each and the methods that change the sim.
type Sim struct {
	buffers

	model     physics.Model
	task      Task
	spec      Spec
	suite     *sensors.Suite
	observers []Observer
	companion Companion
	identity  []string
	log       *runlog.Log
	trace     *Trace
	seed      uint64
	worlds    int   // of the run
	slice     Slice // of them, those that are here
	blockSize int
	episodes  int64
	autoreset Autoreset
	stagger   bool

	plan     *runners.Plan
	clocks   []*clock // by version of the plan
	control  physics.Span
	outputs  physics.Outputs
	observed []string  // Config.Probes
	nominal  []float64 // values of the parameters as an episode begins
	slots    int

	blocks  []*Block
	workers []*Worker
	each    each
}

// Worker holds an engine stepper and scratch memory, with which one goroutine steps
// blocks. It keeps no data from one block to the next.
type Worker struct {
	index   int
	stepper physics.Stepper
	walking []int32
	ids     []int32
	n       []int32

	next    atomic.Pointer[workerSet] // next call for its goroutine; nil without a goroutine
	yielded time.Time                 // when it last yielded to other goroutines
}

// Index is the worker's number, below the number of workers.
func (w *Worker) Index() int { return w.index }

// BlockSize is the number of worlds in a block of a run with worlds worlds; size is
// Config.BlockSize. When size is 0, it chooses a size of at most MaxBlockSize that gives
// enough blocks for several workers. The size does not depend on the number of workers,
// so neither does the block order of any output.
func BlockSize(worlds, size int) int {
	if size != 0 {
		return size
	}
	return min(MaxBlockSize, max(1, worlds/8))
}

// Blocks is the number of blocks of a run with worlds worlds; size is Config.BlockSize,
// which may be 0.
func Blocks(worlds, size int) int {
	size = BlockSize(worlds, size)
	return (worlds + size - 1) / size
}

// New allocates the worlds and begins the first episode of each. Close the sim when
// done; the caller closes the model. When the worlds do not fit in memory, the error
// has the size that they need.
func New(c Config) (*Sim, error) {
	c.BlockSize = BlockSize(c.Worlds, c.BlockSize)
	if err := c.check(); err != nil {
		return nil, err
	}
	s := &Sim{
		model:     c.Model,
		task:      c.Task,
		spec:      c.Task.Spec(),
		suite:     c.Sensors,
		observers: c.Observers,
		companion: c.Companion,
		identity:  c.Identity,
		observed:  slices.Clone(c.Probes),
		log:       c.Log,
		trace:     c.Trace,
		seed:      c.Seed,
		worlds:    c.Worlds,
		slice:     c.Held(),
		blockSize: c.BlockSize,
		episodes:  c.Episodes,
		autoreset: c.Autoreset,
		stagger:   c.Stagger,
	}
	if c.MaxSteps > 0 {
		s.spec.MaxSteps = c.MaxSteps
	}
	if err := s.spec.Check(); err != nil {
		return nil, fmt.Errorf("task %s: %w", s.spec.Name, err)
	}
	if c.Clock == nil {
		var err error
		if c.Clock, err = NewPlan(c.Runners, c.Bindings, nil); err != nil {
			return nil, err
		}
	}
	var err error
	if s.suite, err = s.suite.With(s.model, s.spec.Probes, c.Probes); err != nil {
		return nil, fmt.Errorf("task %s: %w", s.spec.Name, err)
	}
	clocks, err := s.resolveClocks(c.Clock, c.Bindings)
	if err != nil {
		return nil, err
	}
	// The first episodes begin with the first clock, even if a change is due at step 0.
	s.plan, s.clocks = runners.NewPlan(clocks[0].schedule), clocks[:1:1]
	if err := s.resolveOutputs(); err != nil {
		return nil, err
	}
	if err := s.checkMemory(s.Worlds(), c.Workers); err != nil {
		return nil, err
	}
	if err := s.makeBlocks(); err != nil {
		return nil, err
	}
	err = s.openWorkers(min(c.Workers, len(s.blocks)))
	if err == nil {
		err = s.beginFirstEpisodes()
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	s.plan, s.clocks = c.Clock.Clone(), clocks
	return s, nil
}

// Held returns the worlds that the sim holds, by their run-wide numbers.
func (c *Config) Held() Slice {
	if c.Slice.IsAll() {
		return Slice{To: c.Worlds}
	}
	return c.Slice
}

// check returns an error if a number of the configuration is out of range. BlockSize
// has its default by then.
func (c *Config) check() error {
	if c.Worlds < 1 {
		return fmt.Errorf("worlds is %d, want at least 1", c.Worlds)
	}
	if c.Workers < 1 {
		return fmt.Errorf("workers is %d, want at least 1", c.Workers)
	}
	if c.BlockSize < 1 || c.BlockSize > MaxBlockSize {
		return fmt.Errorf("block size is %d, want 1 to %d", c.BlockSize, MaxBlockSize)
	}
	if err := c.Slice.Check(c.Worlds, c.BlockSize); err != nil {
		return err
	}
	if t, held := c.Trace, c.Held(); t != nil && (t.World < held.From || t.World >= held.To || t.Events < 1) {
		return fmt.Errorf("trace of world %d with %d events, want one of the worlds %v and at least 1 event", t.World, t.Events, held)
	}
	return nil
}

// resolveOutputs finds the control in the state row and what the engine must output
// besides that row.
func (s *Sim) resolveOutputs() error {
	control, err := s.model.Field("control")
	if err != nil {
		return err
	}
	s.control = control
	s.outputs.Probes = s.suite.Probes()
	for _, source := range s.spec.Parameters {
		p, err := s.model.Parameter(source)
		if err != nil {
			return fmt.Errorf("task %s: %w", s.spec.Name, err)
		}
		nominal, err := s.model.Nominal(source)
		if err != nil {
			return fmt.Errorf("task %s: %w", s.spec.Name, err)
		}
		s.outputs.Parameters = append(s.outputs.Parameters, p)
		s.nominal = append(s.nominal, nominal...)
	}
	for _, source := range s.spec.Derived {
		d, err := s.model.Derived(source)
		if err != nil {
			return fmt.Errorf("task %s: %w", s.spec.Name, err)
		}
		s.outputs.Derived = append(s.outputs.Derived, d)
	}
	return nil
}

// makeBlocks allocates the worlds and connects them to the trace and the run log.
func (s *Sim) makeBlocks() error {
	s.buffers = newBuffers(s.spec, s.Worlds())
	for first := s.slice.From; first < s.slice.To; first += s.blockSize {
		shown := s.buffers.of(s.spec, first-s.slice.From, min(s.blockSize, s.slice.To-first))
		s.blocks = append(s.blocks, newBlock(s, len(s.blocks), first, shown))
	}
	if s.trace != nil {
		s.trace.start()
		b, i := s.find(s.trace.World)
		b.worlds[i].trace = s.trace
	}
	if s.log == nil {
		return nil
	}
	if err := s.log.Start(len(s.blocks)); err != nil {
		return err
	}
	for i, b := range s.blocks {
		b.log, b.states = s.log.Block(i), make([]runlog.State, b.Len())
	}
	return nil
}

// openWorkers opens n workers. After an error, Close closes those that are open.
func (s *Sim) openWorkers(n int) error {
	for i := range n {
		stepper, err := s.model.NewStepper(s.blockSize, s.outputs)
		if err != nil {
			return err
		}
		s.workers = append(s.workers, &Worker{
			index:   i,
			stepper: stepper,
			walking: make([]int32, 0, s.blockSize),
			ids:     make([]int32, 0, s.blockSize),
			n:       make([]int32, 0, s.blockSize),
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

// Schedule is the schedule with which an episode would begin now, after all changes
// that are due; see [Sim.Change]. A world may still follow an earlier one, which is its
// [World.Schedule]. Schedule must not be called while Each runs.
func (s *Sim) Schedule() *runners.Schedule {
	return s.clocks[s.plan.Begin(s.blocks[0].n)].schedule
}

// Sensors are the channels of every world.
func (s *Sim) Sensors() *sensors.Suite { return s.suite }

// Worlds is the number of worlds that the sim holds.
func (s *Sim) Worlds() int { return s.slice.Len() }

// Slice is the worlds of the run that the sim holds, by their run-wide numbers: From 0 to
// the number of worlds of the run, unless it holds a slice.
func (s *Sim) Slice() Slice { return s.slice }

// RunWorlds is the number of worlds of the whole run.
func (s *Sim) RunWorlds() int { return s.worlds }

// Workers is the number of goroutines that step the worlds.
func (s *Sim) Workers() int { return len(s.workers) }

// Blocks returns the blocks in order. The slice must not be modified.
func (s *Sim) Blocks() []*Block { return s.blocks }

// Faults is the number of episodes that a fault ended. It must not be called while Each
// runs.
func (s *Sim) Faults() int64 {
	var n int64
	for _, b := range s.blocks {
		for i := range b.worlds {
			n += b.worlds[i].faults
		}
	}
	return n
}

// FirstFault describes the first fault that ended an episode since the sim was made or
// restored: its world, its control step of the run, from 0, and what went wrong. It is ""
// if there was none, and must not be called while Each runs.
func (s *Sim) FirstFault() string {
	var first *faultRecord
	for _, b := range s.blocks {
		if f := b.firstFault; f != nil && (first == nil || f.n < first.n) {
			first = f
		}
	}
	if first == nil {
		return ""
	}
	line, _, _ := strings.Cut(first.message, "\n") // a panic's stack follows
	return fmt.Sprintf("world %d at control step %d: %s", first.world, first.n, line)
}

// find returns the block of a world, which is named by its run-wide number, and its row
// there.
func (s *Sim) find(world int) (*Block, int) {
	return s.blocks[(world-s.slice.From)/s.blockSize], world % s.blockSize
}

// Each calls f once for every block, on as many goroutines as there are workers,
// including the caller's, and waits for all. During a call of f no other call uses the
// same block or worker. If calls fail or panic, Each returns the error of the block with
// the lowest index. Only one Each may run at a time.
//
// In a run log, one call of Each is one segment. Each also returns the error of the log,
// for example that the run differs from the one with which it is compared. A segment in
// which a call fails with context.Canceled is left out of the log, because a repeated
// run is not interrupted at the same step.
func (s *Sim) Each(f func(w *Worker, b *Block) error) error {
	if s.each.work == nil {
		s.each.errs, s.each.work = make([]error, len(s.blocks)), s.workEach
	}
	s.each.f = f
	s.each.next.Store(0)
	run(s.workers[:min(len(s.workers), len(s.blocks))], s.each.work)
	s.each.f = nil
	var first error
	cancelled := false
	for i, err := range s.each.errs {
		s.each.errs[i] = nil
		if first == nil {
			first = err
		}
		cancelled = cancelled || errors.Is(err, context.Canceled)
	}
	if s.log == nil {
		return first
	}
	if cancelled {
		s.log.DropSegment()
		return first
	}
	return errors.Join(first, s.log.EndSegment())
}

// each is what the goroutines of a call of Each share. It is kept from one call to the
// next, so that a call with one worker allocates nothing.
type each struct {
	f    func(*Worker, *Block) error
	next atomic.Int64
	errs []error // by block
	work func(*Worker)
}

// workEach calls f for blocks that no other worker has taken, until none is left.
func (s *Sim) workEach(w *Worker) {
	for {
		i := int(s.each.next.Add(1)) - 1
		if i >= len(s.blocks) {
			return
		}
		s.each.errs[i] = guard(s.each.f, w, s.blocks[i])
	}
}

// guard calls f and returns a panic as an error, so that the run can be closed.
func guard(f func(*Worker, *Block) error, w *Worker, b *Block) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("block %d: panic: %v\n%s", b.index, p, debug.Stack())
		}
	}()
	return f(w, b)
}

// Step takes one control step of every world, under the actions in the blocks.
func (s *Sim) Step() error {
	return s.Each(func(w *Worker, b *Block) error { return b.Step(w) })
}

// CheckActions checks the actions of all worlds, and returns the error that [Block.Step]
// would return for the first block with an invalid action.
func (s *Sim) CheckActions() error {
	for _, b := range s.blocks {
		if err := b.checkActions(); err != nil {
			return err
		}
	}
	return nil
}

// Active reports whether any world still has an episode to run.
func (s *Sim) Active() bool {
	for _, b := range s.blocks {
		for i := range b.worlds {
			if b.Active(i) {
				return true
			}
		}
	}
	return false
}

// Cut ends all running episodes as incomplete. The worlds do not step afterwards; call
// it just before Close.
func (s *Sim) Cut() {
	for _, b := range s.blocks {
		for i := range b.worlds {
			b.cut(i)
		}
	}
}

// Close frees the steppers and the engine's memory for the worlds. The model stays open,
// and the buffers stay valid.
func (s *Sim) Close() error {
	var errs []error
	for _, w := range s.workers {
		errs = append(errs, w.stepper.Close())
	}
	s.workers = nil
	for _, b := range s.blocks {
		errs = append(errs, b.rows.Close())
	}
	return errors.Join(errs...)
}
