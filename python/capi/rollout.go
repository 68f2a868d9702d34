package main

// #include <stdint.h>
import "C"

import (
	"bytes"
	"context"
	"encoding/json"
	"math/big"

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

// rollout records a rollout, or a slice of one.
func rollout(data []byte) (*training.Recorded, error) {
	var r rolloutRequest
	if err := readStrictly(data, &r); err != nil {
		return nil, err
	}
	worlds, err := readRequest(r.Worlds)
	if err != nil {
		return nil, err
	}
	worlds.Dataset = r.Folder // it is recorded
	c, err := worlds.config()
	if err != nil {
		return nil, err
	}
	opt := training.RolloutOptions{
		Episodes: r.Episodes, Folder: r.Folder, LogEvery: r.Log, Slice: sim.Slice{From: r.From, To: r.To},
	}
	if r.Seconds != "" {
		s, ok := new(big.Rat).SetString(r.Seconds)
		if !ok || s.Sign() <= 0 || s.Cmp(big.NewRat(training.MaxSeconds, 1)) > 0 {
			return nil, usagef("seconds is %q, want a number above 0, at most %d", r.Seconds, int64(training.MaxSeconds))
		}
		opt.Seconds = s
	} else if r.Episodes < 1 {
		return nil, usagef("episodes is %d, want at least 1", r.Episodes)
	}
	if opt.Policy, err = training.OpenPolicy(r.Policy); err != nil {
		return nil, asUsage(err)
	}
	recorded, err := training.Rollout(context.Background(), c, opt)
	return &recorded, asUsage(err)
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
