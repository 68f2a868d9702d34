package training

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/rl"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/logs"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/runs"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/usage"
)

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
	worker     runs.Worker
	assignment Assignment
	collector  *rl.RolloutCollector
	worlds     *learnerEnv
}

// OpenCollector opens the worlds of an assignment. Versions or a processor other than the
// learner's are refused, since they have other bits. Close the collector when done.
func OpenCollector(ctx context.Context, a *Assignment, opt CollectorOptions) (_ *Collector, err error) {
	config, err := configs.Parse("assignment", []byte(a.Configuration), nil, nil)
	if err != nil {
		return nil, usage.Mark(err)
	}
	if others := logs.OtherVersions(a.Versions); others != nil {
		return nil, usage.Errorf("the learner has %s, want the same bits", others[0])
	}
	if opt.Dataset != "" && !config.Recording.Enabled {
		return nil, usage.Errorf("recording.enabled is false, want true to record a dataset")
	}
	config.Workers = opt.Workers
	c := &Collector{assignment: *a}
	s, err := c.worker.Open(ctx, config, env.OpenOptions{
		Context: ctx, Slice: a.Slice(), StepOffset: a.StepOffset, Dataset: opt.Dataset,
		Learning: true, Stagger: config.Training.StaggerEpisodes, Snapshots: runs.StateSnapshots,
		Segment: config.Training.Segment(),
	}, logs.Logging{Kind: logs.KindTrain}, opt.Dataset, opt.Snapshot, opt.Wait)
	if err == nil {
		c.worlds, err = newLearnerEnv(c.worker.Env, config)
	}
	if err == nil {
		c.collector, err = rl.NewRolloutCollector(c.worlds, config.Training.Settings, config.Seed)
		err = learnerError(err)
	}
	if err == nil && s.Worlds != nil {
		err = c.collector.SetStates(s.Memory)
	}
	if err != nil {
		return nil, errors.Join(err, c.worker.Close(false))
	}
	return c, nil
}

func (c *Collector) step() int64 { return c.assignment.StepOffset + c.worker.Env.Sim().Blocks()[0].N() }

// Collect collects a rollout under the weights of the learner and returns a part for
// [Parts.Add]. The same worlds under the same weights have the same bytes. After an error the
// collector is only to be closed, unless the weights were refused.
func (c *Collector) Collect(ctx context.Context, weights []byte) ([]byte, error) {
	if c.worker.Failed != nil {
		return nil, c.worker.Failed
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
		err = c.worker.Unmark()
	}
	if err == nil { // its state, from which another collector goes on
		infos, fault := c.worker.Infos.Sums(len(c.worker.Env.Sim().Spec().InfoNames)), c.worker.Env.Sim().FirstFault()
		part.Extra, err = c.worker.Snapshot(&runs.State{Infos: infos, Fault: fault, Memory: c.collector.States()})
	}
	if err != nil {
		c.worker.Failed = fmt.Errorf("the worlds %v failed at control step %d: %w", worlds, step, err)
		return nil, err
	}
	return part.Encode(), nil
}

// Close closes the worlds and completes their dataset, for [rollouts.Merge]. Where no rollout was collected, it removes the
// new folder. Further calls do nothing.
func (c *Collector) Close() error {
	done := c.worker.Failed == nil && c.collector != nil
	if done {
		c.worker.Header.Driver[logs.DriverSteps] = strconv.FormatInt(c.step(), 10)
	}
	return c.worker.CloseSlice(done)
}
