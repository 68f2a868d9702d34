package sim

import (
	"runtime"
	"sync/atomic"
	"syscall"
	"time"
)

// spinTime is how long a goroutine spins for more work, or for others to finish, before it blocks or ends. Waking a
// thread takes about as long, and a caller that takes one control step after another, such as a Python program, would
// pay for that at every step.
const spinTime = 50 * time.Microsecond

// longSpinTime is how long the goroutines of workers spin instead where a caller comes back within that time, as one
// does that computes the next actions, and where no other thread wants their processors.
const longSpinTime = time.Millisecond

// workerSet is one call of Each on the workers of a sim.
type workerSet struct {
	work     func(*Worker)
	long     bool          // spin for longSpinTime after it
	left     atomic.Int32  // workers that may still work, without the caller's
	finished chan struct{} // closed when left reaches 0
}

// The values of Worker.next, besides a call that its goroutine has yet to begin, and nil without a goroutine.
var (
	waiting = new(workerSet) // it spins, or is about to
	working = new(workerSet)
)

// run calls work for the first worker on the caller's goroutine and for each other one on a goroutine of its own,
// unless the first call of work returns before that goroutine begins. So work must leave nothing to do behind. run
// returns when no worker works.
func run(workers []*Worker, work func(*Worker)) {
	if len(workers) == 1 {
		work(workers[0])
		return
	}
	first := workers[0]
	spare := len(workers) <= runtime.NumCPU() // else a spinning goroutine would take a processor from a working one
	c := &workerSet{work: work, finished: make(chan struct{})}
	c.long = spare && time.Since(first.finished) < longSpinTime
	c.left.Store(int32(len(workers) - 1))
	for _, w := range workers[1:] {
		// If the swap fails, this worker has no goroutine.
		if !w.next.CompareAndSwap(waiting, c) {
			w.next.Store(c)
			go w.serve(spare)
		}
	}
	defer func() { // deferred, since work may end the goroutine
		for _, w := range workers[1:] {
			if w.next.CompareAndSwap(c, waiting) {
				c.left.Add(-1)
			}
		}
		done := func() bool { return c.left.Load() == 0 }
		if !done() && !(spare && first.await(true, done)) {
			<-c.finished
		}
		first.finished = time.Now()
	}()
	work(first)
}

// serve is the goroutine of a worker: it serves one call of Each after another, until none comes while it spins.
func (w *Worker) serve(spare bool) {
	var c *workerSet // of the call that it works for
	defer func() {
		if c != nil { // work ended the goroutine
			w.done(c, nil)
		}
	}()
	called := func() bool { return w.next.Load() != waiting }
	for long := false; ; {
		if !called() && !(spare && w.await(long, called)) && w.next.CompareAndSwap(waiting, nil) {
			return
		}
		next := w.next.Load()
		if next == waiting || !w.next.CompareAndSwap(next, working) {
			continue // the call was withdrawn
		}
		c, long = next, next.long
		c.work(w)
		w.done(c, waiting)
		c = nil
	}
}

// done ends the worker's part of a call of Each. next is what its goroutine does then: waiting, or nil if it ends.
func (w *Worker) done(c *workerSet, next *workerSet) {
	// Before left is decremented: the next call of Each may begin as soon as it is 0.
	w.next.Store(next)
	if c.left.Add(-1) == 0 {
		close(c.finished)
	}
}

// await spins until a condition is true, and reports whether it became true in time.
func (w *Worker) await(long bool, condition func() bool) bool {
	return spin(spinTime, condition) || long && !w.crowded() && spin(longSpinTime, condition)
}

// crowded reports whether another thread has taken the processor from this one since the last call.
func (w *Worker) crowded() bool {
	var usage syscall.Rusage
	count := w.preempted
	if syscall.Getrusage(syscall.RUSAGE_THREAD, &usage) == nil {
		w.preempted = usage.Nivcsw
	}
	return w.preempted != count
}

// spin waits for a condition without giving up its thread, and reports whether it became true in time.
func spin(limit time.Duration, condition func() bool) bool {
	for start := time.Now(); ; {
		for range 64 {
			if condition() {
				return true
			}
		}
		if time.Since(start) > limit {
			return false
		}
	}
}

// yieldInterval is how long a worker runs before it yields. Go's system monitor preempts a goroutine that has run
// for 10 ms, also inside C, and then polls every 20 µs for a while, which costs each worker 4 to 6 % of its time
// when every processor has one. A goroutine that yields by itself avoids this.
const yieldInterval = 5 * time.Millisecond

// yield lets other goroutines run if the interval has passed. The simulation does not depend on it.
func (w *Worker) yield() {
	if time.Since(w.yielded) > yieldInterval {
		runtime.Gosched()
		w.yielded = time.Now() // after the others, which may run for long
	}
}
