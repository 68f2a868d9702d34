package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"syscall"

	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// worlds is the environment of a handle. Only one of its methods at a time may run.
type worlds struct {
	sync.Mutex                  // held by the running call; another one fails
	env        *env.Env         // nil once closed
	folder     *rundir.Folder   // of the dataset, until closed; nil: not recorded
	time       runners.Settings // of the configuration; a drive begins with them
	dataset    string           // folder that they are recorded to, "" for none
	recording  bool
	stepped    bool  // some world has taken a step
	failed     error // the error of the pool after which the worlds cannot be stepped
	pins       runtime.Pinner

	// Arrays that the caller shares, one row per world.
	observation, reward          []float64
	observation32                []float32 // observation as float32s, if the task's are
	action                       []float32
	terminated, truncated, fault []bool

	drawing *drawing // the renderer; nil until worlds are drawn

	pool *pool // nil unless worlds are stepped by send and receive
}

// narrow writes a block's observations as float32s, if that is what the caller shares.
func (w *worlds) narrow(b *sim.Block) {
	if w.observation32 == nil {
		return
	}
	values := b.Observations()
	first := b.First() * len(values) / b.Len()
	for i, v := range values {
		w.observation32[first+i] = float32(v)
	}
}

// goesOn returns an error if one has ended the worlds.
func (w *worlds) goesOn() error {
	if err := cmp.Or(w.failed, w.env.Err()); err != nil {
		return statef("these worlds cannot go on, make new ones: %w", err)
	}
	return nil
}

// ready returns an error if the worlds cannot be stepped or reset now. It ends the pool.
func (w *worlds) ready() error {
	if err := w.goesOn(); err != nil {
		return err
	}
	if n := w.pending(); n > 0 {
		return statef("%d worlds are still being stepped: receive them first", n)
	}
	if w.pool != nil {
		w.failed, w.pool = w.pool.stop(), nil
	}
	return w.failed
}

// step takes one control step of every world and returns how many episodes ended, and how many of those by a fault.
func (w *worlds) step() (ended, faults int, err error) {
	if err := w.ready(); err != nil {
		return 0, 0, err
	}
	w.stepped = true
	if err := w.env.Step(); err != nil {
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

// reset is [env.Env.ResetWorlds].
func (w *worlds) reset(mask, seeded []bool, seeds []uint64) error {
	if err := w.ready(); err != nil {
		return err
	}
	return w.env.ResetWorlds(mask, seeded, seeds)
}

// pending returns the number of worlds that were sent and not yet received.
func (w *worlds) pending() int {
	if w.pool == nil {
		return 0
	}
	return w.pool.pending
}

// faultsOf returns descriptions of the last faults of some worlds, empty for none.
func (w *worlds) faultsOf(c *call) error {
	var ids []int
	if err := c.read(&ids); err != nil {
		return err
	}
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = w.env.Sim().LastFault(id)
	}
	c.answer = texts
	return nil
}

// begins returns a byte for each world, 1 where it stands at the beginning of an episode.
func (w *worlds) begins(c *call) error {
	if err := w.ready(); err != nil {
		return err
	}
	c.payload = make([]byte, len(w.reward))
	for _, b := range w.env.Sim().Blocks() {
		for i := range b.Len() {
			if b.Begins(i) {
				c.payload[b.First()+i] = 1
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
	c.payload = w.env.Sim().Snapshot().Encode()
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
	return nil
}

// records reports whether worlds are recorded now. Those that are in use are taken to be open.
func (w *worlds) records() bool {
	if !w.TryLock() {
		return w.recording
	}
	defer w.Unlock()
	return w.recording && w.env != nil
}

func (w *worlds) isOpen() bool { return w.env != nil }

// closeLocked ends the worlds' episodes and recording and frees the engine. Worlds that are closed stay as they are.
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

// close frees everything but the arrays, and removes a dataset of worlds that have taken no step. Further calls do
// nothing.
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
	if w.folder != nil && w.recording && !w.stepped {
		return errors.Join(err, w.folder.Discard())
	}
	w.folder.Close()
	return err
}
