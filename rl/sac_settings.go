package rl

import (
	"cmp"
	"math"

	"github.com/polyrhythm-rl/polyrhythm/internal/bounds"
	"github.com/polyrhythm-rl/polyrhythm/policy"
)

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
