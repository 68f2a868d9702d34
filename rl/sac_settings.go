package rl

import (
	"cmp"
	"fmt"
	"math"

	"github.com/polyrhythm-rl/polyrhythm/internal/bounds"
	"github.com/polyrhythm-rl/polyrhythm/policy"
)

// Algorithm is how a policy is learned.
type Algorithm string

// The algorithms.
const (
	AlgorithmPPO Algorithm = "ppo" // also the meaning of ""
	AlgorithmSAC Algorithm = "sac"

	// AlgorithmDistill is PPO with another loss of the policy, see [Teacher].
	AlgorithmDistill Algorithm = "distill"

	// AlgorithmClone learns by the same loss from what was recorded, see [Recorded].
	AlgorithmClone Algorithm = "clone"

	// AlgorithmTD3BC learns from what was recorded and how it was rewarded, see [RecordedRewards].
	AlgorithmTD3BC Algorithm = "td3bc"
)

// String returns the name of the algorithm.
func (a Algorithm) String() string { return string(cmp.Or(a, AlgorithmPPO)) }

// Offline reports whether a policy is learned from what was recorded, and no world is stepped for it.
func (a Algorithm) Offline() bool { return a == AlgorithmClone || a == AlgorithmTD3BC }

// offPolicy reports whether a policy is learned from a replay, by [SAC] or [TD3BC].
func (a Algorithm) offPolicy() bool { return a == AlgorithmSAC || a == AlgorithmTD3BC }

// imitates reports whether a policy learns what another one would do, or did.
func (a Algorithm) imitates() bool { return a == AlgorithmDistill || a == AlgorithmClone }

// SACSettings are the choices that SAC leaves open, and TD3+BC but for the replay and what steers the entropy. Beside
// them both follow Settings.TotalSteps, Gamma, NormaliseObservations and MemoryMB, SAC also Symmetry, and no other of
// PPO's. The zero value of each means the default, which belongs to tasks such as those of MuJoCo.
type SACSettings struct {
	Segment     int     `yaml:"segment,omitempty"`      // control steps of every world in one iteration; 0: 16
	Minibatch   int     `yaml:"minibatch,omitempty"`    // transitions per gradient step; 0: 256
	UpdateRatio float64 `yaml:"update_ratio,omitempty"` // gradient steps per environment step; 0: 1
	// environment steps whose actions are drawn uniformly, before any gradient step; 0: 10,000
	RandomSteps int64 `yaml:"random_steps,omitempty"`
	Replay      int64 `yaml:"replay,omitempty"` // transitions that are kept, over all worlds; 0: 1,000,000

	LearningRate float64 `yaml:"learning_rate,omitempty"` // of Adam; 0: 3e-4
	// of Adam for the critics; 0: LearningRate
	CriticRate float64 `yaml:"critic_learning_rate,omitempty"`
	// of both learning rates: constant, or linear over Settings.TotalSteps; "": constant
	Schedule Schedule `yaml:"schedule,omitempty" json:",omitempty"`
	// length to which the gradient of all critics, and that of the policy, is shortened; 0: they stay as they are
	MaxGradNorm float64 `yaml:"max_grad_norm,omitempty" json:",omitempty"`
	// most pixels by which each picture that is learned from is shifted, anew each time; 0: none
	RandomShift int     `yaml:"random_shift,omitempty" json:",omitempty"`
	TargetRate  float64 `yaml:"target_rate,omitempty"`  // τ, how far a target goes to its critic in a step; 0: 0.005
	PolicyEvery int     `yaml:"policy_every,omitempty"` // steps of the critics per step of the policy; 0: 1, of td3bc 2
	Steps       int     `yaml:"n_step,omitempty"`       // rewards that a target sums up; 0: 1

	// entropy to which the temperature is steered, nats; not given: -1 for each action value
	TargetEntropy *float64 `yaml:"target_entropy,omitempty"`
	Temperature   float64  `yaml:"temperature,omitempty"` // weight of the entropy at the start; 0: 1
	// the temperature stays as it is at the start
	FixedTemperature bool `yaml:"fixed_temperature,omitempty" json:",omitempty"`

	Critics int `yaml:"critics,omitempty"` // number; 0: 2
	// critics, drawn for each step, whose least value is the target; 0: all
	TargetCritics int `yaml:"target_critics,omitempty"`

	// values of each critic, quantiles of the return whose mean is its value; 0: 1, the mean alone
	Quantiles int `yaml:"quantiles,omitempty" json:",omitempty"`

	Hidden       []int      `yaml:"hidden,flow,omitempty"`        // units of the policy's hidden layers; none: [256, 256]
	CriticHidden []int      `yaml:"critic_hidden,flow,omitempty"` // of each critic's; none: as Hidden
	Activation   Activation `yaml:"activation,omitempty"`         // after each hidden layer; "": relu
	LayerNorm    bool       `yaml:"layer_norm,omitempty"`         // the critics normalise before each activation
	Dropout      float64    `yaml:"dropout,omitempty"`            // probability that a critic drops a hidden output

	// of td3bc: α, what the critics' value counts beside the distance from what was done; 0 clones; not given: 2.5
	ValueWeight *float64 `yaml:"value_weight,omitempty"`
}

