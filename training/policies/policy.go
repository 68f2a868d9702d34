package policies

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/rl"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/usage"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// The kinds of policies. Those without a file have the kind as their name.
const (
	Random     = "random"     // each action drawn uniformly between its bounds
	Zero       = "zero"       // each action 0
	Checkpoint = "checkpoint" // the most likely actions of a trained policy
	Script     = "script"     // the actions of a table
	ONNX       = "onnx"       // those of another program's policy
)

// Policy chooses the actions of a rollout: random ones, zeros, those of a checkpoint, of a script or of another program's
// policy. One rollout may use it at a time.
type Policy struct {
	kind       string             // Random, Zero, Checkpoint, Script or ONNX
	name       string             // the argument of Open, for errors
	contents   []byte             // of its file, if it has one
	checkpoint *rundir.Checkpoint // of Checkpoint
	script     *script            // of Script
	network    *network           // of ONNX
}

// Open opens a policy by its name: [Random], [Zero], what [rundir.ReadCheckpoint] reads, the path of a script, which ends
// in .csv, or that of an ONNX model, which ends in .onnx, with the adapter beside it, if there is one.
func Open(name string) (*Policy, error) {
	if name == Random || name == Zero {
		return &Policy{kind: name, name: name}, nil
	}
	if _, err := os.Stat(name); err != nil && !rundir.IsBuiltin(name) {
		return nil, usage.Errorf("policy is %s, want %s, %s, a checkpoint, a script that ends in .csv, or a model that ends in "+
			"%s: %w", name, Random, Zero, onnxEnding, err)
	}
	if filepath.Ext(name) == onnxEnding {
		return openONNX(name)
	}
	if filepath.Ext(name) == ".csv" {
		contents, err := disk.ReadFile(name, disk.MaxWhole)
		if err != nil {
			return nil, err
		}
		return Parse(Script, name, contents)
	}
	c, err := rundir.ReadCheckpoint(name)
	if err != nil {
		return nil, err
	}
	return Of(c), nil
}

// Of returns the policy of a checkpoint.
func Of(c *rundir.Checkpoint) *Policy {
	return &Policy{kind: Checkpoint, name: c.Path, contents: c.Contents, checkpoint: c}
}

// Parse reads a policy of the given kind, which errors call name, from the contents of its file.
func Parse(kind, name string, contents []byte) (p *Policy, err error) {
	p = &Policy{kind: kind, name: name, contents: contents}
	switch kind {
	case Random, Zero:
		p.contents = nil
	case Checkpoint:
		p.checkpoint, err = rundir.ParseCheckpoint(name, contents)
	case Script:
		if p.script, err = parseScript(bytes.NewReader(contents)); err != nil {
			err = fmt.Errorf("script %s: %w", name, err)
		}
	case ONNX:
		if p.network, err = parseONNX(contents); err != nil {
			err = fmt.Errorf("policy %s: %w", name, err)
		}
	default:
		err = fmt.Errorf("%s: the policy is %q, want %s, %s, %s, %s or %s", name, kind, Random, Zero,
			Checkpoint, Script, ONNX)
	}
	return p, err
}

// Kind returns what the policy is: Random, Zero, Checkpoint, Script or ONNX.
func (p *Policy) Kind() string { return p.kind }

// Name returns the argument of Open.
func (p *Policy) Name() string { return p.name }

// Contents returns the bytes of the policy's file, nil without one; those of a model have its adapter among its
// properties. They are the policy's.
func (p *Policy) Contents() []byte { return p.contents }

// Checkpoint returns the checkpoint whose policy it is; nil for the other kinds.
func (p *Policy) Checkpoint() *rundir.Checkpoint { return p.checkpoint }

// Limit shortens the episodes of config to the policy's script, if it is one, and fails
// if the script cannot follow the control rate of plan.
func (p *Policy) Limit(config *configs.Config, plan *env.Plan) error {
	if p.script == nil {
		return nil
	}
	if p.script.times != nil {
		if err := plan.CheckSteady(); err != nil {
			return fmt.Errorf("policy %s: %w", p.name, err)
		}
	}
	if err := p.script.schedule(plan.Schedule().ControlRate()); err != nil {
		return usage.Errorf("policy %s: %w", p.name, err)
	}
	if config.MaxSteps == 0 || int64(config.MaxSteps) > p.script.steps {
		config.MaxSteps = int(p.script.steps)
	}
	return nil
}

