package training

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/rl"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/sim/runlog"
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
	slices      []sim.Slice
	headers     []runlog.Header // of what the collectors of the slices say
	cancel      context.CancelFunc
	training    *training
	learner     *rl.PPO // of training
	infoNames   []string

	mu      sync.Mutex
	changed chan struct{} // closed when anything below changes
	over    bool
	report  *Report
	err     error

	weights *rl.Weights    // of the rollout that is collected now; nil: none is
	states  [][]byte       // by slice, before it; empty: at the beginning
	arrived []receivedPart // by slice
	earlier struct {       // the rollout before
		step    int64
		digests []rl.Digest // by slice; nil: there is none
	}
	metrics rl.Metrics // of the newest iteration
	infos   []float64
	faults  []int64 // by slice
	fault   string  // the first, of the first slice that had one
}

// receivedPart is a part that has arrived; nil: not yet.
type receivedPart struct {
	part   *rl.Part
	digest rl.Digest
	state  *state // without the worlds
	bytes  []byte // of state, with the worlds
}

// TrainInParts begins a training whose worlds are in the given slices, which divide them in order. It has no log:
// opt.LogEvery must be 0. A training of the same slices goes on with opt.Continue. Without recording also a training
// of other slices, or of [Train], does, and the reverse. Close the result when done.
func TrainInParts(ctx context.Context, config *configs.Config, opt TrainOptions, divided []sim.Slice) (*Parts, error) {
	if opt.LogEvery != 0 {
		return nil, usagef("log-every is %d, want 0 for a training in parts", opt.LogEvery)
	}
	if err := wantConfig(config); err != nil {
		return nil, err
	}
	if err := checkDivision(config, divided); err != nil {
		return nil, err
	}
	if of := config.Training.Algorithm; of != "" && of != rl.AlgorithmPPO {
		return nil, usagef("training.algorithm is %s, want %s: only that learns in parts", of, rl.AlgorithmPPO)
	}
	ctx, cancel := context.WithCancel(ctx)
	p := &Parts{slices: slices.Clone(divided), cancel: cancel, changed: make(chan struct{}),
		arrived: make([]receivedPart, len(divided)), states: slices.Repeat([][]byte{{}}, len(divided)),
		faults: make([]int64, len(divided))}
	t := newTraining(config, opt)
	t.parts, p.training = p, t
	if err := t.start(ctx); err != nil {
		cancel()
		return nil, err
	}
	p.infoNames, p.learner = t.env.Sim().Spec().InfoNames, t.learner.(*rl.PPO)
	if err := p.assign(); err != nil {
		cancel()
		t.taken.Close()
		return nil, errors.Join(err, t.close())
	}
	go func() {
		defer cancel()
		err := t.run(ctx)
		p.change(func() { p.over, p.weights, p.report, p.err = true, nil, &t.report, err })
	}()
	return p, nil
}

// assign sets what the collectors are opened with, and the states of the slices, cut out of
// that from which the training goes on, if it does.
func (p *Parts) assign() error {
	t, log := p.training, logging{kind: kindTrain}
	for i, s := range p.slices {
		header, _, err := log.header(t.config, env.OpenOptions{Slice: s, StepOffset: t.offset})
		if err != nil {
			return err
		}
		p.headers = append(p.headers, header)
		p.assignments = append(p.assignments, Assignment{
			Configuration: t.user, From: s.From, To: s.To, StepOffset: t.offset, Versions: versions(),
		})
		if t.opt.Continue == nil {
			continue
		}
		part, err := t.opt.Continue.state.cut(s)
		if err != nil {
			return err
		}
		part.Run, part.memory = &header, p.learner.StatesOf(s.From, s.Len())
		if p.states[i], err = part.encode(); err != nil {
			return err
		}
	}
	return nil
}

// checkDivision returns an error unless slices divide the worlds of a configuration.
func checkDivision(config *configs.Config, divided []sim.Slice) error {
	next := 0
	for _, s := range divided {
		if err := s.Check(config.Worlds, config.BlockSize); err != nil {
			return asUsage(err)
		}
		if s.From != next {
			return usagef("slice is %v, want one that begins with world %d", s, next)
		}
		next = s.To
	}
	if next != config.Worlds {
		return usagef("the slices end with world %d, want all %d worlds", next-1, config.Worlds)
	}
	return nil
}

// Assignments are what the collectors of the slices are opened with, in the order of worlds.
func (p *Parts) Assignments() []Assignment { return slices.Clone(p.assignments) }

// change calls f, which changes the state, and wakes who waits for that.
func (p *Parts) change(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f()
	close(p.changed)
	p.changed = make(chan struct{})
}

// Weights waits until a rollout is to be collected and returns its weights, in bytes for
// [Collector.Collect]. It returns nil when the training is over: Close then has its
// report or error. While a rollout is collected, each call returns its weights.
func (p *Parts) Weights(ctx context.Context) ([]byte, error) {
	var weights []byte
	err := p.wait(ctx, func() bool {
		wanted := len(p.missing()) > 0 // else the training is about to take the parts
		if wanted {
			weights = p.weights.Encode()
		}
		return p.over || wanted
	})
	return weights, err
}

