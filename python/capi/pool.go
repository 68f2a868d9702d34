package main

import (
	"cmp"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// spinTime is how long a worker of a pool looks out for a block before it sleeps.
const spinTime = 50 * time.Microsecond

// pool steps blocks in the background: send starts a step, receive returns a block that
// is done. It is one call of Each that lasts until stop. One goroutine may use it at a
// time. Of several workers, one steps blocks only in receive, on the caller's thread.
type pool struct {
	blocks   []*sim.Block
	step     func(*sim.Worker, *sim.Block) error
	callers  *sim.Worker   // the worker of receive; nil if there is one in all
	queue    chan int      // blocks to be stepped
	done     chan int      // blocks that were stepped
	over     chan struct{} // closed by stop
	finished chan error    // the error of Each
	errs     []error       // by block; valid once the block was in done
	sent     []bool        // by block: sent and not yet received
	pending  int           // number of worlds of the blocks in sent
}

// startPool starts the pool of e; step steps a block. The caller stops it.
func startPool(e *env.Env, step func(*sim.Worker, *sim.Block) error) *pool {
	blocks := e.Sim().Blocks()
	p := &pool{
		blocks:   blocks,
		step:     step,
		queue:    make(chan int, len(blocks)),
		done:     make(chan int, len(blocks)),
		over:     make(chan struct{}),
		finished: make(chan error, 1),
		errs:     make([]error, len(blocks)),
		sent:     make([]bool, len(blocks)),
	}
	callers := make(chan *sim.Worker)
	several := e.Sim().Workers() > 1
	go func() {
		p.finished <- e.Each(func(worker *sim.Worker, _ *sim.Block) error {
			if several && worker.Index() == 0 {
				select {
				case callers <- worker:
				case <-p.over:
				}
				<-p.over
				return nil
			}
			for i, ok := p.next(); ok; i, ok = p.next() {
				p.take(worker, i)
				p.done <- i
			}
			return nil
		})
	}()
	if several {
		select {
		case p.callers = <-callers:
		case err := <-p.finished: // Each refused to begin
			p.finished <- err
		}
	}
	return p
}

// next returns the next block of the queue, and false when there will be no more. For a
// while it looks out for one without giving up its thread, since waking it takes as long.
func (p *pool) next() (i int, ok bool) {
	for begin := time.Now(); time.Since(begin) < spinTime; {
		select {
		case i, ok = <-p.queue:
			return i, ok
		default:
		}
	}
	i, ok = <-p.queue
	return i, ok
}

// take steps a block.
func (p *pool) take(worker *sim.Worker, i int) {
	p.errs[i] = guarded(func() error { return p.step(worker, p.blocks[i]) })
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

// stop waits for the blocks that are being stepped, ends the pool and returns its error.
func (p *pool) stop() error {
	close(p.queue)
	close(p.over)
	return <-p.finished
}

// send starts a control step of the worlds ids, in any order. They must form whole
// blocks that are not being stepped; actions has a row for each.
func (w *worlds) send(ids []int32, actions []float32) error {
	if err := w.goesOn(); err != nil {
		return err
	}
	if w.recording {
		return statef("these worlds are recorded, and a dataset needs all of them to step together: use step")
	}
	blocks := w.env.Sim().Blocks()
	size := len(w.action) / len(w.reward)
	chosen := make([]bool, len(w.reward))
	for _, id := range ids {
		if chosen[id] {
			return usagef("world %d is sent twice", id)
		}
		chosen[id] = true
	}
	var whole []int
	for _, b := range blocks {
		its, last := chosen[b.First():b.First()+b.Len()], b.First()+b.Len()-1
		switch {
		case !slices.Contains(its, true):
			continue
		case slices.Contains(its, false):
			return usagef("some of the worlds %d to %d are sent, want all: they are stepped together", b.First(), last)
		case w.pool != nil && w.pool.sent[b.Index()]:
			return statef("worlds %d to %d are still being stepped: receive them first", b.First(), last)
		}
		whole = append(whole, b.Index())
	}
	for i, id := range ids {
		copy(w.action[int(id)*size:(int(id)+1)*size], actions[i*size:])
	}
	for _, i := range whole {
		if err := blocks[i].CheckActions(); err != nil {
			return err
		}
	}
	if w.pool == nil {
		w.pool = startPool(w.env, func(worker *sim.Worker, b *sim.Block) error { return b.Step(worker) })
	}
	for _, i := range whole {
		w.pool.sent[i] = true
		w.pool.pending += blocks[i].Len()
		w.pool.queue <- i
	}
	return nil
}

// receive waits until at least atLeast worlds are done, writes them to ids, in whole blocks, and returns how many
// there are. After wait it returns those received so far, possibly none; the caller then calls it again for the rest.
func (w *worlds) receive(ids []int32, atLeast int, wait time.Duration) (int, error) {
	if err := w.goesOn(); err != nil {
		return 0, err
	}
	if n := w.pending(); n < atLeast {
		return 0, statef("%d worlds are being stepped, want at least %d: send actions first", n, atLeast)
	}
	n := 0
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for n < atLeast {
		i, ok, err := w.pool.finish(timer.C)
		if w.failed = err; err != nil {
			return 0, err
		}
		if !ok {
			return n, nil
		}
		b := w.pool.blocks[i]
		w.pool.sent[i] = false
		w.pool.pending -= b.Len()
		if w.failed = w.pool.errs[i]; w.failed != nil {
			return 0, w.failed
		}
		for i := range b.Len() {
			ids[n] = int32(b.First() + i)
			n++
		}
	}
	return n, nil
}

// finish returns a block that is done, and false if there is none in time. Where none is, it steps one itself; where
// none is left for that, it looks out for a while, as next does. The error is that of a pool which is over, such as one
// that never began.
func (p *pool) finish(late <-chan time.Time) (i int, ok bool, err error) {
	queue := p.queue
	if p.callers == nil {
		queue = nil
	}
	for begin := time.Now(); time.Since(begin) < spinTime; {
		select {
		case i = <-p.done:
			return i, true, nil
		default:
		}
		select {
		case i = <-queue:
			p.take(p.callers, i)
			return i, true, nil
		case <-late:
			return 0, false, nil
		default:
		}
	}
	select {
	case i = <-p.done:
		return i, true, nil
	case <-late:
		return 0, false, nil
	case err := <-p.finished:
		p.finished <- err
		return 0, false, cmp.Or(err, errors.New("the workers of these worlds have ended"))
	}
}
