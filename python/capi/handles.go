package main

// #include <stdint.h>
// #include <stdlib.h>
import "C"

import (
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"unsafe"

	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/memory"
)

// The status that every function returns.
const (
	statusDone   = 0
	statusFailed = 1 // the disk or the engine failed
	statusUsage  = 2 // a wrong configuration or value
	statusState  = 3 // not possible in this state: closed, in use, a reset is needed
	statusMemory = 4 // out of memory
)

// usageError and stateError mark errors by their status.
type (
	usageError struct{ error }
	stateError struct{ error }
)

func (e usageError) Unwrap() error { return e.error }
func (e stateError) Unwrap() error { return e.error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }
func statef(format string, args ...any) error { return stateError{fmt.Errorf(format, args...)} }

// spareProcessors is how many goroutines can run beside the workers. A worker inside C
// keeps its processor (a P of Go's scheduler) only while another is idle.
const spareProcessors = 2

func init() {
	runtime.GOMAXPROCS(env.Processors() + spareProcessors)
}

// handles are all open handles: C cannot hold a pointer to Go memory.
var handles = table{open: map[C.int64_t]any{}}

type table struct {
	mu   sync.RWMutex
	last C.int64_t
	open map[C.int64_t]any
}

func (t *table) add(v any) C.int64_t {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last++
	t.open[t.last] = v
	return t.last
}

// take removes a handle and returns its value, nil if it is unknown.
func (t *table) take(h C.int64_t) any {
	t.mu.Lock()
	defer t.mu.Unlock()
	v := t.open[h]
	delete(t.open, h)
	return v
}

// find returns the value of a handle.
func find[T any](h C.int64_t) (T, error) {
	handles.mu.RLock()
	v, ok := handles.open[h].(T)
	handles.mu.RUnlock()
	if !ok {
		return v, statef("handle %d is not open", int64(h))
	}
	return v, nil
}

// use calls f with the worlds of a handle, locked.
func use(h C.int64_t, f func(w *worlds) error) error {
	w, err := find[*worlds](h)
	if err != nil {
		return err
	}
	if !w.mu.TryLock() {
		return statef("another thread is using these worlds; give each thread its own or take turns")
	}
	defer w.mu.Unlock()
	if w.env == nil {
		return errClosed
	}
	return f(w)
}

// report calls f and turns its error into a status and message. A panic is reported with
// its stack and does not end the process, which is the caller's.
func report(message *C.char, size C.int32_t, f func() error) (status C.int32_t) {
	defer func() {
		if p := recover(); p != nil {
			write(message, size, fmt.Sprintf("a defect of Polyrhythm: panic: %v\n%s", p, debug.Stack()))
			status = statusFailed
		}
	}()
	err := f()
	if err == nil {
		return statusDone
	}
	write(message, size, err.Error())
	var usage usageError
	var state stateError
	var room *memory.Error
	switch {
	case errors.As(err, &room):
		return statusMemory
	case errors.As(err, &usage):
		return statusUsage
	case errors.As(err, &state):
		return statusState
	}
	return statusFailed
}

// write copies text to a buffer of the caller, cut to size and ended by a zero byte. A
// zero byte in text, such as one of a path, becomes \0.
func write(message *C.char, size C.int32_t, text string) {
	if message == nil || size <= 0 {
		return
	}
	buffer := unsafe.Slice((*byte)(unsafe.Pointer(message)), int(size))
	n := copy(buffer[:size-1], strings.ReplaceAll(text, "\x00", `\0`))
	buffer[n] = 0
}

// onHeap copies bytes and a final zero byte to the C heap. The caller of the library
// frees them with polyrhythm_free.
func onHeap(data []byte) *C.char {
	p := C.malloc(C.size_t(len(data) + 1))
	copy(unsafe.Slice((*byte)(p), len(data)), data)
	*(*byte)(unsafe.Add(p, len(data))) = 0
	return (*C.char)(p)
}

// describeTo writes a description as JSON to the C heap.
func describeTo(out **C.char, description any) error {
	data, err := json.Marshal(description)
	if err != nil {
		return fmt.Errorf("describing: %w", err)
	}
	*out = onHeap(data)
	return nil
}

// handOver opens a handle for v and writes its description.
func handOver(v, description any, handle *C.int64_t, out **C.char) error {
	if err := describeTo(out, description); err != nil {
		return err
	}
	*handle = handles.add(v)
	return nil
}
