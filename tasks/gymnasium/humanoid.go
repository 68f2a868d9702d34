package gymnasium

import (
	"math"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// HumanoidOptions are the constructor arguments of Gymnasium's task, by the same
// names. Frame skip and model file belong to the configuration.
type HumanoidOptions struct {
	ForwardRewardWeight                    float64    `yaml:"forward_reward_weight"`
	CtrlCostWeight                         float64    `yaml:"ctrl_cost_weight"`
	ContactCostWeight                      float64    `yaml:"contact_cost_weight"`
	ContactCostRange                       [2]float64 `yaml:"contact_cost_range"`
	HealthyReward                          float64    `yaml:"healthy_reward"`
	TerminateWhenUnhealthy                 bool       `yaml:"terminate_when_unhealthy"`
	HealthyZRange                          [2]float64 `yaml:"healthy_z_range"` // m
	ResetNoiseScale                        float64    `yaml:"reset_noise_scale"`
	ExcludeCurrentPositionsFromObservation bool       `yaml:"exclude_current_positions_from_observation"`
	IncludeCinertInObservation             bool       `yaml:"include_cinert_in_observation"`
	IncludeCvelInObservation               bool       `yaml:"include_cvel_in_observation"`
	IncludeQfrcActuatorInObservation       bool       `yaml:"include_qfrc_actuator_in_observation"`
	IncludeCfrcExtInObservation            bool       `yaml:"include_cfrc_ext_in_observation"`
}

// DefaultHumanoidOptions are Gymnasium's defaults.
func DefaultHumanoidOptions() HumanoidOptions {
	return HumanoidOptions{
		ForwardRewardWeight:                    1.25,
		CtrlCostWeight:                         0.1,
		ContactCostWeight:                      5e-7,
		ContactCostRange:                       [2]float64{math.Inf(-1), 10},
		HealthyReward:                          5,
		TerminateWhenUnhealthy:                 true,
		HealthyZRange:                          [2]float64{1, 2},
		ResetNoiseScale:                        1e-2,
		ExcludeCurrentPositionsFromObservation: true,
		IncludeCinertInObservation:             true,
		IncludeCvelInObservation:               true,
		IncludeQfrcActuatorInObservation:       true,
		IncludeCfrcExtInObservation:            true,
	}
}

// Humanoid is Humanoid-v5: a body on two legs, rewarded for the speed of its centre
// of mass along x and for its height, less the costs of torques and of impacts.
type Humanoid struct {
	humanoidBody
	opt     HumanoidOptions
	masses  []float64    // of the bodies, kg
	mass    float64      // of all, kg
	centres physics.Span // of mass of each body, in the derived values
}

// NewHumanoid makes the task for a model compiled from humanoid.xml, or one that
// begins with the same coordinates, in control steps of dt seconds.
func NewHumanoid(m physics.Model, dt float64, opt HumanoidOptions) (*Humanoid, error) {
	t := &Humanoid{opt: opt}
	n := t.of(m, "Humanoid-v5", dt, opt.ResetNoiseScale, humanoidTerms{
		excludePositions: opt.ExcludeCurrentPositionsFromObservation,
		inertia:          opt.IncludeCinertInObservation,
		velocity:         opt.IncludeCvelInObservation,
		actuator:         opt.IncludeQfrcActuatorInObservation,
		impacts:          opt.IncludeCfrcExtInObservation,
	})
	t.centres = n.derived("xipos")
	t.masses = n.constant("body_mass")
	t.mass = sum(t.masses, func(m float64) float64 { return m })
	t.spec.MemorySize = 2 // x and y of the centre of mass at the last control instant, m
	t.spec.InfoNames = append(t.spec.InfoNames, "x_position", "y_position")
	t.spec.InfoNames = append(t.spec.InfoNames, t.tendonNames()...)
	t.spec.InfoNames = append(t.spec.InfoNames, "distance_from_origin")
	t.spec.ResetInfoNames = t.spec.InfoNames
	t.spec.InfoNames = append(t.spec.InfoNames,
		"x_velocity", "y_velocity", "reward_survive", "reward_forward", "reward_ctrl", "reward_contact")
	return t, n.err
}

// Observe is that of the body.
func (t *Humanoid) Observe(w *sim.World, dst []float64) {
	if w.Steps() == 0 {
		w.Memory()[0], w.Memory()[1] = t.massCentre(w)
		t.writePosition(w)
	}
	t.observe(w, dst)
}

// Reward is the mean forward velocity of the centre of mass over the step and a
// bonus while upright, less control cost and contact cost.
func (t *Humanoid) Reward(w *sim.World) (reward float64, terminated bool) {
	qpos, _ := t.coordinates(w)
	x, y := t.massCentre(w)
	v := t.speed(w, []float64{x, y})
	healthy := inside(qpos[2], t.opt.HealthyZRange)

	forward := float64(t.opt.ForwardRewardWeight * v[0])
	survive := 0.0
	if healthy {
		survive = t.opt.HealthyReward
	}
	ctrl := float64(t.opt.CtrlCostWeight * squares(w.Control()))
	contact := t.impactCost(w, t.opt.ContactCostWeight, t.opt.ContactCostRange)
	copy(t.writePosition(w), []float64{v[0], v[1], survive, forward, -ctrl, -contact})
	return forward + survive - (ctrl + contact), !healthy && t.opt.TerminateWhenUnhealthy
}

// massCentre is the centre of mass as the engine last computed it, m.
func (t *Humanoid) massCentre(w *sim.World) (x, y float64) {
	centres := t.centres.In(w.Derived())
	for i, m := range t.masses {
		x += float64(m * centres[3*i])
		y += float64(m * centres[3*i+1])
	}
	return x / t.mass, y / t.mass
}

// writePosition writes the first part of info and returns the rest.
func (t *Humanoid) writePosition(w *sim.World) []float64 {
	qpos, _ := t.coordinates(w)
	info := w.Info()
	info[0], info[1] = qpos[0], qpos[1]
	info = t.writeTendons(w, info[2:])
	info[0] = norm(qpos[:2]...)
	return info[1:]
}
