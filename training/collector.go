package training

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/runlog"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/rl"
	"github.com/polyrhythm-rl/polyrhythm/sim"
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

// digest identifies the configuration.
func (a *Assignment) digest() string {
	sum := sha256.Sum256([]byte(a.Configuration))
	return hex.EncodeToString(sum[:8])
}

// CollectorOptions are the options of [OpenCollector].
type CollectorOptions struct {
	Workers int // goroutines that step worlds; 0: one per CPU

	// Dataset is a folder to record the worlds to, new or empty; "" for no recording. With
	// a Snapshot it is the folder of the collector that is to be replaced, and what that
	// one recorded after the snapshot is removed.
	Dataset string

	Wait time.Duration // for a Dataset that another process has: one that was given up and is about to end

	// Snapshot is where the worlds begin, see [Parts.Snapshot]. An empty one is the
	// beginning of the training; nil is that too, for the first collector of the slice.
	Snapshot []byte
}

// Collector collects the rollouts of a slice of the worlds of a training, see [Parts]. One
// goroutine may use it.
type Collector struct {
	assignment Assignment
	env        *env.Env
	worlds     *learnerEnv
	collector  *rl.Collector
	infos      *results
	faults     faultLog
	folder     *Folder // of the dataset; nil: not recorded
	step       int64   // control steps of each world so far
	header     runlog.Header
	recorded   Recorded // so far
	failed     error    // after which the worlds stand anywhere
	closed     bool
}

// OpenCollector opens the worlds of an assignment. Versions or a processor other than the
// learner's are refused, since they have other bits. Close the collector when done.
func OpenCollector(ctx context.Context, a *Assignment, opt CollectorOptions) (_ *Collector, err error) {
	config, err := configs.Parse("assignment", []byte(a.Configuration), nil, nil)
	if err != nil {
		return nil, asUsage(err)
	}
	if name, was, own := firstDifference(a.Versions, versions()); name != "" {
		return nil, usagef("the learner has %s %s, this collector has %s, want the same bits", name, was, own)
	}
	if opt.Dataset != "" && !config.Recording.Enabled {
		return nil, usagef("recording.enabled is false, want true to record a dataset")
	}
	config.Workers = opt.Workers
	c := &Collector{assignment: *a, step: a.StepOffset, infos: newResults(a.To-a.From, math.MaxInt64), faults: newFaultLog(a.To - a.From)}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.Close())
		}
	}()
	at, err := readStanding(opt.Snapshot)
	if err != nil {
		return nil, err
	}
	if at != nil && at.state.Configuration != a.digest() {
		return nil, usagef("the snapshot is of a training with the configuration %s, want %s", at.state.Configuration, a.digest())
	}
	if opt.Dataset != "" {
		if c.folder, err = takeDataset(ctx, opt.Dataset, opt.Snapshot, opt.Wait); err != nil {
			return nil, err
		}
	}
	return c, c.open(ctx, config, opt.Dataset, at)
}

// open opens the worlds, at a snapshot unless it is nil.
func (c *Collector) open(ctx context.Context, config *configs.Config, dataset string, at *standing) (err error) {
	plan, err := env.NewPlan(config)
	if err != nil {
		return err
	}
	opt := env.OpenOptions{
		Context: ctx, Plan: plan, Slice: c.assignment.Slice(), StepOffset: c.assignment.StepOffset, Dataset: dataset,
		Stagger: config.Training.StaggerEpisodes, Observers: []sim.Observer{c.infos, c.faults},
	}
	if at != nil {
		opt.Continue = &env.Position{Worlds: at.worlds, Dataset: at.state.Dataset}
		c.step, c.recorded = at.state.Step, at.state.Recorded
	}
	log := logging{kind: kindTrain}
	if c.header, _, err = log.header(config, opt); err != nil {
		return err
	}
	if c.env, err = env.Open(config, opt); err != nil {
		return asUsage(err)
	}
	c.header.Model = c.env.ModelDigest()
	if c.worlds, err = newLearnerEnv(c.env, config); err != nil {
		return asUsage(err)
	}
	c.worlds.before = func() { c.infos.reset(); c.faults.reset() }
	if c.collector, err = rl.NewCollector(c.worlds, config.Training.Settings, config.Seed); err != nil {
		return asUsage(err)
	}
	if at != nil {
		return c.collector.SetStates(at.states)
	}
	return nil
}

// Collect collects a rollout under the orders of the learner and returns a part for
// [Parts.Add]. The same worlds under the same orders have the same bytes. After an error the
// collector is only to be closed, unless the orders were refused.
func (c *Collector) Collect(ctx context.Context, orders []byte) ([]byte, error) {
	if c.failed != nil {
		return nil, c.failed
	}
	o, err := rl.ReadOrders(orders)
	if err != nil {
		return nil, err
	}
	if o.Step != c.step {
		return nil, fmt.Errorf("orders for control step %d, want %d, where the worlds %v stand", o.Step, c.step, c.assignment.Slice())
	}
	part, err := c.collector.Collect(ctx, o)
	if err == nil {
		part.Extra, err = c.extra()
	}
	if err != nil {
		c.failed = fmt.Errorf("the worlds %v failed at control step %d: %w", c.assignment.Slice(), c.step, err)
		return nil, err
	}
	c.step += int64(part.Steps())
	return part.Encode(), nil
}

