package engine_test

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/physics/internal/engine"
	"github.com/polyrhythm-rl/polyrhythm/physics/physicstest"
)

// open opens a model, as an engine does.
func open(c *engine.Counter) *engine.Model {
	m := &engine.Model{Engine: "wheels", Handles: c}
	engine.Open(m)
	return m
}

func noop() (func(), error) { return func() {}, nil }

// A closed model may be garbage collected.
func TestClosedIsNoLeak(t *testing.T) {
	var c engine.Counter
	for range 1000 {
		polytest.NoError(t, engine.Close(open(&c), func() {}))
	}
	for range 3 {
		runtime.GC() // a report panics
	}
}

func TestLeakIsLoud(t *testing.T) {
	var c engine.Counter
	physicstest.Leak(t, func() error {
		open(&c)
		return nil
	}, "wheels: a model was never closed", "owner_test.go")
}

// A model is freed once, when nothing is open that was made of it.
func TestOwners(t *testing.T) {
	var c engine.Counter
	m, freed := &engine.Model{Engine: "wheels", Handles: &c}, 0
	free := func() { freed++ }
	var o, failing engine.Owner
	polytest.ErrorContains(t, engine.Own(&o, m, "part", noop), "wheels: the model is closed")
	polytest.NoError(t, engine.Close(m, free))
	engine.Open(m)
	polytest.NoError(t, engine.Own(&o, m, "part", noop))
	polytest.ErrorContains(t, engine.Own(&failing, m, "part", func() (func(), error) {
		return nil, errors.New("no room")
	}), "wheels: no room")
	polytest.ErrorContains(t, engine.Close(m, free), "1 open")
	if c.Open() != 2 || freed != 0 || o.Closed() || !failing.Closed() {
		t.Errorf("%d are open, the model was freed %d times; want it and a part open", c.Open(), freed)
	}
	for range 2 {
		polytest.NoError(t, o.Close())
	}
	for range 2 {
		polytest.NoError(t, engine.Close(m, free))
	}
	if c.Open() != 0 || freed != 1 || !o.Closed() {
		t.Errorf("%d are open, the model was freed %d times; want none and once", c.Open(), freed)
	}
	polytest.ErrorContains(t, engine.Own(&o, m, "part", noop), "closed")
	runtime.KeepAlive(m)
}

// While several goroutines open, close and close the model at the same time, the memory is freed
// once, when there are no owners.
func TestOwnersInManyGoroutines(t *testing.T) {
	for range 200 {
		var c engine.Counter
		m := open(&c)
		memory := 1 // not guarded, so that the race detector reports a use during free
		var freed, held atomic.Int32
		var wait sync.WaitGroup
		for range 4 {
			wait.Go(func() {
				for range 100 { // then it lets the others close
					o := &engine.Owner{}
					if engine.Own(o, m, "part", noop) != nil {
						return
					}
					held.Add(1)
					if memory == 0 {
						t.Error("opened after the model was freed")
					}
					held.Add(-1)
					o.Close()
				}
			})
			wait.Go(func() {
				for c.Open() > 0 {
					engine.Close(m, func() {
						memory = 0
						freed.Add(1)
						if n := held.Load(); n != 0 {
							t.Errorf("freed with %d owners", n)
						}
					})
				}
			})
		}
		wait.Wait()
		if freed.Load() != 1 || c.Open() != 0 {
			t.Fatalf("freed %d times, %d open; want once", freed.Load(), c.Open())
		}
	}
}
