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
	"sync"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/random"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/tasks/terms"
)

// Result is the result of [Measure]. Rates are medians over the rounds.
type Result struct {
	Task                string            `json:"task"`
	Worlds              int               `json:"worlds"`
	Workers             int               `json:"workers"`
	EnvStepsPerS        float64           `json:"env_steps_per_s"`         // control steps of all worlds per second
	PhysicsStepsPerS    float64           `json:"physics_steps_per_s"`     // engine steps of all worlds per second
	RawPhysicsStepsPerS float64           `json:"raw_physics_steps_per_s"` // engine steps of the bare C loop per second
	RatioToRaw          float64           `json:"ratio_to_raw"`            // median of the ratios of the rounds
	RatioLow            float64           `json:"ratio_low"`               // first quartile
	RatioHigh           float64           `json:"ratio_high"`              // third quartile
	Recording           bool              `json:"recording"`
	AllocsPerStep       float64           `json:"allocs_per_step"` // Go allocations per control step of a block
	Rounds              int               `json:"rounds"`
	StepsPerRound       int               `json:"steps_per_round"` // control steps of each world
	SameState           bool              `json:"same_state"`      // whether both ended in the same state, bit for bit
	WithoutEvents       []string          `json:"without_events"`  // names of events of the configuration that neither loop has
	Versions            map[string]string `json:"versions"`
}

// Settings are the settings of [Measure].
type Settings struct {
	Workers  int           // threads of both loops; 0 for the number in the configuration, or one per CPU
	Duration time.Duration // approximate total of the timed rounds
	Record   bool          // into a temporary folder, if recording is enabled in the configuration
}

// maxRound is the approximate longest time of one pass of a round. It is short so that
// changes in the load of a shared machine affect both timed passes.
const maxRound = 200 * time.Millisecond

// minRounds is the least number of rounds.
const minRounds = 7

// Measure measures the speed of a configuration. Each round runs three passes with the
// same random actions: an untimed one that records the controls and resets on a tape,
// the measured one, and the bare C loop, which plays the tape. progress, unless nil, is
// called after each round with the share that is done, 0 to 1. If ctx is cancelled,
// Measure stops and returns its error.
func Measure(ctx context.Context, cfg *configs.Config, s Settings, progress func(share float64)) (_ *Result, err error) {
	cfg, without, err := withoutEvents(cfg)
	if err != nil {
		return nil, err
	}
	m, err := open(ctx, cfg, s)
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
	steps, err := m.calibrate(min(maxRound, s.Duration/(2*minRounds)))
	if err != nil {
		return nil, err
	}
	r.StepsPerRound = steps
	var ours, raws, ratios []float64 // seconds, seconds, raw/ours
	for begin := time.Now(); len(ratios) < minRounds || time.Since(begin) < s.Duration; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		our, raw, err := m.round(steps, len(ratios)%2 == 1)
		if err != nil {
			return nil, err
		}
		ours, raws = append(ours, our.Seconds()), append(raws, raw.Seconds())
		ratios = append(ratios, raw.Seconds()/our.Seconds())
		if progress != nil {
			progress(min(time.Since(begin).Seconds()/s.Duration.Seconds(), float64(len(ratios))/minRounds))
		}
	}
	r.Rounds = len(ratios)
	envSteps := float64(steps * cfg.Worlds)
	perControl := float64(m.substeps)
	r.EnvStepsPerS = envSteps / quantile(ours, 0.5)
	r.PhysicsStepsPerS = r.EnvStepsPerS * perControl
	r.RawPhysicsStepsPerS = envSteps * perControl / quantile(raws, 0.5)
	r.RatioToRaw = quantile(ratios, 0.5)
	r.RatioLow, r.RatioHigh = quantile(ratios, 0.25), quantile(ratios, 0.75)
	r.SameState = m.sameState()
	r.AllocsPerStep, err = m.allocations(cfg, m.options)
	return r, err
}

// withoutEvents returns a configuration without the events that the bare loop cannot
// repeat from a tape of states and controls, and their names.
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

// measurement holds the three passes.
type measurement struct {
	taped    *env.Env // records the tapes
	timed    *env.Env
	raws     []env.Baseline  // the bare loops, one per thread with a contiguous share of the worlds
	options  env.OpenOptions // of timed
	folder   string          // of the recording; "" if there is none
	substeps int

	actions tape
	tapes   []baselineTape // one for each of raws
	done    int            // control steps of each world so far
}

// baselineTape holds the controls and resets of the worlds of one bare loop in a round.
type baselineTape struct {
	first, worlds int
	controls      []float64 // steps × worlds × controls
	resets        []int32   // steps × worlds: index of a row of rows, or -1 for no reset
	rows          []float64 // resets × state size: the states in which episodes begin
}

// tape generates random actions, the same for every pass.
type tape struct {
	seed      uint64
	choices   int // of a discrete action; 0 if it is continuous
	low, high []float64
}

// fill sets the actions of a block for a step.
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

func newTape(spec sim.Spec, seed uint64) tape {
	t := tape{seed: seed, choices: spec.Discrete}
	for i := range spec.ActionLow {
		t.low = append(t.low, max(spec.ActionLow[i], -1))
		t.high = append(t.high, min(spec.ActionHigh[i], 1))
	}
	return t
}

