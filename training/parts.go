package training

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/rl"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// Parts is a training whose rollouts are collected in parts: a [Collector] for each slice of
// the worlds, in any process, takes orders and returns a part, and the training takes the
// parts of all slices. The run folder has the bytes that [Train] leaves there, whatever the
// slices, except for the dataset, of which each collector records its slice. Any goroutine may call
// its methods.
//
//	for {
//		orders, err := p.Orders(ctx)            // nil: the training is over
//		part, err := collector.Collect(ctx, orders)   // for each slice
//		err = p.Add(part)
//	}
//	report, err := p.Close()
//
// If a collector is lost, another one is opened with the assignment and the snapshot of its
// slice and collects under the same orders: its part has the same bytes.
type Parts struct {
	assignments []Assignment
	slices      []sim.Slice
	cancel      context.CancelFunc
	training    *training
	infoNames   []string

	mu      sync.Mutex
	changed chan struct{} // closed when anything below changes
	over    bool
	report  *Report
	err     error

	orders    *rl.Orders // of the rollout that is collected now; nil: none is
	bytes     []byte     // of orders
	snapshots [][]byte   // by slice, at the beginning of the rollout
	arrived   []arrival  // by slice
	earlier   earlier
	metrics   rl.Metrics // of the newest iteration
	infos     []float64
	points    []standingSlice // by slice, after the newest rollout
	faults    int64
	fault     string // the first
}

// arrival is a part that has arrived; nil: not yet.
type arrival struct {
	part   *rl.Part
	digest rl.Digest
	state  *extraState
	worlds []byte // snapshot
}

// earlier is the rollout before the one that is collected now.
type earlier struct {
	step    int64
	digests []rl.Digest // by slice; nil: there is none
}

// standingSlice is where a slice stands after a rollout.
type standingSlice struct {
	worlds   []byte // snapshot; nil: at the beginning
	recorded Recorded
	dataset  *recorder.Position
}

