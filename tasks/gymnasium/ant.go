package gymnasium

import (
	"fmt"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// AntOptions are the constructor arguments of Gymnasium's task, by the same names.
// Frame skip and model file belong to the configuration.
type AntOptions struct {
	ForwardRewardWeight                    float64    `yaml:"forward_reward_weight"`
	CtrlCostWeight                         float64    `yaml:"ctrl_cost_weight"`
	ContactCostWeight                      float64    `yaml:"contact_cost_weight"`
	HealthyReward                          float64    `yaml:"healthy_reward"`
	MainBody                               any        `yaml:"main_body"` // whose speed is rewarded: its number or its name
	TerminateWhenUnhealthy                 bool       `yaml:"terminate_when_unhealthy"`
	HealthyZRange                          [2]float64 `yaml:"healthy_z_range"`     // m, limits included
	ContactForceRange                      [2]float64 `yaml:"contact_force_range"` // N and N m
	ResetNoiseScale                        float64    `yaml:"reset_noise_scale"`
	ExcludeCurrentPositionsFromObservation bool       `yaml:"exclude_current_positions_from_observation"`
	IncludeCfrcExtInObservation            bool       `yaml:"include_cfrc_ext_in_observation"`
}

// DefaultAntOptions are Gymnasium's defaults.
func DefaultAntOptions() AntOptions {
	return AntOptions{
		ForwardRewardWeight:                    1,
		CtrlCostWeight:                         0.5,
		ContactCostWeight:                      5e-4,
		HealthyReward:                          1,
		MainBody:                               1,
		TerminateWhenUnhealthy:                 true,
		HealthyZRange:                          [2]float64{0.2, 1},
		ContactForceRange:                      [2]float64{-1, 1},
		ResetNoiseScale:                        0.1,
		ExcludeCurrentPositionsFromObservation: true,
		IncludeCfrcExtInObservation:            true,
	}
}

// Ant is Ant-v5: a torso on four legs, rewarded for the speed of its main body
// along x and for its height, less the costs of torques and of contact forces.
type Ant struct {
	locomotion
	opt      AntOptions
	main     physics.Span // position of the main body, in the derived values
	contacts physics.Span // forces on each body, the world's first
}

// NewAnt makes the task for a model compiled from ant.xml, or one that begins with
// the same coordinates, in control steps of dt seconds.
func NewAnt(m physics.Model, dt float64, opt AntOptions) (*Ant, error) {
	t := &Ant{opt: opt}
	n := t.of(m, "Ant-v5", dt, 3, 1, start{opt.ResetNoiseScale, addNormal, 2, opt.ExcludeCurrentPositionsFromObservation})
	t.main = n.bodyOption("main_body", opt.MainBody)
	t.contacts = n.derived("cfrc_ext")
	if opt.IncludeCfrcExtInObservation {
		t.spec.ObservationSize += t.contacts.Len - forces
	}
	t.spec.MemorySize = 2 // x and y of the main body at the last control instant, m
	t.spec.InfoNames = []string{
		"x_position", "y_position", "distance_from_origin",
		"x_velocity", "y_velocity", "reward_forward", "reward_ctrl", "reward_contact", "reward_survive",
	}
	t.spec.ResetInfoNames = t.spec.InfoNames[:3]
	return t, n.err
}

// bodyOption asks for the position of the body that an option gives by its number
// or its name.
func (n *needs) bodyOption(option string, which any) physics.Span {
	switch which := which.(type) {
	case string:
		return n.body(which)
	case int:
		all := n.derived("xpos")
		if which >= 0 && 3*which < all.Len {
			return physics.Span{Offset: all.Offset + 3*which, Len: 3}
		}
		n.fail(fmt.Errorf("%s is %d, want a body's name or its number, below %d", option, which, all.Len/3))
	default:
		n.fail(fmt.Errorf("%s is %v, want a body's name or its number", option, which))
	}
	return physics.Span{}
}

// Observe is the positions, without x and y unless asked for, the velocities, and
// unless told otherwise the contact forces on each body but the world, clipped.
func (t *Ant) Observe(w *sim.World, dst []float64) {
	if w.Steps() == 0 {
		copy(w.Memory(), t.main.In(w.Derived()))
		qpos, _ := t.coordinates(w)
		writePosition(w, qpos)
	}
	_, _, rest := t.observe(w, dst)
	if t.opt.IncludeCfrcExtInObservation {
		for i, f := range t.contacts.In(w.Derived())[forces:] {
			rest[i] = limited(f, t.opt.ContactForceRange)
		}
	}
}

// Reward is the main body's mean forward velocity over the step and a bonus while
// healthy, less control cost and contact cost.
func (t *Ant) Reward(w *sim.World) (reward float64, terminated bool) {
	qpos, _ := t.coordinates(w)
	v := t.speed(w, t.main.In(w.Derived())[:2])
	action, _, _ := w.Action()
	healthy := t.opt.HealthyZRange[0] <= qpos[2] && qpos[2] <= t.opt.HealthyZRange[1]

	forward := float64(v[0] * t.opt.ForwardRewardWeight)
	survive := 0.0
	if healthy {
		survive = t.opt.HealthyReward
	}
	ctrl := actionCost(t.opt.CtrlCostWeight, action)
	contact := float64(t.opt.ContactCostWeight * sum(t.contacts.In(w.Derived()), func(f float64) float64 {
		f = limited(f, t.opt.ContactForceRange)
		return float64(f * f)
	}))
	writePosition(w, qpos)
	copy(w.Info()[3:], []float64{v[0], v[1], forward, -ctrl, -contact, survive})
	return forward + survive - (ctrl + contact), !healthy && t.opt.TerminateWhenUnhealthy
}
