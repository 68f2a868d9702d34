package rl

import (
	"fmt"
	"math"
)

// Schedule says how the learning rate develops.
type Schedule string

const (
	Constant Schedule = "constant" // stays as it is
	Linear   Schedule = "linear"   // falls to zero over Settings.TotalSteps
	Adaptive Schedule = "adaptive" // follows Settings.TargetKL, see the package comment
)

// Settings are the choices PPO leaves open. [DefaultSettings] gives values that
// suit small continuous control tasks; the zero value is not usable.
type Settings struct {
	Hidden     []int   // tanh units of each hidden layer, in both networks; default 64, 64
	InitialStd float64 // standard deviation of each action value at the start; default 1

	Steps     int // control steps of every world in one rollout; default 256
	Epochs    int // passes over a rollout; default 10
	Minibatch int // samples per gradient step, the last of an epoch may have fewer; default 64

	LearningRate float64  // default 3e-4
	Schedule     Schedule // default Linear
	TotalSteps   int64    // environment steps over all worlds after which Linear reaches zero; default 1,000,000

	Gamma  float64 // discount per control step; default 0.99
	Lambda float64 // of generalised advantage estimation; default 0.95

	Clip        float64 // ε of the clipped ratio; default 0.2
	ClipValue   bool    // also keep the value within Clip of the value at acting time; default true
	ValueWeight float64 // weight of the value loss; default 0.5
	Entropy     float64 // weight of the entropy bonus; default 0
	MaxGradNorm float64 // the gradient over all parameters is shortened to this; default 0.5
	TargetKL    float64 // Adaptive steers to it; else an epoch above 1.5 times it ends the update, 0 for never; default 0

	NormaliseObservations bool // standardise by running moments, clipped to ±10; default true
	NormaliseAdvantages   bool // standardise within each minibatch; default true
	ScaleRewards          bool // divide by the running deviation of the discounted return, clipped to ±10; default true
}

// DefaultSettings returns the default of every setting.
func DefaultSettings() Settings {
	return Settings{
		Hidden:     []int{64, 64},
		InitialStd: 1,

		Steps:     256,
		Epochs:    10,
		Minibatch: 64,

		LearningRate: 3e-4,
		Schedule:     Linear,
		TotalSteps:   1_000_000,

		Gamma:  0.99,
		Lambda: 0.95,

		Clip:        0.2,
		ClipValue:   true,
		ValueWeight: 0.5,
		MaxGradNorm: 0.5,

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

// Validate names the first setting that cannot be used.
func (s Settings) Validate() error {
	if len(s.Hidden) > maxLayers {
		return fmt.Errorf("rl: %d hidden layers, want at most %d", len(s.Hidden), maxLayers)
	}
	for _, units := range s.Hidden {
		if units < 1 || units > maxUnits {
			return fmt.Errorf("rl: hidden layer of %d units, want 1 to %d", units, maxUnits)
		}
	}
	switch s.Schedule {
	case Constant, Linear, Adaptive:
	default:
		return fmt.Errorf("rl: learning rate schedule %q, want %q, %q or %q", s.Schedule, Constant, Linear, Adaptive)
	}
	for _, c := range []struct {
		name  string
		value int64
		max   int64
	}{
		{"Steps", int64(s.Steps), maxSteps}, {"Epochs", int64(s.Epochs), maxSteps},
		{"Minibatch", int64(s.Minibatch), math.MaxInt32}, {"TotalSteps", s.TotalSteps, math.MaxInt64},
	} {
		if c.value < 1 || c.value > c.max {
			return fmt.Errorf("rl: %s is %d, want 1 to %d", c.name, c.value, c.max)
		}
	}
	type bound struct {
		name     string
		value    float64
		positive bool // or may be zero
		max      float64
	}
	for _, c := range []bound{
		{"InitialStd", s.InitialStd, true, 1e3},
		{"LearningRate", s.LearningRate, true, 1},
		{"Gamma", s.Gamma, false, 1},
		{"Lambda", s.Lambda, false, 1},
		{"Clip", s.Clip, true, 1e3},
		{"ValueWeight", s.ValueWeight, false, 1e6},
		{"Entropy", s.Entropy, false, 1e6},
		{"MaxGradNorm", s.MaxGradNorm, true, 1e6},
		{"TargetKL", s.TargetKL, s.Schedule == Adaptive, 1e3},
	} {
		switch {
		case c.positive && !(c.value > 0 && c.value <= c.max):
			return fmt.Errorf("rl: %s is %g, want more than 0, at most %g", c.name, c.value, c.max)
		case !(c.value >= 0 && c.value <= c.max):
			return fmt.Errorf("rl: %s is %g, want 0 to %g", c.name, c.value, c.max)
		}
	}
	return nil
}
