package main

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/training"
)

// worlds is the environment of a handle. The methods of [sim.Observer] may run at the
// same time as any other; of the others only one at a time.
type worlds struct {
	sync.Mutex                  // held by the running call; another one fails
	env        *env.Env         // nil once closed
	folder     *training.Folder // of the dataset, until closed; nil: not recorded
	time       runners.Settings // of the configuration; a drive begins with them
	recording  bool
	failed     error // the error after which the worlds cannot be stepped
	began      bool  // reset, stepped or restored at least once
	pins       runtime.Pinner

	// Arrays that the caller shares, one row per world.
	observation, reward          []float64
	observation32                []float32 // observation as float32s, if the task's are
	action                       []float32
	terminated, truncated, fault []bool

	faults []string // by world: its last fault

	drawing *drawing // the renderer; nil until worlds are drawn

	pool *pool // nil unless worlds are stepped by send and receive
}

// Rewarded implements [sim.Observer].
func (*worlds) Rewarded(*sim.World, float64) {}

// Ended implements [sim.Observer]. Each world writes to its own element of faults.
func (w *worlds) Ended(world *sim.World, e sim.Episode) {
	if e.Fault != physics.FaultNone {
		w.faults[world.Index()] = fmt.Sprintf("%v: %s", e.Fault, e.FaultMessage)
	}
}

// publishBlock updates the shared arrays that are not the sim's own.
func (w *worlds) publishBlock(_ *sim.Worker, b *sim.Block) error {
	if w.observation32 == nil {
		return nil
	}
	values := b.Observations()
	first := b.First() * len(values) / b.Len()
	for i, v := range values {
		w.observation32[first+i] = float32(v)
	}
	return nil
}

// stepBlock takes one control step of a block.
func (w *worlds) stepBlock(worker *sim.Worker, b *sim.Block) error {
	if err := b.Step(worker); err != nil {
		return err
	}
	return w.publishBlock(worker, b)
}

// ready returns an error if the worlds cannot be stepped or reset now. It ends the pool.
func (w *worlds) ready() error {
	if w.failed != nil {
		return statef("these worlds cannot go on, make new ones: %w", w.failed)
	}
	if n := w.out(); n > 0 {
		return statef("%d worlds are still being stepped: receive them first", n)
	}
	if w.pool != nil {
		w.failed, w.pool = w.pool.stop(), nil
	}
	return w.failed
}

// check returns an error unless the actions of the worlds first to end-1 can be taken.
func (w *worlds) check(first, end int) error {
	size, spec := len(w.action)/len(w.reward), w.env.Sim().Spec()
	for i := first; i < end; i++ {
		if err := spec.CheckAction(i, w.action[i*size:(i+1)*size]); err != nil {
			return usagef("%w", err)
		}
	}
	return nil
}

// step takes one control step of every world and returns how many episodes ended, and how many of those by a fault.
func (w *worlds) step() (ended, faults int, err error) {
	if err := w.ready(); err != nil {
		return 0, 0, err
	}
	if err := w.check(0, len(w.reward)); err != nil {
		return 0, 0, err
	}
	w.began = true
	if err := w.env.Each(w.stepBlock); err != nil {
		w.failed = err
		return 0, 0, err
	}
	for i, t := range w.terminated {
		if t || w.truncated[i] {
			ended++
		}
		if w.fault[i] {
			faults++
		}
	}
	return ended, faults, nil
}

// reset begins new episodes in the worlds where mask is true, in all if it is nil. If
// seeded[i], world i restarts its random sequence from seeds[i]; otherwise it continues
// it. A first reset of all worlds without seeds keeps the episodes that open began.
func (w *worlds) reset(mask, seeded []bool, seeds []uint64) error {
	if err := w.ready(); err != nil {
		return err
	}
	if !w.began && mask == nil && !slices.Contains(seeded, true) {
		w.began = true
		return nil
	}
	w.began = true
	err := w.env.Each(func(worker *sim.Worker, b *sim.Block) error {
		on, again := make([]bool, b.Len()), make([]bool, b.Len())
		for i := range b.Len() {
			world := b.First() + i
			if mask == nil || mask[world] {
				on[i], again[i] = !seeded[world], seeded[world]
				w.terminated[world], w.truncated[world], w.fault[world] = false, false, false
			}
		}
		if slices.Contains(on, true) {
			b.Restart(worker, on, nil)
		}
		if slices.Contains(again, true) {
			b.Restart(worker, again, seeds[b.First():b.First()+b.Len()])
		}
		return w.publishBlock(worker, b)
	})
	w.failed = err
	return err
}

