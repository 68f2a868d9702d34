package sim

import (
	"runtime"
	"sync/atomic"
	"time"
)

// spinTime is how long a goroutine looks out for what comes next before it lets
// itself be put to sleep, or ends. Waking a thread takes about as long, and a caller
// of one control step after another, a program in Python say, would wait for it at
// every step.
const spinTime = 50 * time.Microsecond

// workerSet is the workers of a sim at one call of Each.
type workerSet struct {
	work     func(*Worker)
	left     atomic.Int32  // workers that are not done, the caller's aside
	finished chan struct{} // closed when there are none
}

// waiting stands in Worker.next while the worker's goroutine spins.
var waiting = new(workerSet)

// run calls work once for each worker, the first one's from the caller's goroutine,
// and waits for all.
func run(workers []*Worker, work func(*Worker)) {
	if len(workers) == 1 {
		work(workers[0])
		return
	}
	c := &workerSet{work: work, finished: make(chan struct{})}
	spinTime := spinTime
	if len(workers) > runtime.NumCPU() {
		spinTime = 0 // whoever looks out is in the way of those who work
	}
	c.left.Store(int32(len(workers) - 1))
	for _, w := range workers[1:] {
		// Nobody waits there: the worker has no goroutine.
		if !w.next.CompareAndSwap(waiting, c) {
			go w.serve(c, spinTime)
		}
	}
	work(workers[0])
	if !spin(spinTime, func() bool { return c.left.Load() == 0 }) {
		<-c.finished
	}
}

// serve is the goroutine of a worker: it does one call of Each, and the next if
// that comes soon.
func (w *Worker) serve(c *workerSet, spinTime time.Duration) {
	for {
		c.work(w)
		// First: who is told that all are done may begin the next call at once.
		w.next.Store(waiting)
		if c.left.Add(-1) == 0 {
			close(c.finished)
		}
		comes := spin(spinTime, func() bool { return w.next.Load() != waiting })
		if !comes && w.next.CompareAndSwap(waiting, nil) {
			return
		}
		c = w.next.Load()
	}
}

// spin waits for a condition without giving up its thread, and reports whether it
// came to be in time.
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

// stretch is how long a worker works before it lets others run. Go's monitor takes
// its place in the scheduler away from a goroutine that it has seen at work for 10 ms,
// inside C too, and then looks after all of them every 20 µs for a while: where every
// processor has a worker that costs each of them 4 to 6 % of its time. One that yields
// by itself is left alone.
const stretch = 5 * time.Millisecond

// yield lets others run if it is time to. What is simulated does not depend on it.
func (w *Worker) yield() {
	if time.Since(w.yielded) > stretch {
		runtime.Gosched()
		w.yielded = time.Now() // others may have taken long
	}
}
