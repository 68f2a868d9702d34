// Package throughput measures how fast the worlds of a configuration step, and the
// ratio to a bare C loop over the engine that runs the same physics in the same process.
package throughput

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/random"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/tasks/terms"
)

// Result is the result of [Measure]. Rates are medians over the rounds.
type Result struct {
	Task                string  `json:"task"`
	Worlds              int     `json:"worlds"`
	Workers             int     `json:"workers"`
	EnvStepsPerS        float64 `json:"env_steps_per_s"`         // control steps of all worlds per second
	PhysicsStepsPerS    float64 `json:"physics_steps_per_s"`     // engine steps of all worlds per second
	RawPhysicsStepsPerS float64 `json:"raw_physics_steps_per_s"` // engine steps of the bare C loop per second
	RatioToRaw          float64 `json:"ratio_to_raw"`            // median of the ratios of the rounds
	RatioLow            float64 `json:"ratio_low"`               // first quartile
	RatioHigh           float64 `json:"ratio_high"`              // third quartile
	CPURatio            float64 `json:"cpu_ratio"`               // of processor times, the writer's included; median
	Recording           bool    `json:"recording"`
	AllocsPerStep       float64 `json:"allocs_per_step"` // Go allocations per control step of a block
	Rounds              int     `json:"rounds"`
	StepsPerRound       int     `json:"steps_per_round"` // control steps of each world
	SameState           bool    `json:"same_state"`      // whether both ended in the same state, bit for bit

	WithoutEvents []string          `json:"without_events"` // names of events of the configuration that neither loop has
	Versions      map[string]string `json:"versions"`
}

// maxWorlds is about the largest number of worlds of a round. The bare loop has memory for no more.
const maxWorlds = 1024

// maxRound is about the longest pass of a round: the load of a shared machine shall affect both timed ones.
const maxRound = 200 * time.Millisecond

// minRounds is the least number of rounds.
const minRounds = 7

// Measure measures the speed of a configuration. Each round runs three passes with the same random actions:
// an untimed one that records the controls and resets on a tape, the measured one, and the bare C loop, which
// plays the tape. Of more than maxWorlds worlds each round steps others. All rounds take about duration. progress,
// unless nil, is called after each round with the share that is done, 0 to 1. If ctx is cancelled, Measure stops and
// returns its error. A configuration that records does so in a temporary folder.
func Measure(ctx context.Context, cfg *configs.Config, duration time.Duration, progress func(share float64)) (_ *Result,
	err error) {
	cfg, without, err := withoutEvents(cfg)
	if err != nil {
		return nil, err
	}
	m, err := open(ctx, cfg)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, m.close()) }()

	r := &Result{
		WithoutEvents: without,

		Task:      cfg.Task.Name,
		Worlds:    cfg.Worlds,
		Workers:   m.timed.Sim().Workers(),
		Recording: m.folder != "",
		Versions:  env.Versions(),
	}
	steps, err := m.calibrate(min(maxRound, duration/(2*minRounds)))
	if err != nil {
		return nil, err
	}
	r.StepsPerRound = steps
	if r.Rounds, err = repeat(ctx, duration, progress, func() error { return m.round(steps) }); err != nil {
		return nil, err
	}
	r.EnvStepsPerS = float64(steps*m.worlds) / quantile(m.ours.wall, 0.5)
	r.PhysicsStepsPerS = r.EnvStepsPerS * float64(m.substeps)
	r.RawPhysicsStepsPerS = float64(steps*m.worlds*m.substeps) / quantile(m.raw.wall, 0.5)
	ratio := ratios(m.raw.wall, m.ours.wall)
	r.RatioToRaw, r.RatioLow, r.RatioHigh = quantile(ratio, 0.5), quantile(ratio, 0.25), quantile(ratio, 0.75)
	r.CPURatio = quantile(ratios(m.raw.cpu, m.ours.cpu), 0.5)
	r.SameState = !m.differ
	r.AllocsPerStep, err = m.allocations(cfg, m.options)
	return r, err
}

// repeat runs rounds for a time, at least minRounds, and returns how many it ran.
func repeat(ctx context.Context, duration time.Duration, progress func(share float64), round func() error) (n int,
	err error) {
	for begin := time.Now(); n < minRounds || time.Since(begin) < duration; {
		if err := ctx.Err(); err != nil {
			return n, err
		}
		if err := round(); err != nil {
			return n, err
		}
		n++
		if progress != nil {
			progress(min(time.Since(begin).Seconds()/duration.Seconds(), float64(n)/minRounds))
		}
	}
	return n, nil
}

