package engine

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
)

// Counter counts the open owners of an engine's C memory, which belongs to the process, as
// the counter does. Any goroutine may call its methods.
type Counter struct{ open atomic.Int64 }

// Open returns the number of owners that are not closed.
func (c *Counter) Open() int { return int(c.open.Load()) }

// handle tracks an owner of C memory from watch to close. The zero value is closed.
type handle struct {
	counter *Counter
	leak    runtime.Cleanup
}

// watch opens a handle for owner, which the report of a leak calls kind. The report gives the
// file and line of the nearest caller outside of the engines, or in a test file.
func watch[T any](m *Model, owner *T, kind string) handle {
	if m.Handles == nil {
		return handle{}
	}
	file, line := opener()
	m.Handles.open.Add(1)
	return handle{m.Handles, runtime.AddCleanup(owner, reportLeak,
		fmt.Sprintf("%s: a %s was never closed; opened at %s:%d", m.Engine, kind, file, line))}
}

func opener() (file string, line int) {
	pcs := make([]uintptr, 16)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs)]) // from the caller of watch
	frame, more := frames.Next()
	for more && !strings.HasSuffix(frame.File, "_test.go") &&
		strings.HasPrefix(frame.Function, "github.com/polyrhythm-rl/polyrhythm/physics/") {
		frame, more = frames.Next()
	}
	return frame.File, frame.Line
}

// reportLeak runs after an open owner was garbage collected. It does not free the C memory, which would hide the bug.
func reportLeak(message string) {
	fmt.Fprintln(os.Stderr, message)
	if testing.Testing() {
		panic(message)
	}
}

// close closes the handle and reports whether it was open.
func (h *handle) close() bool {
	if h.counter == nil {
		return false
	}
	h.leak.Stop()
	h.counter.open.Add(-1)
	h.counter = nil
	return true
}

// Open begins to watch a model, which owns its C memory from now on. A model without Handles
// owns none and needs no Open.
func Open(m *Model) { m.handle = watch(m, m, "model") }

// Close closes the model and calls free, unless something that was made of it is open. Closing
// it again does nothing. Any goroutine may call it.
func Close(m *Model, free func()) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.owners > 0 {
		return fmt.Errorf("%s: model closed with %d open that were made of it", m.Engine, m.owners)
	}
	if m.handle.close() {
		free()
	}
	return nil
}

// Owner owns memory of something that was made of a model, and keeps the model open. The zero value is closed.
type Owner struct {
	model  *Model
	handle handle
	free   func()
}

// Own opens an owner, which the report of a leak calls kind. It calls open, which returns how to free the memory.
func Own(o *Owner, m *Model, kind string, open func() (free func(), err error)) error {
	err := m.retain(1)
	if err == nil {
		free, failed := open()
		if failed == nil {
			*o = Owner{m, watch(m, o, kind), free}
			return nil
		}
		err = failed
		m.retain(-1)
	}
	return fmt.Errorf("%s: %w", m.Engine, err)
}

func (m *Model) retain(n int) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.Handles != nil && m.handle.counter == nil {
		return errors.New("the model is closed")
	}
	m.owners += n
	return nil
}

// Closed reports whether the owner is closed.
func (o *Owner) Closed() bool { return o.free == nil }

// Close frees the memory. Closing a second time does nothing.
func (o *Owner) Close() error {
	if o.Closed() {
		return nil
	}
	o.free()
	o.free = nil
	o.handle.close()
	return o.model.retain(-1)
}
