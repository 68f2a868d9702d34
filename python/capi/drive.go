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

var errClosed = stateError{errors.New("these worlds are closed; make new ones")}

// driveSettings are runners.Settings as JSON. A missing value is that of the
// configuration.
type driveSettings struct {
	Mode       runners.Mode   `json:"mode"`
	MaxElapsed *time.Duration `json:"max_elapsed"` // ns
	MaxBacklog *time.Duration `json:"max_backlog"` // ns
	MaxSteps   *int           `json:"max_steps"`
	Budget     *time.Duration `json:"budget"` // ns
}

// openDrive returns a drive of worlds; text is driveSettings as JSON.
func openDrive(w *worlds, text string) (*drive, error) {
	if err := w.ready(); err != nil {
		return nil, err
	}
	var in driveSettings
	if err := json.Unmarshal([]byte(text), &in); err != nil {
		return nil, usageError{err}
	}
	set := w.time
	set.Mode = in.Mode
	for _, limit := range []struct {
		name  string
		given *time.Duration
		to    *time.Duration
		least time.Duration
	}{{"max_elapsed", in.MaxElapsed, &set.MaxElapsed, 1}, {"max_backlog", in.MaxBacklog, &set.MaxBacklog, 1}, {"budget", in.Budget, &set.Budget, 0}} {
		if limit.given == nil {
			continue
		}
		if *limit.given < limit.least {
			return nil, usagef("%s is %v, want at least %v", limit.name, *limit.given, limit.least)
		}
		*limit.to = *limit.given
	}
	if in.MaxSteps != nil {
		if *in.MaxSteps < 1 {
			return nil, usagef("max_steps is %d, want at least 1", *in.MaxSteps)
		}
		set.MaxSteps = *in.MaxSteps
	}
	d := &drive{worlds: w}
	set.OnFreePreUpdate = func(delta time.Duration) { d.callBack(callbackPre, delta) }
	set.OnFreePostUpdate = func(delta time.Duration) { d.callBack(callbackPost, delta) }
	var err error
	d.driver, err = w.env.DriveAll(set, func() error { return d.callBack(callbackStep, 0) })
	if err != nil {
		return nil, usageError{err}
	}
	return d, nil
}

// callBack calls the callback of the running frame, which may use the worlds: it runs
// without their lock.
func (d *drive) callBack(what C.int32_t, delta time.Duration) error {
	if d.failed != nil {
		return d.failed
	}
	d.worlds.mu.Unlock()
	status := C.polyrhythm_call(d.call, what, C.double(delta.Seconds()))
	d.worlds.mu.Lock()
	switch {
	case status != 0:
		d.failed = errCallback
	case d.worlds.env == nil:
		d.failed = errClosed
	}
	return d.failed
}

// polyrhythm_drive_open returns the handle of a drive of worlds, with settings as JSON.
// The caller closes it.
//
//export polyrhythm_drive_open
func polyrhythm_drive_open(handle C.int64_t, settings *C.char, opened *C.int64_t, message *C.char, size C.int32_t) C.int32_t {
	return report(message, size, func() error {
		return use(handle, func(w *worlds) error {
			d, err := openDrive(w, C.GoString(settings))
			if err != nil {
				return err
			}
			*opened = handles.add(d)
			return nil
		})
	})
}

// polyrhythm_drive_frame runs one frame: it calls back before the control steps, for each
// of them, and after. It writes polyrhythm_frame_values values to out; see drive.h.
//
//export polyrhythm_drive_frame
func polyrhythm_drive_frame(handle C.int64_t, call C.polyrhythm_callback, out *C.double, message *C.char, size C.int32_t) C.int32_t {
	return report(message, size, func() error {
		d, err := find[*drive](handle)
		if err != nil {
			return err
		}
		w := d.worlds
		if !w.mu.TryLock() {
			return statef("another thread is using these worlds; give each thread its own or take turns")
		}
		defer w.mu.Unlock()
		if w.env == nil {
			return errClosed
		}
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
		if f.Skips > 0 {
			if err := w.env.Each(w.publishBlock); err != nil {
				return err
			}
		}
		copy(unsafe.Slice((*float64)(out), C.polyrhythm_frame_values), []float64{
			f.Delta.Seconds(), f.Dropped.Seconds(), float64(f.Skipped), float64(d.driver.NS()) / 1e9,
			d.driver.Alpha(0), d.driver.Backlog().Seconds(), d.driver.Wait().Seconds(),
		})
		return nil
	})
}

// polyrhythm_drive_close closes the handle of a drive; its worlds stay open. Closing
// again does nothing.
//
//export polyrhythm_drive_close
func polyrhythm_drive_close(handle C.int64_t, message *C.char, size C.int32_t) C.int32_t {
	return report(message, size, func() error {
		handles.take(handle)
		return nil
	})
}
