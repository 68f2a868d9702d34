package sim_test

import (
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// Close waits for the step that is under way, and the next one returns an error.
func TestCloseWaitsForTheStep(t *testing.T) {
	run := newSetup(t, func(s *setup) { s.Workers = 2 })
	var inside atomic.Int32
	begun, closed := make(chan struct{}), make(chan error)
	var once sync.Once
	go func() {
		<-begun
		closed <- run.Close()
	}()
	err := run.Each(func(w *sim.Worker, b *sim.Block) error {
		inside.Add(1)
		defer inside.Add(-1)
		once.Do(func() { close(begun) })
		for range 100 {
			runtime.Gosched()
			if err := b.Step(w); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Errorf("the step under way: %v", err)
	}
	if err := <-closed; err != nil || inside.Load() != 0 {
		t.Errorf("closed with %d blocks at work: %v", inside.Load(), err)
	}
	polytest.ErrorIs(t, run.Step(), sim.ErrClosed)
	polytest.ErrorIs(t, run.Restore(run.Snapshot()), sim.ErrClosed)
}

// Calls that change the worlds while a step is under way are refused by their names.
func TestStepsDoNotOverlap(t *testing.T) {
	run := newSetup(t, nil)
	snapshot := run.Snapshot()
	err := run.Each(func(*sim.Worker, *sim.Block) error {
		for want, call := range map[string]func() error{
			"Each was called while Each":    run.Step,
			"Restore was called while Each": func() error { return run.Restore(snapshot) },
		} {
			polytest.ErrorContains(t, call(), want)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	polytest.ErrorContains(t, run.Restore(nil), "no snapshot given")
}

// While one worker is held up in its first block, the others take over what is left of its share.
func TestABusyWorkerKeepsNoBlockWaiting(t *testing.T) {
	for held := range 3 {
		run := newSetup(t, func(s *setup) { s.Workers, s.BlockSize = 3, 1 })
		var called atomic.Int32
		polytest.NoError(t, run.Each(func(w *sim.Worker, b *sim.Block) error {
			for called.Add(1); w.Index() == held && int(called.Load()) < len(run.Blocks()); {
				runtime.Gosched()
			}
			return nil
		}))
		if n := int(called.Load()); n != len(run.Blocks()) {
			t.Errorf("%d of %d blocks were called", n, len(run.Blocks()))
		}
	}
}

// A callback that ends its goroutine, as testing.T.Fatal does, ends it: on a worker's own
// goroutine Each returns an error, and on the caller's the other blocks are called before.
func TestGoexitInACallback(t *testing.T) {
	for _, workers := range []int{1, 2} {
		run := newSetup(t, func(s *setup) { s.Workers, s.BlockSize = workers, 3 })
		var called atomic.Int32
		var err error
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			err = run.Each(func(w *sim.Worker, b *sim.Block) error {
				if called.Add(1); w.Index() == workers-1 {
					runtime.Goexit()
				}
				for workers == 2 && called.Load() < 3 { // until the other worker ends
					runtime.Gosched()
				}
				return nil
			})
		}()
		<-ended
		if n := int(called.Load()); n != len(run.Blocks()) {
			t.Errorf("%d workers: %d of %d blocks were called", workers, n, len(run.Blocks()))
		}
		if workers == 2 && (err == nil || !strings.Contains(err.Error(), "called runtime.Goexit")) {
			t.Errorf("error %v, want one that names Goexit", err)
		}
		if err := run.Step(); err != nil {
			t.Errorf("%d workers: the next step: %v", workers, err)
		}
	}
}
