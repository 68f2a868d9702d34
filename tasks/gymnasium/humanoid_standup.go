package gymnasium

import (
	"math"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// HumanoidStandupOptions are the constructor arguments of Gymnasium's task, by the
// same names. Frame skip and model file belong to the configuration.
type HumanoidStandupOptions struct {
	UphCostWeight                          float64    `yaml:"uph_cost_weight"` // without effect, as in Gymnasium
	CtrlCostWeight                         float64    `yaml:"ctrl_cost_weight"`
	ImpactCostWeight                       float64    `yaml:"impact_cost_weight"`
	ImpactCostRange                        [2]float64 `yaml:"impact_cost_range"`
	ResetNoiseScale                        float64    `yaml:"reset_noise_scale"`
	ExcludeCurrentPositionsFromObservation bool       `yaml:"exclude_current_positions_from_observation"`
	IncludeCinertInObservation             bool       `yaml:"include_cinert_in_observation"`
	IncludeCvelInObservation               bool       `yaml:"include_cvel_in_observation"`
	IncludeQfrcActuatorInObservation       bool       `yaml:"include_qfrc_actuator_in_observation"`
	IncludeCfrcExtInObservation            bool       `yaml:"include_cfrc_ext_in_observation"`
}

// DefaultHumanoidStandupOptions are Gymnasium's defaults.
func DefaultHumanoidStandupOptions() HumanoidStandupOptions {
	return HumanoidStandupOptions{
		UphCostWeight:                          1,
		CtrlCostWeight:                         0.1,
		ImpactCostWeight:                       0.5e-6,
		ImpactCostRange:                        [2]float64{math.Inf(-1), 10},
		ResetNoiseScale:                        1e-2,
		ExcludeCurrentPositionsFromObservation: true,
		IncludeCinertInObservation:             true,
		IncludeCvelInObservation:               true,
		IncludeQfrcActuatorInObservation:       true,
		IncludeCfrcExtInObservation:            true,
	}
}

// HumanoidStandup is HumanoidStandup-v5: a body that lies on its back, rewarded for
// the height of its torso, less the costs of torques and of impacts. It never
// terminates.
type HumanoidStandup struct {
	humanoidBody
	opt HumanoidStandupOptions
}

// NewHumanoidStandup makes the task for a model compiled from humanoidstandup.xml,
// or one that begins with the same coordinates, in control steps of dt seconds.
func NewHumanoidStandup(m physics.Model, dt float64, opt HumanoidStandupOptions) (*HumanoidStandup, error) {
	t := &HumanoidStandup{opt: opt}
	n := t.of(m, "HumanoidStandup-v5", dt, opt.ResetNoiseScale, humanoidTerms{
		excludePositions: opt.ExcludeCurrentPositionsFromObservation,
		inertia:          opt.IncludeCinertInObservation,
		velocity:         opt.IncludeCvelInObservation,
		actuator:         opt.IncludeQfrcActuatorInObservation,
		impacts:          opt.IncludeCfrcExtInObservation,
	})
	t.spec.InfoNames = append(t.spec.InfoNames, "x_position", "y_position", "z_distance_from_origin")
	t.spec.InfoNames = append(t.spec.InfoNames, t.tendonNames()...)
	t.spec.ResetInfoNames = t.spec.InfoNames
	t.spec.InfoNames = append(t.spec.InfoNames, "reward_linup", "reward_quadctrl", "reward_impact")
	return t, n.err
}

// Observe is that of the body.
func (t *HumanoidStandup) Observe(w *sim.World, dst []float64) {
	if w.Steps() == 0 {
		t.writePosition(w)
	}
	t.observe(w, dst)
}

// Reward is the torso's height over the length of a physics step and 1, less
// control cost and impact cost.
func (t *HumanoidStandup) Reward(w *sim.World) (reward float64, terminated bool) {
	qpos, _ := t.coordinates(w)
	up := qpos[2] / t.timestep
	ctrl := float64(t.opt.CtrlCostWeight * squares(w.Control()))
	impact := t.impactCost(w, t.opt.ImpactCostWeight, t.opt.ImpactCostRange)
	copy(t.writePosition(w), []float64{up, -ctrl, -impact})
	return up - ctrl - impact + 1, false
}

// writePosition writes the first part of info and returns the rest.
func (t *HumanoidStandup) writePosition(w *sim.World) []float64 {
	qpos, _ := t.coordinates(w)
	info := w.Info()
	info[0], info[1], info[2] = qpos[0], qpos[1], qpos[2]-t.initial[2]
	return t.writeTendons(w, info[3:])
}
