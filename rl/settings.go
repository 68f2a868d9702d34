package rl

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"

	"github.com/polyrhythm-rl/polyrhythm/internal/bounds"
)

// Schedule says how the learning rate develops.
type Schedule string

const (
	Constant Schedule = "constant" // stays as it is
	Linear   Schedule = "linear"   // falls to zero over Settings.TotalSteps
	Adaptive Schedule = "adaptive" // follows Settings.TargetKL, see the package comment
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

	Hidden     []int   `yaml:"hidden,flow"` // tanh units of each hidden layer, in both networks
	InitialStd float64 `yaml:"initial_std"` // standard deviation of each action value at the start

	NormaliseObservations bool `yaml:"normalise_observations"` // standardise by running moments, clipped to ±10
	NormaliseAdvantages   bool `yaml:"normalise_advantages"`   // standardise within each minibatch
	ScaleRewards          bool `yaml:"scale_rewards"`          // divide by the running deviation of the discounted return, clipped to ±10
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

// Limits that no sensible setting comes near. They bound the memory a damaged
// or hostile checkpoint can ask for.
const (
	maxLayers = 16
	maxUnits  = 1 << 14
	maxSteps  = 1 << 20
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
	for i, units := range s.Hidden {
		c.Whole(fmt.Sprintf("hidden[%d]", i), int64(units), 1, maxUnits)
	}
	c.Number("initial_std", s.InitialStd, 1e-6, 1e3)
	return c.Err()
}

// headerOrder is the order of the settings in a checkpoint's header. It is part of the
// format.
var headerOrder = []string{
	"Hidden", "InitialStd", "Steps", "Epochs", "Minibatch", "LearningRate", "Schedule", "TotalSteps", "Gamma", "Lambda",
	"Clip", "ClipValue", "ValueWeight", "Entropy", "MaxGradNorm", "TargetKL",
	"NormaliseObservations", "NormaliseAdvantages", "ScaleRewards",
}

// MarshalJSON writes the settings in the order of a checkpoint's header.
func (s Settings) MarshalJSON() ([]byte, error) {
	type plain Settings // without this method
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
	out.WriteByte('}')
	return out.Bytes(), nil
}