// withoutEvents leaves out the events that the bare loop cannot repeat from a tape, and returns their names.
func withoutEvents(cfg *configs.Config) (*configs.Config, []string, error) {
	events, err := terms.Parse(terms.Events, string(terms.Events), cfg.Events)
	if err != nil {
		return nil, nil, err
	}
	c, names := *cfg, []string{}
	c.Events = nil
	for i := range events {
		if events[i].ActsAtStart() {
			c.Events = append(c.Events, cfg.Events[i])
		} else {
			names = append(names, events[i].Head.Name)
		}
	}
	return &c, names, nil
}

func quantile(values []float64, q float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[int(math.Round(q*float64(len(sorted)-1)))]
}

func ratios(of, by []float64) []float64 {
	all := make([]float64, len(of))
	for i := range of {
		all[i] = of[i] / by[i]
	}
	return all
}

// way is one of several ways to take the same steps, and the seconds that it took in each round.
type way struct {
	run       func(steps int) error
	wall, cpu []float64
}

// take runs all ways, in each round another one first.
func take(round, steps int, ways ...*way) error {
	for i := range ways {
		w := ways[(i+round)%len(ways)]
		begin, cpu := time.Now(), processorTime()
		if err := w.run(steps); err != nil {
			return err
		}
		w.wall = append(w.wall, time.Since(begin).Seconds())
		w.cpu = append(w.cpu, (processorTime() - cpu).Seconds())
	}
	return nil
}

func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // cannot happen: the arguments are valid
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

type measurement struct {
	taped    *env.Env // records the tapes
	timed    *env.Env
	options  env.OpenOptions // of timed
	folder   string          // of the recording; "" if there is none
	substeps int

	ours    way
	raw     way
	actions tape
	raws    []env.Baseline // the bare loops, one per thread with a contiguous share of a round's worlds
	tapes   []baselineTape // one for each of raws
	rounds  int
	worlds  int       // of a round
	blocks  int       // likewise
	of      int       // of all rounds; one at the end that is smaller than the others has no round if there are many
	slots   []int     // of the round, by block: which of the round's worlds its first one is; -1: none
	begun   []int64   // by block: its control steps before the round
	starts  [][]start // of the round, by block
	differ  bool      // whether a round ended in different states
}

// baselineTape holds the controls and resets of the worlds of one bare loop in a round.
type baselineTape struct {
	first, worlds int
	controls      []float64 // steps × worlds × controls
	resets        []int32   // steps × worlds: index of a row of rows, or -1 for no reset
	rows          []float64 // resets × state size: the states in which episodes begin
}

// start is the beginning of an episode: its element of a tape's resets, and the state.
type start struct {
	tape  *baselineTape
	at    int
	state []float64
}

// tape generates random actions, the same for every pass.
type tape struct {
	seed      uint64
	choices   int // of a discrete action; 0 if it is continuous
	low, high []float64
}

func (t tape) fill(b *sim.Block, step int) {
	n := len(t.low)
	for i := range b.Len() {
		for j := range n {
			word := random.Hash(t.seed, uint64(b.First()+i), uint64(step), uint64(j))
			u := float64(word>>11) / (1 << 53)
			if t.choices > 0 {
				b.Action()[i*n+j] = float32(int(u * float64(t.choices)))
				continue
			}
			b.Action()[i*n+j] = float32(t.low[j] + float64(u*(t.high[j]-t.low[j])))
		}
	}
}

// steps takes a number of steps of a block, of which the first has a number.
func (t tape) steps(b *sim.Block, w *sim.Worker, first, n int) error {
	for step := range n {
		t.fill(b, first+step)
		if err := b.Step(w); err != nil {
			return err
		}
	}
	return nil
}

func newTape(spec sim.Spec, seed uint64) tape {
	t := tape{seed: seed, choices: spec.Discrete}
	for i := range spec.ActionLow {
		t.low = append(t.low, max(spec.ActionLow[i], -1))
		t.high = append(t.high, min(spec.ActionHigh[i], 1))
	}
	return t
}

