package training

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/rl"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/sim/runlog"
)

// worker steps worlds of a run, all or those of a slice, whose dataset is then merged: a [Collector]
// under the weights of a learner, all others under a policy that does not change.
type worker struct {
	config   *configs.Config
	options  env.OpenOptions
	env      *env.Env
	folder   *Folder // of the dataset and the log; nil: none. One that open finds is the caller's, and locked
	mark     string  // path of the file that says that nothing is there to keep, see unbegun; "": none
	header   runlog.Header
	infos    *results // since count was called
	recorded Recorded // until then
	failed   error    // after which the worlds stand anywhere
	closed   bool
}

// open opens the worlds at a snapshot, whose state it returns; that of the beginning, which
// has no worlds, if the snapshot is empty. The folder at path, "" for none, gets the log, and the
// dataset if there is one. After an error nothing is open, and no new file is left.
func (w *worker) open(ctx context.Context, config *configs.Config, opt env.OpenOptions, log logging,
	path string, snapshot []byte, wait time.Duration) (*state, error) {
	if err := opt.Slice.Check(config.Worlds, config.BlockSize); err != nil {
		return nil, asUsage(err)
	}
	w.header = log.header(config, opt)
	s, err := openState(snapshot)
	switch {
	case err != nil:
		return nil, err
	case s == nil:
		s = &state{}
	case s.Run == nil:
		return nil, usagef("the snapshot is of no slice, want one of the slice %v", opt.Slice)
	case env.SliceOf(*s.Run) != opt.Slice:
		return nil, usagef("the snapshot is of the slice %v, want %v", env.SliceOf(*s.Run), opt.Slice)
	default:
		if text := mismatch(*s.Run, w.header, false); text != "" {
			return nil, usagef("the snapshot is of another run: %s", text)
		}
		opt.Continue = &s.State
	}
	w.infos, w.recorded = counted(config, &opt), s.Recorded
	if path != "" && w.folder == nil {
		w.folder, err = createDataset(ctx, path, snapshot, wait)
		if err == nil && len(snapshot) == 0 {
			w.mark = filepath.Join(path, log.marker()+disk.Part)
			err = os.WriteFile(w.mark, nil, 0o666)
		}
	}
	if err == nil && path != "" {
		opt.Log, err = log.create(path, config, opt, nil)
	}
	if err == nil {
		w.env, err = env.Open(config, opt)
	}
	switch {
	case err == nil:
	case w.folder == nil || len(snapshot) > 0:
		w.folder.Close()
	default:
		err = errors.Join(err, w.folder.Discard())
	}
	w.config, w.options = config, opt
	return s, err
}

// unmark says in the folder that there is something to keep, once. The first state of a live run says it by itself.
func (w *worker) unmark() error {
	if w.mark == "" {
		return nil
	}
	err := removeFile(w.mark)
	if err == nil {
		w.mark = ""
	}
	return err
}

func (w *worker) count() {
	w.recorded.Episodes += w.infos.total().n
	w.recorded.Faults = w.env.Sim().FaultCount() // a restored world knows its own
	w.infos.reset()
}

// fillState sets what is common to the states of all slices between two segments. Nothing is forced to the disk.
func (w *worker) fillState(s *state) (err error) {
	w.count()
	s.Run, s.Recorded = &w.header, w.recorded
	s.State, err = w.env.Standing()
	return err
}

// snapshot returns the state of the slice between two segments as bytes: what s has already,
// and what is common to all slices.
func (w *worker) snapshot(s *state) ([]byte, error) {
	err := w.fillState(s)
	if err == nil {
		err = w.env.Sync()
	}
	if err != nil {
		return nil, err
	}
	return s.encode()
}

