package sim

import (
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// Calls follow each other at once, within the time that goroutines look out for the next one, just when they give up,
// and long after. Every worker works once in each where the first waits for the others, and otherwise at most once;
// what it did is there when run returns. The race detector watches.
func TestRun(t *testing.T) {
	pauses := []time.Duration{0, spinTime / 2, spinTime, 2 * spinTime, longSpinTime, 2 * longSpinTime}
	for _, n := range []int{1, 2, 5} {
		workers := make([]*Worker, n)
		for i := range workers {
			workers[i] = &Worker{index: i}
		}
		const calls = 500
		count := make([]int, n) // each written by its worker alone
		for call := range calls {
			before := slices.Clone(count)
			together := call%5 > 0
			var here atomic.Int32
			run(workers, func(w *Worker) {
				count[w.index]++
				here.Add(1)
				for together && w.index == 0 && int(here.Load()) < n {
					runtime.Gosched()
				}
			})
			for i, c := range count {
				if least := i == 0 || together; c-before[i] > 1 || least && c == before[i] {
					t.Fatalf("worker %d of %d worked %d times in call %d", i, n, c-before[i], call)
				}
			}
			for begin := time.Now(); time.Since(begin) < pauses[call%len(pauses)]; {
			}
		}
	}
}

// A goroutine that nobody calls again ends by itself: nothing has to be closed. The next call has another one.
func TestRunLeavesNobodyWaiting(t *testing.T) {
	workers := []*Worker{{index: 0}, {index: 1}, {index: 2}}
	for range 100 {
		run(workers, func(*Worker) {})
	}
	for _, w := range workers[1:] {
		for w.next.Load() != nil {
			runtime.Gosched()
		}
	}
	polytest.Equal(t, together(workers), 3, "workers at work after a pause")
}

// Workers are at work at the same time.
func TestRunIsConcurrent(t *testing.T) {
	workers := []*Worker{{index: 0}, {index: 1}, {index: 2}}
	for range 50 {
		polytest.Equal(t, together(workers), 3, "workers at work")
	}
}

// together returns how many of the workers worked in one call, each of which waits for all others.
func together(workers []*Worker) int {
	var here atomic.Int32
	run(workers, func(*Worker) {
		here.Add(1)
		for int(here.Load()) < len(workers) {
			runtime.Gosched()
		}
	})
	return int(here.Load())
}
