package handle_test

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/handle"
	"github.com/polyrhythm-rl/polyrhythm/physics/physicstest"
)

// owner stands in for an owner of C memory.
type owner struct {
	handle handle.Handle
	_      *int // a pointer, since small objects without one share a block and its lifetime
}

// open opens a handle, as Load of an engine does.
func open(c *handle.Counter) *owner {
	o := &owner{}
	o.handle = handle.Watch(c, o, "model")
	return o
}

func TestCounter(t *testing.T) {
	var c handle.Counter
	a, b := open(&c), open(&c)
	if n := c.Open(); n != 2 {
		t.Errorf("%d open, want 2", n)
	}
	for i, want := range []struct {
		was  bool
		open int
	}{{true, 1}, {false, 1}, {false, 1}} {
		if was := a.handle.Close(); was != want.was || c.Open() != want.open {
			t.Errorf("Close %d: was open: %v, %d left; want %v", i+1, was, c.Open(), want)
		}
	}
	if !b.handle.Close() || c.Open() != 0 {
		t.Errorf("%d open, want none", c.Open())
	}
	if new(handle.Handle).Close() {
		t.Error("the zero handle was open")
	}
	runtime.KeepAlive(a)
	runtime.KeepAlive(b)
}

// A closed owner may be garbage collected.
func TestClosedIsNoLeak(t *testing.T) {
	var c handle.Counter
	for range 1000 {
		open(&c).handle.Close()
	}
	for range 3 {
		runtime.GC() // a report panics
	}
}

func TestLeakIsLoud(t *testing.T) {
	c := handle.Counter{Engine: "wheels"}
	physicstest.Leak(t, func() error {
		open(&c)
		return nil
	}, "wheels: a model was never closed", "handle_test.go")
}

func TestLender(t *testing.T) {
	var c handle.Counter
	o, freed := &struct{ lender handle.Lender }{}, 0
	free := func() { freed++ }
	if err := o.lender.Borrow(); err == nil {
		t.Error("borrowed of a lender that was never opened")
	}
	if n := o.lender.Close(free); n != 0 || freed != 0 {
		t.Errorf("closing what was never opened: %d loans, freed %d times", n, freed)
	}

	o.lender.Lend(handle.Watch(&c, o, "model"))
	for range 2 {
		if err := o.lender.Borrow(); err != nil {
			t.Fatal(err)
		}
	}
	for want := 2; want > 0; want-- {
		if n := o.lender.Close(free); n != want || freed != 0 || c.Open() != 1 {
			t.Errorf("closing with %d loans: %d, freed %d times, %d open", want, n, freed, c.Open())
		}
		o.lender.GiveBack()
	}
	for range 2 {
		if n := o.lender.Close(free); n != 0 || freed != 1 || c.Open() != 0 {
			t.Errorf("closing with no loans: %d, freed %d times, %d open; want freed once", n, freed, c.Open())
		}
	}
	if err := o.lender.Borrow(); err == nil {
		t.Error("borrowed of a closed lender")
	}
}

// While several goroutines borrow and close at the same time, the memory is freed once,
// when there are no borrowers.
func TestLenderFromManyGoroutines(t *testing.T) {
	for range 200 {
		var c handle.Counter
		o := &struct{ lender handle.Lender }{}
		o.lender.Lend(handle.Watch(&c, o, "model"))
		memory := 1 // not guarded, so that the race detector reports a use during free
		var freed, held atomic.Int32
		var wait sync.WaitGroup
		for range 4 {
			wait.Go(func() {
				for range 100 { // then it lets the others close
					if o.lender.Borrow() != nil {
						return
					}
					held.Add(1)
					if memory == 0 {
						t.Error("borrowed after it was freed")
					}
					held.Add(-1)
					o.lender.GiveBack()
				}
			})
			wait.Go(func() {
				for c.Open() > 0 {
					o.lender.Close(func() {
						memory = 0
						freed.Add(1)
						if n := held.Load(); n != 0 {
							t.Errorf("freed with %d loans", n)
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
