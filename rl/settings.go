package rl

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"

	"github.com/polyrhythm-rl/polyrhythm/internal/bounds"
	"github.com/polyrhythm-rl/polyrhythm/policy"
)

// Schedule says how the learning rate develops.
type Schedule string

const (
	Constant Schedule = "constant" // stays as it is
	Linear   Schedule = "linear"   // falls to zero over Settings.TotalSteps
	Adaptive Schedule = "adaptive" // follows Settings.TargetKL, see the package comment
)

// Activation is the function after each hidden layer of the networks.
type Activation = policy.Activation

const (
	Tanh = policy.Tanh // hyperbolic tangent, also the meaning of ""
	ELU  = policy.ELU  // x above 0, e^x - 1 below
	ReLU = policy.ReLU // max(x, 0)
)

// Settings are the choices PPO leaves open. [DefaultSettings] gives values that
// suit small continuous control tasks; the zero value is not usable. The yaml tags are
// the keys under training of a configuration, the json tags those in a checkpoint.
type Settings struct {
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
	TargetKL    float64 `yaml:"target_kl"`     // Adaptive steers to it; else an epoch above 1.5 times it ends the update, 0 for never

	Hidden     []int   `yaml:"hidden,flow"` // units of each hidden layer, in both networks
	InitialStd float64 `yaml:"initial_std"` // standard deviation of each action value at the start

	NormaliseObservations bool `yaml:"normalise_observations"` // standardise by running moments, clipped to ±10
	NormaliseAdvantages   bool `yaml:"normalise_advantages"`   // standardise within each minibatch
	ScaleRewards          bool `yaml:"scale_rewards"`          // divide by the running deviation of the discounted return, clipped to ±10

	// The zero value of each of these leaves it out.
	Activation   Activation `yaml:"activation,omitempty" json:",omitempty"`          // after each hidden layer; "" is Tanh
	PolicyHidden []int      `yaml:"policy_hidden,flow,omitempty" json:",omitempty"`  // for the policy in place of Hidden, if there are any
	CriticHidden []int      `yaml:"critic_hidden,flow,omitempty" json:",omitempty"`  // likewise for the value network
	MinStd       float64    `yaml:"min_std,omitempty" json:",omitempty"`             // least standard deviation of an action value; 0: none
	MaxStd       float64    `yaml:"max_std,omitempty" json:",omitempty"`             // greatest; 0: none
	StateStd     bool       `yaml:"state_dependent_std,omitempty" json:",omitempty"` // the network gives the standard deviations, for each observation its own
	Symmetry     Symmetry   `yaml:"symmetry,omitempty" json:",omitzero"`
	Recurrent    int        `yaml:"recurrent,omitempty" json:",omitempty"` // units of a GRU before the hidden layers of both networks, each its own
	Sequence     int        `yaml:"sequence,omitempty" json:",omitempty"`  // control steps through which a gradient passes back, with Recurrent; 0: 32
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

// Symmetry is a mirror symmetry of a task: an action that suits an observation, mirrored,
// suits the mirrored observation. Weight is that of the mean squared distance, in the
// action's own unit, between the policy's mean action and the mirror image of its mean
// action for the mirrored observation; 0: none.
type Symmetry struct {
	Weight      float64 `yaml:"weight"`
	Observation Mirror  `yaml:"observation,omitempty" json:",omitzero"` // of what the policy reads
	Action      Mirror  `yaml:"action,omitempty" json:",omitzero"`
}

// Mirror is a reflection of vectors: the two values of each pair of Swap change places,
// and then the values of Negate their signs. Indices begin at 0. The values of a pair
// change their signs together or not at all, so that the mirror image of a mirror
// image is the vector itself.
type Mirror struct {
	Swap   [][]int `yaml:"swap,flow,omitempty" json:",omitempty"`
	Negate []int   `yaml:"negate,flow,omitempty" json:",omitempty"`
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
	c.Number("min_std", s.MinStd, 0, 0)
	c.Number("max_std", s.MaxStd, 0, 0)
	c.Number("symmetry.weight", s.Symmetry.Weight, 0, 0)
	if err := c.Err(); err != nil && !s.StateStd {
		return fmt.Errorf("%w: the actions are choices", err)
	}
	return c.Err()
}

// Limits that no sensible setting comes near. They bound the memory a damaged
// or hostile checkpoint can ask for.
const (
	maxLayers = 16
	maxUnits  = 1 << 14
	maxSteps  = 1 << 20
	minStd    = 1e-6
	maxStd    = 1e3
)

// Validate names the first setting that cannot be used, by its key in yaml.
func (s Settings) Validate() error {
	var c bounds.Check
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
	c.Whole("hidden: the number of layers", int64(len(s.Hidden)), 0, maxLayers)
	checkLayers(&c, "hidden", s.Hidden)
	checkLayers(&c, "policy_hidden", s.PolicyHidden)
	checkLayers(&c, "critic_hidden", s.CriticHidden)
	if s.Activation != "" {
		c.OneOf("activation", string(s.Activation), string(Tanh), string(ELU), string(ReLU))
	}
	c.Number("initial_std", s.InitialStd, minStd, maxStd)
	s.validateStds(&c)
	c.Part("symmetry", s.Symmetry.validate())
	c.Whole("recurrent", int64(s.Recurrent), 0, maxUnits)
	c.Whole("sequence", int64(s.Sequence), 0, maxSteps)
	return c.Err()
}

func checkLayers(c *bounds.Check, key string, hidden []int) {
	c.Whole(key+": the number of layers", int64(len(hidden)), 0, maxLayers)
	for i, units := range hidden {
		c.Whole(fmt.Sprintf("%s[%d]", key, i), int64(units), 1, maxUnits)
	}
}

// validateStds checks the bounds of the standard deviations, and that the first ones lie
// within.
func (s *Settings) validateStds(c *bounds.Check) {
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
}

// headerOrder is the order of the settings in a checkpoint's header. It is part of the
// format.
var headerOrder = []string{
	"Hidden", "InitialStd", "Steps", "Epochs", "Minibatch", "LearningRate", "Schedule", "TotalSteps", "Gamma", "Lambda",
	"Clip", "ClipValue", "ValueWeight", "Entropy", "MaxGradNorm", "TargetKL",
	"NormaliseObservations", "NormaliseAdvantages", "ScaleRewards",
}

// headerOptions follow in this order, where they are not left out. A header that has one
// of them is of version 2.
var headerOptions = []string{
	"Activation", "PolicyHidden", "CriticHidden", "MinStd", "MaxStd", "StateStd", "Symmetry", "Recurrent", "Sequence",
}

// plain reports whether all of headerOptions are left out.
func (s *Settings) plain() bool {
	return (s.Activation == "" || s.Activation == Tanh) && len(s.PolicyHidden)+len(s.CriticHidden) == 0 &&
		s.MinStd == 0 && s.MaxStd == 0 && !s.StateStd && s.Symmetry.none() && s.Recurrent == 0 && s.Sequence == 0
}

// MarshalJSON writes the settings in the order of a checkpoint's header.
func (s Settings) MarshalJSON() ([]byte, error) {
	type plain Settings // without this method
	if s.Activation == Tanh {
		s.Activation = ""
	}
	text, err := json.Marshal(plain(s))
	if err != nil {
		return nil, err
	}
	var values map[string]json.RawMessage
	if err := json.Unmarshal(text, &values); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	for i, key := range headerOrder {
		between := byte(',')
		if i == 0 {
			between = '{'
		}
		out.WriteByte(between)
		fmt.Fprintf(&out, "%q:%s", key, values[key])
	}
	for _, key := range headerOptions {
		if value, ok := values[key]; ok {
			fmt.Fprintf(&out, ",%q:%s", key, value)
		}
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}