func open(ctx context.Context, cfg *configs.Config) (_ *measurement, err error) {
	m := &measurement{}
	defer func() {
		if err != nil {
			err = errors.Join(err, m.close())
		}
	}()
	plan, err := env.NewPlan(cfg)
	if err != nil {
		return nil, err
	}
	opt := env.OpenOptions{Context: ctx, Plan: plan}
	m.substeps, err = plan.SubstepsPerControl()
	if err != nil {
		return nil, err
	}
	if cfg.Recording.Enabled {
		if m.folder, err = os.MkdirTemp("", "polyrhythm-bench-"); err != nil {
			return nil, err
		}
		opt.Dataset = filepath.Join(m.folder, "dataset")
	}
	m.options = opt
	if m.timed, err = env.Open(cfg, opt); err != nil {
		return nil, err
	}
	note := sim.Binding{
		Binding: runners.Binding{
			Name: "tape", Runner: plan.ControlRunner(), Phase: runners.Control, Priority: math.MaxInt32,
		},
		Role: sim.Call,
		Call: func(_ *runners.StepContext, w *sim.World) { m.note(w) },
	}
	if m.taped, err = env.Open(cfg, env.OpenOptions{Context: ctx, Bindings: []sim.Binding{note}}); err != nil {
		return nil, err
	}
	m.actions = newTape(m.timed.Sim().Spec(), cfg.Seed)
	blocks := m.timed.Sim().Blocks()
	m.slots, m.begun, m.starts = make([]int, len(blocks)), make([]int64, len(blocks)), make([][]start, len(blocks))
	m.blocks, m.of = len(blocks), len(blocks)
	m.worlds = cfg.Worlds
	if each := blocks[0].Len(); m.worlds > maxWorlds {
		m.blocks, m.of = maxWorlds/each, m.worlds/each
		m.worlds = m.blocks * each
	}
	m.ours.run = func(steps int) error { return errors.Join(m.run(m.timed, steps), m.timed.Drain()) }
	m.raw.run = func(int) error {
		var group errgroup.Group
		for i, raw := range m.raws {
			t := &m.tapes[i]
			group.Go(func() error { return raw.Run(t.controls, t.resets, t.rows, m.substeps) })
		}
		return group.Wait()
	}
	threads := m.timed.Sim().Workers()
	for i := range threads {
		first, end := i*m.worlds/threads, (i+1)*m.worlds/threads
		raw, err := m.timed.NewBaseline(end - first)
		if err != nil {
			return nil, err
		}
		m.raws = append(m.raws, raw)
		m.tapes = append(m.tapes, baselineTape{first: first, worlds: end - first})
	}
	return m, nil
}

func (m *measurement) choose() {
	blocks := m.timed.Sim().Blocks()
	for i := range m.slots {
		m.slots[i] = -1
	}
	slot := 0
	for k := range m.blocks {
		b := blocks[(m.rounds*m.blocks+k)%m.of]
		m.slots[b.Index()], m.begun[b.Index()] = slot, b.N()
		slot += b.Len()
	}
}

// find returns the tape of a world of the round, and which of the tape's worlds it is.
func (m *measurement) find(block, world int) (tape, index int) {
	slot := m.slots[block] + world
	for i, t := range m.tapes {
		if slot < t.first+t.worlds {
			return i, slot - t.first
		}
	}
	panic("a world of no tape")
}

// note records a world's controls on the tape, and the state if an episode begins. Several workers may step worlds of
// one bare loop at once, so each world writes to its own elements, and each block to its own list of starts.
func (m *measurement) note(w *sim.World) {
	block := w.Block()
	tape, index := m.find(block, w.Index()-m.timed.Sim().Blocks()[block].First())
	t := &m.tapes[tape]
	at := int(w.StepN()-m.begun[block])*t.worlds + index
	copy(t.controls[at*len(w.Control()):], w.Control())
	if w.Steps() == 0 {
		state := make([]float64, w.ReadState().Len())
		w.ReadState().CopyTo(state)
		m.starts[block] = append(m.starts[block], start{t, at, state})
	}
}

// record fills the tapes by an untimed pass. Where rounds have different worlds, the bare loops get their states first.
func (m *measurement) record(steps int) error {
	controls := m.timed.Model().ControlSize()
	for i := range m.tapes {
		t := &m.tapes[i]
		t.controls = slices.Grow(t.controls[:0], steps*t.worlds*controls)[:steps*t.worlds*controls]
		t.resets = slices.Repeat([]int32{-1}, steps*t.worlds)
		t.rows = t.rows[:0]
	}
	if m.blocks < m.of {
		if err := m.load(); err != nil {
			return err
		}
	}
	if err := m.run(m.taped, steps); err != nil {
		return err
	}
	for block, starts := range m.starts {
		for _, s := range starts {
			s.tape.resets[s.at] = int32(len(s.tape.rows) / len(s.state))
			s.tape.rows = append(s.tape.rows, s.state...)
		}
		m.starts[block] = nil
	}
	return nil
}

