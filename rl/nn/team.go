package nn

import (
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"
)

// Team is a number of goroutines that do short tasks together: the caller of do and helpers that wait for the next
// call. A wait for a few microseconds is spent spinning, since putting a goroutine to sleep and waking it takes about
// as long as the gradient of a small minibatch; after that the goroutine sleeps. A nil team is the caller alone.
type Team struct {
	helpers []*bell // by worker, from 1

	// Of the call under way. They change only while no task is left.
	f     func(worker, task int)
	tasks int
	spans int // at most spanBits: tasks are taken by so many ranges, nearly equal

	// Bit i*spanBits/spans, rounded up, stands for range i, which nobody has taken yet.
	left     atomic.Uint64
	finished *bell // rings for each range done
	total    int64 // ranges of all calls
	closed   atomic.Bool
	gone     sync.WaitGroup // helpers
}

// NewTeam starts the helpers of a team of workers goroutines; the caller must close it.
func NewTeam(workers int) *Team {
	if workers <= 1 {
		return nil
	}
	spins := 0
	if workers <= runtime.GOMAXPROCS(0) { // otherwise one that spins takes the place of one that works
		spins = maxSpins
	}
	t := &Team{finished: newBell(spins)}
	for worker := 1; worker < workers; worker++ {
		t.helpers = append(t.helpers, newBell(spins))
	}
	for worker := 1; worker < workers; worker++ {
		t.gone.Go(func() { t.help(worker) })
	}
	return t
}

// Close stops the helpers and returns when they are gone.
func (t *Team) Close() {
	if t == nil {
		return
	}
	t.closed.Store(true)
	for _, b := range t.helpers {
		b.ring()
	}
	t.gone.Wait()
}

// Workers is the number of goroutines of the team, the caller of do included.
func (t *Team) Workers() int {
	if t == nil {
		return 1
	}
	return 1 + len(t.helpers)
}

const spanBits = 64

// Do calls f once for every task in [0, tasks) and returns when all calls have. worker, in [0, workers), differs
// between calls that run at the same time. Which worker does which task is not determined, so results must not depend
// on it; but each begins at its own place among the tasks, so that what it has done of one call, and still has in its
// cache, is what it does of the next one. do does not wait for helpers that are late: those find no task left.
func (t *Team) Do(tasks int, f func(worker, task int)) {
	if t == nil || tasks <= 1 {
		for task := range tasks {
			f(0, task)
		}
		return
	}
	t.f, t.tasks, t.spans = f, tasks, min(tasks, spanBits)
	t.total += int64(t.spans)
	left := uint64(0)
	for i := range t.spans {
		left |= 1 << ((i*spanBits + t.spans - 1) / t.spans)
	}
	t.left.Store(left)
	for _, b := range t.helpers[:min(len(t.helpers), tasks-1)] {
		b.ring()
	}
	t.work(0)
	t.finished.wait(t.total)
}

// help is the life of a helper.
func (t *Team) help(worker int) {
	b := t.helpers[worker-1]
	for rung := int64(0); ; {
		rung = b.wait(rung + 1)
		if t.closed.Load() {
			return
		}
		t.work(worker)
	}
}

// work does tasks as long as there are any, from the worker's own place on, around to the beginning.
func (t *Team) work(worker int) {
	place := worker * spanBits / t.Workers() % spanBits
	for {
		left := t.left.Load()
		if left == 0 {
			return
		}
		bit := (place + bits.TrailingZeros64(bits.RotateLeft64(left, -place))) % spanBits
		// Only a range that was taken keeps f and tasks as they are.
		if t.left.CompareAndSwap(left, left&^(1<<bit)) {
			i := bit * t.spans / spanBits
			for task := i * t.tasks / t.spans; task < (i+1)*t.tasks/t.spans; task++ {
				t.f(worker, task)
			}
			t.finished.ring()
		}
	}
}

// maxSpins is how often a wait looks before it sleeps, for some 40 µs: about as long as a step of 64 samples.
const maxSpins = 1 << 17

// bell counts how often it was rung. Any goroutine may ring it, and one may wait.
type bell struct {
	spins  int
	rung   atomic.Int64
	asleep atomic.Bool
	wake   chan struct{}
}

func newBell(spins int) *bell { return &bell{spins: spins, wake: make(chan struct{}, 1)} }

func (b *bell) ring() {
	b.rung.Add(1)
	if b.asleep.Swap(false) {
		b.wake <- struct{}{}
	}
}

// wait returns the count once it is at least times.
func (b *bell) wait(times int64) int64 {
	for range b.spins {
		if n := b.rung.Load(); n >= times {
			return n
		}
	}
	for {
		b.asleep.Store(true)
		if n := b.rung.Load(); n >= times && b.asleep.Swap(false) {
			return n
		}
		<-b.wake // of a ring that has seen asleep
		if n := b.rung.Load(); n >= times {
			return n
		}
	}
}
