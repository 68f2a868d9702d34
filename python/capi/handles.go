package main

// #include <stdint.h>
import "C"

import (
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"
	"unsafe"

	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/internal/memory"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// The status that every function returns.
const (
	statusDone    = 0
	statusFailed  = 1 // the disk or the engine failed
	statusUsage   = 2 // a wrong configuration or value
	statusState   = 3 // not possible in this state: closed, in use, a reset is needed
	statusMemory  = 4 // out of memory
	statusVersion = 5 // there is no such function: the caller is of another version
	statusMissing = 6 // a file or folder is not there; its path, ended by a zero byte, follows the message
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

// handles are what is open, by its handle: C cannot hold a pointer to Go memory.
var handles sync.Map

var lastHandle atomic.Int64

// find returns the value of a handle.
func find[T any](h C.int64_t) (T, error) {
	open, _ := handles.Load(h)
	v, ok := open.(T)
	if !ok {
		return v, statef("handle %d is not open", int64(h))
	}
	return v, nil
}

// exclusive is what one call at a time may use.
type exclusive interface {
	TryLock() bool
	Unlock()
	isOpen() bool
}

// locked calls f with v locked.
func locked[T exclusive](v T, f func(T) error) error {
	if !v.TryLock() {
		return statef("another thread is using these worlds; give each thread its own or take turns")
	}
	defer v.Unlock()
	if !v.isOpen() {
		return errClosed
	}
	return f(v)
}

// use calls f with what a handle stands for, locked.
func use[T exclusive](h C.int64_t, f func(T) error) error {
	v, err := find[T](h)
	if err != nil {
		return err
	}
	return locked(v, f)
}

var errClosed = stateError{errors.New("these worlds are closed; make new ones")}

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
	text := err.Error() + disk.Advice(err)
	write(message, size, text)
	var missing *fs.PathError
	var usage usageError
	var state stateError
	var wrong env.ConfigError
	var room *memory.Shortage
	var action sim.ActionError
	switch {
	case errors.As(err, &room):
		return statusMemory
	case errors.Is(err, fs.ErrNotExist) && errors.As(err, &missing) && !errors.As(err, &state):
		write(message, size, text, missing.Path)
		return statusMissing
	case errors.As(err, &usage), errors.As(err, &wrong), errors.As(err, &action):
		return statusUsage
	case errors.Is(err, errVersion):
		return statusVersion
	case errors.As(err, &state):
		return statusState
	}
	return statusFailed
}

// write copies texts to a buffer of the caller, each ended by a zero byte. A zero byte in a text, such as one of a path,
// becomes \0. Of a first text that is too long the middle is left out: an error's cause is at its end.
func write(message *C.char, size C.int32_t, texts ...string) {
	if message == nil || size <= 0 {
		return
	}
	buffer := unsafe.Slice((*byte)(unsafe.Pointer(message)), int(size))
	room := len(buffer) - 1
	for _, text := range texts[1:] {
		room -= len(text) + 1
	}
	texts[0] = shortened(texts[0], room)
	for _, text := range texts {
		if len(buffer) == 0 {
			return
		}
		n := copy(buffer[:len(buffer)-1], strings.ReplaceAll(text, "\x00", `\0`))
		buffer[n] = 0
		buffer = buffer[n+1:]
	}
}

// shortened is a text of at most size bytes: the first quarter and the end of a longer one, whole characters.
func shortened(text string, size int) string {
	const between = " … "
	if size -= len(between); len(text) <= size+len(between) || size < len(between) {
		return text
	}
	head, tail := size/4, len(text)-(size-size/4)
	for head > 0 && !utf8.RuneStart(text[head]) {
		head--
	}
	for tail < len(text) && !utf8.RuneStart(text[tail]) {
		tail++
	}
	return text[:head] + between + text[tail:]
}
