package rl

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/internal/bounds"
	"github.com/polyrhythm-rl/polyrhythm/policy"
)

// Settings are the choices PPO leaves open, and in SAC those of SAC. [DefaultSettings] gives values that
// suit small continuous control tasks; the zero value is not usable. The yaml tags are
// the keys under training of a configuration, the json tags those in a checkpoint.
type Settings struct {
	Algorithm Algorithm `yaml:"algorithm,omitempty" json:",omitempty"` // "" is AlgorithmPPO

	TotalSteps int64 `yaml:"steps"` // environment steps to learn for, over all worlds: Linear reaches zero there

	RolloutSteps int `yaml:"segment" json:"Steps"` // control steps of every world in one rollout
	Epochs       int `yaml:"epochs"`               // passes over a rollout
	Minibatch    int `yaml:"minibatch"`            // samples per gradient step; the last of an epoch may have fewer

	LearningRate float64  `yaml:"learning_rate"` // Adam's step size
	Schedule     Schedule `yaml:"schedule"`

	Gamma  float64 `yaml:"gamma"`  // discount per control step
	Lambda float64 `yaml:"lambda"` // of generalised advantage estimation

	Clip        float64 `yaml:"clip"`          // ε of the clipped ratio
	ClipValue   bool    `yaml:"clip_value"`    // also keep the value within Clip of the value at acting time
	ValueWeight float64 `yaml:"value_weight"`  // weight of the value loss
	Entropy     float64 `yaml:"entropy"`       // weight of the entropy bonus
	MaxGradNorm float64 `yaml:"max_grad_norm"` // the gradient over all parameters is shortened to this
	// Adaptive steers to it; else an epoch above 1.5 times it ends the update, 0 for never
	TargetKL float64 `yaml:"target_kl"`

	Hidden     []int   `yaml:"hidden,flow"` // units of each hidden layer, in both networks
	InitialStd float64 `yaml:"initial_std"` // standard deviation of each action value at the start

	NormaliseObservations bool `yaml:"normalise_observations"` // standardise by running moments, clipped to ±10
	NormaliseAdvantages   bool `yaml:"normalise_advantages"`   // standardise within each minibatch
	// divide by the running deviation of the discounted return, clipped to ±10
	ScaleRewards bool `yaml:"scale_rewards"`

	// Settings from here on are left out of a configuration and of a checkpoint where they have their zero value.

	// after each hidden layer; "" is Tanh
	Activation Activation `yaml:"activation,omitempty" json:",omitempty"`
	// for the policy in place of Hidden, if there are any
	PolicyHidden []int `yaml:"policy_hidden,flow,omitempty" json:",omitempty"`
	CriticHidden []int `yaml:"critic_hidden,flow,omitempty" json:",omitempty"` // likewise for the value network
	// least standard deviation of an action value; 0: none
	MinStd float64 `yaml:"min_std,omitempty" json:",omitempty"`
	MaxStd float64 `yaml:"max_std,omitempty" json:",omitempty"` // greatest; 0: none
	// the network gives the standard deviations, for each observation its own
	StateStd bool     `yaml:"state_dependent_std,omitempty" json:",omitempty"`
	Symmetry Symmetry `yaml:"symmetry,omitempty" json:",omitzero"`
	// units of a GRU before the hidden layers of both networks, each its own
	Recurrent int `yaml:"recurrent,omitempty" json:",omitempty"`
	// layers that read pictures before all others, in each network its own; see [Shape.Pictures]
	Convolutions []Convolution `yaml:"convolutions,flow,omitempty" json:",omitempty"`
	// actions that a policy decides on at once and carries out one after the other, by AlgorithmClone; 0: 1
	ChunkSize int `yaml:"chunk_size,omitempty" json:",omitempty"`
	// control steps through which a gradient passes back, with Recurrent; 0: 32
	Sequence int `yaml:"sequence,omitempty" json:",omitempty"`

	// most that SAC's replay may take, MiB; 0: 4096
	MemoryMB int         `yaml:"memory_mb,omitempty" json:",omitempty"`
	SAC      SACSettings `yaml:"sac,omitempty" json:",omitzero"`
}

// defaultSequence is the meaning of a Sequence of 0.
const defaultSequence = 32

// sequence is the number of control steps of the sequences that rollouts are cut into; 1
// without Recurrent. The last sequence of a rollout may be shorter.
func (s *Settings) sequence() int {
	if s.Recurrent == 0 {
		return 1
	}
	return min(cmp.Or(s.Sequence, defaultSequence), s.RolloutSteps)
}