// out returns the number of worlds that were sent and not yet received.
func (w *worlds) out() int {
	if w.pool == nil {
		return 0
	}
	return w.pool.out
}

// faultsOf returns descriptions of the last faults of some worlds, empty for none.
func (w *worlds) faultsOf(c *call) error {
	var ids []int
	if err := c.read(&ids); err != nil {
		return err
	}
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = w.faults[id]
	}
	c.out = texts
	return nil
}

// begins returns a byte for each world, 1 where it stands at the beginning of an episode.
func (w *worlds) begins(c *call) error {
	if err := w.ready(); err != nil {
		return err
	}
	c.reply = make([]byte, len(w.reward))
	for _, b := range w.env.Sim().Blocks() {
		for i := range b.Len() {
			if b.Begins(i) {
				c.reply[b.First()+i] = 1
			}
		}
	}
	return nil
}

// state returns a snapshot of the worlds.
func (w *worlds) state(c *call) error {
	if err := w.ready(); err != nil {
		return err
	}
	c.reply = w.env.Sim().Snapshot().Encode()
	return nil
}

// setState restores a snapshot from the bytes of state.
func (w *worlds) setState(c *call) error {
	if err := w.ready(); err != nil {
		return err
	}
	if w.recording {
		return statef("these worlds are recorded, and a dataset cannot go back in time: use worlds without one")
	}
	snapshot, err := sim.ReadSnapshot(bytes.NewReader(c.data))
	if err == nil {
		err = w.env.Sim().Restore(snapshot)
	}
	if err != nil {
		return usageError{err}
	}
	w.began = true
	return w.env.Each(w.publishBlock)
}

// loop takes control steps of every world in Go alone, for measurements, and returns the
// seconds that it took. The data are the actions, any number of steps × worlds × action float32s,
// and are repeated. With barrier all worlds finish a step before any begins the next, as with step.
func (w *worlds) loop(c *call) error {
	var in struct {
		Steps   int  `json:"steps"`
		Barrier bool `json:"barrier"`
	}
	if err := c.read(&in); err != nil {
		return err
	}
	if err := w.ready(); err != nil {
		return err
	}
	all := len(w.action)
	if len(c.data) == 0 || len(c.data)%(4*all) != 0 {
		return usagef("the tape has %d bytes, want a multiple of %d", len(c.data), 4*all)
	}
	tape := unsafe.Slice((*float32)(unsafe.Pointer(&c.data[0])), len(c.data)/4)
	w.began = true
	length := len(tape) / all
	run := func(first, end int) error {
		return w.env.Each(func(worker *sim.Worker, b *sim.Block) error {
			from := b.First() * len(b.Actions()) / b.Len()
			for at := first; at < end; at++ {
				copy(b.Actions(), tape[at%length*all+from:])
				if err := w.stepBlock(worker, b); err != nil {
					return err
				}
			}
			return nil
		})
	}
	begin := time.Now()
	each := in.Steps
	if in.Barrier {
		each = 1
	}
	for at := 0; at < in.Steps && w.failed == nil; at += each {
		w.failed = run(at, at+each)
	}
	c.out = time.Since(begin).Seconds()
	return w.failed
}

func (w *worlds) isOpen() bool { return w.env != nil }

// closeLocked ends the worlds' episodes and recording and frees the engine. Again: nothing.
func (w *worlds) closeLocked(*call) error {
	w.Lock()
	defer w.Unlock()
	return w.close()
}

// release closes the worlds and unpins the arrays, which the caller must no longer access.
// Worlds that are driven stay open.
func (w *worlds) release() error {
	defer w.pins.Unpin()
	return w.closeLocked(nil)
}

// close frees everything but the arrays. Further calls do nothing.
func (w *worlds) close() error {
	if w.env == nil {
		return nil
	}
	var err error
	if w.pool != nil {
		err, w.pool = w.pool.stop(), nil
	}
	err = errors.Join(err, w.closeDrawing(), w.env.Close())
	for _, warning := range w.env.Warnings() {
		// By os.Stderr, one that nobody reads would end the whole program with SIGPIPE.
		syscall.Write(syscall.Stderr, fmt.Appendf(nil, "polyrhythm: warning: %s\n", warning))
	}
	w.env = nil
	if w.folder != nil {
		w.folder.Close()
	}
	return err
}