// Close closes the worlds and completes their dataset, for [Merge]. Further calls do nothing.
func (c *Collector) Close() error {
	if c.closed {
		return nil
	}
	c.closed = true
	var err error
	if c.env != nil {
		err = c.env.Close()
	}
	if c.folder == nil {
		return err
	}
	defer c.folder.Close()
	if err == nil && c.failed == nil && c.collector != nil {
		c.header.Driver[driverSteps] = strconv.FormatInt(c.step, 10)
		err = writeSlice(c.folder.Path(), c.header, c.recorded)
	}
	return err
}

// extraState is what a part of a training carries beside that of rl.
type extraState struct {
	Configuration string             `json:"configuration"` // Assignment.digest
	Infos         []byte             `json:"infos"`         // by world: number of episodes and the sum of each info, float64
	Faults        int64              `json:"faults"`
	FaultStep     int64              `json:"fault_step"` // control step of the first
	Fault         string             `json:"fault,omitempty"`
	Recorded      Recorded           `json:"recorded"` // so far
	Dataset       *recorder.Position `json:"dataset,omitempty"`
}

// extra is rl.Part.Extra: the length of a JSON text (uint32), that text, and a snapshot of
// the worlds after the rollout.
func (c *Collector) extra() ([]byte, error) {
	state := extraState{Configuration: c.assignment.digest(), Infos: c.infos.encodeInfos(len(c.env.Spec().InfoNames))}
	state.Faults, state.FaultStep, state.Fault = c.faults.total()
	c.recorded.Episodes += c.infos.total().n
	c.recorded.Faults += state.Faults
	state.Recorded = c.recorded
	at, err := c.env.Position()
	if err != nil {
		return nil, err
	}
	state.Dataset = at.Dataset
	text, err := json.Marshal(&state)
	if err != nil {
		return nil, err
	}
	out := bytes.NewBuffer(binary.LittleEndian.AppendUint32(nil, uint32(len(text))))
	out.Write(text)
	_, err = at.Worlds.WriteTo(out)
	return out.Bytes(), err
}

// readExtra is the inverse of extra. It does not read the snapshot.
func readExtra(extra []byte) (state *extraState, snapshot []byte, err error) {
	if len(extra) < 4 || uint64(binary.LittleEndian.Uint32(extra)) > uint64(len(extra)-4) {
		return nil, nil, errors.New("damaged: no description of the worlds")
	}
	n := 4 + int(binary.LittleEndian.Uint32(extra))
	state = &extraState{}
	if err := json.Unmarshal(extra[4:n], state); err != nil {
		return nil, nil, fmt.Errorf("damaged: the description of the worlds: %w", err)
	}
	return state, extra[n:], nil
}

// encodeInfos returns what metrics need of the episodes that were added.
func (r *results) encodeInfos(count int) []byte {
	var data []byte
	for i := range r.worlds {
		t := &r.worlds[i]
		data = binary.LittleEndian.AppendUint64(data, math.Float64bits(float64(t.n)))
		for k := range count {
			sum := 0.0
			if k < len(t.infos) {
				sum = t.infos[k]
			}
			data = binary.LittleEndian.AppendUint64(data, math.Float64bits(sum))
		}
	}
	return data
}

// decodeInfos sets the worlds from first on to those of encodeInfos.
func (r *results) decodeInfos(data []byte, first, worlds, count int) error {
	if got, want := len(data), 8*worlds*(1+count); got != want {
		return fmt.Errorf("infos of %d bytes, want %d", got, want)
	}
	next := func() float64 {
		v := math.Float64frombits(binary.LittleEndian.Uint64(data))
		data = data[8:]
		return v
	}
	for w := first; w < first+worlds; w++ {
		r.worlds[w] = tally{n: int64(next()), infos: make([]float64, count)}
		for k := range count {
			r.worlds[w].infos[k] = next()
		}
	}
	return nil
}

// faultLog keeps the faults of a rollout by world. It implements [sim.Observer].
type faultLog []struct {
	n     int64
	step  int64 // of the first
	world int
	text  string
}

func newFaultLog(worlds int) faultLog { return make(faultLog, worlds) }

// Rewarded implements [sim.Observer].
func (faultLog) Rewarded(*sim.World, float64) {}

// Ended implements [sim.Observer].
func (l faultLog) Ended(w *sim.World, e sim.Episode) {
	if e.Fault == physics.FaultNone {
		return
	}
	f := &l[w.Row()]
	if f.n++; f.n == 1 {
		line, _, _ := strings.Cut(e.FaultMessage, "\n")
		f.step, f.world, f.text = e.Start+e.Steps, w.Index(), line
	}
}

func (l faultLog) reset() { clear(l) }

// total returns the number of faults, and the first of them in the words of
// [sim.Sim.FirstFault].
func (l faultLog) total() (n, step int64, first string) {
	for _, f := range l {
		if n += f.n; f.n > 0 && (first == "" || f.step < step) {
			step, first = f.step, fmt.Sprintf("world %d at control step %d: %s", f.world, f.step, f.text)
		}
	}
	return n, step, first
}

// firstDifference returns the first version that own has not.
func firstDifference(want, own map[string]string) (name, was, is string) {
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if own[name] != want[name] {
			return name, want[name], own[name]
		}
	}
	return "", "", ""
}
