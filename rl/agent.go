package rl

import (
	"fmt"
	"math"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/internal/memory"
	"github.com/polyrhythm-rl/polyrhythm/rl/nn"
)

// agent is what a [Collector] and a learner have in common: the networks, and how rollouts are laid out.
type agent struct {
	shape    Shape
	settings Settings
	seed     uint64

	// params is the policy's parameters, then the value network's; policy.params is the beginning of it.
	params []float32
	policy *Policy
	value  nn.Network
	mirror *mirror   // of the policy; nil without a symmetry
	std    []float32 // exponential of policy.logStd

	group     nn.Grouping
	sequences int // of a rollout of the worlds of shape
}

// newAgent checks shape and settings, and leaves the parameters zero.
func newAgent(shape Shape, settings Settings, seed uint64) (agent, error) {
	if err := shape.validate(); err != nil {
		return agent{}, err
	}
	shape.Policy, shape.Critic = shape.Policy.Within(shape.Observation), shape.Critic.Within(shape.Observation)
	err := settings.Validate()
	if err == nil {
		err = settings.checkChunk()
	}
	if err == nil && shape.Choices > 0 {
		err = settings.validateChoices()
	}
	if err == nil {
		err = settings.checkConvolutions(shape)
	}
	if err != nil {
		return agent{}, SettingsError{err}
	}
	shape = settings.seenIn(shape)
	if samples := int64(settings.RolloutSteps) * int64(shape.Worlds); samples > math.MaxInt32 {
		return agent{}, fmt.Errorf("rl: a rollout of %d samples (%d worlds × %d steps), want at most %d",
			samples, shape.Worlds, settings.RolloutSteps, math.MaxInt32)
	}
	settings.Hidden = slices.Clone(settings.Hidden)
	a := agent{
		shape: shape, settings: settings, seed: seed,
		value: valueNet(shape, &settings), group: newGrouping(&settings), sequences: settings.sequences(shape.Worlds),
	}
	if a.mirror, err = newMirror(settings.Symmetry, shape.Policy.Size, shape.Action); err != nil {
		return agent{}, SettingsError{err}
	}
	return a, nil
}

// checkRollouts is the check of an algorithm that learns from whole rollouts.
func checkRollouts(shape Shape, settings Settings) (need memory.Need, err error) {
	a, err := newAgent(shape, settings, 0)
	if err != nil {
		return need, err
	}
	need = memoryNeed(a.shape, settings)
	what := fmt.Sprintf("rl: the networks and rollouts of %d worlds × %d steps", shape.Worlds, settings.RolloutSteps)
	return need, memory.Check(what, need)
}

// rolloutParameters are those of an algorithm that learns from whole rollouts: of the policy and the value network.
func rolloutParameters(shape Shape, s *Settings) (params, targets int) {
	return policySize(shape, s) + valueNet(shape, s).Parameters(), 0
}

// allocate makes the memory of the networks, which a copy of a then shares.
func (a *agent) allocate() {
	nn.OneThread()
	if a.mirror != nil {
		m := *a.mirror
		m.scale, m.shift = slices.Clone(m.scale), slices.Clone(m.shift)
		a.mirror = &m
	}
	a.params = make([]float32, policySize(a.shape, &a.settings)+a.value.Parameters())
	a.policy = newPolicy(a.params, a.shape, &a.settings)
	a.std = make([]float32, a.policy.actions.Free())
}

// acts is the number of action values that are learned from each observation.
func (a *agent) acts() int { return a.settings.acts(a.shape) }

// samples is the number of control steps in a rollout, over all worlds.
func (a *agent) samples() int { return a.settings.RolloutSteps * a.shape.Worlds }

func (a *agent) valueParams() []float32 { return a.params[len(a.policy.params):] }

// setStd sets std.
func (a *agent) setStd() {
	for i, v := range a.policy.logStd() {
		a.std[i] = float32(math.Exp(float64(v)))
	}
}

// A rollout is cut into sequences, consecutive control steps of one world, which an update
// never tears apart: the gradient of a GRU passes back through one of them, from where the
// state before it was kept when acting. Without a GRU each sample is a sequence.

// What is worth a chunk of its own.
const (
	minChunkRows   = 64 // samples, and at least minChunkInStep sequences
	minChunkInStep = 16
)

func newGrouping(s *Settings) nn.Grouping {
	length := s.sequence()
	return nn.Grouping{Minibatch: max(1, s.Minibatch/length), Least: max(minChunkInStep, minChunkRows/length),
		Length: length}
}

// sequences is the number of sequences of a rollout.
func (s *Settings) sequences(worlds int) int {
	length := s.sequence()
	return (s.RolloutSteps + length - 1) / length * worlds
}

// sequenceOf is the number of the sequence that a sample belongs to.
func (a *agent) sequenceOf(sample int) int {
	worlds := a.shape.Worlds
	return sample/worlds/a.group.Length*worlds + sample%worlds
}

// lengthFrom is the number of samples of the sequence that begins with a sample.
func (a *agent) lengthFrom(sample int32) int {
	return min(a.group.Length, a.settings.RolloutSteps-int(sample)/a.shape.Worlds)
}