// chunk is the number of actions that a policy decides on at once.
func (s *Settings) chunk() int { return max(1, s.ChunkSize) }

// acts is the number of action values that are learned from each observation.
func (s *Settings) acts(shape Shape) int { return shape.Action * s.chunk() }

// checkChunk returns an error if chunks of actions are wanted of an algorithm that has none. [Settings.Validate] does
// not, as train clone sets the algorithm after it has read a configuration.
func (s *Settings) checkChunk() error {
	if s.chunk() > 1 && s.Algorithm != AlgorithmClone {
		return fmt.Errorf("chunk_size is %d with algorithm %s, want 1, or algorithm %s", s.ChunkSize, s.Algorithm,
			AlgorithmClone)
	}
	return nil
}

// learnsBy returns an error unless the algorithm is the one of a learner.
func (s *Settings) learnsBy(own Algorithm) error {
	if is := s.Algorithm.definition().name; is != own {
		return SettingsError{fmt.Errorf("algorithm is %s, want %s", is, own)}
	}
	return nil
}

// layers returns the hidden layers of the policy and of the value network.
func (s *Settings) layers() (policy, critic []int) {
	policy, critic = s.Hidden, s.Hidden
	if len(s.PolicyHidden) > 0 {
		policy = s.PolicyHidden
	}
	if len(s.CriticHidden) > 0 {
		critic = s.CriticHidden
	}
	return policy, critic
}

// DefaultSettings returns the default of every setting.
func DefaultSettings() Settings {
	return Settings{
		TotalSteps:   1_000_000,
		RolloutSteps: 64,
		Epochs:       10,
		Minibatch:    512,

		LearningRate: 3e-4,
		Schedule:     Linear,

		Gamma:  0.99,
		Lambda: 0.95,

		Clip:        0.2,
		ClipValue:   true,
		ValueWeight: 0.5,
		MaxGradNorm: 0.5,

		Hidden:     []int{64, 64},
		InitialStd: 1,

		NormaliseObservations: true,
		NormaliseAdvantages:   true,
		ScaleRewards:          true,
	}
}

// validateChoices names the first setting that a policy of choices cannot follow.
func (s *Settings) validateChoices() error {
	var c bounds.Check
	if s.StateStd {
		c.Fail("state_dependent_std is true, want false: the actions are choices")
	}
	if s.chunk() > 1 {
		c.Fail("chunk_size is %d, want 1: the actions are choices", s.ChunkSize)
	}
	for _, setting := range []struct {
		key   string
		value float64
	}{{"min_std", s.MinStd}, {"max_std", s.MaxStd}, {"symmetry.weight", s.Symmetry.Weight}} {
		if setting.value != 0 {
			c.Fail("%s is %v, want 0 to 0: the actions are choices", setting.key, setting.value)
		}
	}
	return c.Err()
}