// wait waits until ready, which it calls with the state locked.
func (p *Parts) wait(ctx context.Context, ready func() bool) error {
	for {
		p.mu.Lock()
		done, changed := ready(), p.changed
		p.mu.Unlock()
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

// Snapshot returns where the worlds of a slice stand at the beginning of the rollout that
// is collected now, or after the training: empty, not nil, at the beginning. After it a
// collector in place of a lost one has only to be closed, to complete its dataset.
func (p *Parts) Snapshot(slice int) ([]byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if slice < 0 || slice >= len(p.slices) {
		return nil, usagef("slice number is %d, want 0 to %d", slice, len(p.slices)-1)
	}
	if p.weights == nil && !p.over {
		return nil, errors.New("no rollout is being collected, want weights first")
	}
	return p.states[slice], nil
}

// Metrics are those of the newest iteration, by the names of [MetricsFile]; nil before the first.
func (p *Parts) Metrics() map[string]float64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.metrics.Iteration == 0 {
		return nil
	}
	names, values := p.metrics.Columns()
	all := map[string]float64{}
	for i, name := range names {
		all[name] = values[i]
	}
	for i, v := range p.infos {
		all[infoPrefix+p.infoNames[i]] = v
	}
	return all
}

// Close ends the training, as a cancelled context ends Train, unless it is over, and returns its report. A training
// that is ended so keeps a [State] of its last whole iteration. Further calls return the same.
func (p *Parts) Close() (*Report, error) {
	p.cancel()
	if err := p.wait(context.Background(), func() bool { return p.over }); err != nil {
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
	of, err := decodeState(part.Extra)
	if err == nil && of.Run == nil {
		err = errors.New("it does not say of which run it is")
	}
	if err != nil {
		return fmt.Errorf("%v: the state of its worlds: %w", part, err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	slice := sim.Slice{From: part.First, To: part.First + part.Worlds}
	i := slices.Index(p.slices, slice)
	if i < 0 {
		return fmt.Errorf("%v: want one of the slices %v", part, p.slices)
	}
	if text := mismatch(*of.Run, p.headers[i], false); text != "" {
		return fmt.Errorf("%v was collected in another run: %s", part, text)
	}
	if e := &p.earlier; e.digests != nil && part.Step == e.step {
		return same(part, digest, e.digests[i])
	}
	if p.weights == nil {
		return fmt.Errorf("%v: no rollout is being collected, want weights first", part)
	}
	if err := p.learner.CheckPart(part); err != nil {
		return err
	}
	if p.arrived[i].part != nil {
		return same(part, digest, p.arrived[i].digest)
	}
	each := 1 + len(p.infoNames)
	if len(of.Infos) != part.Worlds || slices.ContainsFunc(of.Infos, func(v []float64) bool { return len(v) != each }) {
		return fmt.Errorf("%v has infos of %d worlds, want %d with %d numbers each", part, len(of.Infos), part.Worlds, each)
	}
	p.arrived[i] = receivedPart{part, digest, of, bytes.Clone(part.Extra)}
	part.Extra, of.worlds = nil, nil
	close(p.changed)
	p.changed = make(chan struct{})
	return nil
}

// Missing returns the numbers of the slices whose parts of the rollout that is collected now have not arrived.
func (p *Parts) Missing() []int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.missing()
}

func (p *Parts) missing() []int {
	var all []int
	for i := range p.arrived {
		if p.arrived[i].part == nil && p.weights != nil {
			all = append(all, i)
		}
	}
	return all
}

// same returns an error unless a part that arrives again is the same.
func same(part *rl.Part, got, first rl.Digest) error {
	if got == first {
		return nil
	}
	return fmt.Errorf("%v arrived twice, with the digests %v and %v, want the same", part, first, got)
}

// iterate does an iteration of the learner. After an error the worlds stand as the learner
// does, before the iteration.
func (p *Parts) iterate(ctx context.Context) (rl.Metrics, error) {
	before := slices.Clone(p.states)
	m, err := p.learner.IterateIn(ctx, p.gather)
	if err != nil {
		p.change(func() { p.states = before })
	}
	return m, err
}

// gather implements the collect function of [rl.PPO.IterateIn]: it gives weights and waits for the parts.
func (p *Parts) gather(ctx context.Context, o *rl.Weights) ([]*rl.Part, error) {
	begun := time.Now()
	t := p.training
	defer func() { t.worlds.spent += time.Since(begun) }()
	p.change(func() { p.weights = o })
	if err := p.wait(ctx, func() bool { return len(p.missing()) == 0 }); err != nil {
		p.change(func() { p.weights = nil }) // no part is compared with them from now on
		return nil, err
	}
	return p.take(), nil
}

// take returns the parts that have arrived and takes over what they carry beside.
func (p *Parts) take() (parts []*rl.Part) {
	p.change(func() {
		p.earlier.step, p.earlier.digests = p.weights.Step, nil
		for i, a := range p.arrived {
			parts = append(parts, a.part)
			p.earlier.digests = append(p.earlier.digests, a.digest)
			p.states[i], p.faults[i] = a.bytes, a.state.Recorded.Faults
			p.training.infos.setSums(a.part.First, a.state.Infos)
			p.fault = cmp.Or(p.fault, a.state.Fault)
		}
		clear(p.arrived)
		p.weights = nil
	})
	return parts
}

// Folder is the run folder.
func (p *Parts) Folder() string { return p.training.taken.path }