// Fits returns an error unless the policy's observations and actions are those of spec.
func (p *Policy) Fits(spec sim.Spec) (err error) {
	switch p.kind {
	case Checkpoint:
		err = CheckFit(p.checkpoint.Policy(), spec)
	case Script:
		err = p.script.fits(spec)
	case ONNX:
		_, err = p.network.fit(spec)
	}
	if err != nil {
		return usage.Errorf("policy %s: %w", p.name, err)
	}
	return nil
}

// In returns what chooses the policy's actions of the next step of a block of e, worlds of config. They change
// together.
func (p *Policy) In(e *env.Env, config *configs.Config) (func(*sim.Worker, *sim.Block) error, error) {
	return p.Actor(e, config, &Memory{})
}

// Actor chooses and writes the actions of the next step of a block. Each block is its caller's alone; several blocks may
// be chosen for at once.
type Actor func(*sim.Worker, *sim.Block) error

// Step takes a control step with these actions; it is a stepper.
func (act Actor) Step(w *sim.Worker, b *sim.Block) error {
	if err := act(w, b); err != nil {
		return err
	}
	return b.Step(w)
}

// Memory is what a policy remembers of the running episodes, by row; not that of Random, which the env has.
type Memory struct {
	Steps  []int64   // of a script, those taken
	States []float32 // of a recurrent policy, and what an adapter keeps
}

// Actor returns the policy as an actor in the worlds of e, with a memory, which it changes: that of
// a policy that acted before, or an empty one.
func (p *Policy) Actor(e *env.Env, config *configs.Config, m *Memory) (Actor, error) {
	s := e.Sim()
	if err := p.Fits(s.Spec()); err != nil {
		return nil, err
	}
	switch p.kind {
	case Random:
		return func(_ *sim.Worker, b *sim.Block) error {
			e.SampleBlock(b)
			return nil
		}, nil
	case Zero:
		return func(_ *sim.Worker, b *sim.Block) error {
			clear(b.Actions())
			return nil
		}, nil
	case Script:
		if err := p.script.schedule(e.Plan().Schedule().ControlRate()); err != nil {
			return nil, err
		}
		err := remember(&m.Steps, s.Worlds())
		return p.script.actor(s, config.Autoreset == sim.NextStep, m.Steps), err
	case ONNX:
		f, err := p.network.fit(s.Spec())
		if err == nil {
			err = remember(&m.States, s.Worlds()*f.states)
		}
		if err != nil {
			return nil, err
		}
		return f.actor(s, m.States), nil
	}
	policy := p.checkpoint.Policy()
	err := remember(&m.States, s.Worlds()*policy.State())
	return NewActor(policy, s, m.States), err
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

// CheckFit returns an error unless a trained policy's observations and actions are those of spec.
func CheckFit(policy *rl.Policy, spec sim.Spec) error {
	if err := CheckActions(policy.Action(), policy.Choices(), spec); err != nil {
		return err
	}
	if policy.Observation() != spec.ObservationSize {
		return fmt.Errorf("it observes %d values, want the %d of %s", policy.Observation(), spec.ObservationSize, spec.Name)
	}
	for _, p := range policy.Pictures() {
		if !slices.Contains(Pictures(spec), p) {
			return fmt.Errorf("it reads a picture of %d × %d × %d values from value %d on, which %s has not", p.Height, p.Width,
				p.Channels, p.First, spec.Name)
		}
	}
	return nil
}

// CheckActions returns an error unless actions of so many values, or each one of so many choices, are those of spec.
// choices is 0 where they are none, and -1 where that is not known.
func CheckActions(size, choices int, spec sim.Spec) error {
	switch {
	case choices >= 0 && choices != spec.Discrete:
		return fmt.Errorf("it has %s, want %s as %s has", actionKind(choices), actionKind(spec.Discrete), spec.Name)
	case size != spec.ActionSize:
		return fmt.Errorf("it has %d action values, want the %d of %s", size, spec.ActionSize, spec.Name)
	}
	return nil
}

// actionKind says what actions are: continuous, or one of so many choices.
func actionKind(choices int) string {
	if choices == 0 {
		return "continuous actions"
	}
	return fmt.Sprintf("%d choices", choices)
}

// NewActor returns an actor that takes the most likely actions of a trained policy, which CheckFit accepted. The state
// of a recurrent policy, in states by row, is zero where an episode begins.
func NewActor(policy *rl.Policy, s *sim.Sim, states []float32) Actor {
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

// Pictures are the pictures of an observation.
func Pictures(spec sim.Spec) (list []rl.Picture) {
	for _, p := range spec.Pictures {
		list = append(list, rl.Picture{First: p.First, Height: p.Height, Width: p.Width, Channels: p.Channels})
	}
	return list
}
