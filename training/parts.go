package training

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/rl"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/sim/runlog"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/logs"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/runs"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/usage"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// Parts is a training whose rollouts are collected in parts: a [Collector] for each slice of the worlds, in any
// process, takes weights and returns a part, and the training takes the parts of all slices. The run folder has the
// bytes that [Train] leaves there, whatever the slices, except for the dataset, of which each collector records its
// slice. Any goroutine may call its methods.
//
//	for {
//		weights, err := p.Weights(ctx)            // nil: the training is over
//		part, err := collector.Collect(ctx, weights)   // for each slice
//		err = p.Add(part)
//	}
//	report, err := p.Close()
//
// If a collector is lost, another one is opened with the assignment and the snapshot of its
// slice and collects under the same weights: its part has the same bytes.
type Parts struct {
	assignments []Assignment
	worlds      *remoteWorlds
	folder      string
	cancel      context.CancelFunc

	report *rundir.Report // once the training is over
	err    error
}

// remoteWorlds are the worlds of a training that other processes step, and what arrives from these: the [source] of a
// training in parts.
type remoteWorlds struct {
	divided   []sim.Slice
	headers   []runlog.Header // of what the collectors of the slices say
	infoNames []string
	workers   int           // goroutines of the update; 0: the configuration's
	worlds    *learnerEnv   // one block, which nobody steps
	infos     *runs.Results // of the episodes that ended in the rollout

	mu      sync.Mutex
	changed chan struct{} // closed when anything below changes
	over    bool

	weights *rl.Weights    // of the rollout that is collected now; nil: none is
	states  [][]byte       // by slice, before it; empty: at the beginning
	arrived []receivedPart // by slice
	earlier struct {       // the rollout before
		step    int64
		digests []rl.Digest // by slice; nil: there is none
	}
	metrics     map[string]float64 // of the newest iteration; nil: there is none
	faultCounts []int64            // by slice
	fault       string             // the first, of the first slice that had one
}

// receivedPart is a part that has arrived; nil: not yet.
type receivedPart struct {
	part   *rl.RolloutPart
	digest rl.Digest
	state  *runs.State // without the worlds
	bytes  []byte      // of state, with the worlds
}

// TrainInParts begins a training whose worlds are in the given slices, which divide them in order. It has no log:
// opt.LogEvery must be 0. A training of the same slices goes on with opt.Continue. Without recording also a training
// of other slices, or of [Train], does, and the reverse. Close the result when done.
func TrainInParts(ctx context.Context, config *configs.Config, opt TrainOptions, divided []sim.Slice) (*Parts, error) {
	if opt.LogEvery != 0 {
		return nil, usage.Errorf("log-every is %d, want 0 for a training in parts", opt.LogEvery)
	}
	if err := usage.WantConfig(config); err != nil {
		return nil, err
	}
	if err := checkDivision(config, divided); err != nil {
		return nil, err
	}
	if algorithm := config.Training.Algorithm; algorithm != "" && algorithm != rl.AlgorithmPPO {
		return nil, usage.Errorf("training.algorithm is %s, want %s: only that learns in parts", algorithm, rl.AlgorithmPPO)
	}
	worlds := &remoteWorlds{divided: slices.Clone(divided), workers: opt.Workers, changed: make(chan struct{}),
		arrived: make([]receivedPart, len(divided)), states: slices.Repeat([][]byte{{}}, len(divided)),
		faultCounts: make([]int64, len(divided))}
	ctx, cancel := context.WithCancel(ctx)
	t := newTraining(config, opt, worlds)
	t.divided = worlds.divided
	told := t.opt.Metrics
	t.opt.Metrics = func(m map[string]float64) {
		worlds.change(func() { worlds.metrics = m })
		told(maps.Clone(m))
	}
	if err := t.start(ctx); err != nil {
		cancel()
		return nil, err
	}
	p := &Parts{worlds: worlds, folder: t.folder.Path(), cancel: cancel}
	var err error
	if p.assignments, err = worlds.assign(t); err != nil {
		cancel()
		t.folder.Close()
		return nil, errors.Join(err, t.close())
	}
	go func() {
		defer cancel()
		err := t.run(ctx)
		worlds.change(func() { worlds.over, worlds.weights, p.report, p.err = true, nil, &t.report, err })
	}()
	return p, nil
}

