package main

import (
	"fmt"
	"runtime/debug"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// pool steps blocks in the background: send starts a step, receive returns a block that
// is done. It is one call of Each that lasts until stop. One goroutine may use it at a
// time.
type pool struct {
	blocks   []*sim.Block
	queue    chan int   // blocks to be stepped
	done     chan int   // blocks that were stepped
	finished chan error // the error of Each
	errs     []error    // by block; valid once the block was in done
	sent     []bool     // by block: sent and not yet received
	out      int        // number of worlds of the blocks in sent
}

// startPool starts the pool of e; step steps a block. The caller stops it.
func startPool(e *env.Env, step func(*sim.Worker, *sim.Block) error) *pool {
	blocks := e.Sim().Blocks()
	p := &pool{
		blocks:   blocks,
		queue:    make(chan int, len(blocks)),
		done:     make(chan int, len(blocks)),
		finished: make(chan error, 1),
		errs:     make([]error, len(blocks)),
		sent:     make([]bool, len(blocks)),
	}
	go func() {
		p.finished <- e.Each(func(worker *sim.Worker, _ *sim.Block) error {
			for i := range p.queue {
				p.errs[i] = guarded(func() error { return step(worker, blocks[i]) })
				p.done <- i
			}
			return nil
		})
	}()
	return p
}

// guarded calls f and turns a panic into an error, so that the block can be received.
func guarded(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return f()
}

// send starts a step of a block.
func (p *pool) send(block int) {
	p.sent[block] = true
	p.out += p.blocks[block].Len()
	p.queue <- block
}

// receive waits for the next block that is done, until deadline; ok is false if none
// was done by then. A nil deadline means no limit.
func (p *pool) receive(deadline <-chan time.Time) (block int, ok bool, err error) {
	select {
	case block = <-p.done:
	case <-deadline:
		return 0, false, nil
	}
	p.sent[block] = false
	p.out -= p.blocks[block].Len()
	return block, true, p.errs[block]
}

// stop waits for the blocks that are being stepped, ends the pool and returns its error.
func (p *pool) stop() error {
	close(p.queue)
	return <-p.finished
}

// send starts a control step of the worlds ids, in any order. They must form whole
// blocks that are not being stepped; actions has a row for each.
func (w *worlds) send(ids []int32, actions []float32) error {
	if w.failed != nil {
		return statef("these worlds cannot go on, make new ones: %w", w.failed)
	}
	if w.recording {
		return statef("these worlds are recorded, and a dataset needs all of them to step together: use step")
	}
	blocks := w.env.Sim().Blocks()
	size := len(w.action) / len(w.reward)
	given := make([]bool, len(w.reward))
	for _, id := range ids {
		if id < 0 || int(id) >= len(given) {
			return usagef("world is %d, want 0 to %d", id, len(given)-1)
		}
		if given[id] {
			return usagef("world %d is sent twice", id)
		}
		given[id] = true
	}
	var whole []int
	for _, b := range blocks {
		n := 0
		for i := range b.Len() {
			if given[b.First()+i] {
				n++
			}
		}
		switch {
		case n == 0:
			continue
		case n < b.Len():
			return usagef("%d of the worlds %d to %d are sent, want all: they are stepped together", n, b.First(), b.First()+b.Len()-1)
		case w.pool != nil && w.pool.sent[b.Index()]:
			return statef("worlds %d to %d are still being stepped: receive them first", b.First(), b.First()+b.Len()-1)
		}
		whole = append(whole, b.Index())
	}
	for i, id := range ids {
		copy(w.action[int(id)*size:(int(id)+1)*size], actions[i*size:])
	}
	for _, i := range whole {
		if err := w.check(blocks[i].First(), blocks[i].First()+blocks[i].Len()); err != nil {
			return err
		}
	}
	w.began = true
	if w.pool == nil {
		w.pool = startPool(w.env, w.stepBlock)
	}
	for _, i := range whole {
		w.pool.send(i)
	}
	return nil
}

// receive waits until at least atLeast worlds are done, writes them to ids, in whole
// blocks, and returns how many there are. After wait it returns those received so far,
// possibly none; the caller then calls it again for the rest.
func (w *worlds) receive(ids []int32, atLeast int, wait time.Duration) (int, error) {
	if w.failed != nil {
		return 0, statef("these worlds cannot go on, make new ones: %w", w.failed)
	}
	if w.pool == nil || w.pool.out < atLeast {
		out := 0
		if w.pool != nil {
			out = w.pool.out
		}
		return 0, statef("%d worlds are being stepped, want at least %d: send actions first", out, atLeast)
	}
	n := 0
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for n < atLeast {
		block, ok, err := w.pool.receive(timer.C)
		if err != nil {
			w.failed = err
			return 0, err
		}
		if !ok {
			break
		}
		b := w.pool.blocks[block]
		for i := range b.Len() {
			ids[n] = int32(b.First() + i)
			n++
		}
	}
	return n, nil
}
