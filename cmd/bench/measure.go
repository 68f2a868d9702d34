package main

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/cmd/internal/cli"
	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// result is what bench reports. Rates are medians over rounds.
type result struct {
	Task            string            `json:"task"`
	Worlds          int               `json:"worlds"`
	BlockSize       int               `json:"block_size"`
	Workers         int               `json:"workers"`
	Substeps        int               `json:"substeps"` // physics steps in an environment step
	Rounds          int               `json:"rounds"`
	EnvSteps        float64           `json:"env_steps_per_s"`
	PhysicsSteps    float64           `json:"physics_steps_per_s"`
	RawPhysicsSteps float64           `json:"raw_physics_steps_per_s"`
	Ratio           float64           `json:"ratio_to_raw"` // median of the rounds' own ratios
	Recording       bool              `json:"recording"`
	Allocs          float64           `json:"allocs_per_step"` // on the step path, per environment step
	Versions        map[string]string `json:"versions"`
}

const (
	roundSteps  = 32 // control steps in a round: some hundred milliseconds
	warmRounds  = 3  // not counted: caches and buffers find their size
	leastRounds = 5
)

// measure plays rounds for about the given time. In each, a taping copy of the
// environment finds out what random actions lead to; then the environment itself
// and the bare loop repeat it, by turns first.
func measure(ctx context.Context, config *configs.Config, length time.Duration) (_ *result, err error) {
	if config.Autoreset != configs.SameStep {
		return nil, cli.Usagef("autoreset: the benchmark wants %s, got %s", configs.SameStep, config.Autoreset)
	}
	b, err := newBenchmark(config)
	if b != nil {
		defer func() { err = errors.Join(err, b.close()) }()
	}
	if err != nil {
		return nil, err
	}
	var ours, bare, ratios []float64 // seconds, seconds, their ratio
	deadline := time.Now().Add(length)
	for round := 0; round < warmRounds+leastRounds || time.Now().Before(deadline); round++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := b.tape(); err != nil {
			return nil, err
		}
		var times [2]float64 // of the environment, of the bare loop
		for turn := range 2 {
			part, play := (round+turn)%2, b.playEnv
			if part == 1 {
				play = b.playRaw
			}
			start := time.Now()
			if err := play(); err != nil {
				return nil, err
			}
			times[part] = time.Since(start).Seconds()
		}
		if round >= warmRounds {
			ours, bare = append(ours, times[0]), append(bare, times[1])
			ratios = append(ratios, times[1]/times[0])
		}
	}
	allocs, err := b.allocs()
	if err != nil {
		return nil, err
	}

	s := b.env.Sim()
	steps := float64(roundSteps * s.Worlds())
	return &result{
		Task: config.Task.Name, Worlds: s.Worlds(), BlockSize: s.Blocks()[0].Len(), Workers: s.Workers(),
		Substeps: b.substeps, Rounds: len(ratios),
		EnvSteps:        steps / median(ours),
		PhysicsSteps:    steps * float64(b.substeps) / median(ours),
		RawPhysicsSteps: steps * float64(b.substeps) / median(bare),
		Ratio:           median(ratios),
		Recording:       config.Recording.Enabled,
		Allocs:          allocs,
		Versions:        env.Versions(),
	}, nil
}

func median(values []float64) float64 {
	slices.Sort(values)
	n := len(values)
	return (values[(n-1)/2] + values[n/2]) / 2
}

// benchmark holds the three that do the same work, and the tape that tells them
// what.
type benchmark struct {
	env      *env.Env // measured
	taper    *env.Env // the same, not measured
	raws     []*mujoco.Raw
	dataset  string // temporary folder
	substeps int

	random  *rand.Rand
	actions []float32 // roundSteps × worlds × actions
	tapes   []tape    // by block
}

// tape is what happens to a block in a round, in the terms of [mujoco.Raw.Run].
type tape struct {
	controls []float64 // roundSteps × worlds × controls
	resets   []int32   // roundSteps × worlds
	rows     []float64 // states to reset to
	step     int       // being taped
	pending  []int     // worlds that have been reset after the last step taped
}

// newBenchmark opens everything. What it returns must be closed, also when
// there is an error.
func newBenchmark(config *configs.Config) (b *benchmark, err error) {
	b = &benchmark{random: rand.New(rand.NewPCG(config.Seed, 0))}
	plan, err := env.NewPlan(config)
	if err != nil {
		return b, cli.AsUsage(err)
	}
	if b.substeps, err = plan.SubstepsPerControl(); err != nil {
		return b, cli.AsUsage(err)
	}
	if config.Recording.Enabled {
		if b.dataset, err = os.MkdirTemp("", "polyrhythm-bench-"); err != nil {
			return b, err
		}
	}
	if b.env, err = env.Open(config, env.Options{Dataset: b.dataset}); err != nil {
		return b, err
	}
	record := sim.Binding{
		Binding: runners.Binding{
			Name: "tape", Runner: plan.ControlRunner(), Phase: runners.Control,
			Priority: math.MaxInt, // after whatever writes controls
		},
		Role: sim.Call,
		Call: b.record,
	}
	if b.taper, err = env.Open(config, env.Options{Bindings: []sim.Binding{record}}); err != nil {
		return b, err
	}

	s, model := b.env.Sim(), b.env.Model()
	b.actions = make([]float32, roundSteps*s.Worlds()*s.Spec().ActionSize)
	for _, block := range b.taper.Sim().Blocks() {
		raw, err := mujoco.NewRaw(model, block.Len())
		if err != nil {
			return b, err
		}
		b.raws = append(b.raws, raw)
		t := tape{
			controls: make([]float64, roundSteps*block.Len()*model.ControlSize()),
			resets:   make([]int32, roundSteps*block.Len()),
		}
		for i := range block.Len() {
			t.pending = append(t.pending, i)
		}
		b.tapes = append(b.tapes, t)
	}
	return b, nil
}

