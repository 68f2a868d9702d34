package main

// #include <stdbool.h>
// #include <stdint.h>
// #include <stdlib.h>
import "C"

import (
	"time"
	"unsafe"
)

// polyrhythm_free frees memory that another function allocated for the caller.
//
//export polyrhythm_free
func polyrhythm_free(p unsafe.Pointer) { C.free(p) }

// polyrhythm_tasks returns the list of tasks as JSON, to be freed by polyrhythm_free.
//
//export polyrhythm_tasks
func polyrhythm_tasks(list **C.char, message *C.char, size C.int32_t) C.int32_t {
	return report(message, size, func() error {
		return describeTo(list, tasks())
	})
}

// polyrhythm_describe returns the description of the worlds of a request, as JSON, and
// opens no handle. The caller frees it.
//
//export polyrhythm_describe
func polyrhythm_describe(in *C.char, out **C.char, message *C.char, size C.int32_t) C.int32_t {
	return report(message, size, func() error {
		r, err := readRequest([]byte(C.GoString(in)))
		if err != nil {
			return err
		}
		r.Worlds, r.Dataset = 1, ""
		w, d, err := open(r)
		if err != nil {
			return err
		}
		defer w.pins.Unpin()
		if err := w.close(); err != nil {
			return err
		}
		d.Buffers = nil
		return describeTo(out, d)
	})
}

// polyrhythm_open opens the worlds of a request and returns their handle and their
// description. Request and description are JSON; the caller frees the description, and
// closes and releases the handle.
//
//export polyrhythm_open
func polyrhythm_open(in *C.char, handle *C.int64_t, out **C.char, message *C.char, size C.int32_t) C.int32_t {
	return report(message, size, func() error {
		r, err := readRequest([]byte(C.GoString(in)))
		if err != nil {
			return err
		}
		w, d, err := open(r)
		if err != nil {
			return err
		}
		return handOver(w, d, handle, out)
	})
}