// filled returns the settings with every default.
func (s SACSettings) filled() SACSettings {
	s.Segment = cmp.Or(s.Segment, 16)
	s.Minibatch = cmp.Or(s.Minibatch, 256)
	s.UpdateRatio = cmp.Or(s.UpdateRatio, 1)
	s.RandomSteps = cmp.Or(s.RandomSteps, 10_000)
	s.Replay = cmp.Or(s.Replay, 1_000_000)
	s.LearningRate = cmp.Or(s.LearningRate, 3e-4)
	s.CriticRate = cmp.Or(s.CriticRate, s.LearningRate)
	s.Schedule = cmp.Or(s.Schedule, Constant)
	s.TargetRate = cmp.Or(s.TargetRate, 0.005)
	s.PolicyEvery = cmp.Or(s.PolicyEvery, 1)
	s.Steps = cmp.Or(s.Steps, 1)
	s.Temperature = cmp.Or(s.Temperature, 1)
	s.Critics = cmp.Or(s.Critics, 2)
	s.TargetCritics = cmp.Or(s.TargetCritics, s.Critics)
	s.Quantiles = cmp.Or(s.Quantiles, 1)
	if len(s.Hidden) == 0 {
		s.Hidden = []int{256, 256}
	}
	if len(s.CriticHidden) == 0 {
		s.CriticHidden = s.Hidden
	}
	s.Activation = cmp.Or(s.Activation, ReLU)
	return s
}

// targetEntropy is the entropy to which the temperature is steered, for actions of so many values.
func (s SACSettings) targetEntropy(action int) float64 {
	if s.TargetEntropy != nil {
		return *s.TargetEntropy
	}
	return -float64(action)
}

// The bounds of the log standard deviations of SAC's policy: the code of Haarnoja et al. 2018.
const (
	sacLogStdMin = -20
	sacLogStdMax = 2
)

// ofPolicy returns the settings that say how a policy acts, in terms of PPO's.
func (s *Settings) ofPolicy() *Settings {
	if !s.Algorithm.offPolicy() {
		return s
	}
	o := s.SAC.filled()
	return &Settings{Algorithm: s.Algorithm, SAC: s.SAC, Hidden: o.Hidden, Activation: o.Activation,
		Convolutions: s.Convolutions, StateStd: s.Algorithm == AlgorithmSAC, MinStd: math.Exp(sacLogStdMin), MaxStd: math.Exp(sacLogStdMax)}
}

// memoryMB is the meaning of a Settings.MemoryMB of 0.
const memoryMB = 4096

func (s *Settings) memoryMB() int { return cmp.Or(s.MemoryMB, memoryMB) }

// Most is what no sensible setting comes near.
const (
	maxCritics = 64
	maxRatio   = 64
	maxReplay  = 1 << 31

	maxQuantiles = 512
	maxShift     = 64
)

// Validate names the first setting that cannot be used, by its key in yaml.
func (s SACSettings) Validate() error {
	var c bounds.Check
	o := s.filled()
	c.Whole("segment", int64(o.Segment), 1, maxSteps)
	c.Whole("minibatch", int64(o.Minibatch), 1, maxSteps)
	c.Above("update_ratio", o.UpdateRatio, 0, maxRatio)
	c.Whole("random_steps", o.RandomSteps, 1, math.MaxInt64)
	c.Whole("replay", o.Replay, 1, maxReplay)
	c.Above("learning_rate", o.LearningRate, 0, 1)
	c.Above("critic_learning_rate", o.CriticRate, 0, 1)
	c.OneOf("schedule", string(o.Schedule), string(Constant), string(Linear))
	c.Number("max_grad_norm", s.MaxGradNorm, 0, 1e6)
	c.Whole("random_shift", int64(o.RandomShift), 0, maxShift)
	c.Above("target_rate", o.TargetRate, 0, 1)
	c.Whole("policy_every", int64(o.PolicyEvery), 1, maxSteps)
	c.Whole("n_step", int64(o.Steps), 1, maxSteps)
	if s.TargetEntropy != nil {
		c.Number("target_entropy", *s.TargetEntropy, -1e6, 1e6)
		if s.FixedTemperature {
			c.Fail("target_entropy is %v, want none with fixed_temperature, which no entropy steers", *s.TargetEntropy)
		}
	}
	c.Above("temperature", o.Temperature, 0, 1e6)
	c.Whole("critics", int64(o.Critics), 1, maxCritics)
	c.Whole("target_critics", int64(o.TargetCritics), 1, maxCritics)
	if o.TargetCritics > o.Critics {
		c.Fail("target_critics is %d, want at most critics, which is %d", o.TargetCritics, o.Critics)
	}
	c.Whole("quantiles", int64(o.Quantiles), 1, maxQuantiles)
	checkLayers(&c, "hidden", s.Hidden)
	checkLayers(&c, "critic_hidden", s.CriticHidden)
	if s.Activation != "" {
		c.OneOf("activation", string(s.Activation), string(policy.Tanh), string(policy.ELU), string(policy.ReLU))
	}
	c.Number("dropout", s.Dropout, 0, 0.9)
	if s.ValueWeight != nil {
		c.Number("value_weight", *s.ValueWeight, 0, 1e6)
	}
	return c.Err()
}