// record is called in the taping copy when the controls of a step are known.
func (b *benchmark) record(_ *runners.StepContext, w *sim.World) {
	t := &b.tapes[w.Block()]
	block := b.taper.Sim().Blocks()[w.Block()]
	copy(t.controls[(t.step*block.Len()+w.Index()-block.First())*len(w.Control()):], w.Control())
}

// tape draws the actions of a round and tapes what they lead to.
func (b *benchmark) tape() error {
	spec := b.env.Sim().Spec()
	for i := range b.actions {
		low, high := spec.ActionLow[i%spec.ActionSize], spec.ActionHigh[i%spec.ActionSize]
		a := b.random.NormFloat64()
		if !math.IsInf(low, 0) && !math.IsInf(high, 0) {
			a = low + b.random.Float64()*(high-low)
		}
		b.actions[i] = float32(a)
	}
	return b.taper.Each(func(w *sim.Worker, block *sim.Block) error {
		t := &b.tapes[block.Index()]
		t.rows = t.rows[:0]
		for t.step = 0; t.step < roundSteps; t.step++ {
			for i := range block.Len() {
				t.resets[t.step*block.Len()+i] = -1
			}
			for _, i := range t.pending {
				state := block.State(i)
				t.resets[t.step*block.Len()+i] = int32(len(t.rows) / len(state))
				t.rows = append(t.rows, state...)
			}
			t.pending = t.pending[:0]
			b.act(block, t.step)
			if err := block.Step(w); err != nil {
				return err
			}
			for i := range block.Len() {
				if block.Terminated()[i] || block.Truncated()[i] {
					t.pending = append(t.pending, i)
				}
			}
		}
		return nil
	})
}

// act writes a block's actions of a step of the round.
func (b *benchmark) act(block *sim.Block, step int) {
	n := b.env.Sim().Spec().ActionSize
	copy(block.Action(), b.actions[(step*b.env.Sim().Worlds()+block.First())*n:])
}

// playEnv is a round of the environment, what it records written included.
func (b *benchmark) playEnv() error {
	err := b.env.Each(func(w *sim.Worker, block *sim.Block) error { return b.steps(w, block, 0, roundSteps) })
	if err != nil {
		return err
	}
	return b.env.Drain()
}

func (b *benchmark) steps(w *sim.Worker, block *sim.Block, from, to int) error {
	for step := from; step < to; step++ {
		b.act(block, step)
		if err := block.Step(w); err != nil {
			return err
		}
	}
	return nil
}

// playRaw is the same round of the bare loop, its threads taking blocks from a
// queue as the environment's do.
func (b *benchmark) playRaw() error {
	errs := make([]error, len(b.raws))
	var next atomic.Int64
	var threads sync.WaitGroup
	for range b.env.Sim().Workers() {
		threads.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(b.raws) {
					return
				}
				t := &b.tapes[i]
				errs[i] = b.raws[i].Run(t.controls, t.resets, t.rows, b.substeps)
			}
		})
	}
	threads.Wait()
	return errors.Join(errs...)
}

// allocs counts allocations on the step path, per environment step: those of a
// long stretch less those of a short one, which leaves out what a stretch costs
// by itself. Nothing is handed to the dataset's writer meanwhile, and it idles.
func (b *benchmark) allocs() (float64, error) {
	const short, long = roundSteps / 4, roundSteps * 3 / 4
	count := func(from, to int) (uint64, error) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := b.env.Sim().Each(func(w *sim.Worker, block *sim.Block) error { return b.steps(w, block, from, to) })
		runtime.ReadMemStats(&after)
		return after.Mallocs - before.Mallocs, err
	}
	few, err := count(0, short)
	if err != nil {
		return 0, err
	}
	many, err := count(short, short+long)
	if err != nil {
		return 0, err
	}
	extra := float64(many) - float64(few)
	return max(0, extra) / float64((long-short)*b.env.Sim().Worlds()), nil
}

func (b *benchmark) close() error {
	var errs []error
	for _, r := range b.raws {
		errs = append(errs, r.Close())
	}
	for _, e := range []*env.Env{b.taper, b.env} {
		if e != nil {
			errs = append(errs, e.Close())
		}
	}
	if b.dataset != "" {
		errs = append(errs, os.RemoveAll(b.dataset))
	}
	return errors.Join(errs...)
}