func (m *measurement) load() error {
	states := make([][]float64, len(m.tapes))
	for _, b := range m.taped.Sim().Blocks() {
		for i := 0; i < b.Len() && m.slots[b.Index()] >= 0; i++ {
			tape, index := m.find(b.Index(), i)
			if states[tape] == nil {
				states[tape] = make([]float64, m.tapes[tape].worlds*b.ReadState(i).Len())
			}
			size := b.ReadState(i).Len()
			b.ReadState(i).CopyTo(states[tape][index*size : (index+1)*size])
		}
	}
	for i, t := range m.tapes {
		resets := make([]int32, t.worlds)
		for k := range resets {
			resets[k] = int32(k)
		}
		if err := m.raws[i].Run(make([]float64, t.worlds*m.timed.Model().ControlSize()), resets, states[i], 0); err != nil {
			return err
		}
	}
	return nil
}

func (m *measurement) run(e *env.Env, steps int) error {
	return e.Each(func(w *sim.Worker, b *sim.Block) error {
		if m.slots[b.Index()] < 0 {
			return nil
		}
		return m.actions.steps(b, w, int(b.N()), steps)
	})
}

// round runs all passes for the next steps control steps of the next worlds. The measured pass and the bare loop
// take turns in coming first.
func (m *measurement) round(steps int) error {
	m.choose()
	err := m.record(steps)
	if err == nil {
		err = take(m.rounds, steps, &m.ours, &m.raw)
	}
	if err != nil {
		return err
	}
	m.rounds++
	m.differ = m.differ || !m.sameState()
	return nil
}

// calibrate returns how many control steps a pass of about a round's time has, by rounds that are not counted.
func (m *measurement) calibrate(round time.Duration) (steps int, err error) {
	for steps = 1; ; steps *= 2 {
		if err := m.round(steps); err != nil {
			return 0, err
		}
		took := m.raw.wall[0]
		m.ours.wall, m.ours.cpu, m.raw.wall, m.raw.cpu = nil, nil, nil, nil
		if took >= round.Seconds()/2 {
			return max(1, int(float64(steps)*round.Seconds()/took)), nil
		}
	}
}

// sameState reports whether the worlds of the bare loops have the same state as ours. It ignores worlds that
// have just begun an episode, which the bare loop begins with its next step.
func (m *measurement) sameState() bool {
	row := make([]float64, m.timed.Model().StateSize())
	for _, b := range m.timed.Sim().Blocks() {
		for i := 0; i < b.Len() && m.slots[b.Index()] >= 0; i++ {
			if b.Terminated()[i] || b.Truncated()[i] {
				continue
			}
			tape, index := m.find(b.Index(), i)
			m.raws[tape].State(index, row)
			for k, x := range row {
				if x != b.ReadState(i).At(k) {
					return false
				}
			}
		}
	}
	return true
}

func (m *measurement) close() error {
	var errs []error
	for _, raw := range m.raws {
		errs = append(errs, raw.Close())
	}
	for _, e := range []*env.Env{m.taped, m.timed} {
		if e != nil {
			errs = append(errs, e.Close())
		}
	}
	if m.folder != "" {
		errs = append(errs, os.RemoveAll(m.folder))
	}
	return errors.Join(errs...)
}

// countedWorlds is the largest number of worlds in which allocations are counted: enough for several blocks.
const countedWorlds = 128

// allocations returns the number of Go allocations per control step of a block, with recording and ends of
// episodes, on one worker. The writer of the dataset is idle while it counts. Allocations of the rest of the
// process are counted too, so it takes the least of several counts.
func (m *measurement) allocations(cfg *configs.Config, opt env.OpenOptions) (_ float64, err error) {
	c := *cfg
	c.Worlds = min(c.Worlds, countedWorlds)
	opt.Workers, opt.Plan = 1, nil
	if opt.Dataset != "" {
		opt.Dataset = filepath.Join(m.folder, "allocations")
	}
	e, err := env.Open(&c, opt)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	const warmUps, counts, steps = 2, 3, 40
	var allocations uint64
	blocks := len(e.Sim().Blocks())
	for index := range blocks {
		lowest := uint64(math.MaxUint64)
		for count := range warmUps + counts {
			var before, after runtime.MemStats
			err := e.Each(func(w *sim.Worker, b *sim.Block) error {
				if b.Index() != index {
					return nil
				}
				runtime.ReadMemStats(&before)
				err := m.actions.steps(b, w, count*steps, steps)
				runtime.ReadMemStats(&after)
				return err
			})
			if err := errors.Join(err, e.Drain()); err != nil {
				return 0, fmt.Errorf("counting allocations: %w", err)
			}
			if count >= warmUps {
				lowest = min(lowest, after.Mallocs-before.Mallocs)
			}
		}
		allocations += lowest
	}
	return float64(allocations) / float64(steps*blocks), nil
}