// checkRandomSteps returns an error if SAC would learn nothing after so many environment steps.
func (s *Settings) checkRandomSteps(envSteps int64) error {
	random := s.SAC.filled().RandomSteps
	if s.Algorithm != AlgorithmSAC || s.TotalSteps-envSteps >= random {
		return nil
	}
	if envSteps > 0 {
		return fmt.Errorf("steps is %d, want at least sac.random_steps, which is %d, more than the %d that the checkpoint "+
			"has taken: nothing is learnt before", s.TotalSteps, random, envSteps)
	}
	return fmt.Errorf("steps is %d, want at least sac.random_steps, which is %d: nothing is learnt before", s.TotalSteps,
		random)
}

// validateSAC names the first thing that SAC cannot learn in worlds of this shape.
func (s *Settings) validateSAC(shape Shape) error {
	var c bounds.Check
	is, want := s.Algorithm, AlgorithmPPO
	if is.Offline() {
		want = AlgorithmClone
	}
	if shape.Choices > 0 {
		c.Fail("algorithm is %s, want %s: the actions are choices", is, want)
	}
	for i, low := range shape.ActionLow {
		if high := shape.ActionHigh[i]; math.IsInf(low, 0) || math.IsInf(high, 0) {
			c.Fail("algorithm is %s, want %s: action value %d has the bounds %g and %g, and %s wants finite ones", is, want, i,
				low, high, is)
			break
		}
	}
	if s.Recurrent != 0 {
		c.Fail("recurrent is %d, want 0 with algorithm %s", s.Recurrent, is)
	}
	if n := s.SAC.filled().Quantiles; is.Offline() && n > 1 {
		c.Fail("sac.quantiles is %d, want 1 with algorithm %s", n, is)
	}
	if is.Offline() && s.Symmetry.Weight != 0 {
		c.Fail("symmetry.weight is %v, want 0 with algorithm %s", s.Symmetry.Weight, is)
	}
	if _, err := newMirror(s.Symmetry, shape.Policy.Within(shape.Observation).Size, shape.Action); err != nil {
		c.Fail("%w", err)
	}
	if err := s.checkConvolutions(shape); err != nil {
		c.Fail("%w", err)
	}
	if n := len(s.Convolutions); n > 0 && s.Symmetry.Weight != 0 {
		c.Fail("symmetry.weight is %v, want 0 with algorithm %s and %d convolutions", s.Symmetry.Weight, is, n)
	} else if n == 0 && s.SAC.RandomShift != 0 {
		c.Fail("sac.random_shift is %d, want 0 without convolutions", s.SAC.RandomShift)
	}
	if is.Offline() { // the replay is what was recorded
		return c.Err()
	}
	if err := s.checkRandomSteps(0); err != nil {
		c.Fail("%w", err)
	}
	o := s.SAC.filled()
	each := int64(max(o.Steps, 2)) // of two rows, one may be the final observation of an episode that was cut off
	if least := int64(shape.Worlds) * each; o.Replay < least {
		c.Fail("sac.replay is %d, want at least %d, %d for each of %d worlds", o.Replay, least, each, shape.Worlds)
	}
	if bytes, most := replayBytes(s.seenIn(shape), o), int64(s.memoryMB())<<20; bytes > most {
		c.Fail("memory_mb is %d, want at least %d for a replay of %d transitions", s.memoryMB(), (bytes+1<<20-1)>>20,
			o.Replay)
	}
	return c.Err()
}
