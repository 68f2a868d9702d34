package gymnasium

import (
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// HalfCheetahOptions are the constructor arguments of Gymnasium's task, by the
// same names. Frame skip and model file belong to the configuration.
type HalfCheetahOptions struct {
	ForwardRewardWeight                    float64 `yaml:"forward_reward_weight"`
	CtrlCostWeight                         float64 `yaml:"ctrl_cost_weight"`
	ResetNoiseScale                        float64 `yaml:"reset_noise_scale"`
	ExcludeCurrentPositionsFromObservation bool    `yaml:"exclude_current_positions_from_observation"`
}

// DefaultHalfCheetahOptions are Gymnasium's defaults.
func DefaultHalfCheetahOptions() HalfCheetahOptions {
	return HalfCheetahOptions{
		ForwardRewardWeight:                    1,
		CtrlCostWeight:                         0.1,
		ResetNoiseScale:                        0.1,
		ExcludeCurrentPositionsFromObservation: true,
	}
}

// HalfCheetah is HalfCheetah-v5: a planar two-legged runner, rewarded for speed
// along x less the cost of its torques. It never terminates.
type HalfCheetah struct {
	locomotion
	opt HalfCheetahOptions
}

// NewHalfCheetah makes the task for a model compiled from half_cheetah.xml, or
// one with its coordinates, in control steps of dt seconds.
func NewHalfCheetah(m physics.Model, dt float64, opt HalfCheetahOptions) (*HalfCheetah, error) {
	t := &HalfCheetah{opt: opt}
	n := t.of(m, "HalfCheetah-v5", dt, 1, 1, start{opt.ResetNoiseScale, addNormal, 1, opt.ExcludeCurrentPositionsFromObservation})
	t.spec.MemorySize = 1 // x at the last control instant, m
	t.spec.InfoNames = []string{"x_position", "x_velocity", "reward_forward", "reward_ctrl"}
	t.spec.ResetInfoNames = t.spec.InfoNames[:1]
	return t, n.err
}

// Observe is the positions, without x unless asked for, and the velocities.
func (t *HalfCheetah) Observe(w *sim.World, dst []float64) {
	if w.Steps() == 0 {
		qpos, _ := t.coordinates(w)
		w.Memory()[0], w.Info()[0] = qpos[0], qpos[0]
	}
	t.observe(w, dst)
}

// Reward is the mean forward velocity over the step less the control cost.
func (t *HalfCheetah) Reward(w *sim.World) (reward float64, terminated bool) {
	qpos, _ := t.coordinates(w)
	velocity := t.speed(w, qpos[:1])[0]
	action, _, _ := w.Action()

	forward := float64(t.opt.ForwardRewardWeight * velocity)
	cost := actionCost(t.opt.CtrlCostWeight, action)
	info := w.Info()
	info[0], info[1], info[2], info[3] = qpos[0], velocity, forward, -cost
	return forward - cost, false
}
