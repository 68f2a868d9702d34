package main

// #include <stdint.h>
import "C"

import (
	"bytes"
	"context"
	"encoding/json"
	"math/big"
	"sync"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/training"
)

// rolloutRequest describes a rollout that is recorded. Either Episodes or Seconds is given.
type rolloutRequest struct {
	Worlds   json.RawMessage `json:"worlds"` // a request
	Policy   string          `json:"policy"` // as of train rollout
	Episodes int64           `json:"episodes"`
	Seconds  string          `json:"seconds"` // of simulated time, exact; "": Episodes ends the run
	From     int             `json:"from"`    // the slice; From = To = 0: all worlds
	To       int             `json:"to"`
	Folder   string          `json:"folder"`
	Log      int64           `json:"log"` // control steps from one logged state to the next; 0: no log
}

// readStrictly decodes JSON that has the fields of a request and no others.
func readStrictly(data []byte, request any) error {
	in := json.NewDecoder(bytes.NewReader(data))
	in.DisallowUnknownFields()
	if err := in.Decode(request); err != nil {
		return usageError{err}
	}
	return nil
}

// readRollout reads a request.
func readRollout(data []byte) (c *configs.Config, opt training.RolloutOptions, err error) {
	var r rolloutRequest
	if err := readStrictly(data, &r); err != nil {
		return nil, opt, err
	}
	worlds, err := readRequest(r.Worlds)
	if err != nil {
		return nil, opt, err
	}
	worlds.Dataset = r.Folder // it is recorded
	if c, err = worlds.config(); err != nil {
		return nil, opt, err
	}
	opt = training.RolloutOptions{
		Episodes: r.Episodes, Folder: r.Folder, LogEvery: r.Log, Slice: sim.Slice{From: r.From, To: r.To}, Wait: leaving,
	}
	if r.Seconds != "" {
		s, ok := new(big.Rat).SetString(r.Seconds)
		if !ok || s.Sign() <= 0 || s.Cmp(big.NewRat(training.MaxSeconds, 1)) > 0 {
			return nil, opt, usagef("seconds is %q, want a number above 0, at most %d", r.Seconds, int64(training.MaxSeconds))
		}
		opt.Seconds = s
	} else if r.Episodes < 1 {
		return nil, opt, usagef("episodes is %d, want at least 1", r.Episodes)
	}
	opt.Policy, err = training.OpenPolicy(r.Policy)
	return c, opt, asUsage(err)
}

// rollout records a rollout, or a slice of one.
func rollout(data []byte) (*training.Recorded, error) {
	c, opt, err := readRollout(data)
	if err != nil {
		return nil, err
	}
	recorded, err := training.Rollout(context.Background(), c, opt)
	return &recorded, asUsage(err)
}

// leaving is how long a folder is waited for that a worker which was given up still has.
const leaving = 30 * time.Second

// sliceRollout is the rollout of a slice, of a handle.
type sliceRollout struct {
	mu      sync.Mutex // held by the running call; another one fails
	rollout *training.SliceRollout
}

// use calls f with the rollout, locked.
func (s *sliceRollout) use(f func(*training.SliceRollout) error) error {
	if !s.mu.TryLock() {
		return statef("another thread is using this rollout; give each thread its own or take turns")
	}
	defer s.mu.Unlock()
	return f(s.rollout)
}

// segment is what is said of a segment that was recorded.
type segment struct {
	Number   int64 `json:"number"` // counted from 1
	Done     bool  `json:"done"`   // it was the last one of the slice
	Episodes int64 `json:"episodes"`
	Faults   int64 `json:"faults"`
}

// next records a segment and returns where the slice stands then.
func (s *sliceRollout) next() (about segment, snapshot []byte, err error) {
	err = s.use(func(r *training.SliceRollout) error {
		if about.Done, err = r.Next(context.Background()); err != nil {
			return err
		}
		about.Episodes, about.Faults = r.Recorded().Episodes, r.Recorded().Faults
		snapshot, about.Number, err = r.Snapshot()
		return err
	})
	return about, snapshot, err
}

