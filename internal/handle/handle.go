// Package handle tracks the owners of C memory in an engine. It counts the open ones,
// and reports an owner that is garbage collected before it was closed.
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

// Counter counts the open handles of an engine. An engine has one per process, since
// its C memory belongs to the process. Any goroutine may call its methods.
type Counter struct {
	Engine string // the prefix of the report of a leak
	open   atomic.Int64
}

// Open returns the number of handles that are not closed.
func (c *Counter) Open() int { return int(c.open.Load()) }

// Handle tracks one owner of C memory from Watch to Close. The zero value is closed.
type Handle struct {
	counter *Counter
	leak    runtime.Cleanup
}

// Watch opens a handle for owner, which the report of a leak calls what. The report
// gives the file and line of the nearest caller outside the folder of the function
// that calls Watch, or in a test file.
func Watch[T any](c *Counter, owner *T, what string) Handle {
	file, line := opener()
	c.open.Add(1)
	return Handle{
		counter: c,
		leak:    runtime.AddCleanup(owner, reportLeak, fmt.Sprintf("%s: a %s was never closed; opened at %s:%d", c.Engine, what, file, line)),
	}
}

// opener returns the file and line that a report gives.
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

// reportLeak runs after an open owner was garbage collected. It does not free the C
// memory, which would hide the bug.
func reportLeak(message string) {
	fmt.Fprintln(os.Stderr, message)
	if testing.Testing() {
		panic(message)
	}
}

// Close closes the handle and reports whether it was open.
func (h *Handle) Close() bool {
	if h.counter == nil {
		return false
	}
	h.leak.Stop()
	h.counter.open.Add(-1)
	h.counter = nil
	return true
}

// Lender counts the borrowers of an owner of C memory, which cannot be closed while
// there are any. Any goroutine may call its methods. The zero value is closed.
type Lender struct {
	mu     sync.Mutex
	handle Handle
	loans  int
}

// Lend opens the lender for the owner of handle h.
func (l *Lender) Lend(h Handle) { l.handle = h }

// Borrow keeps the owner open until GiveBack. It returns an error if the owner is
// closed.
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

// Close closes the handle and calls free, unless the owner is borrowed. It returns the
// number of borrowers, 0 if the owner is now closed. Closing it again does nothing.
func (l *Lender) Close(free func()) (loans int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.loans == 0 && l.handle.Close() {
		free()
	}
	return l.loans
}
