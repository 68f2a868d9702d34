package mujoco

import (
	"fmt"
	"os"
	"runtime"
	"sync/atomic"
	"testing"
)

// openHandles is a count of the process, like the C memory that it counts.
var openHandles atomic.Int64

// OpenHandles returns the number of models, steppers and raw loops of this
// process that are not closed, so that a test can hold it to zero.
func OpenHandles() int { return int(openHandles.Load()) }

// handle watches over one owner of C memory, from its opening to its Close.
type handle struct {
	leak runtime.Cleanup
	open bool
}

// watch opens the handle of owner, for the caller of the function that calls it.
func watch[T any](owner *T, what string) handle {
	_, file, line, _ := runtime.Caller(2)
	openHandles.Add(1)
	return handle{
		leak: runtime.AddCleanup(owner, reportLeak, fmt.Sprintf("mujoco: a %s was never closed; opened at %s:%d", what, file, line)),
		open: true,
	}
}

// reportLeak runs when an owner has become garbage while open. Its C memory is
// gone for good: freeing it here would hide the bug.
func reportLeak(message string) {
	fmt.Fprintln(os.Stderr, message)
	if testing.Testing() {
		panic(message)
	}
}

// close ends the watch and reports whether the handle was open.
func (h *handle) close() bool {
	if !h.open {
		return false
	}
	h.leak.Stop()
	h.open = false
	openHandles.Add(-1)
	return true
}
