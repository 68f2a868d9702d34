// Package handle watches over the owners of C memory in an engine: it counts those
// that are open, and reports one that is garbage collected while it is.
package handle

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// Counter counts an engine's open handles, a number of the process like the C
// memory behind it. Its methods may be called from any goroutine.
type Counter struct {
	Engine string // what a report of a leak begins with
	open   atomic.Int64
}

// Open returns the number of handles that are not closed.
func (c *Counter) Open() int { return int(c.open.Load()) }

// Handle lasts from the opening of an owner to its Close. Its zero value is closed.
type Handle struct {
	counter *Counter
	leak    runtime.Cleanup
}

// Watch opens the handle of owner, called what in a report. The place that is
// reported is the nearest caller outside the folder of the function that calls Watch,
// or in a test there.
func Watch[T any](c *Counter, owner *T, what string) Handle {
	file, line := opener()
	c.open.Add(1)
	return Handle{
		counter: c,
		leak:    runtime.AddCleanup(owner, reportLeak, fmt.Sprintf("%s: a %s was never closed; opened at %s:%d", c.Engine, what, file, line)),
	}
}

// opener is the place that Watch reports.
func opener() (file string, line int) {
	pcs := make([]uintptr, 16)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs)]) // from the caller of Watch
	frame, more := frames.Next()
	folder := filepath.Dir(frame.File)
	for more && filepath.Dir(frame.File) == folder && !strings.HasSuffix(frame.File, "_test.go") {
		frame, more = frames.Next()
	}
	return frame.File, frame.Line
}

// reportLeak runs when an owner has become garbage while open. Its C memory is
// gone for good: freeing it here would hide the bug.
func reportLeak(message string) {
	fmt.Fprintln(os.Stderr, message)
	if testing.Testing() {
		panic(message)
	}
}

// Close ends the watch and reports whether the handle was open.
func (h *Handle) Close() bool {
	if h.counter == nil {
		return false
	}
	h.leak.Stop()
	h.counter.open.Add(-1)
	h.counter = nil
	return true
}

// Lender counts who has borrowed an owner of C memory, which must stay while anybody
// has. Its methods may be called from any goroutine. The zero value is closed.
type Lender struct {
	mu     sync.Mutex
	handle Handle
	loans  int
}

// Lend opens a lender for the owner that h watches over.
func (l *Lender) Lend(h Handle) { l.handle = h }

// Borrow holds the owner open until GiveBack. It fails once the owner is closed.
func (l *Lender) Borrow() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.handle.counter == nil {
		return errors.New("the model is closed")
	}
	l.loans++
	return nil
}

// GiveBack ends a Borrow.
func (l *Lender) GiveBack() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.loans--
}

// Close ends the watch and calls free, unless somebody still borrows: it returns
// by how many. Closing a second time does nothing.
func (l *Lender) Close(free func()) (loans int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.loans == 0 && l.handle.Close() {
		free()
	}
	return l.loans
}