// polyrhythm_close ends the worlds' episodes and recording and frees the engine.
// The shared arrays stay. Closing again does nothing.
//
//export polyrhythm_close
func polyrhythm_close(handle C.int64_t, message *C.char, size C.int32_t) C.int32_t {
	return report(message, size, func() error {
		w, err := find[*worlds](handle)
		if err != nil {
			return err
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		return w.close()
	})
}

// polyrhythm_release closes the worlds and unpins the shared arrays, which the caller
// must no longer access. The handle is then unknown. Releasing again does nothing.
//
//export polyrhythm_release
func polyrhythm_release(handle C.int64_t, message *C.char, size C.int32_t) C.int32_t {
	return report(message, size, func() error {
		w, ok := handles.take(handle).(*worlds)
		if !ok {
			return nil
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		err := w.close()
		w.pins.Unpin()
		return err
	})
}

// polyrhythm_step takes one control step of every world under the actions in the
// shared array. ended becomes the number of episodes that ended, faults the number of
// those that ended by a fault; a step that fails writes neither.
//
//export polyrhythm_step
func polyrhythm_step(handle C.int64_t, ended, faults *C.int32_t, message *C.char, size C.int32_t) C.int32_t {
	return report(message, size, func() error {
		return use(handle, func(w *worlds) error {
			n, f, err := w.step()
			if err != nil {
				return err
			}
			*ended, *faults = C.int32_t(n), C.int32_t(f)
			return nil
		})
	})
}

// polyrhythm_reset begins new episodes in the worlds where mask is true, or in all if
// mask is NULL. If seeded[i], world i restarts its random sequence from seeds[i];
// otherwise it continues it. Each array has a value per world.
//
//export polyrhythm_reset
func polyrhythm_reset(handle C.int64_t, mask, seeded *C.bool, seeds *C.uint64_t, message *C.char, size C.int32_t) C.int32_t {
	return report(message, size, func() error {
		return use(handle, func(w *worlds) error {
			n := len(w.reward)
			var some []bool
			if mask != nil {
				some = unsafe.Slice((*bool)(mask), n)
			}
			return w.reset(some, unsafe.Slice((*bool)(seeded), n), unsafe.Slice((*uint64)(seeds), n))
		})
	})
}

// polyrhythm_send starts a control step of n worlds, which form whole blocks, and does
// not wait for it. actions has n rows.
//
//export polyrhythm_send
func polyrhythm_send(handle C.int64_t, ids *C.int32_t, n C.int32_t, actions *C.float, message *C.char, size C.int32_t) C.int32_t {
	return report(message, size, func() error {
		return use(handle, func(w *worlds) error {
			width := len(w.action) / len(w.reward)
			return w.send(unsafe.Slice((*int32)(ids), int(n)), unsafe.Slice((*float32)(actions), int(n)*width))
		})
	})
}

// polyrhythm_receive waits until atLeast of the worlds that were sent are done, for at
// most milliseconds, and writes those that are done to ids, which has room for all
// worlds. n becomes their number.
//
//export polyrhythm_receive
func polyrhythm_receive(handle C.int64_t, atLeast, milliseconds C.int32_t, ids, n *C.int32_t, message *C.char, size C.int32_t) C.int32_t {
	return report(message, size, func() error {
		return use(handle, func(w *worlds) error {
			room := unsafe.Slice((*int32)(ids), len(w.reward))
			got, err := w.receive(room, int(atLeast), time.Duration(milliseconds)*time.Millisecond)
			*n = C.int32_t(got)
			return err
		})
	})
}

// polyrhythm_under_way returns the number of worlds that were sent and not yet received.
//
//export polyrhythm_under_way
func polyrhythm_under_way(handle C.int64_t, n *C.int32_t, message *C.char, size C.int32_t) C.int32_t {
	return report(message, size, func() error {
		return use(handle, func(w *worlds) error {
			*n = 0
			if w.pool != nil {
				*n = C.int32_t(w.pool.out)
			}
			return nil
		})
	})
}

// polyrhythm_fault writes a description of the last fault of a world to text, of size
// room; an empty text if there was none.
//
//export polyrhythm_fault
func polyrhythm_fault(handle C.int64_t, world C.int32_t, text *C.char, room C.int32_t, message *C.char, size C.int32_t) C.int32_t {
	return report(message, size, func() error {
		return use(handle, func(w *worlds) error {
			if world < 0 || int(world) >= len(w.faults) {
				return usagef("world is %d, want 0 to %d", int(world), len(w.faults)-1)
			}
			write(text, room, w.faults[world])
			return nil
		})
	})
}

// polyrhythm_begins writes of each world whether it stands at the beginning of an episode.
//
//export polyrhythm_begins
func polyrhythm_begins(handle C.int64_t, out *C.bool, message *C.char, size C.int32_t) C.int32_t {
	return report(message, size, func() error {
		return use(handle, func(w *worlds) error {
			if err := w.ready(); err != nil {
				return err
			}
			mask := unsafe.Slice((*bool)(out), len(w.reward))
			for _, b := range w.env.Sim().Blocks() {
				for i := range b.Len() {
					mask[b.First()+i] = b.Begins(i)
				}
			}
			return nil
		})
	})
}

// polyrhythm_state returns the complete state of the worlds, n bytes, which the caller
// frees.
//
//export polyrhythm_state
func polyrhythm_state(handle C.int64_t, data **C.char, n *C.int64_t, message *C.char, size C.int32_t) C.int32_t {
	return report(message, size, func() error {
		return use(handle, func(w *worlds) error {
			state, err := w.state()
			if err != nil {
				return err
			}
			*data, *n = onHeap(state), C.int64_t(len(state))
			return nil
		})
	})
}

// polyrhythm_set_state restores the n bytes of a state from polyrhythm_state.
//
//export polyrhythm_set_state
func polyrhythm_set_state(handle C.int64_t, data *C.char, n C.int64_t, message *C.char, size C.int32_t) C.int32_t {
	return report(message, size, func() error {
		return use(handle, func(w *worlds) error {
			return w.setState(unsafe.Slice((*byte)(unsafe.Pointer(data)), int(n)))
		})
	})
}

// polyrhythm_loop takes control steps of every world in Go alone, under the n values of
// a tape of actions, and returns the time in seconds. It is for measurements.
//
//export polyrhythm_loop
func polyrhythm_loop(handle C.int64_t, steps C.int64_t, tape *C.float, n C.int64_t, barrier C.bool, seconds *C.double, message *C.char, size C.int32_t) C.int32_t {
	return report(message, size, func() error {
		return use(handle, func(w *worlds) error {
			took, err := w.loop(int(steps), unsafe.Slice((*float32)(tape), int(n)), bool(barrier))
			*seconds = C.double(took.Seconds())
			return err
		})
	})
}

// polyrhythm_policy_open reads the policy of a checkpoint or run folder and returns its
// handle and its description as JSON. The caller frees the description and closes the
// handle.
//
//export polyrhythm_policy_open
func polyrhythm_policy_open(path *C.char, handle *C.int64_t, out **C.char, message *C.char, size C.int32_t) C.int32_t {
	return report(message, size, func() error {
		p, d, err := openPolicy(C.GoString(path))
		if err != nil {
			return err
		}
		return handOver(p, d, handle, out)
	})
}

// polyrhythm_policy_act writes the most likely actions for n rows of observations, of the
// worlds first to first+n-1, to n rows of actions. The n rows of states become the next
// states; without a recurrent policy states is not used.
//
//export polyrhythm_policy_act
func polyrhythm_policy_act(handle C.int64_t, observations *C.double, n, first C.int32_t, states, actions *C.float, message *C.char, size C.int32_t) C.int32_t {
	return report(message, size, func() error {
		p, err := find[*policy](handle)
		if err != nil {
			return err
		}
		in, out := p.policy.Observation(), p.policy.Action()
		var state []float32
		if size := p.policy.State(); size > 0 {
			state = unsafe.Slice((*float32)(states), int(n)*size)
		}
		return p.act(unsafe.Slice((*float32)(actions), int(n)*out), unsafe.Slice((*float64)(observations), int(n)*in), state, int(first))
	})
}

// polyrhythm_policy_close closes the handle of a policy. Closing again does nothing.
//
//export polyrhythm_policy_close
func polyrhythm_policy_close(handle C.int64_t, message *C.char, size C.int32_t) C.int32_t {
	return report(message, size, func() error {
		handles.take(handle)
		return nil
	})
}
