package training

import (
	"errors"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/rl"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// Iterations of a training of the quadruped, with recording and a log, in turns with steps of the same worlds that are
// only recorded: once under the same actions, which is the same physics, and once under random ones, as by the command
// bench. ×same and ×bench are the steps per second of the training to those of each, the medians of the rounds.
func BenchmarkTraining(b *testing.B) {
	config := must(configs.Load("../configs/quadruped.yaml", nil, nil))(b)
	t := newTraining(config, TrainOptions{Folder: filepath.Join(b.TempDir(), "run"), LogEvery: 1, StateEvery: time.Hour},
		&ownWorlds{})
	noError(b, t.start(b.Context()))
	defer t.close()
	taped := &tapedEnv{Env: t.worlds, actions: make([][]float32, t.worlds.shape.Blocks)}
	learner := must(rl.New(taped, config.Training.Settings, config.Seed))(b)
	learn := func() error { _, err := learner.Iterate(b.Context()); return err }
	same, random := openRecorded(b, config), openRecorded(b, config)
	repeat := func() error { taped.replayed = true; return stepWorlds(same, taped.replay) }
	step := func() error { return stepWorlds(random, randomActions(config.Training.RolloutSteps)) }

	var seconds [3][]float64
	passes := []func() error{learn, repeat, step}
	round := func() {
		for i, pass := range passes {
			begun := time.Now()
			noError(b, pass())
			seconds[i] = append(seconds[i], time.Since(begun).Seconds())
		}
	}
	round() // its training also measures the observations
	seconds = [3][]float64{}
	for b.Loop() {
		round()
	}
	for i, name := range []string{"train", "same", "bench"} {
		b.ReportMetric(float64(config.Training.RolloutSteps*config.Worlds)/median(seconds[i]), name+"-steps/s")
		if i == 0 {
			continue
		}
		ratios := slices.Clone(seconds[i])
		for round := range ratios {
			ratios[round] /= seconds[0][round]
		}
		b.ReportMetric(median(ratios), "×"+name)
	}
}

func openRecorded(b *testing.B, config *configs.Config) *env.Env {
	e := must(env.Open(config, env.OpenOptions{Dataset: filepath.Join(b.TempDir(), "dataset")}))(b)
	b.Cleanup(func() {
		if err := e.Close(); err != nil {
			b.Error(err)
		}
	})
	return e
}

// stepWorlds steps every block as long as next writes its action, and waits for the dataset.
func stepWorlds(e *env.Env, next func(b *sim.Block, step int) bool) error {
	err := e.Each(func(w *sim.Worker, b *sim.Block) error {
		for step := 0; next(b, step); step++ {
			if err := b.Step(w); err != nil {
				return err
			}
		}
		return nil
	})
	return errors.Join(err, e.Drain())
}

// randomActions writes uniform actions for so many steps.
func randomActions(steps int) func(b *sim.Block, step int) bool {
	return func(b *sim.Block, step int) bool {
		random := rand.New(rand.NewPCG(uint64(step), uint64(b.Index())))
		for i := range b.Actions() {
			b.Actions()[i] = float32(2*random.Float64() - 1)
		}
		return step < steps
	}
}

// tapedEnv keeps the actions taken since the last call of Rollout that replay followed, by block.
type tapedEnv struct {
	rl.Env
	actions  [][]float32
	replayed bool
}

func (e *tapedEnv) Rollout(f func(worker int, b rl.Block) error) error {
	if e.replayed {
		e.replayed = false
		for i := range e.actions {
			e.actions[i] = e.actions[i][:0]
		}
	}
	return e.Env.Rollout(func(worker int, b rl.Block) error { return f(worker, tapedBlock{b, e}) })
}

type tapedBlock struct {
	rl.Block
	env *tapedEnv
}

func (b tapedBlock) Step() error {
	tape := &b.env.actions[b.Index()]
	*tape = append(*tape, b.Actions()...)
	return b.Block.Step()
}

// replay writes the action of a step on the tape, unless it has ended.
func (e *tapedEnv) replay(b *sim.Block, step int) bool {
	n, tape := len(b.Actions()), e.actions[b.Index()]
	if (step+1)*n > len(tape) {
		return false
	}
	copy(b.Actions(), tape[step*n:])
	return true
}

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return v[len(v)/2]
}
