package gymnasium

import (
	"math"

	"github.com/polyrhythm-rl/polyrhythm/physics"
)

// HopperOptions are the constructor arguments of Gymnasium's task, by the same
// names. Frame skip and model file belong to the configuration.
type HopperOptions struct {
	ForwardRewardWeight                    float64    `yaml:"forward_reward_weight"`
	CtrlCostWeight                         float64    `yaml:"ctrl_cost_weight"`
	HealthyReward                          float64    `yaml:"healthy_reward"`
	TerminateWhenUnhealthy                 bool       `yaml:"terminate_when_unhealthy"`
	HealthyStateRange                      [2]float64 `yaml:"healthy_state_range"` // of every coordinate but x and z
	HealthyZRange                          [2]float64 `yaml:"healthy_z_range"`     // m
	HealthyAngleRange                      [2]float64 `yaml:"healthy_angle_range"` // rad
	ResetNoiseScale                        float64    `yaml:"reset_noise_scale"`
	ExcludeCurrentPositionsFromObservation bool       `yaml:"exclude_current_positions_from_observation"`
}

// DefaultHopperOptions are Gymnasium's defaults.
func DefaultHopperOptions() HopperOptions {
	return HopperOptions{
		ForwardRewardWeight:                    1,
		CtrlCostWeight:                         1e-3,
		HealthyReward:                          1,
		TerminateWhenUnhealthy:                 true,
		HealthyStateRange:                      [2]float64{-100, 100},
		HealthyZRange:                          [2]float64{0.7, math.Inf(1)},
		HealthyAngleRange:                      [2]float64{-0.2, 0.2},
		ResetNoiseScale:                        5e-3,
		ExcludeCurrentPositionsFromObservation: true,
	}
}

// NewHopper makes Hopper-v5, a walker of one leg, for a model compiled from
// hopper.xml, or one that begins with the same coordinates, in control steps of dt
// seconds.
func NewHopper(m physics.Model, dt float64, opt HopperOptions) (*PlanarWalker, error) {
	return newPlanarWalker(m, "Hopper-v5", dt, opt)
}
