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
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/internal/random"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/tasks/terms"
)

// Options are those of [Measure] and [MeasureCosts].
type Options struct {
	Duration time.Duration       // time of all rounds of a configuration, about
	Progress func(share float64) // called after each round with the share that is done, 0 to 1; may be nil

	// Act returns what chooses the actions of the next step of a block of e, by its observations; nil: they are random,
	// the same ones in all worlds that are compared. Policy is its name in results.
	Act    func(e *env.Env, cfg *configs.Config) (Actor, error)
	Policy string
}

// Actor writes the actions of a block's next step.
type Actor = func(*sim.Worker, *sim.Block) error

// maxWorlds is about the largest number of worlds of a round. The bare loop has memory for no more.
const maxWorlds = 1024

// maxRound is about the longest pass of a round: the load of a shared machine shall affect both timed ones.
const maxRound = 200 * time.Millisecond

// minRounds is the least number of rounds.
const minRounds = 7

// Measure measures the speed of configurations, a line for each. Each round runs three passes with the same actions:
// an untimed one that records the controls and resets on a tape, the measured one, and the bare C loop, which plays the
// tape. Of more than maxWorlds worlds each round steps others. The rounds of several configurations take turns. If ctx
// is cancelled, Measure stops and returns its error. A configuration that records does so in a temporary folder.
func Measure(ctx context.Context, cfgs []*configs.Config, opt Options) (_ *Report, err error) {
	var all []*measurement
	defer func() {
		for _, m := range all {
			err = errors.Join(err, m.close())
		}
	}()
	for _, cfg := range cfgs {
		m, err := open(ctx, cfg, opt)
		if err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	forEach := func(f func(m *measurement) error) error {
		for _, m := range all {
			if err := errors.Join(ctx.Err(), f(m)); err != nil {
				return err
			}
		}
		return nil
	}
	err = forEach(func(m *measurement) (err error) {
		m.steps, err = m.calibrate(min(maxRound, opt.Duration/(2*minRounds)))
		return err
	})
	if err != nil {
		return nil, err
	}
	opt.Duration *= time.Duration(len(all))
	rounds, err := repeat(ctx, opt, func() error {
		return forEach(func(m *measurement) error { return m.round(m.steps) })
	})
	if err != nil {
		return nil, err
	}
	r := newReport()
	return r, forEach(func(m *measurement) error {
		line, err := m.line(rounds)
		r.Lines = append(r.Lines, line)
		return err
	})
}

// line returns the figures of so many rounds.
func (m *measurement) line(rounds int) (*Line, error) {
	steps := float64(m.steps * m.worlds)
	wall, ratio := m.full.wall, ratios(m.raw.wall, m.full.wall)
	r := &Line{
		Setting: m.setting, WithoutEvents: m.missingEvents, Rounds: rounds, StepsPerRound: m.steps,
		EnvStepsPerS: steps / quantile(wall, 0.5), EnvStepsLow: steps / quantile(wall, 0.75),
		EnvStepsHigh:        steps / quantile(wall, 0.25),
		PhysicsStepsPerS:    steps * float64(m.substeps) / quantile(wall, 0.5),
		RawPhysicsStepsPerS: steps * float64(m.substeps) / quantile(m.raw.wall, 0.5),
		RatioToRaw:          quantile(ratio, 0.5), RatioLow: quantile(ratio, 0.25), RatioHigh: quantile(ratio, 0.75),
		CPURatio: quantile(ratios(m.raw.cpu, m.full.cpu), 0.5), CPUSecondsPerStep: quantile(m.full.cpu, 0.5) / steps,
		BytesPerWorld: m.bytes, FirstStepS: m.first.Seconds(), SameState: !m.differ,
	}
	schedule := m.timedWorlds.Plan().Schedule()
	r.InstantsPerStep, r.NSPerInstant = walk(schedule)
	for _, e := range schedule.Order() {
		if !e.Beat && e.Enabled && strings.HasPrefix(e.Name, "recorder") {
			r.RowsPerStep += schedule.ControlRate().Seconds() / e.Rate.Seconds()
		}
	}
	var err error
	r.AllocsPerStep, err = m.allocations()
	return r, err
}

// walk returns the number of instants of a world's clock in a control step, and the time that one takes, with the
// context of each of its calls but nothing that they do; the least of several walks.
func walk(schedule *runners.Schedule) (perStep, ns float64) {
	const instants, walks = 20_000, 5
	best := time.Duration(math.MaxInt64)
	steps := 0
	for range walks {
		start := time.Now()
		c := schedule.Start()
		steps = 0
		for range instants {
			for _, call := range c.Calls() {
				c.Context(call)
			}
			if c.Fired().Has(schedule.Control()) {
				steps++
			}
			c.Next()
		}
		best = min(best, time.Since(start))
	}
	return instants / float64(steps), float64(best.Nanoseconds()) / instants
}

// repeat runs rounds for a time, at least minRounds, and returns how many it ran.
func repeat(ctx context.Context, opt Options, round func() error) (n int, err error) {
	for start := time.Now(); n < minRounds || time.Since(start) < opt.Duration; {
		if err := ctx.Err(); err != nil {
			return n, err
		}
		if err := round(); err != nil {
			return n, err
		}
		n++
		if opt.Progress != nil {
			opt.Progress(min(time.Since(start).Seconds()/opt.Duration.Seconds(), float64(n)/minRounds))
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

// ratios returns the ratio of each numerator to its denominator.
func ratios(numerators, denominators []float64) []float64 {
	all := make([]float64, len(numerators))
	for i, n := range numerators {
		all[i] = n / denominators[i]
	}
	return all
}

// way is one of several ways to take the same steps, and the seconds that it took in each round.
type way struct {
	run       func(steps int) error
	wall, cpu []float64
}

// runRound runs all ways, in each round another one first.
func runRound(round, steps int, ways ...*way) error {
	for i := range ways {
		w := ways[(i+round)%len(ways)]
		start, cpu := time.Now(), processorTime()
		if err := w.run(steps); err != nil {
			return err
		}
		w.wall = append(w.wall, time.Since(start).Seconds())
		w.cpu = append(w.cpu, (processorTime() - cpu).Seconds())
	}
	return nil
}

func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // the arguments are valid
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

type measurement struct {
	tapeWorlds    *worlds // worlds that record the tapes
	timedWorlds   *worlds
	cfg           *configs.Config
	missingEvents []string // names of events that the worlds leave out
	setting       Setting
	opt           Options
	options       env.OpenOptions // options of timedWorlds
	folder        string          // folder of the recording; "" if there is none
	substeps      int
	bytes         float64       // memory for each of timedWorlds
	first         time.Duration // time from the opening of timedWorlds to the end of the first step
	steps         int           // number of control steps of a round

	full   way
	raw    way
	raws   []env.Baseline // bare loops, one per thread, each with a contiguous share of a round's worlds
	tapes  []baselineTape // tapes of raws
	rounds int
	worlds int // number of worlds of a round
	blocks int // number of blocks of a round
	// number of blocks that take turns in rounds; a smaller last block takes none if others share a round
	turns    int
	slots    []int     // by block: place of its first world among the round's; -1: the block is in no round
	previous []int64   // by block: its number of control steps before the round
	starts   [][]start // starts of the episodes of the round, by block
	differ   bool      // a round ended in different states
}

// baselineTape holds the controls and resets of the worlds of one bare loop in a round.
type baselineTape struct {
	first, worlds int
	controls      []float64 // steps × worlds × controls
	resets        []int32   // steps × worlds: index of a row of rows, or -1 for no reset
	rows          []float64 // resets × state size: the initial states of episodes
}

// start is the beginning of an episode: its element of a tape's resets, and the state.
type start struct {
	tape  *baselineTape
	index int
	state []float64
}

// tape generates random actions, the same for every pass.
type tape struct {
	seed      uint64
	choices   int // number of choices of a discrete action; 0 if it is continuous
	low, high []float64
}

func (t tape) fill(b *sim.Block, step int) {
	n := len(t.low)
	for i := range b.Len() {
		for j := range n {
			word := random.Hash(t.seed, uint64(b.First()+i), uint64(step), uint64(j))
			u := float64(word>>11) / (1 << 53)
			if t.choices > 0 {
				b.Actions()[i*n+j] = float32(int(u * float64(t.choices)))
				continue
			}
			b.Actions()[i*n+j] = float32(t.low[j] + float64(u*(t.high[j]-t.low[j])))
		}
	}
}

// worlds are open worlds and what chooses their actions.
type worlds struct {
	*env.Env
	random tape
	actor  Actor // nil: actions are random
}

func openWorlds(cfg *configs.Config, options env.OpenOptions, opt Options) (_ *worlds, err error) {
	w := &worlds{}
	if w.Env, err = env.Open(cfg, options); err != nil {
		return nil, err
	}
	w.random = newTape(w.Sim().Spec(), cfg.Seed)
	if opt.Act != nil {
		if w.actor, err = opt.Act(w.Env, cfg); err != nil {
			return nil, errors.Join(err, w.Close())
		}
	}
	return w, nil
}

// steps takes a number of steps of a block, of which the first has a number.
func (e *worlds) steps(b *sim.Block, w *sim.Worker, first, n int) (err error) {
	for step := range n {
		if e.actor != nil {
			err = e.actor(w, b)
		} else {
			e.random.fill(b, first+step)
		}
		if err != nil {
			return err
		}
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

func open(ctx context.Context, cfg *configs.Config, options Options) (_ *measurement, err error) {
	m := &measurement{opt: options}
	defer func() {
		if err != nil {
			err = errors.Join(err, m.close())
		}
	}()
	if m.cfg, m.missingEvents, err = withoutEvents(cfg); err != nil {
		return nil, err
	}
	m.setting, cfg = settingOf(cfg, options), m.cfg // another report of the configuration lacks the same events
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
	memory, startTime := residentBytes(), time.Now()
	if m.timedWorlds, err = openWorlds(cfg, opt, m.opt); err != nil {
		return nil, err
	}
	if err := m.timedWorlds.step(); err != nil {
		return nil, err
	}
	m.first, m.bytes = time.Since(startTime), max(0, float64(residentBytes()-memory))/float64(cfg.Worlds)
	if n := m.timedWorlds.Sim().Workers(); n != m.setting.Workers ||
		m.timedWorlds.Sim().Blocks()[0].Len() > m.setting.BlockSize {
		return nil, fmt.Errorf("measured are %d workers, want %s", n, m.setting.Name())
	}
	note := sim.Binding{
		Binding: runners.Binding{
			Name: "tape", Runner: plan.Schedule().Binding("controller").Runner, Phase: runners.Control,
			Priority: math.MaxInt32,
		},
		Call: func(_ *runners.StepContext, w *sim.World) { m.note(w) },
	}
	m.tapeWorlds, err = openWorlds(cfg, env.OpenOptions{Context: ctx, Bindings: []sim.Binding{note}}, m.opt)
	if err != nil {
		return nil, err
	}
	if err := m.tapeWorlds.step(); err != nil {
		return nil, err
	}
	m.divide(cfg.Worlds)
	m.full.run = func(steps int) error { return errors.Join(m.run(m.timedWorlds, steps), m.timedWorlds.Drain()) }
	m.raw.run = func(int) error {
		var group errgroup.Group
		for i, raw := range m.raws {
			t := &m.tapes[i]
			group.Go(func() error { return raw.Run(t.controls, t.resets, t.rows, m.substeps) })
		}
		return group.Wait()
	}
	if err := m.openBaselines(); err != nil {
		return nil, err
	}
	return m, nil
}

// divide says which worlds have a tape: those of as many whole blocks as maxWorlds has.
func (m *measurement) divide(worlds int) {
	blocks := m.timedWorlds.Sim().Blocks()
	m.slots, m.previous, m.starts = make([]int, len(blocks)), make([]int64, len(blocks)), make([][]start, len(blocks))
	m.blocks, m.turns = len(blocks), len(blocks)
	m.worlds = worlds
	if perBlock := blocks[0].Len(); m.worlds > maxWorlds {
		m.blocks, m.turns = maxWorlds/perBlock, m.worlds/perBlock
		m.worlds = m.blocks * perBlock
	}
}

// openBaselines opens the bare loops, one for each thread, of equally many worlds.
func (m *measurement) openBaselines() error {
	threads := m.timedWorlds.Sim().Workers()
	for i := range threads {
		first, end := i*m.worlds/threads, (i+1)*m.worlds/threads
		raw, err := m.timedWorlds.NewBaseline(end - first)
		if err != nil {
			return err
		}
		m.raws = append(m.raws, raw)
		m.tapes = append(m.tapes, baselineTape{first: first, worlds: end - first})
	}
	return nil
}

// step takes a step of all worlds.
func (e *worlds) step() error {
	err := e.Each(func(w *sim.Worker, b *sim.Block) error { return e.steps(b, w, int(b.N()), 1) })
	return errors.Join(err, e.Drain())
}

// residentBytes is the process's memory in bytes, with what C has allocated.
func residentBytes() int64 {
	debug.FreeOSMemory()
	text, err := disk.ReadFile("/proc/self/statm", disk.MaxText)
	if err != nil {
		panic(err) // Linux always has the file
	}
	var size, pages int64
	fmt.Sscan(string(text), &size, &pages)
	return pages * int64(os.Getpagesize())
}

func (m *measurement) choose() {
	blocks := m.timedWorlds.Sim().Blocks()
	for i := range m.slots {
		m.slots[i] = -1
	}
	slot := 0
	for k := range m.blocks {
		b := blocks[(m.rounds*m.blocks+k)%m.turns]
		m.slots[b.Index()], m.previous[b.Index()] = slot, b.N()
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
	if m.tapes == nil {
		return // the first step comes before all rounds
	}
	block := w.Block()
	tape, index := m.find(block, w.Index()-m.timedWorlds.Sim().Blocks()[block].First())
	t := &m.tapes[tape]
	element := int(w.StepN()-m.previous[block])*t.worlds + index
	copy(t.controls[element*len(w.Control()):], w.Control())
	if w.Steps() == 0 {
		state := make([]float64, w.ReadState().Len())
		w.ReadState().CopyTo(state)
		m.starts[block] = append(m.starts[block], start{t, element, state})
	}
}

// record fills the tapes by an untimed pass. The bare loops get the states of the worlds before the first round, and
// where rounds have different worlds before each.
func (m *measurement) record(steps int) error {
	controls := m.timedWorlds.Model().ControlSize()
	for i := range m.tapes {
		t := &m.tapes[i]
		t.controls = slices.Grow(t.controls[:0], steps*t.worlds*controls)[:steps*t.worlds*controls]
		t.resets = slices.Repeat([]int32{-1}, steps*t.worlds)
		t.rows = t.rows[:0]
	}
	if m.rounds == 0 || m.blocks < m.turns {
		if err := m.load(); err != nil {
			return err
		}
	}
	if err := m.run(m.tapeWorlds, steps); err != nil {
		return err
	}
	for block, starts := range m.starts {
		for _, s := range starts {
			s.tape.resets[s.index] = int32(len(s.tape.rows) / len(s.state))
			s.tape.rows = append(s.tape.rows, s.state...)
		}
		m.starts[block] = nil
	}
	return nil
}

func (m *measurement) load() error {
	states := make([][]float64, len(m.tapes))
	for _, b := range m.tapeWorlds.Sim().Blocks() {
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
		if err := m.raws[i].Run(make([]float64, t.worlds*m.timedWorlds.Model().ControlSize()), resets, states[i],
			0); err != nil {
			return err
		}
	}
	return nil
}

func (m *measurement) run(e *worlds, steps int) error {
	return e.Each(func(w *sim.Worker, b *sim.Block) error {
		if m.slots[b.Index()] < 0 {
			return nil
		}
		return e.steps(b, w, int(b.N()), steps)
	})
}

// round runs all passes for the next steps control steps of the next worlds. The measured pass and the bare loop
// take turns in coming first.
func (m *measurement) round(steps int) error {
	m.choose()
	err := m.record(steps)
	if err == nil {
		err = runRound(m.rounds, steps, &m.full, &m.raw)
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
		seconds := m.raw.wall[0]
		m.full.wall, m.full.cpu, m.raw.wall, m.raw.cpu = nil, nil, nil, nil
		if seconds >= round.Seconds()/2 {
			return max(1, int(float64(steps)*round.Seconds()/seconds)), nil
		}
	}
}

// sameState reports whether the worlds of the bare loops have the same state as ours. It ignores worlds that
// have just begun an episode, which the bare loop begins with its next step.
func (m *measurement) sameState() bool {
	row := make([]float64, m.timedWorlds.Model().StateSize())
	for _, b := range m.timedWorlds.Sim().Blocks() {
		for i := 0; i < b.Len() && m.slots[b.Index()] >= 0; i++ {
			if b.Terminations()[i] || b.Truncations()[i] {
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
	for _, e := range []*worlds{m.tapeWorlds, m.timedWorlds} {
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
func (m *measurement) allocations() (_ float64, err error) {
	c, opt := *m.cfg, m.options
	c.Worlds = min(c.Worlds, countedWorlds)
	opt.Workers, opt.Plan = 1, nil
	if opt.Dataset != "" {
		opt.Dataset = filepath.Join(m.folder, "allocations")
	}
	e, err := openWorlds(&c, opt, m.opt)
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
				err := e.steps(b, w, count*steps, steps)
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