// TrainInParts begins a training whose worlds are in the given slices, which divide them in
// order. It has no log: opt.LogEvery must be 0. A training of the same slices goes on with
// opt.Continue. Without recording also a training of other slices, or of [Train], does, and
// the reverse. Close the result when done.
func TrainInParts(ctx context.Context, config *configs.Config, opt TrainOptions, divided []sim.Slice) (*Parts, error) {
	if opt.LogEvery != 0 {
		return nil, usagef("log-every is %d, want 0 for a training in parts", opt.LogEvery)
	}
	if err := checkDivision(config, divided); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	p := &Parts{slices: slices.Clone(divided), cancel: cancel, changed: make(chan struct{}), arrived: make([]arrival, len(divided)),
		points: make([]standingSlice, len(divided)), snapshots: make([][]byte, len(divided))}
	t := newTraining(config, opt)
	t.parts, p.training = p, t
	if err := t.start(ctx, opt.Folder); err != nil {
		cancel()
		return nil, err
	}
	p.infoNames = t.env.Spec().InfoNames
	for _, s := range divided {
		p.assignments = append(p.assignments, Assignment{
			Configuration: t.user, From: s.From, To: s.To, StepOffset: t.offset, Versions: versions(),
		})
	}
	go func() {
		defer cancel()
		err := t.run(ctx)
		snapshots := p.snapshots
		if err == nil {
			snapshots, err = p.stand(t.learner.ControlSteps())
		}
		p.change(func() {
			p.over, p.orders, p.bytes, p.snapshots, p.report, p.err = true, nil, nil, snapshots, &t.report, err
		})
	}()
	return p, nil
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

// Orders waits until a rollout is to be collected and returns its orders, in bytes for
// [Collector.Collect]. It returns nil when the training is over: Close then has its
// report or error. While a rollout is collected, each call returns its orders.
func (p *Parts) Orders(ctx context.Context) ([]byte, error) {
	for {
		p.mu.Lock()
		orders, over, changed := p.bytes, p.over, p.changed
		wanted := len(p.missing()) > 0 // else the training is about to take the parts
		p.mu.Unlock()
		if over || wanted {
			return orders, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, ctx.Err()
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
	if p.orders == nil && !p.over {
		return nil, errors.New("no rollout is being collected, want orders first")
	}
	return p.snapshots[slice], nil
}

// Metrics are those of the newest iteration, by the names of [MetricsFile]; nil before the
// first.
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

// Close ends the training, as a cancelled context ends Train, unless it is over, and returns
// its report. A training that is ended so keeps a [Point] of its last whole iteration. Further
// calls return the same.
func (p *Parts) Close() (*Report, error) {
	p.cancel()
	for {
		p.mu.Lock()
		over, changed := p.over, p.changed
		p.mu.Unlock()
		if over {
			return p.report, p.err
		}
		<-changed
	}
}

// Add takes a part of the rollout that is collected now. The last one that is missing lets
// the training go on. A part that has arrived already changes nothing, also one of the
// rollout before, but it must have the same digest. The caller may use the bytes again.
func (p *Parts) Add(message []byte) error {
	part, digest, err := rl.ReadPart(message)
	if err != nil {
		return err
	}
	state, worlds, err := readExtra(part.Extra)
	if err != nil {
		return fmt.Errorf("%v: %w", part, err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	slice := sim.Slice{From: part.First, To: part.First + part.Worlds}
	i := slices.Index(p.slices, slice)
	if i < 0 {
		return fmt.Errorf("%v: want one of the slices %v", part, p.slices)
	}
	if want := p.assignments[i].digest(); state.Configuration != want {
		return fmt.Errorf("%v was collected with the configuration %s, want %s", part, state.Configuration, want)
	}
	if e := &p.earlier; e.digests != nil && part.Step == e.step {
		return same(part, digest, e.digests[i])
	}
	if p.orders == nil {
		return fmt.Errorf("%v: no rollout is being collected, want orders first", part)
	}
	if err := p.training.learner.CheckPart(part); err != nil {
		return err
	}
	if p.arrived[i].part != nil {
		return same(part, digest, p.arrived[i].digest)
	}
	count := len(p.infoNames)
	if got, want := len(state.Infos), 8*part.Worlds*(1+count); got != want {
		return fmt.Errorf("%v has infos of %d bytes, want %d", part, got, want)
	}
	part.Extra = nil
	p.arrived[i] = arrival{part, digest, state, bytes.Clone(worlds)}
	close(p.changed)
	p.changed = make(chan struct{})
	return nil
}

// Missing returns the numbers of the slices whose parts of the rollout that is collected
// now have not arrived.
func (p *Parts) Missing() []int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.missing()
}

func (p *Parts) missing() []int {
	var all []int
	for i := range p.arrived {
		if p.arrived[i].part == nil && p.orders != nil {
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
	before := slices.Clone(p.points)
	m, err := p.training.learner.IterateIn(ctx, p.gather)
	if err != nil {
		p.points = before
	}
	return m, err
}

// gather implements the collect function of [rl.PPO.IterateIn]: it gives orders and waits
// for the parts.
func (p *Parts) gather(ctx context.Context, o *rl.Orders) ([]*rl.Part, error) {
	begun := time.Now()
	t := p.training
	defer func() { t.worlds.spent += time.Since(begun) }()
	snapshots, err := p.stand(o.Step)
	if err != nil {
		return nil, err
	}
	p.change(func() { p.orders, p.bytes, p.snapshots = o, o.Encode(), snapshots })
	for {
		p.mu.Lock()
		missing, changed := p.missing(), p.changed
		p.mu.Unlock()
		if len(missing) == 0 {
			break
		}
		select {
		case <-changed:
		case <-ctx.Done():
			p.change(func() { p.orders, p.bytes = nil, nil }) // no part is compared with them from now on
			return nil, ctx.Err()
		}
	}
	return p.take()
}

// take returns the parts that have arrived and takes over what they carry beside.
func (p *Parts) take() (parts []*rl.Part, err error) {
	t := p.training
	first := int64(math.MaxInt64)
	p.change(func() {
		p.earlier = earlier{step: p.orders.Step}
		for i := range p.arrived {
			a := &p.arrived[i]
			parts = append(parts, a.part)
			p.earlier.digests = append(p.earlier.digests, a.digest)
			p.points[i] = standingSlice{a.worlds, a.state.Recorded, a.state.Dataset}
			if err = t.infos.decodeInfos(a.state.Infos, a.part.First, a.part.Worlds, len(p.infoNames)); err != nil {
				return
			}
			p.faults += a.state.Faults
			if a.state.Fault != "" && a.state.FaultStep < first && (p.fault == "" || first < math.MaxInt64) {
				p.fault, first = a.state.Fault, a.state.FaultStep
			}
			*a = arrival{}
		}
		p.orders, p.bytes = nil, nil
	})
	return parts, err
}

// stand returns the snapshots of the slices at the beginning of a rollout.
func (p *Parts) stand(step int64) ([][]byte, error) {
	all := make([][]byte, len(p.slices))
	for i, s := range p.slices {
		all[i] = []byte{}
		at := p.points[i]
		if at.worlds == nil {
			continue
		}
		state := standingState{Configuration: p.assignments[i].digest(), Step: step, Recorded: at.recorded, Dataset: at.dataset}
		var err error
		if all[i], err = encodeStanding(&state, p.training.learner.StatesOf(s.From, s.Len()), at.worlds); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// position returns where the worlds stand, for a [Point].
func (p *Parts) position() (*env.Position, []slicePoint, error) {
	var parts []*sim.Snapshot
	var points []slicePoint
	recorded := false
	for i, at := range p.points {
		s, err := sim.ReadSnapshot(bytes.NewReader(at.worlds))
		if err != nil {
			return nil, nil, fmt.Errorf("worlds %v: %w", p.slices[i], err)
		}
		parts = append(parts, s)
		points = append(points, slicePoint{p.slices[i].From, p.slices[i].To, at.recorded, at.dataset})
		recorded = recorded || at.dataset != nil
	}
	if !recorded {
		points = nil
	}
	whole, err := sim.JoinSnapshots(parts)
	return &env.Position{Worlds: whole}, points, err
}

// goOn takes over where the worlds stood at a point.
func (p *Parts) goOn(at *Point) error {
	if at.state.Dataset != nil {
		return usagef("%s is of a training in one process that recorded a dataset, want it to go on so", at.folder)
	}
	if s := at.state.Slices; s != nil && !slices.EqualFunc(s, p.slices, func(a slicePoint, b sim.Slice) bool { return a.From == b.From && a.To == b.To }) {
		return usagef("%s is of a training that recorded the slices %v, want the same", at.folder, slicesOf(s))
	}
	for i, s := range p.slices {
		part, err := at.worlds.Cut(s)
		if err != nil {
			return err
		}
		var worlds bytes.Buffer
		if _, err := part.WriteTo(&worlds); err != nil {
			return err
		}
		p.points[i].worlds = worlds.Bytes()
		if at.state.Slices != nil {
			p.points[i].recorded, p.points[i].dataset = at.state.Slices[i].Recorded, at.state.Slices[i].Dataset
		}
	}
	return nil
}

func slicesOf(points []slicePoint) (all []sim.Slice) {
	for _, s := range points {
		all = append(all, sim.Slice{From: s.From, To: s.To})
	}
	return all
}

// Folder is the run folder.
func (p *Parts) Folder() string { return p.training.folder }
