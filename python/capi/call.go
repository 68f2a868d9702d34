package main

// #include <stdint.h>
// #include <stdlib.h>
import "C"

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unsafe"

	"github.com/polyrhythm-rl/polyrhythm/env"
)

// call is a call of a function by its name.
type call struct {
	handle    C.int64_t // what the function is of
	arguments []byte    // as JSON
	data      []byte    // bytes of the caller, for the length of the call; nil: none

	answer  any    // becomes JSON
	payload []byte // the bytes that go with the answer
	opened  any    // what the function opened: the caller gets its handle
}

// functions are those of polyrhythm_ask.
var functions = map[string]func(*call) error{
	"tasks":     func(c *call) error { c.answer = env.TaskNames(); return nil },
	"describe":  describeWorlds,
	"open":      openWorlds,
	"close":     on((*worlds).closeLocked),
	"release":   release,
	"pending":   using(func(w *worlds, c *call) error { c.answer = w.pending(); return nil }),
	"faults":    using((*worlds).faultsOf),
	"begins":    using((*worlds).begins),
	"state":     using((*worlds).state),
	"set_state": using((*worlds).setState),
	"render":    using((*worlds).render),
	"drive":     using(openDrive),
	"policy":    openPolicy,
	"learner":   openLearner,
	"weights":   on((*learner).weights),
	"add":       on(func(l *learner, c *call) error { return l.parts.Add(c.data) }),
	"snapshot":  on((*learner).snapshot),
	"progress":  on((*learner).progress),
	"trainer":   openTrainer,
	"iteration": on((*trainer).iteration),
	"status":    on(aTraining.status),
	"end":       on(aTraining.end),
	"collector": openCollector,
	"collect":   using((*collector).collect),
	"next":      using((*collector).next),
	"identify":  identify,
	"split":     split,
	"merge":     merge,
	"discard":   discard,
	"frames":    addFrames,
}

// on makes a function of what a handle stands for.
func on[T any](f func(T, *call) error) func(*call) error {
	return func(c *call) error {
		v, err := find[T](c.handle)
		if err != nil {
			return err
		}
		return f(v, c)
	}
}

// using makes a function of what one call at a time may use.
func using[T exclusive](f func(T, *call) error) func(*call) error {
	return func(c *call) error { return use(c.handle, func(v T) error { return f(v, c) }) }
}

// release closes what a handle stands for and forgets the handle. It does nothing for a handle that is forgotten.
func release(c *call) error {
	open, _ := handles.LoadAndDelete(c.handle)
	if v, ok := open.(interface{ release() error }); ok {
		return v.release()
	}
	return nil
}

// read decodes the arguments, which have the fields of v and no others.
func (c *call) read(v any) error {
	decoder := json.NewDecoder(bytes.NewReader(c.arguments))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(v); err != nil {
		return usageError{err}
	}
	return nil
}

var errVersion = errors.New("polyrhythm's C library is of another version than its caller; build it again")

// polyrhythm_ask calls a function by its name, with what handle stands for, arguments as
// JSON, and n bytes of data, which may be NULL. It allocates the answer: sizes[0] bytes of JSON and
// sizes[1] others. A function that opens something writes its handle.
//
//export polyrhythm_ask
func polyrhythm_ask(name *C.char, handle *C.int64_t, arguments, data *C.char, n C.int64_t, answer **C.char,
	sizes *C.int64_t, message *C.char, size C.int32_t) C.int32_t {
	return report(message, size, func() error {
		f, ok := functions[C.GoString(name)]
		if !ok {
			return fmt.Errorf("%w: there is no function %q", errVersion, C.GoString(name))
		}
		c := call{handle: *handle, arguments: []byte(C.GoString(arguments))}
		if data != nil {
			c.data = unsafe.Slice((*byte)(unsafe.Pointer(data)), int(n))
		}
		if err := f(&c); err != nil {
			return err
		}
		text, err := json.Marshal(c.answer)
		if err != nil {
			return fmt.Errorf("describing: %w", err)
		}
		p := C.malloc(C.size_t(len(text) + len(c.payload)))
		copied := unsafe.Slice((*byte)(p), len(text)+len(c.payload))
		copy(copied[copy(copied, text):], c.payload)
		both := unsafe.Slice(sizes, 2)
		*answer, both[0], both[1] = (*C.char)(p), C.int64_t(len(text)), C.int64_t(len(c.payload))
		if c.opened != nil {
			*handle = C.int64_t(lastHandle.Add(1))
			handles.Store(*handle, c.opened)
		}
		return nil
	})
}

// polyrhythm_free frees an answer of polyrhythm_ask.
//
//export polyrhythm_free
func polyrhythm_free(p unsafe.Pointer) { C.free(p) }
