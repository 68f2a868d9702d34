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
