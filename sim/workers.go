package sim

import (
	"runtime"
	"sync/atomic"
	"time"
)

// spinTime is how long a goroutine spins for more work before it blocks or ends. Waking a thread takes about as
// long, and a caller that takes one control step after another, such as a Python program, would pay for that at
// every step.
const spinTime = 50 * time.Microsecond

// workerSet is one call of Each on the workers of a sim.
type workerSet struct {
	work     func(*Worker)
	left     atomic.Int32  // workers that are not done, without the caller's
	finished chan struct{} // closed when left reaches 0
}

// waiting is the value of Worker.next while the worker's goroutine spins.
var waiting = new(workerSet)

// run calls work once for each worker, for the first on the caller's goroutine, and waits for all.
func run(workers []*Worker, work func(*Worker)) {
	if len(workers) == 1 {
		work(workers[0])
		return
	}
	c := &workerSet{work: work, finished: make(chan struct{})}
	spinTime := spinTime
	if len(workers) > runtime.NumCPU() {
		spinTime = 0 // a spinning goroutine would take a processor from a working one
	}
	c.left.Store(int32(len(workers) - 1))
	for _, w := range workers[1:] {
		// If the swap fails, no goroutine of this worker is spinning.
		if !w.next.CompareAndSwap(waiting, c) {
			go w.serve(c, spinTime)
		}
	}
	defer func() { // deferred, since work may end the goroutine
		if !spin(spinTime, func() bool { return c.left.Load() == 0 }) {
			<-c.finished
		}
	}()
	work(workers[0])
}

// serve is the goroutine of a worker: it serves one call of Each, and further ones that come within the spin time.
func (w *Worker) serve(c *workerSet, spinTime time.Duration) {
	ends := true // unless work returns, the goroutine ends
	defer func() {
		if ends {
			w.done(c, nil)
		}
	}()
	for {
		c.work(w)
		w.done(c, waiting)
		called := spin(spinTime, func() bool { return w.next.Load() != waiting })
		if !called && w.next.CompareAndSwap(waiting, nil) {
			ends = false
			return
		}
		c = w.next.Load()
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

// spin waits for a condition without giving up its thread, and reports whether it became true in time.
func spin(spinTime time.Duration, condition func() bool) bool {
	for begin := time.Now(); ; {
		for range 64 {
			if condition() {
				return true
			}
		}
		if time.Since(begin) > spinTime {
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
