package main

// #include <stdint.h>
// #include "drive.h"
import "C"

import (
	"encoding/json"
	"errors"
	"time"
	"unsafe"

	"github.com/polyrhythm-rl/polyrhythm/runners"
)

// drive drives worlds by the wall clock. A callback takes the control steps.
type drive struct {
	worlds *worlds
	driver *runners.Driver
	call   C.polyrhythm_callback // of the running frame
	failed error                 // the first error of the running frame
}

// The first argument of a polyrhythm_callback.
const (
	callbackPre  = 0 // a free update before all control steps
	callbackStep = 1 // take a control step of all worlds
	callbackPost = 2 // a free update after all control steps
)

// errCallback ends a frame whose callback failed. The caller has the error itself.
var errCallback = stateError{errors.New("the caller of the frame failed")}

// openDrive opens a drive of worlds; the arguments are fields of runners.Settings, of which a
// missing one is the configuration's.
func openDrive(w *worlds, c *call) error {
	if err := w.ready(); err != nil {
		return err
	}
	d, set := &drive{worlds: w}, w.time
	if err := json.Unmarshal(c.arguments, &set); err != nil {
		return usageError{err}
	}
	set.OnFreePreUpdate = func(delta time.Duration) { d.callBack(callbackPre, delta) }
	set.OnFreePostUpdate = func(delta time.Duration) { d.callBack(callbackPost, delta) }
	var err error
	d.driver, err = w.env.DriveAll(set, func() error { return d.callBack(callbackStep, 0) })
	if err != nil {
		return usageError{err}
	}
	c.opened = d
	return nil
}

// callBack calls the callback of the running frame, which may use the worlds: it runs without their lock.
func (d *drive) callBack(what C.int32_t, delta time.Duration) error {
	if d.failed != nil {
		return d.failed
	}
	d.worlds.Unlock()
	status := C.polyrhythm_call(d.call, what, C.double(delta.Seconds()))
	d.worlds.Lock()
	switch {
	case status != 0:
		d.failed = errCallback
	case d.worlds.env == nil:
		d.failed = errClosed
	}
	return d.failed
}

// polyrhythm_drive_frame runs one frame: it calls back before the control steps, for each
// of them, and after. It writes polyrhythm_frame_values values to frame; see drive.h.
//
//export polyrhythm_drive_frame
func polyrhythm_drive_frame(handle C.int64_t, call C.polyrhythm_callback, frame *C.double,
	message *C.char, size C.int32_t) C.int32_t {
	return report(message, size, func() error {
		d, err := find[*drive](handle)
		if err != nil {
			return err
		}
		return locked(d.worlds, func(w *worlds) error {
			if err := w.ready(); err != nil {
				return err
			}
			d.call, d.failed = call, nil
			f, err := d.driver.Frame()
			if err == nil {
				err = d.failed // of a free update
			}
			if err != nil {
				return err
			}
			copy(unsafe.Slice((*float64)(frame), C.polyrhythm_frame_values), []float64{
				f.Delta.Seconds(), f.Dropped.Seconds(), float64(f.Skipped), float64(d.driver.NS()) / 1e9,
				d.driver.Alpha(0), d.driver.Backlog().Seconds(), d.driver.Wait().Seconds(),
			})
			return nil
		})
	})
}