// assign returns what the collectors are opened with, and sets the states of the slices, cut out of that from which the
// training goes on, if it does.
func (w *remoteWorlds) assign(t *training) (all []Assignment, err error) {
	log := logs.Logging{Kind: logs.KindTrain}
	for i, s := range w.divided {
		w.headers = append(w.headers, log.Header(t.config, env.OpenOptions{Slice: s, StepOffset: t.offset}))
		all = append(all, Assignment{
			Configuration: t.user, From: s.From, To: s.To, StepOffset: t.offset, Versions: logs.Versions(),
		})
		if t.saved == nil {
			continue
		}
		whole := t.saved.state
		part, err := whole.Cut(s)
		if err != nil {
			return nil, err
		}
		part.Run = &w.headers[i]
		part.Memory = t.config.Training.CutStates(whole.Memory, t.config.Worlds, s.From, s.Len())
		if w.states[i], err = part.Encode(); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// checkDivision returns an error unless slices divide the worlds of a configuration.
func checkDivision(config *configs.Config, divided []sim.Slice) error {
	next := 0
	for _, s := range divided {
		if err := s.Check(config.Worlds, config.BlockSize); err != nil {
			return usage.Mark(err)
		}
		if s.From != next {
			return usage.Errorf("slice is %v, want one that begins with world %d", s, next)
		}
		next = s.To
	}
	if next != config.Worlds {
		return usage.Errorf("the slices end with world %d, want all %d worlds", next-1, config.Worlds)
	}
	return nil
}

// Assignments are what the collectors of the slices are opened with, in the order of worlds.
func (p *Parts) Assignments() []Assignment { return slices.Clone(p.assignments) }

// Weights waits until a rollout is to be collected and returns its weights, in bytes for
// [Collector.Collect]. It returns nil when the training is over: Close then has its
// report or error. While a rollout is collected, each call returns its weights.
func (p *Parts) Weights(ctx context.Context) ([]byte, error) {
	w := p.worlds
	var weights []byte
	err := w.wait(ctx, func() bool {
		wanted := len(w.missing()) > 0 // else the training is about to take the parts
		if wanted {
			weights = w.weights.Encode()
		}
		return w.over || wanted
	})
	return weights, err
}

// Snapshot returns where the worlds of a slice stand at the beginning of the rollout that
// is collected now, or after the training: empty, not nil, at the beginning. After it a
// collector in place of a lost one has only to be closed, to complete its dataset.
func (p *Parts) Snapshot(slice int) ([]byte, error) {
	w := p.worlds
	w.mu.Lock()
	defer w.mu.Unlock()
	if slice < 0 || slice >= len(w.divided) {
		return nil, usage.Errorf("slice number is %d, want 0 to %d", slice, len(w.divided)-1)
	}
	if w.weights == nil && !w.over {
		return nil, errors.New("no rollout is being collected, want weights first")
	}
	return w.states[slice], nil
}

// Metrics are those of the newest iteration, by the names of [rundir.MetricsFile]; nil before the first.
func (p *Parts) Metrics() map[string]float64 {
	w := p.worlds
	w.mu.Lock()
	defer w.mu.Unlock()
	return maps.Clone(w.metrics)
}

// Close ends the training, as a cancelled context ends Train, unless it is over, and returns its report. A training
// that is ended so keeps a [State] of its last whole iteration. Further calls return the same.
func (p *Parts) Close() (*rundir.Report, error) {
	p.cancel()
	if err := p.worlds.wait(context.Background(), func() bool { return p.worlds.over }); err != nil {
		return nil, err
	}
	return p.report, p.err
}

// Add takes a part of the rollout that is collected now. The last one that is missing lets
// the training go on. A part that has arrived already changes nothing, also one of the
// rollout before, but it must have the same digest. The caller may use the bytes again.
func (p *Parts) Add(message []byte) error {
	part, digest, err := rl.ReadPart(message)
	if err != nil {
		return err
	}
	carried, err := runs.DecodeState(part.Extra)
	if err == nil && carried.Run == nil {
		err = errors.New("it does not say of which run it is")
	}
	if err != nil {
		return fmt.Errorf("%v: the state of its worlds: %w", part, err)
	}
	w := p.worlds
	w.mu.Lock()
	defer w.mu.Unlock()
	slice := sim.Slice{From: part.First, To: part.First + part.Worlds}
	i := slices.Index(w.divided, slice)
	if i < 0 {
		return fmt.Errorf("%v: want one of the slices %v", part, w.divided)
	}
	if text := logs.Mismatch(*carried.Run, w.headers[i], false); text != "" {
		return fmt.Errorf("%v was collected in another run: %s", part, text)
	}
	if e := &w.earlier; e.digests != nil && part.Step == e.step {
		return same(part, digest, e.digests[i])
	}
	if w.weights == nil {
		return fmt.Errorf("%v: no rollout is being collected, want weights first", part)
	}
	if err := w.weights.Check(part); err != nil {
		return err
	}
	if w.arrived[i].part != nil {
		return same(part, digest, w.arrived[i].digest)
	}
	each := 1 + len(w.infoNames)
	wrong := func(v []float64) bool { return len(v) != each }
	if len(carried.Infos) != part.Worlds || slices.ContainsFunc(carried.Infos, wrong) {
		return fmt.Errorf("%v has infos of %d worlds, want %d with %d numbers each", part, len(carried.Infos), part.Worlds, each)
	}
	w.arrived[i] = receivedPart{part, digest, carried, bytes.Clone(part.Extra)}
	part.Extra, carried.WorldBytes = nil, nil
	close(w.changed)
	w.changed = make(chan struct{})
	return nil
}

// Missing returns the numbers of the slices whose parts of the rollout that is collected now have not arrived.
func (p *Parts) Missing() []int {
	p.worlds.mu.Lock()
	defer p.worlds.mu.Unlock()
	return p.worlds.missing()
}

// same returns an error unless a part that arrives again is the same.
func same(part *rl.RolloutPart, got, first rl.Digest) error {
	if got == first {
		return nil
	}
	return fmt.Errorf("%v arrived twice, with the digests %v and %v, want the same", part, first, got)
}

// Folder is the run folder.
func (p *Parts) Folder() string { return p.folder }

// change calls f, which changes the state, and wakes who waits for that.
func (w *remoteWorlds) change(f func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	f()
	close(w.changed)
	w.changed = make(chan struct{})
}

// wait waits until ready, which it calls with the state locked.
func (w *remoteWorlds) wait(ctx context.Context, ready func() bool) error {
	for {
		w.mu.Lock()
		done, changed := ready(), w.changed
		w.mu.Unlock()
		if done {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (w *remoteWorlds) missing() []int {
	var all []int
	for i := range w.arrived {
		if w.arrived[i].part == nil && w.weights != nil {
			all = append(all, i)
		}
	}
	return all
}

func (*remoteWorlds) store(string) error { return nil }

// prepare opens a few worlds, which say how large everything is.
func (*remoteWorlds) prepare(opt *env.OpenOptions, c *configs.Config, _ *runs.State) {
	opt.Slice = sim.Slice{To: firstBlock(c)}
}

func (w *remoteWorlds) open(_ context.Context, _ string, c *configs.Config, worlds *learnerEnv, infos *runs.Results) (
	rl.Source, error) {
	worlds.resize(c)
	worlds.shape.Workers = cmp.Or(w.workers, c.Workers, env.Processors())
	w.worlds, w.infos, w.infoNames = worlds, infos, worlds.env.Sim().Spec().InfoNames
	return rl.Parts{Of: worlds.shape, Collect: w.collect}, nil
}

func (w *remoteWorlds) iterate(ctx context.Context, learner rl.Learner) (rl.Metrics, error) {
	before := slices.Clone(w.states)
	m, err := learner.Iterate(ctx)
	if err != nil {
		w.change(func() { w.states = before })
	}
	return m, err
}

// position sets nothing: after an interruption the worlds stand as they did before it.
func (*remoteWorlds) position(*runs.State) error { return nil }

func (w *remoteWorlds) sync(s *runs.State) error { return s.Join(w.divided, w.states) }

func (w *remoteWorlds) faults() (n int64, first string) {
	for _, count := range w.faultCounts {
		n += count
	}
	return n, w.fault
}

// collect is that of [rl.Parts]: it gives weights and waits for the parts.
func (w *remoteWorlds) collect(ctx context.Context, o *rl.Weights) ([]*rl.RolloutPart, error) {
	startTime := time.Now()
	defer func() { w.worlds.spent += time.Since(startTime) }()
	w.change(func() { w.weights = o })
	if err := w.wait(ctx, func() bool { return len(w.missing()) == 0 }); err != nil {
		w.change(func() { w.weights = nil }) // no part is compared with them from now on
		return nil, err
	}
	return w.receive(), nil
}

// receive returns the parts that have arrived, and keeps what they carry beside.
func (w *remoteWorlds) receive() (parts []*rl.RolloutPart) {
	w.change(func() {
		w.earlier.step, w.earlier.digests = w.weights.Step, nil
		for i, a := range w.arrived {
			parts = append(parts, a.part)
			w.earlier.digests = append(w.earlier.digests, a.digest)
			w.states[i], w.faultCounts[i] = a.bytes, a.state.Recorded.Faults
			w.infos.SetSums(a.part.First, a.state.Infos)
			w.fault = cmp.Or(w.fault, a.state.Fault)
		}
		clear(w.arrived)
		w.weights = nil
	})
	return parts
}