// close closes the worlds and completes their dataset and, where the run or slice is done, writes the recipe of a
// rollout and says of a slice that it is done, for [Merge]. Further calls do nothing.
func (w *worker) close(done bool) (err error) {
	if w.closed {
		return nil
	}
	w.closed = true
	if w.env != nil {
		w.count()
		err = errors.Join(w.env.Close(), w.unmark())
	}
	defer w.folder.Close()
	if err != nil || !done || w.options.Dataset == "" {
		return err
	}
	w.header.Model = w.env.ModelDigest()
	if w.header.Kind == kindRollout {
		err = writeRecipe(w.folder.path, w.header, w.recorded)
	}
	if err != nil || w.options.Slice.IsAll() {
		return err
	}
	record := disk.JSON(sliceRecord{Run: w.header, Recorded: w.recorded}.signed())
	return disk.Replace(disk.OS{}, filepath.Join(w.folder.path, SliceFile), true, record)
}

// Assignment says which worlds of which training a [Collector] has. As JSON it goes from the
// learner to the collectors.
type Assignment struct {
	Configuration string            `json:"configuration"` // YAML, without the number of workers
	From          int               `json:"from"`          // the slice
	To            int               `json:"to"`
	StepOffset    int64             `json:"step_offset,omitempty"` // see env.OpenOptions
	Versions      map[string]string `json:"versions"`              // of the learner, on which the bits depend
}

// Slice returns the worlds.
func (a *Assignment) Slice() sim.Slice { return sim.Slice{From: a.From, To: a.To} }

// CollectorOptions are the options of [OpenCollector].
type CollectorOptions struct {
	Workers int // goroutines that step worlds; 0: one per CPU

	// Dataset is a folder to record the worlds to, new or empty; "" for no recording. With a Snapshot it is the
	// folder of the collector that is to be replaced, and what that one recorded after the snapshot is removed.
	Dataset string

	Wait time.Duration // for a Dataset that another process has: one that was given up and is about to end

	// Snapshot is where the worlds begin, see [Parts.Snapshot]. An empty one is the
	// beginning of the training; nil is that too, for the first collector of the slice.
	Snapshot []byte
}

// Collector collects the rollouts of a slice of the worlds of a training, see [Parts]. One goroutine may use it.
type Collector struct {
	worker
	assignment Assignment
	collector  *rl.RolloutCollector
	worlds     *learnerEnv
}

// OpenCollector opens the worlds of an assignment. Versions or a processor other than the
// learner's are refused, since they have other bits. Close the collector when done.
func OpenCollector(ctx context.Context, a *Assignment, opt CollectorOptions) (_ *Collector, err error) {
	config, err := configs.Parse("assignment", []byte(a.Configuration), nil, nil)
	if err != nil {
		return nil, asUsage(err)
	}
	if others := otherVersions(a.Versions); others != nil {
		return nil, usagef("the learner has %s, want the same bits", others[0])
	}
	if opt.Dataset != "" && !config.Recording.Enabled {
		return nil, usagef("recording.enabled is false, want true to record a dataset")
	}
	config.Workers = opt.Workers
	c := &Collector{assignment: *a}
	s, err := c.open(ctx, config, env.OpenOptions{
		Context: ctx, Slice: a.Slice(), StepOffset: a.StepOffset, Dataset: opt.Dataset,
		Learning: true, Stagger: config.Training.StaggerEpisodes, Snapshots: snapshotsOfState, Segment: config.Training.Segment(),
	}, logging{kind: kindTrain}, opt.Dataset, opt.Snapshot, opt.Wait)
	if err == nil {
		c.worlds, err = newLearnerEnv(c.env, config)
	}
	if err == nil {
		c.collector, err = rl.NewRolloutCollector(c.worlds, config.Training.Settings, config.Seed)
		err = learnerError(err)
	}
	if err == nil && s.Worlds != nil {
		err = c.collector.SetStates(s.memory)
	}
	if err != nil {
		return nil, errors.Join(err, c.close(false))
	}
	return c, nil
}

func (c *Collector) step() int64 { return c.assignment.StepOffset + c.env.Sim().Blocks()[0].N() }

