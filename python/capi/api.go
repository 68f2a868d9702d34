package main

// #include <stdbool.h>
// #include <stdint.h>
import "C"

import (
	"time"
	"unsafe"
)

// The functions between which and the caller arrays travel.

// with calls f with the worlds of a handle, locked, and reports its error.
func with(handle C.int64_t, message *C.char, size C.int32_t, f func(w *worlds) error) C.int32_t {
	return report(message, size, func() error { return use(handle, f) })
}

// polyrhythm_step takes one control step of every world under the actions in the shared array. ended becomes the
// number of episodes that ended, faults the number of those that ended by a fault; a step that fails writes neither.
//
//export polyrhythm_step
func polyrhythm_step(handle C.int64_t, ended, faults *C.int32_t, message *C.char, size C.int32_t) C.int32_t {
	return with(handle, message, size, func(w *worlds) error {
		n, f, err := w.step()
		if err == nil {
			*ended, *faults = C.int32_t(n), C.int32_t(f)
		}
		return err
	})
}

// polyrhythm_reset begins new episodes in the worlds where mask is true, or in all if mask is NULL. If seeded[i],
// world i restarts its random sequence from seeds[i]; otherwise it continues it. Each array has a value per world.
//
//export polyrhythm_reset
func polyrhythm_reset(handle C.int64_t, mask, seeded *C.bool, seeds *C.uint64_t,
	message *C.char, size C.int32_t) C.int32_t {
	return with(handle, message, size, func(w *worlds) error {
		n := len(w.reward)
		var some []bool
		if mask != nil {
			some = unsafe.Slice((*bool)(mask), n)
		}
		return w.reset(some, unsafe.Slice((*bool)(seeded), n), unsafe.Slice((*uint64)(seeds), n))
	})
}

// polyrhythm_send starts a control step of n worlds, which form whole blocks, and does
// not wait for it. actions has n rows.
//
//export polyrhythm_send
func polyrhythm_send(handle C.int64_t, ids *C.int32_t, n C.int32_t, actions *C.float,
	message *C.char, size C.int32_t) C.int32_t {
	return with(handle, message, size, func(w *worlds) error {
		width := len(w.action) / len(w.reward)
		return w.send(unsafe.Slice((*int32)(ids), int(n)), unsafe.Slice((*float32)(actions), int(n)*width))
	})
}

// polyrhythm_receive waits until atLeast of the worlds that were sent are done, for at most milliseconds, and writes
// those that are done to ids, which has room for all worlds. n becomes their number.
//
//export polyrhythm_receive
func polyrhythm_receive(handle C.int64_t, atLeast, milliseconds C.int32_t, ids, n *C.int32_t,
	message *C.char, size C.int32_t) C.int32_t {
	return with(handle, message, size, func(w *worlds) error {
		room := unsafe.Slice((*int32)(ids), len(w.reward))
		got, err := w.receive(room, int(atLeast), time.Duration(milliseconds)*time.Millisecond)
		*n = C.int32_t(got)
		return err
	})
}

// polyrhythm_policy_act writes the most likely actions for n rows of observations, of the worlds first to first+n-1,
// to n rows of actions. The n rows of states become the next states; without a recurrent policy states is not used.
//
//export polyrhythm_policy_act
func polyrhythm_policy_act(handle C.int64_t, observations *C.double, n, first C.int32_t, states, actions *C.float,
	message *C.char, size C.int32_t) C.int32_t {
	return report(message, size, func() error {
		p, err := find[*policy](handle)
		if err != nil {
			return err
		}
		rows := int(n)
		return p.act(unsafe.Slice((*float32)(actions), rows*p.policy.Action()),
			unsafe.Slice((*float64)(observations), rows*p.policy.Observation()),
			unsafe.Slice((*float32)(states), rows*p.policy.State()), int(first))
	})
}
