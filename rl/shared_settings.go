package rl

import (
	"fmt"

	"github.com/polyrhythm-rl/polyrhythm/internal/bounds"
	"github.com/polyrhythm-rl/polyrhythm/policy"
)

// SettingsError is an error in the [Settings]. The wrapped error begins with the key.
type SettingsError struct{ Err error }

// Error implements error.
func (e SettingsError) Error() string { return "rl: settings: " + e.Err.Error() }

// Unwrap returns the wrapped error.
func (e SettingsError) Unwrap() error { return e.Err }

// Schedule says how the learning rate develops.
type Schedule string

const (
	Constant Schedule = "constant" // stays as it is
	Linear   Schedule = "linear"   // falls to zero over Settings.TotalSteps
	Adaptive Schedule = "adaptive" // follows Settings.TargetKL, see ppo.go
)

// Activation is the function after each hidden layer of the networks.
type Activation = policy.Activation

const (
	Tanh = policy.Tanh // hyperbolic tangent, also the meaning of ""
	ELU  = policy.ELU  // x above 0, e^x - 1 below
	ReLU = policy.ReLU // max(x, 0)
)

// Limits that no sensible setting comes near. They bound the memory a damaged
// or hostile checkpoint can ask for.
const (
	maxLayers = 16
	maxUnits  = 1 << 14
	maxChunk  = 1 << 10
	maxSteps  = 1 << 20

	maxMemoryMB = 1 << 24
	minStd      = 1e-6
	maxStd      = 1e3
)

func checkLayers(c *bounds.Check, key string, hidden []int) {
	c.Whole(key+": the number of layers", int64(len(hidden)), 0, maxLayers)
	for i, units := range hidden {
		c.Whole(fmt.Sprintf("%s[%d]", key, i), int64(units), 1, maxUnits)
	}
}
