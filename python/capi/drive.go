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

// drive drives worlds by the wall clock. The caller takes the control steps.
type drive struct {
	worlds *worlds
	driver *runners.Driver
	call   C.polyrhythm_callback // of the frame that goes on
	failed error                 // why that frame must end
}

// What a frame calls back for, with the wall time it adds, in seconds.
const (
	callbackPre  = 0 // a free update, before all control steps
	callbackStep = 1 // take a control step of all worlds; no time
	callbackPost = 2 // a free update, after them
)

// errCallback says that the caller has an error of its own.
var errCallback = stateError{errors.New("the caller of the frame failed")}

var errClosed = stateError{errors.New("these worlds are closed; make new ones")}

// driveSettings are runners.Settings as JSON. What is missing is the configuration's.
type driveSettings struct {
	Mode       runners.Mode   `json:"mode"`
	MaxElapsed *time.Duration `json:"max_elapsed"` // ns
	MaxBacklog *time.Duration `json:"max_backlog"` // ns
	MaxSteps   *int           `json:"max_steps"`
	Budget     *time.Duration `json:"budget"` // ns
}

// openDrive begins to drive worlds; text is that of driveSettings.
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
	set.OnFreePreUpdate = func(delta time.Duration) { d.back(callbackPre, delta) }
	set.OnFreePostUpdate = func(delta time.Duration) { d.back(callbackPost, delta) }
	var err error
	d.driver, err = w.env.DriveAll(set, func() error { return d.back(callbackStep, 0) })
	if err != nil {
		return nil, usageError{err}
	}
	return d, nil
}

// back calls the caller of a frame, who may use the worlds meanwhile.
func (d *drive) back(what C.int32_t, delta time.Duration) error {
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

// polyrhythm_drive_open begins to drive worlds in the way that settings say, as JSON.
// Close the handle when done.
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

// polyrhythm_drive_frame runs one frame: it calls back before, for each control step,
// and after. What the frame did goes to out; see drive.h.
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

// polyrhythm_drive_close forgets a drive; its worlds stay.
//
//export polyrhythm_drive_close
func polyrhythm_drive_close(handle C.int64_t, message *C.char, size C.int32_t) C.int32_t {
	return report(message, size, func() error {
		handles.take(handle)
		return nil
	})
}
