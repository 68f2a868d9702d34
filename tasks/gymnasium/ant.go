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
	robot
	opt      AntOptions
	skip     int          // positions left out of the observation
	main     physics.Span // position of the main body, in the derived values
	contacts physics.Span // forces on each body, the world's first
}

// NewAnt makes the task for a model compiled from ant.xml, or one that begins with
// the same coordinates, in control steps of dt seconds.
func NewAnt(m physics.Model, dt float64, opt AntOptions) (*Ant, error) {
	t := &Ant{opt: opt}
	n := t.of(m, "Ant-v5", dt, 3, 1)
	n.noise(opt.ResetNoiseScale)
	t.main = n.bodyOption("main_body", opt.MainBody)
	t.contacts = n.derived("cfrc_ext")
	t.spec.ObservationSize = t.qpos.Len + t.qvel.Len
	if opt.ExcludeCurrentPositionsFromObservation {
		t.skip = 2
		t.spec.ObservationSize -= t.skip
	}
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
		n.fail(fmt.Errorf("%s is %d; want a body's name or its number, below %d", option, which, all.Len/3))
	default:
		n.fail(fmt.Errorf("%s is %v; want a body's name or its number", option, which))
	}
	return physics.Span{}
}

// Reset adds uniform noise to the positions and normal noise to the velocities.
func (t *Ant) Reset(w *sim.World) {
	r := w.Random(sim.ResetDraws)
	qpos, qvel := t.coordinates(w)
	addUniform(qpos, r, t.opt.ResetNoiseScale)
	addNormal(qvel, r, t.opt.ResetNoiseScale)
}

// Observe is the positions, without x and y unless asked for, the velocities, and
// unless told otherwise the contact forces on each body but the world, clipped.
func (t *Ant) Observe(w *sim.World, dst []float64) {
	qpos, qvel := t.coordinates(w)
	if w.Steps() == 0 {
		copy(w.Memory(), t.main.In(w.Derived()))
		tellPosition(w, qpos)
	}
	n := copy(dst, qpos[t.skip:])
	n += copy(dst[n:], qvel)
	if t.opt.IncludeCfrcExtInObservation {
		for i, f := range t.contacts.In(w.Derived())[forces:] {
			dst[n+i] = limited(f, t.opt.ContactForceRange)
		}
	}
}

// Reward is the main body's mean forward velocity over the step and a bonus while
// healthy, less control cost and contact cost.
func (t *Ant) Reward(w *sim.World) (reward float64, terminated bool) {
	qpos, _ := t.coordinates(w)
	now, before := t.main.In(w.Derived()), w.Memory()
	vx, vy := (now[0]-before[0])/t.dt, (now[1]-before[1])/t.dt
	copy(w.Memory(), now)
	action, _, _ := w.Action()
	healthy := t.opt.HealthyZRange[0] <= qpos[2] && qpos[2] <= t.opt.HealthyZRange[1]

	forward := float64(vx * t.opt.ForwardRewardWeight)
	survive := 0.0
	if healthy {
		survive = t.opt.HealthyReward
	}
	ctrl := actionCost(t.opt.CtrlCostWeight, action)
	contact := float64(t.opt.ContactCostWeight * sum(t.contacts.In(w.Derived()), func(f float64) float64 {
		f = limited(f, t.opt.ContactForceRange)
		return float64(f * f)
	}))
	tellPosition(w, qpos)
	copy(w.Info()[3:], []float64{vx, vy, forward, -ctrl, -contact, survive})
	return forward + survive - (ctrl + contact), !healthy && t.opt.TerminateWhenUnhealthy
}