// Validate names the first setting that cannot be used, by its key in yaml.
func (s Settings) Validate() error {
	var c bounds.Check
	var names []string
	for _, known := range algorithms() {
		names = append(names, string(known.name))
	}
	c.OneOf("algorithm", s.Algorithm.String(), names...)
	if s.Algorithm.definition().imitates && s.Schedule == Adaptive {
		c.Fail("schedule is %s, want %s or %s with algorithm %s, which has no divergence to follow", Adaptive, Constant,
			Linear, s.Algorithm)
	}
	c.Whole("steps", s.TotalSteps, 1, math.MaxInt64)
	c.Whole("segment", int64(s.RolloutSteps), 1, maxSteps)
	c.Whole("epochs", int64(s.Epochs), 1, maxSteps)
	c.Whole("minibatch", int64(s.Minibatch), 1, math.MaxInt32)
	c.Above("learning_rate", s.LearningRate, 0, 1)
	c.OneOf("schedule", string(s.Schedule), string(Constant), string(Linear), string(Adaptive))
	c.Number("gamma", s.Gamma, 0, 1)
	c.Number("lambda", s.Lambda, 0, 1)
	c.Above("clip", s.Clip, 0, 1e3)
	c.Number("value_weight", s.ValueWeight, 0, 1e6)
	c.Number("entropy", s.Entropy, 0, 1e6)
	c.Above("max_grad_norm", s.MaxGradNorm, 0, 1e6)
	if s.Schedule == Adaptive {
		c.Above("target_kl", s.TargetKL, 0, 1e3)
	} else {
		c.Number("target_kl", s.TargetKL, 0, 1e3)
	}
	checkLayers(&c, "hidden", s.Hidden)
	checkLayers(&c, "policy_hidden", s.PolicyHidden)
	checkLayers(&c, "critic_hidden", s.CriticHidden)
	if s.Activation != "" {
		c.OneOf("activation", string(s.Activation), string(Tanh), string(ELU), string(ReLU))
	}
	c.Number("initial_std", s.InitialStd, minStd, maxStd)
	if s.MinStd != 0 {
		c.Number("min_std", s.MinStd, minStd, maxStd)
	}
	if s.MaxStd != 0 {
		c.Number("max_std", s.MaxStd, minStd, maxStd)
	}
	if s.MinStd > 0 && s.InitialStd < s.MinStd {
		c.Fail("min_std is %v, want at most initial_std, which is %v", s.MinStd, s.InitialStd)
	}
	if s.MaxStd > 0 && s.InitialStd > s.MaxStd {
		c.Fail("max_std is %v, want at least initial_std, which is %v", s.MaxStd, s.InitialStd)
	}
	c.Part("symmetry", s.Symmetry.validate())
	if err := policy.CheckConvolutions(s.Convolutions); err != nil {
		c.Fail("convolutions%w", err)
	}
	c.Whole("recurrent", int64(s.Recurrent), 0, maxUnits)
	c.Whole("sequence", int64(s.Sequence), 0, maxSteps)
	c.Whole("chunk_size", int64(s.ChunkSize), 0, maxChunk)
	if s.chunk() > 1 && s.Recurrent > 0 {
		c.Fail("recurrent is %d, want 0 with a chunk_size of %d", s.Recurrent, s.ChunkSize)
	}
	if s.chunk() > 1 && s.Symmetry.Weight > 0 {
		c.Fail("symmetry.weight is %v, want 0 with a chunk_size of %d", s.Symmetry.Weight, s.ChunkSize)
	}
	c.Whole("memory_mb", int64(s.MemoryMB), 0, maxMemoryMB)
	c.Part("sac", s.SAC.Validate())
	return c.Err()
}

// Convolution is a layer that reads pictures, see [Settings].
type Convolution = policy.Convolution

// checkConvolutions returns an error, which begins with the key, unless the convolutions of s fit the pictures of a
// shape.
func (s *Settings) checkConvolutions(shape Shape) error {
	if len(s.Convolutions) == 0 {
		return nil
	}
	if s.Algorithm.definition().plainPictures {
		return fmt.Errorf("convolutions: %d given, want none with algorithm %s", len(s.Convolutions), s.Algorithm)
	}
	policyColumns, criticColumns := shape.Policy.Within(shape.Observation), shape.Critic.Within(shape.Observation)
	seen, valued := shape.picturesOf(policyColumns), shape.picturesOf(criticColumns)
	read := slices.Concat(seen, valued)
	if len(read) == 0 {
		return fmt.Errorf("convolutions: %d given, want none: nothing that is observed is a picture",
			len(s.Convolutions))
	}
	if s.Algorithm.definition().sharesEncoder {
		same := len(seen) == len(valued)
		for i := 0; same && i < len(seen); i++ {
			seen[i].First += policyColumns.First
			valued[i].First += criticColumns.First
			same = seen[i] == valued[i]
		}
		if len(seen) == 0 || len(valued) > 0 && !same {
			return fmt.Errorf("convolutions: %d given with algorithm %s, whose policy reads %d pictures and whose critics read %d "+
				"others, want critics that read the policy's pictures or none", len(s.Convolutions), s.Algorithm, len(seen),
				len(valued))
		}
	}
	if _, err := policy.Stacks(read, s.Convolutions); err != nil {
		return fmt.Errorf("convolutions%w", err)
	}
	return nil
}

// seenIn returns the shape with its pictures where convolutions read them; else they are values as others.
func (s *Settings) seenIn(shape Shape) Shape {
	if len(s.Convolutions) == 0 {
		shape.Pictures, shape.ByteFactors = nil, nil
	}
	return shape
}

// stepped are the convolutions with their strides.
func (s *Settings) stepped() []Convolution {
	list := slices.Clone(s.Convolutions)
	for i := range list {
		list[i].Stride = list[i].Step()
	}
	return list
}
