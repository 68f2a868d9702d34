package training

import (
	"bytes"
	"context"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/rl"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// The names of the policies that have no file.
const (
	RandomPolicy = "random" // each action drawn uniformly between its bounds
	ZeroPolicy   = "zero"   // each action 0
)

// Policy chooses the actions of a rollout: random ones, zeros, those of a checkpoint or
// those of a script. One rollout may use it at a time.
type Policy struct {
	kind       string      // RandomPolicy, ZeroPolicy, checkpointPolicy or scriptPolicy
	name       string      // the argument of OpenPolicy, for errors
	contents   []byte      // of its file, if it has one
	checkpoint *Checkpoint // of checkpointPolicy
	script     *script     // of scriptPolicy
}

// OpenPolicy opens a policy by its name: [RandomPolicy], [ZeroPolicy], what [ReadCheckpoint] reads, or the path of a
// script, which ends in .csv.
func OpenPolicy(name string) (*Policy, error) {
	if name == RandomPolicy || name == ZeroPolicy {
		return &Policy{kind: name, name: name}, nil
	}
	if _, err := os.Stat(name); err != nil && !isBuiltin(name) {
		return nil, usagef("policy is %s, want %s, %s, a checkpoint, or a script that ends in .csv: %w",
			name, RandomPolicy, ZeroPolicy, err)
	}
	if filepath.Ext(name) == ".csv" {
		contents, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		return parsePolicy(scriptPolicy, name, contents)
	}
	contents, path, err := readCheckpointFile(name)
	if err != nil {
		return nil, err
	}
	return parsePolicy(checkpointPolicy, path, contents)
}

// parsePolicy reads a policy of the given kind, which errors call name, from the contents of its file.
func parsePolicy(kind, name string, contents []byte) (p *Policy, err error) {
	p = &Policy{kind: kind, name: name, contents: contents}
	switch kind {
	case RandomPolicy, ZeroPolicy:
		p.contents = nil
	case checkpointPolicy:
		p.checkpoint, err = parseCheckpoint(name, contents)
	case scriptPolicy:
		if p.script, err = parseScript(bytes.NewReader(contents)); err != nil {
			err = fmt.Errorf("script %s: %w", name, err)
		}
	default:
		err = fmt.Errorf("%s: the policy is %q, want %s, %s, %s or %s", name, kind, RandomPolicy, ZeroPolicy,
			checkpointPolicy, scriptPolicy)
	}
	return p, err
}

func (p *Policy) logging(kind string, every int64) logging {
	return logging{every: every, kind: kind, policy: p.kind, contents: p.contents}
}

// limit shortens the episodes of config to the policy's script, if it is one, and fails
// if the script cannot follow the control rate of plan.
func (p *Policy) limit(config *configs.Config, plan *env.Plan) error {
	if p.script == nil {
		return nil
	}
	if p.script.times != nil {
		if err := plan.CheckSteady(); err != nil {
			return fmt.Errorf("policy %s: %w", p.name, err)
		}
	}
	if err := p.script.schedule(plan.Schedule().ControlRate()); err != nil {
		return usagef("policy %s: %w", p.name, err)
	}
	if config.MaxSteps == 0 || int64(config.MaxSteps) > p.script.steps {
		config.MaxSteps = int(p.script.steps)
	}
	return nil
}

// options returns how worlds of a configuration, with more bindings, are opened for the policy, to run so many
// episodes and, unless that is nil, for some seconds. It shortens the episodes of c to a script.
func (p *Policy) options(ctx context.Context, c *configs.Config, episodes int64, seconds *big.Rat,
	bindings ...sim.Binding) (opt env.OpenOptions, err error) {
	plan, err := env.NewPlan(c, bindings...)
	if err == nil {
		err = p.limit(c, plan)
	}
	if err != nil {
		return opt, err
	}
	opt = env.OpenOptions{Context: ctx, Plan: plan, Episodes: episodes, Accept: p.fits, Segment: driveSegment}
	if p.checkpoint != nil {
		opt.StepOffset = p.checkpoint.ControlSteps
	}
	if seconds != nil {
		err = plan.CheckSteady()
		opt.Steps = firstStep(seconds, plan.Schedule().ControlRate())
	}
	return opt, err
}

// fits returns an error unless the policy's observations and actions are those of spec.
func (p *Policy) fits(spec sim.Spec) (err error) {
	switch p.kind {
	case checkpointPolicy:
		err = policyFits(p.checkpoint.Policy(), spec)
	case scriptPolicy:
		err = p.script.fits(spec)
	}
	if err != nil {
		return usagef("policy %s: %w", p.name, err)
	}
	return nil
}

// In returns what chooses the policy's actions of the next step of a block of e, worlds of config. They change
// together.
func (p *Policy) In(e *env.Env, config *configs.Config) (func(*sim.Worker, *sim.Block) error, error) {
	return p.actor(e, config, &memory{})
}

type actor func(*sim.Worker, *sim.Block) error

// step takes a control step with these actions; it is a stepper.
func (act actor) step(w *sim.Worker, b *sim.Block) error {
	if err := act(w, b); err != nil {
		return err
	}
	return b.Step(w)
}

// memory is what a policy remembers of the running episodes, by row; not that of RandomPolicy, which the env has.
type memory struct {
	Steps  []int64   // of a script, those taken
	States []float32 // of a recurrent policy
}

// actor returns the policy as an actor in the worlds of e, with a memory, which it changes: that of
// a policy that acted before, or an empty one.
func (p *Policy) actor(e *env.Env, config *configs.Config, m *memory) (actor, error) {
	s := e.Sim()
	if err := p.fits(s.Spec()); err != nil {
		return nil, err
	}
	switch p.kind {
	case RandomPolicy:
		return func(_ *sim.Worker, b *sim.Block) error {
			e.SampleBlock(b)
			return nil
		}, nil
	case ZeroPolicy:
		return func(_ *sim.Worker, b *sim.Block) error {
			clear(b.Actions())
			return nil
		}, nil
	case scriptPolicy:
		if err := p.script.schedule(e.Plan().Schedule().ControlRate()); err != nil {
			return nil, err
		}
		err := remember(&m.Steps, s.Worlds())
		return p.script.actor(s, config.Autoreset == sim.NextStep, m.Steps), err
	}
	policy := p.checkpoint.Policy()
	err := remember(&m.States, s.Worlds()*policy.State())
	return actBy(policy, s, m.States), err
}

// remember makes a memory of so many values, unless there is one, which must have them.
func remember[T any](memory *[]T, size int) error {
	if *memory == nil {
		*memory = make([]T, size)
	}
	if len(*memory) != size {
		return fmt.Errorf("a memory of %d values, want %d", len(*memory), size)
	}
	return nil
}

// policyFits returns an error unless a trained policy's observations and actions are those of spec.
func policyFits(policy *rl.Policy, spec sim.Spec) error {
	if policy.Choices() != spec.Discrete {
		return fmt.Errorf("%s has %s, the policy has %s", spec.Name, kindOf(spec.Discrete), kindOf(policy.Choices()))
	}
	if policy.Observation() != spec.ObservationSize || policy.Action() != spec.ActionSize {
		return fmt.Errorf("%s has %d observed and %d action values, the policy has %d and %d",
			spec.Name, spec.ObservationSize, spec.ActionSize, policy.Observation(), policy.Action())
	}
	for _, p := range policy.Pictures() {
		if !slices.Contains(picturesOf(spec), p) {
			return fmt.Errorf("%s has no picture of %d × %d × %d values from value %d on, the policy has", spec.Name, p.Height,
				p.Width, p.Channels, p.First)
		}
	}
	return nil
}

func kindOf(choices int) string {
	if choices == 0 {
		return "continuous actions"
	}
	return fmt.Sprintf("%d choices", choices)
}

// actBy returns an actor that takes the most likely actions of a trained policy, which policyFits accepted. The state
// of a recurrent policy, in states by row, is zero where an episode begins.
func actBy(policy *rl.Policy, s *sim.Sim, states []float32) actor {
	scratch := make([]*rl.Scratch, s.Workers())
	for i := range scratch {
		scratch[i] = policy.NewScratch()
	}
	size := policy.State()
	return func(w *sim.Worker, b *sim.Block) error {
		state := states[b.Row()*size : (b.Row()+b.Len())*size]
		for i := range b.Len() {
			if b.Begins(i) {
				clear(state[i*size : (i+1)*size])
			}
		}
		return policy.Act(b.Actions(), b.Observations(), state, b.First(), scratch[w.Index()])
	}
}
