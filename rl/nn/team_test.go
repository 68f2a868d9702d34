package nn

import (
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// Every task is done once, by workers of which no two are the same at a time, whether
// they spin or sleep between the calls.
func TestTeamDoesEveryTaskOnce(t *testing.T) {
	for workers := 1; workers <= 5; workers++ {
		for _, pause := range []time.Duration{0, 100 * time.Microsecond} {
			team := NewTeam(workers)
			if n := team.Workers(); n != workers {
				t.Fatalf("a team of %d has %d workers", workers, n)
			}
			random := rand.New(rand.NewPCG(1, uint64(workers)))
			busy := make([]atomic.Int32, workers)
			for round := range 300 {
				counts := make([]atomic.Int32, random.IntN(8))
				if round%10 == 0 { // more than there are bits for
					counts = make([]atomic.Int32, random.IntN(300))
				}
				team.Do(len(counts), func(worker, task int) {
					polytest.Equal(t, busy[worker].Add(1), 1, "worker %d has two tasks at a time", worker)
					counts[task].Add(1)
					for range 500 * (task % 3) { // some tasks last longer
						busy[worker].Load()
					}
					busy[worker].Add(-1)
				})
				for task := range counts {
					if n := counts[task].Load(); n != 1 {
						t.Fatalf("%d workers, call %d: task %d of %d done %d times", workers, round, task, len(counts), n)
					}
				}
				if round%50 == 0 {
					time.Sleep(pause)
				}
			}
			team.Close()
		}
	}
}

// A call returns although a helper never comes.
func TestTeamDoesNotWaitForHelpers(t *testing.T) {
	team := NewTeam(2)
	team.Close() // there are no helpers any more
	done := 0
	team.Do(7, func(_, task int) {
		if task != done {
			t.Errorf("task %d comes after %d others", task, done)
		}
		done++
	})
	polytest.Equal(t, done, 7, "tasks done")
}

// Whoever waits sleeps in the end, and is woken by each ring that is due.
func TestBellWakesSleepers(t *testing.T) {
	for _, spins := range []int{0, 100} {
		a, b := newBell(spins), newBell(spins)
		go func() {
			for n := int64(1); n <= 2000; n++ {
				a.wait(n)
				b.ring()
			}
		}()
		for n := int64(1); n <= 2000; n++ {
			a.ring()
			if rung := b.wait(n); rung != n {
				t.Fatalf("the bell rang %d times, want %d", rung, n)
			}
		}
	}
}
