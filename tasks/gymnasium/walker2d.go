package gymnasium

import "github.com/polyrhythm-rl/polyrhythm/physics"

// Walker2dOptions are the constructor arguments of Gymnasium's task, by the same
// names. Frame skip and model file belong to the configuration.
type Walker2dOptions struct {
	ForwardRewardWeight                    float64    `yaml:"forward_reward_weight"`
	CtrlCostWeight                         float64    `yaml:"ctrl_cost_weight"`
	HealthyReward                          float64    `yaml:"healthy_reward"`
	TerminateWhenUnhealthy                 bool       `yaml:"terminate_when_unhealthy"`
	HealthyZRange                          [2]float64 `yaml:"healthy_z_range"`     // m
	HealthyAngleRange                      [2]float64 `yaml:"healthy_angle_range"` // rad
	ResetNoiseScale                        float64    `yaml:"reset_noise_scale"`
	ExcludeCurrentPositionsFromObservation bool       `yaml:"exclude_current_positions_from_observation"`
}

// DefaultWalker2dOptions are Gymnasium's defaults.
func DefaultWalker2dOptions() Walker2dOptions {
	return Walker2dOptions{
		ForwardRewardWeight:                    1,
		CtrlCostWeight:                         1e-3,
		HealthyReward:                          1,
		TerminateWhenUnhealthy:                 true,
		HealthyZRange:                          [2]float64{0.8, 2},
		HealthyAngleRange:                      [2]float64{-1, 1},
		ResetNoiseScale:                        5e-3,
		ExcludeCurrentPositionsFromObservation: true,
	}
}

// NewWalker2d makes Walker2d-v5, a walker of two legs, for a model compiled from
// walker2d_v5.xml, or one that begins with the same coordinates, in control steps
// of dt seconds.
func NewWalker2d(m physics.Model, dt float64, opt Walker2dOptions) (*PlanarWalker, error) {
	return newPlanarWalker(m, "Walker2d-v5", dt, HopperOptions{
		ForwardRewardWeight:                    opt.ForwardRewardWeight,
		CtrlCostWeight:                         opt.CtrlCostWeight,
		HealthyReward:                          opt.HealthyReward,
		TerminateWhenUnhealthy:                 opt.TerminateWhenUnhealthy,
		HealthyStateRange:                      unlimited,
		HealthyZRange:                          opt.HealthyZRange,
		HealthyAngleRange:                      opt.HealthyAngleRange,
		ResetNoiseScale:                        opt.ResetNoiseScale,
		ExcludeCurrentPositionsFromObservation: opt.ExcludeCurrentPositionsFromObservation,
	})
}