// Collect collects a rollout under the weights of the learner and returns a part for
// [Parts.Add]. The same worlds under the same weights have the same bytes. After an error the
// collector is only to be closed, unless the weights were refused.
func (c *Collector) Collect(ctx context.Context, weights []byte) ([]byte, error) {
	if c.failed != nil {
		return nil, c.failed
	}
	o, err := rl.ReadWeights(weights)
	if err != nil {
		return nil, err
	}
	step, worlds := c.step(), c.assignment.Slice()
	if o.Step != step {
		return nil, fmt.Errorf("weights for control step %d, want %d, where the worlds %v stand", o.Step, step, worlds)
	}
	part, err := c.collector.Collect(ctx, o)
	if err == nil {
		err = c.unmark()
	}
	if err == nil { // its state, from which another collector goes on
		infos, fault := c.infos.sums(len(c.env.Sim().Spec().InfoNames)), c.env.Sim().FirstFault()
		part.Extra, err = c.snapshot(&state{Infos: infos, Fault: fault, memory: c.collector.States()})
	}
	if err != nil {
		c.failed = fmt.Errorf("the worlds %v failed at control step %d: %w", worlds, step, err)
		return nil, err
	}
	return part.Encode(), nil
}

// Close closes the worlds and completes their dataset, for [Merge]. Further calls do nothing.
func (c *Collector) Close() error {
	done := c.failed == nil && c.collector != nil
	if done {
		c.header.Driver[driverSteps] = strconv.FormatInt(c.step(), 10)
	}
	return c.close(done)
}

// SliceRollout is a [Rollout] of a slice in segments. Between two of them it gives a snapshot, from which another
// process goes on where this one is lost: the dataset gets the same bytes. One goroutine may use it.
type SliceRollout struct {
	worker
	act    actor
	memory memory
}

// OpenSliceRollout opens the worlds of a slice at a snapshot of an earlier SliceRollout with the same options, whose
// dataset must be in opt.Folder: what that one recorded after the snapshot is removed. An empty snapshot is the
// beginning, and removes all; nil is that too, for a new or empty folder. A log, a trace and a wall clock are
// refused. Close the result when done.
func OpenSliceRollout(ctx context.Context, config *configs.Config, opt RolloutOptions,
	snapshot []byte) (*SliceRollout, error) {
	err := wantConfig(config)
	switch {
	case err != nil:
	case opt.Slice.IsAll():
		err = usagef("no slice given, want one, such as 0:%d for all worlds", config.Worlds)
	case opt.LogEvery != 0 || opt.TraceFile != "":
		err = usagef("a rollout in segments has no log and no trace, want none")
	default:
		err = wantMode(config.Time.Mode, "a rollout in segments follows no wall clock", runners.SimHighPerformance)
	}
	if err != nil {
		return nil, err
	}
	return openRollout(ctx, config, opt, snapshot)
}

// Next records a segment, and reports whether the slice is done. After an error the rollout is only to be closed.
func (r *SliceRollout) Next(ctx context.Context) (done bool, err error) {
	if r.failed == nil && r.env.Active() {
		r.failed = cmp.Or(stepAll(ctx, r.env, r.env.SegmentSteps(driveSegment), r.act.step), r.unmark())
	}
	return r.failed == nil && !r.env.Active(), r.failed
}

// Recorded counts the episodes so far.
func (r *SliceRollout) Recorded() Recorded {
	r.count()
	return r.recorded
}

// Snapshot returns where the rollout stands after at least one segment, and how many segments
// the slice then has. The same segment of the same slice has the same bytes. It forces the
// dataset to the disk, unless recording.sync is none.
func (r *SliceRollout) Snapshot() (snapshot []byte, segments int64, err error) {
	if r.failed != nil {
		return nil, 0, r.failed
	}
	s := &state{Script: r.memory.Steps, memory: r.memory.States}
	if snapshot, err = r.snapshot(s); err != nil {
		return nil, 0, err
	}
	return snapshot, s.Dataset.Segments, nil
}

// Close completes the dataset and, if the slice is done, says so for [Merge]. Further calls do nothing.
func (r *SliceRollout) Close() error { return r.close(r.failed == nil && !r.env.Active()) }
