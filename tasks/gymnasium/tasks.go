package gymnasium

import (
	"cmp"
	"math"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/box2d/scene"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// TaskBuilder is one of Gymnasium's tasks.
type TaskBuilder struct {
	Name     string
	Control  string // rate of control steps, Hz
	Substeps int    // physics steps in a control step
	Model    string // file among Gymnasium's models; "": the task has a Scene

	// Options are the default arguments of Gymnasium's constructor: a struct with yaml tags
	// of the same names. Frame skip and model file belong to the configuration.
	Options any

	// Scene makes the scene of a Box2D task, in physics steps of substep seconds.
	Scene func(decode Decode, substep float64) (*scene.Scene, error)

	// New makes the task for a model compiled from its file or scene, or for one that begins
	// with the same coordinates, in control steps of dt seconds.
	New func(m physics.Model, decode Decode, dt, substep float64) (sim.Task, error)
}

// Decode changes options, to which it gets a pointer.
type Decode = func(options any) error

// Tasks returns all tasks.
func Tasks() []TaskBuilder {
	continuous := lunarLanderDefaults
	continuous.Continuous = true
	return []TaskBuilder{
		mujocoTask("Ant-v5", "20", 5, "ant.xml", newAnt, antOptions{
			forward{1}, base{0.5, 0.1, true}, health{1, true, [2]float64{0.2, 1}}, 5e-4, 1, [2]float64{-1, 1}, true,
		}),
		mujocoTask("HalfCheetah-v5", "20", 5, "half_cheetah.xml", newHalfCheetah, runOptions{
			forward{1}, base{0.1, 0.1, true},
		}),
		mujocoTask("Hopper-v5", "125", 4, "hopper.xml", newHopper, hopperOptions{
			walkerOptions{
				forward{1}, base{1e-3, 5e-3, true}, health{1, true, [2]float64{0.7, math.Inf(1)}}, [2]float64{-0.2, 0.2},
			},
			[2]float64{-100, 100},
		}),
		mujocoTask("Humanoid-v5", "200/3", 5, "humanoid.xml", newHumanoid, humanoidOptions{
			forward{1.25}, base{0.1, 1e-2, true}, health{5, true, [2]float64{1, 2}}, body{true, true, true, true},
			5e-7, [2]float64{math.Inf(-1), 10},
		}),
		mujocoTask("HumanoidStandup-v5", "200/3", 5, "humanoidstandup.xml", newHumanoidStandup, standupOptions{
			1, base{0.1, 1e-2, true}, body{true, true, true, true}, 0.5e-6, [2]float64{math.Inf(-1), 10},
		}),
		mujocoTask("InvertedDoublePendulum-v5", "20", 5, "inverted_double_pendulum.xml", newInvertedDoublePendulum,
			doublePendulumOptions{10, 0.1}),
		mujocoTask("InvertedPendulum-v5", "25", 2, "inverted_pendulum.xml", newInvertedPendulum, pendulumOptions{0.01}),
		mujocoTask("Pusher-v5", "20", 5, "pusher_v5.xml", newPusher, pusherOptions{0.5, 1, 0.1}),
		mujocoTask("Reacher-v5", "50", 2, "reacher.xml", newReacher, reacherOptions{1, 1}),
		mujocoTask("Swimmer-v5", "25", 4, "swimmer.xml", newSwimmer, runOptions{forward{1}, base{1e-4, 0.1, true}}),
		mujocoTask("Walker2d-v5", "125", 4, "walker2d_v5.xml", newWalker2d, walkerOptions{
			forward{1}, base{1e-3, 5e-3, true}, health{1, true, [2]float64{0.8, 2}}, [2]float64{-1, 1},
		}),
		box2dTask("LunarLander-v3", lunarLanderScene, newLunarLander, lunarLanderDefaults),
		box2dTask("LunarLanderContinuous-v3", lunarLanderScene, newLunarLander, continuous),
		box2dTask("BipedalWalker-v3", bipedalWalkerScene, newBipedalWalker, bipedalWalkerOptions{}),
		box2dTask("BipedalWalkerHardcore-v3", bipedalWalkerScene, newBipedalWalker, bipedalWalkerOptions{Hardcore: true}),
	}
}

func mujocoTask[O any](name, control string, substeps int, model string,
	build func(m physics.Model, name string, dt float64, opt O) (sim.Task, error), defaults O) TaskBuilder {
	return TaskBuilder{
		Name: name, Control: control, Substeps: substeps, Model: model, Options: defaults,
		New: func(m physics.Model, decode Decode, dt, _ float64) (sim.Task, error) {
			opt := defaults
			if err := decode(&opt); err != nil {
				return nil, err
			}
			return build(m, name, dt, opt)
		},
	}
}

// box2dTask has one physics step per control step, at 50 Hz, in a scene that depends on the options.
func box2dTask[O any](name string, sceneOf func(opt O, substep float64) scene.Scene,
	build func(m physics.Model, name string, substep float64, opt O) (sim.Task, error), defaults O) TaskBuilder {
	t := mujocoTask(name, "50", 1, "", build, defaults)
	inSteps := t.New
	t.New = func(m physics.Model, decode Decode, _, substep float64) (sim.Task, error) {
		return inSteps(m, decode, substep, substep)
	}
	t.Scene = func(decode Decode, substep float64) (*scene.Scene, error) {
		opt := defaults
		if err := decode(&opt); err != nil {
			return nil, err
		}
		s := sceneOf(opt, substep)
		return &s, nil
	}
	return t
}

// The options that several tasks have.
type (
	forward struct {
		ForwardRewardWeight float64 `yaml:"forward_reward_weight"`
	}
	base struct {
		CtrlCostWeight                         float64 `yaml:"ctrl_cost_weight"`
		ResetNoiseScale                        float64 `yaml:"reset_noise_scale"`
		ExcludeCurrentPositionsFromObservation bool    `yaml:"exclude_current_positions_from_observation"`
	}
	health struct {
		HealthyReward          float64    `yaml:"healthy_reward"`
		TerminateWhenUnhealthy bool       `yaml:"terminate_when_unhealthy"`
		HealthyZRange          [2]float64 `yaml:"healthy_z_range"` // m
	}
	body struct {
		IncludeCinertInObservation       bool `yaml:"include_cinert_in_observation"`
		IncludeCvelInObservation         bool `yaml:"include_cvel_in_observation"`
		IncludeQfrcActuatorInObservation bool `yaml:"include_qfrc_actuator_in_observation"`
		IncludeCfrcExtInObservation      bool `yaml:"include_cfrc_ext_in_observation"`
	}
)

// The options of each task.
type (
	runOptions struct { // HalfCheetah and Swimmer
		forward `yaml:",inline"`
		base    `yaml:",inline"`
	}
	walkerOptions struct {
		forward           `yaml:",inline"`
		base              `yaml:",inline"`
		health            `yaml:",inline"`
		HealthyAngleRange [2]float64 `yaml:"healthy_angle_range"` // rad
	}
	hopperOptions struct {
		walkerOptions     `yaml:",inline"`
		HealthyStateRange [2]float64 `yaml:"healthy_state_range"` // of every coordinate but x and z
	}
	antOptions struct {
		forward           `yaml:",inline"`
		base              `yaml:",inline"`
		health            `yaml:",inline"` // limits of the height included
		ContactCostWeight float64          `yaml:"contact_cost_weight"`
		// whose speed is rewarded: its number or name
		MainBody                    any        `yaml:"main_body"`
		ContactForceRange           [2]float64 `yaml:"contact_force_range"` // N and N·m
		IncludeCfrcExtInObservation bool       `yaml:"include_cfrc_ext_in_observation"`
	}
	humanoidOptions struct {
		forward           `yaml:",inline"`
		base              `yaml:",inline"`
		health            `yaml:",inline"`
		body              `yaml:",inline"`
		ContactCostWeight float64    `yaml:"contact_cost_weight"`
		ContactCostRange  [2]float64 `yaml:"contact_cost_range"`
	}
	standupOptions struct {
		UphCostWeight    float64 `yaml:"uph_cost_weight"` // without effect, as in Gymnasium
		base             `yaml:",inline"`
		body             `yaml:",inline"`
		ImpactCostWeight float64    `yaml:"impact_cost_weight"`
		ImpactCostRange  [2]float64 `yaml:"impact_cost_range"`
	}
	doublePendulumOptions struct {
		HealthyReward   float64 `yaml:"healthy_reward"`
		ResetNoiseScale float64 `yaml:"reset_noise_scale"`
	}
	pendulumOptions struct {
		ResetNoiseScale float64 `yaml:"reset_noise_scale"`
	}
	pusherOptions struct {
		RewardNearWeight    float64 `yaml:"reward_near_weight"`
		RewardDistWeight    float64 `yaml:"reward_dist_weight"`
		RewardControlWeight float64 `yaml:"reward_control_weight"`
	}
	reacherOptions struct {
		RewardDistWeight    float64 `yaml:"reward_dist_weight"`
		RewardControlWeight float64 `yaml:"reward_control_weight"`
	}
)

// singles rounds bounds to single precision, as the spaces of Gymnasium have them.
func singles(values ...float64) []float64 {
	for i, v := range values {
		values[i] = float64(float32(v))
	}
	return values
}

func number(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func clip(v float64) float64 { return min(max(v, -1), 1) }

func sign(v float64) float64 { return float64(cmp.Compare(v, 0)) }