// states are the states of the GRUs in several worlds, one row each; empty without.
type states struct {
	policy, value []float32
	image         []float32 // with a symmetry, of the policy that sees the mirror images
}

func (a *agent) newStates(worlds int) states {
	units := a.settings.Recurrent
	s := states{policy: make([]float32, worlds*units), value: make([]float32, worlds*units)}
	if a.mirror != nil {
		s.image = make([]float32, len(s.policy))
	}
	return s
}

// rows returns those of so many worlds from first on; they share memory.
func (s states) rows(a *agent, first, worlds int) states {
	units := a.settings.Recurrent
	part := func(all []float32) []float32 {
		if len(all) == 0 {
			return nil
		}
		return all[first*units : (first+worlds)*units : (first+worlds)*units]
	}
	return states{part(s.policy), part(s.value), part(s.image)}
}

// set takes over the values of other ones of the same size.
func (s states) set(other states) {
	copy(s.policy, other.policy)
	copy(s.value, other.value)
	copy(s.image, other.image)
}

// list returns a copy of the values, one array after the other.
func (s states) list() []float32 { return slices.Concat(s.policy, s.value, s.image) }

// setList takes over the values of a list of the same size.
func (s states) setList(list []float32) error {
	if got, want := len(list), len(s.policy)+len(s.value)+len(s.image); got != want {
		return fmt.Errorf("states of %d values, want %d", got, want)
	}
	for _, part := range [][]float32{s.policy, s.value, s.image} {
		list = list[copy(part, list):]
	}
	return nil
}

// CutStates cuts the states of so many worlds, from first on, out of those of all worlds, see [Memory]: what
// [Collector.SetStates] takes.
func (s *Settings) CutStates(list []float32, all, first, worlds int) []float32 {
	if s.Recurrent == 0 {
		return nil
	}
	var part []float32
	for network := range slices.Chunk(list, all*s.Recurrent) {
		part = append(part, network[first*s.Recurrent:(first+worlds)*s.Recurrent]...)
	}
	return part
}

// clear sets them to the beginning of an episode.
func (s states) clear() {
	clear(s.policy)
	clear(s.value)
	clear(s.image)
}

const single, double = 4, 8 // bytes

// memoryNeed is about what a learner takes, its collector included.
func memoryNeed(shape Shape, s Settings) memory.Need {
	policy, value := policyNet(shape, &s), valueNet(shape, &s)
	params := policySize(shape, &s) + value.Parameters()
	group, sequences := newGrouping(&s), s.sequences(shape.Worlds)
	minibatch := min(group.Minibatch, sequences)
	inSequence := group.MostPerChunk(minibatch)
	rows, images := inSequence*group.Length, 0 // of a chunk; those of mirror images are of the policy alone
	if s.Symmetry.Weight > 0 {
		images = rows
	}
	chunk := 2 * (rows*(policy.RowValues()+value.RowValues()) + images*policy.RowValues())
	chunk += policy.EncoderValues(rows+images, true) + value.EncoderValues(rows, true)
	chunk += rows * 2 * (1 + 2*max(s.acts(shape), shape.Choices)) // scores
	if h := s.Recurrent; h > 0 {                                  // see GRUWork
		networks := 2
		chunk += rows * (policy.Cell.Inputs + value.Cell.Inputs)
		if images > 0 { // the policy's is there once more
			networks++
			chunk += rows * policy.Cell.Inputs
		}
		chunk += networks * h * (11*rows + 4*inSequence)
	}
	n := collectorNeed(shape, s).Go
	n += int64(params) * int64(5+group.Chunks(minibatch)) * single // Adam's means, kept twice as they are, and gradients
	n += int64(s.RolloutSteps) * int64(shape.Worlds) * 3 * single
	n += int64(shape.Workers) * int64(chunk) * single
	n += int64(shape.Worlds) * 2 * int64(s.Recurrent) * single // states
	return memory.Need{Go: n}
}

// collectorNeed is about what a collector takes.
func collectorNeed(shape Shape, s Settings) memory.Need {
	policy, value := policyNet(shape, &s), valueNet(shape, &s)
	samples, worlds, h := int64(s.RolloutSteps)*int64(shape.Worlds), int64(shape.Worlds), int64(s.Recurrent)
	n := int64(policySize(shape, &s)+value.Parameters()) * single
	n += samples * (int64(shape.Observation+s.acts(shape)+3)*single + double + 1)
	row := int64(policy.RowValues()+value.RowValues()+2*(policy.Inputs()+value.Inputs())) + 3*8*h
	n += int64(shape.Workers) * PanelHeight * row * single
	n += int64(shape.Workers) * int64(policy.EncoderValues(1, false)+value.EncoderValues(1, false)) * single
	networks := int64(2) // with states
	if s.Symmetry.Weight > 0 {
		networks++
	}
	n += (int64(s.sequences(shape.Worlds)) + worlds) * networks * h * single
	n += worlds * int64(2*shape.moments()+8) * double
	return memory.Need{Go: n}
}
