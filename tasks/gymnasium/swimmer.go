package gymnasium

import (
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// SwimmerOptions are the constructor arguments of Gymnasium's task, by the same
// names. Frame skip and model file belong to the configuration.
type SwimmerOptions struct {
	ForwardRewardWeight                    float64 `yaml:"forward_reward_weight"`
	CtrlCostWeight                         float64 `yaml:"ctrl_cost_weight"`
	ResetNoiseScale                        float64 `yaml:"reset_noise_scale"`
	ExcludeCurrentPositionsFromObservation bool    `yaml:"exclude_current_positions_from_observation"`
}

// DefaultSwimmerOptions are Gymnasium's defaults.
func DefaultSwimmerOptions() SwimmerOptions {
	return SwimmerOptions{
		ForwardRewardWeight:                    1,
		CtrlCostWeight:                         1e-4,
		ResetNoiseScale:                        0.1,
		ExcludeCurrentPositionsFromObservation: true,
	}
}

// Swimmer is Swimmer-v5: a chain of links in a viscous fluid, rewarded for speed
// along x less the cost of its torques. It never terminates.
type Swimmer struct {
	locomotion
	opt SwimmerOptions
}

// NewSwimmer makes the task for a model compiled from swimmer.xml, or one that
// begins with the same coordinates, in control steps of dt seconds.
func NewSwimmer(m physics.Model, dt float64, opt SwimmerOptions) (*Swimmer, error) {
	t := &Swimmer{opt: opt}
	n := t.of(m, "Swimmer-v5", dt, 2, 1, start{opt.ResetNoiseScale, addUniform, 2, opt.ExcludeCurrentPositionsFromObservation})
	t.spec.MemorySize = 2 // x and y at the last control instant, m
	t.spec.InfoNames = []string{
		"x_position", "y_position", "distance_from_origin",
		"x_velocity", "y_velocity", "reward_forward", "reward_ctrl",
	}
	t.spec.ResetInfoNames = t.spec.InfoNames[:3]
	return t, n.err
}

// Observe is the positions, without x and y unless asked for, and the velocities.
func (t *Swimmer) Observe(w *sim.World, dst []float64) {
	if w.Steps() == 0 {
		qpos, _ := t.coordinates(w)
		copy(w.Memory(), qpos[:2])
		writePosition(w, qpos)
	}
	t.observe(w, dst)
}

// Reward is the mean forward velocity over the step less the control cost.
func (t *Swimmer) Reward(w *sim.World) (reward float64, terminated bool) {
	qpos, _ := t.coordinates(w)
	v := t.speed(w, qpos[:2])
	action, _, _ := w.Action()

	forward := float64(t.opt.ForwardRewardWeight * v[0])
	cost := actionCost(t.opt.CtrlCostWeight, action)
	writePosition(w, qpos)
	info := w.Info()[3:]
	info[0], info[1], info[2], info[3] = v[0], v[1], forward, -cost
	return forward - cost, false
}