// polyrhythm_slice_open opens a rollout of a slice at a snapshot of n bytes, or at NULL for
// its beginning, and returns its handle, which the caller closes.
//
//export polyrhythm_slice_open
func polyrhythm_slice_open(in *C.char, snapshot *C.char, n C.int64_t, handle *C.int64_t, message *C.char, size C.int32_t) C.int32_t {
	return report(message, size, func() error {
		c, opt, err := readRollout([]byte(C.GoString(in)))
		if err != nil {
			return err
		}
		r, err := training.OpenSliceRollout(context.Background(), c, opt, borrowed(snapshot, n))
		if err != nil {
			return asUsage(err)
		}
		*handle = handles.add(&sliceRollout{rollout: r})
		return nil
	})
}

// polyrhythm_slice_next records a segment and returns what it was as JSON, and where the
// slice stands then, n bytes. The caller frees both.
//
//export polyrhythm_slice_next
func polyrhythm_slice_next(handle C.int64_t, data **C.char, n *C.int64_t, out **C.char, message *C.char, size C.int32_t) C.int32_t {
	return report(message, size, func() error {
		s, err := find[*sliceRollout](handle)
		if err != nil {
			return err
		}
		about, snapshot, err := s.next()
		if err != nil {
			return err
		}
		if err := describeTo(out, about); err != nil {
			return err
		}
		*data, *n = onHeap(snapshot), C.int64_t(len(snapshot))
		return nil
	})
}

// polyrhythm_slice_close completes the dataset, frees the engine and closes the handle.
// Closing again does nothing.
//
//export polyrhythm_slice_close
func polyrhythm_slice_close(handle C.int64_t, message *C.char, size C.int32_t) C.int32_t {
	return report(message, size, func() error {
		s, ok := handles.take(handle).(*sliceRollout)
		if !ok {
			return nil
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.rollout.Close()
	})
}

// polyrhythm_rollout records a rollout, or a slice of one, and returns as JSON what was
// recorded, which the caller frees. It ends with the rollout; a process that is killed
// leaves a dataset that is not done.
//
//export polyrhythm_rollout
func polyrhythm_rollout(in *C.char, out **C.char, message *C.char, size C.int32_t) C.int32_t {
	return report(message, size, func() error {
		recorded, err := rollout([]byte(C.GoString(in)))
		if err != nil {
			return err
		}
		return describeTo(out, recorded)
	})
}

// polyrhythm_split returns as JSON the worlds, [from, to), of each of a number of slices of a
// request's worlds. The caller frees it.
//
//export polyrhythm_split
func polyrhythm_split(in *C.char, count C.int32_t, out **C.char, message *C.char, size C.int32_t) C.int32_t {
	return report(message, size, func() error {
		r, err := readRequest([]byte(C.GoString(in)))
		if err != nil {
			return err
		}
		c, err := r.config()
		if err != nil {
			return err
		}
		slices, err := sim.Split(c.Worlds, c.BlockSize, int(count))
		if err != nil {
			return usageError{err}
		}
		pairs := make([][2]int, len(slices))
		for i, s := range slices {
			pairs[i] = [2]int{s.From, s.To}
		}
		return describeTo(out, pairs)
	})
}

// polyrhythm_merge makes the dataset of a run from its slices. What it takes and returns is
// JSON; the caller frees the second.
//
//export polyrhythm_merge
func polyrhythm_merge(in *C.char, out **C.char, message *C.char, size C.int32_t) C.int32_t {
	return report(message, size, func() error {
		var r struct {
			Folders []string `json:"folders"`
			Out     string   `json:"out"`
			Mixed   bool     `json:"mixed"`
		}
		if err := readStrictly([]byte(C.GoString(in)), &r); err != nil {
			return err
		}
		merged, err := training.Merge(context.Background(), r.Folders, r.Out, training.MergeOptions{Mixed: r.Mixed})
		if err != nil {
			return asUsage(err)
		}
		return describeTo(out, map[string]any{
			"episodes": merged.Episodes, "faults": merged.Faults, "task": merged.Task, "rows": merged.Rows, "bytes": merged.Bytes,
		})
	})
}
