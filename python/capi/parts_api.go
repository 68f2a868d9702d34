package main

// #include <stdint.h>
// #include <stdlib.h>
import "C"

import (
	"context"
	"time"
	"unsafe"

	"github.com/polyrhythm-rl/polyrhythm/training"
)

// Training in parts: a learner in one process, a collector for each slice of its worlds in
// any process. Bytes that a function returns are copies on the C heap, which the caller
// frees; bytes that it is given it does not keep.

// borrowed returns the caller's bytes; nil for a NULL pointer.
func borrowed(data *C.char, n C.int64_t) []byte {
	if data == nil {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(data)), int(n))
}

// polyrhythm_learner_open begins a training in parts, or goes on with one, and returns its
// handle and its description as JSON. The caller frees the description and closes the
// handle.
//
//export polyrhythm_learner_open
func polyrhythm_learner_open(in *C.char, handle *C.int64_t, out **C.char, message *C.char, size C.int32_t) C.int32_t {
	return report(message, size, func() error {
		l, d, err := openLearner([]byte(C.GoString(in)))
		if err != nil {
			return err
		}
		return handOver(l, d, handle, out)
	})
}

// polyrhythm_learner_orders returns the orders of the rollout that is to be collected, n
// bytes. It waits for them at most milliseconds: n is then -1. When the training is over n
// is 0. In these cases there are no bytes to free.
//
//export polyrhythm_learner_orders
func polyrhythm_learner_orders(handle C.int64_t, milliseconds C.int32_t, data **C.char, n *C.int64_t, message *C.char, size C.int32_t) C.int32_t {
	return report(message, size, func() error {
		l, err := find[*learner](handle)
		if err != nil {
			return err
		}
		orders, waiting, err := l.orders(time.Duration(milliseconds) * time.Millisecond)
		switch {
		case err != nil:
			return err
		case waiting:
			*n = -1
		case orders == nil:
			*n = 0
		default:
			*data, *n = onHeap(orders), C.int64_t(len(orders))
		}
		return nil
	})
}

// polyrhythm_learner_add gives the learner a part of the rollout, n bytes.
//
//export polyrhythm_learner_add
func polyrhythm_learner_add(handle C.int64_t, data *C.char, n C.int64_t, message *C.char, size C.int32_t) C.int32_t {
	return report(message, size, func() error {
		l, err := find[*learner](handle)
		if err != nil {
			return err
		}
		return l.parts.Add(borrowed(data, n))
	})
}

// polyrhythm_learner_snapshot returns where the worlds of a slice stand at the beginning of
// the rollout, n bytes, for polyrhythm_collector_open; n may be 0.
//
//export polyrhythm_learner_snapshot
func polyrhythm_learner_snapshot(handle C.int64_t, slice C.int32_t, data **C.char, n *C.int64_t, message *C.char, size C.int32_t) C.int32_t {
	return report(message, size, func() error {
		l, err := find[*learner](handle)
		if err != nil {
			return err
		}
		snapshot, err := l.parts.Snapshot(int(slice))
		if err != nil {
			return asUsage(err)
		}
		*data, *n = onHeap(snapshot), C.int64_t(len(snapshot))
		return nil
	})
}

// polyrhythm_learner_state returns as JSON which parts are missing, and the newest metrics.
// The caller frees it.
//
//export polyrhythm_learner_state
func polyrhythm_learner_state(handle C.int64_t, out **C.char, message *C.char, size C.int32_t) C.int32_t {
	return report(message, size, func() error {
		l, err := find[*learner](handle)
		if err != nil {
			return err
		}
		return describeTo(out, l.state())
	})
}

// polyrhythm_learner_end ends the training, unless it is over, and returns its report as
// JSON, which the caller frees. A training that is ended so can be resumed.
//
//export polyrhythm_learner_end
func polyrhythm_learner_end(handle C.int64_t, out **C.char, message *C.char, size C.int32_t) C.int32_t {
	return report(message, size, func() error {
		l, err := find[*learner](handle)
		if err != nil {
			return err
		}
		r, err := l.end()
		if err != nil {
			return err
		}
		return describeTo(out, r)
	})
}

// polyrhythm_learner_close ends the training, unless it is over, and closes the handle.
// Closing again does nothing.
//
//export polyrhythm_learner_close
func polyrhythm_learner_close(handle C.int64_t, message *C.char, size C.int32_t) C.int32_t {
	return report(message, size, func() error {
		l, ok := handles.take(handle).(*learner)
		if !ok {
			return nil
		}
		_, err := l.end()
		return err
	})
}

// polyrhythm_collector_open opens a collector and returns its handle. snapshot has n bytes,
// or is NULL for the first collector of its slice. The caller closes the handle.
//
//export polyrhythm_collector_open
func polyrhythm_collector_open(in *C.char, snapshot *C.char, n C.int64_t, handle *C.int64_t, message *C.char, size C.int32_t) C.int32_t {
	return report(message, size, func() error {
		c, err := openCollector([]byte(C.GoString(in)), borrowed(snapshot, n))
		if err != nil {
			return err
		}
		*handle = handles.add(c)
		return nil
	})
}

// polyrhythm_collector_collect collects a rollout under the n bytes of orders and returns a
// part of m bytes, which the caller frees.
//
//export polyrhythm_collector_collect
func polyrhythm_collector_collect(handle C.int64_t, orders *C.char, n C.int64_t, data **C.char, m *C.int64_t, message *C.char, size C.int32_t) C.int32_t {
	return report(message, size, func() error {
		c, err := find[*collector](handle)
		if err != nil {
			return err
		}
		return c.use(func(one *training.Collector) error {
			part, err := one.Collect(context.Background(), borrowed(orders, n))
			if err != nil {
				return err
			}
			*data, *m = onHeap(part), C.int64_t(len(part))
			return nil
		})
	})
}

// polyrhythm_collector_close completes the dataset of a collector, frees the engine and
// closes the handle. Closing again does nothing.
//
//export polyrhythm_collector_close
func polyrhythm_collector_close(handle C.int64_t, message *C.char, size C.int32_t) C.int32_t {
	return report(message, size, func() error {
		c, ok := handles.take(handle).(*collector)
		if !ok {
			return nil
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.collector.Close()
	})
}