func open(ctx context.Context, cfg *configs.Config, s Settings) (_ *measurement, err error) {
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
	opt := env.OpenOptions{Context: ctx, Workers: s.Workers, Plan: plan}
	m.substeps, err = plan.SubstepsPerControl()
	if err != nil {
		return nil, err
	}
	if s.Record && cfg.Recording.Enabled {
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
	if m.taped, err = env.Open(cfg, env.OpenOptions{Context: ctx, Workers: s.Workers, Plan: plan, Bindings: []sim.Binding{note}}); err != nil {
		return nil, err
	}
	m.actions = newTape(m.timed.Sim().Spec(), cfg.Seed)
	threads := m.timed.Sim().Workers()
	for i := range threads {
		first, end := i*cfg.Worlds/threads, (i+1)*cfg.Worlds/threads
		raw, err := m.timed.NewBaseline(end - first)
		if err != nil {
			return nil, err
		}
		m.raws = append(m.raws, raw)
		m.tapes = append(m.tapes, baselineTape{first: first, worlds: end - first})
	}
	return m, nil
}

// note records the controls of a world in this step on the tape, and the state if an
// episode begins. Several workers may step worlds of one bare loop at once, so each
// world writes to its own elements; packRows packs the states afterwards.
func (m *measurement) note(w *sim.World) {
	for i := range m.tapes {
		t := &m.tapes[i]
		world := w.Index() - t.first
		if world < 0 || world >= t.worlds {
			continue
		}
		at := (int(w.StepN())-m.done)*t.worlds + world
		copy(t.controls[at*len(w.Control()):], w.Control())
		if w.Steps() == 0 {
			t.resets[at] = 0
			copy(t.rows[at*len(w.State()):], w.State())
		}
	}
}

// record runs the untimed pass and fills the tapes for steps control steps.
func (m *measurement) record(steps int) error {
	controls, state := m.timed.Model().ControlSize(), m.timed.Model().StateSize()
	for i := range m.tapes {
		t := &m.tapes[i]
		t.controls = make([]float64, steps*t.worlds*controls)
		t.resets = slices.Repeat([]int32{-1}, steps*t.worlds)
		t.rows = make([]float64, steps*t.worlds*state)
	}
	if err := m.run(m.taped, steps); err != nil {
		return err
	}
	for i := range m.tapes {
		m.tapes[i].packRows(state)
	}
	return nil
}

// packRows moves the states of resets to the front and sets their indices in resets.
func (t *baselineTape) packRows(state int) {
	used := 0
	for at, reset := range t.resets {
		if reset == 0 {
			copy(t.rows[used*state:(used+1)*state], t.rows[at*state:])
			t.resets[at] = int32(used)
			used++
		}
	}
	t.rows = t.rows[:used*state]
}

// run steps the worlds of e for the next control steps.
func (m *measurement) run(e *env.Env, steps int) error {
	return e.Each(func(w *sim.Worker, b *sim.Block) error {
		for step := range steps {
			m.actions.fill(b, m.done+step)
			if err := b.Step(w); err != nil {
				return err
			}
		}
		return nil
	})
}

// playRaw plays the tapes on the bare loops, in parallel.
func (m *measurement) playRaw() error {
	errs := make([]error, len(m.raws))
	var wait sync.WaitGroup
	for i, raw := range m.raws {
		wait.Go(func() {
			t := &m.tapes[i]
			errs[i] = raw.Run(t.controls, t.resets, t.rows, m.substeps)
		})
	}
	wait.Wait()
	return errors.Join(errs...)
}

// round runs all passes for the next steps control steps and returns the times of the
// measured pass and of the bare loop.
func (m *measurement) round(steps int, rawFirst bool) (our, raw time.Duration, err error) {
	if err := m.record(steps); err != nil {
		return 0, 0, err
	}
	ours := func() error {
		begin := time.Now()
		err := errors.Join(m.run(m.timed, steps), m.timed.Drain())
		our = time.Since(begin)
		return err
	}
	bare := func() error {
		begin := time.Now()
		err := m.playRaw()
		raw = time.Since(begin)
		return err
	}
	order := []func() error{ours, bare}
	if rawFirst {
		slices.Reverse(order)
	}
	for _, f := range order {
		if err := f(); err != nil {
			return 0, 0, err
		}
	}
	m.done += steps
	return our, raw, nil
}

// calibrate returns the number of control steps whose pass takes about the time round.
// It runs rounds that are not counted.
func (m *measurement) calibrate(round time.Duration) (steps int, err error) {
	for steps = 1; ; steps *= 2 {
		_, raw, err := m.round(steps, false)
		if err != nil {
			return 0, err
		}
		if raw >= round/2 {
			return max(1, int(float64(steps)*round.Seconds()/raw.Seconds())), nil
		}
	}
}

// sameState reports whether the worlds of the bare loops have the same state as ours. It
// ignores worlds that have just begun an episode, which the bare loop begins with its
// next step.
func (m *measurement) sameState() bool {
	row := make([]float64, m.timed.Model().StateSize())
	for _, b := range m.timed.Sim().Blocks() {
		for i := range b.Len() {
			if b.Terminated()[i] || b.Truncated()[i] {
				continue
			}
			world := b.First() + i
			for k, t := range m.tapes {
				if world >= t.first && world < t.first+t.worlds {
					m.raws[k].State(world-t.first, row)
				}
			}
			if !slices.Equal(row, b.State(i)) {
				return false
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

// allocations returns the number of Go allocations per control step of a block, with
// recording and ends of episodes, on one worker. The writer of the dataset is idle while
// it counts. Allocations of the rest of the process are counted too, so it takes the
// least of several counts.
func (m *measurement) allocations(cfg *configs.Config, opt env.OpenOptions) (_ float64, err error) {
	opt.Workers = 1
	if opt.Dataset != "" {
		opt.Dataset = filepath.Join(m.folder, "allocations")
	}
	e, err := env.Open(cfg, opt)
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
				for step := range steps {
					m.actions.fill(b, count*steps+step)
					if err := b.Step(w); err != nil {
						return err
					}
				}
				runtime.ReadMemStats(&after)
				return nil
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
