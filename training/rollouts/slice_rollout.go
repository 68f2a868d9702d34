package rollouts

import (
	"cmp"
	"context"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/runs"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/usage"
	"github.com/polyrhythm-rl/polyrhythm/training/policies"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// SliceRollout is a [Rollout] of a slice in segments. Between two of them it gives a snapshot, from which another
// process goes on where this one is lost: the dataset gets the same bytes. One goroutine may use it.
type SliceRollout struct {
	worker runs.Worker
	act    policies.Actor
	memory policies.Memory
}

// OpenSliceRollout opens the worlds of a slice at a snapshot of an earlier SliceRollout with the same options, whose
// dataset must be in opt.Folder: what that one recorded after the snapshot is removed. An empty snapshot is the
// beginning, and removes all; nil is that too, for a new or empty folder. A log, a trace and a wall clock are
// refused. Close the result when done.
func OpenSliceRollout(ctx context.Context, config *configs.Config, opt RolloutOptions,
	snapshot []byte) (*SliceRollout, error) {
	err := usage.WantConfig(config)
	switch {
	case err != nil:
	case opt.Slice.IsAll():
		err = usage.Errorf("no slice given, want one, such as 0:%d for all worlds", config.Worlds)
	case opt.LogEvery != 0 || opt.TraceFile != "":
		err = usage.Errorf("a rollout in segments has no log and no trace, want none")
	default:
		err = usage.WantMode(config.Time.Mode, "a rollout in segments follows no wall clock", runners.SimHighPerformance)
	}
	if err != nil {
		return nil, err
	}
	return openRollout(ctx, config, opt, snapshot)
}

// Next records a segment, and reports whether the slice is done. After an error the rollout is only to be closed.
func (r *SliceRollout) Next(ctx context.Context) (done bool, err error) {
	w := &r.worker
	if w.Failed == nil && w.Env.Active() {
		w.Failed = cmp.Or(runs.StepAll(ctx, w.Env, w.Env.SegmentSteps(runs.DriveSegment), r.act.Step), w.Unmark())
	}
	return w.Failed == nil && !w.Env.Active(), w.Failed
}

// Recorded counts the episodes so far.
func (r *SliceRollout) Recorded() rundir.Recorded {
	r.worker.Count()
	return r.worker.Recorded
}

// Snapshot returns where the rollout stands after at least one segment, and how many segments
// the slice then has. The same segment of the same slice has the same bytes. It forces the
// dataset to the disk, unless recording.sync is none.
func (r *SliceRollout) Snapshot() (snapshot []byte, segments int64, err error) {
	if r.worker.Failed != nil {
		return nil, 0, r.worker.Failed
	}
	s := &runs.State{Script: r.memory.Steps, Memory: r.memory.States}
	if snapshot, err = r.worker.Snapshot(s); err != nil {
		return nil, 0, err
	}
	return snapshot, s.Dataset.Segments, nil
}

// Close completes the dataset and, if the slice is done, says so for [Merge]. Where no segment was recorded, it removes the
// new folder. Further calls do nothing.
func (r *SliceRollout) Close() error {
	return r.worker.CloseSlice(r.worker.Failed == nil && !r.worker.Env.Active())
}
