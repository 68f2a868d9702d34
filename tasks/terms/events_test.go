package terms_test

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/sim/runlog"
)

// jolted is a task with one event. Episodes are short, so that there are many resets.
const jolted = `
episode: 60ms
actions: [{term: joint_position, scale: 0.5}]
observations: {policy: [{term: joint_pos_rel}, {term: base_ang_vel}]}
rewards: [{term: is_alive, weight: 1}]
terminations: [{term: time_out}]
events:
  - `

// jolt opens 64 worlds with an event.
func jolt(t *testing.T, event string, overrides []string, bindings ...sim.Binding) *env.Env {
	t.Helper()
	return open(t, env.OpenOptions{Workers: 1, Bindings: bindings}, "", jolted+event,
		append([]string{"worlds=64", "seed=5"}, overrides...)...)
}

// sampled is what the worlds had as each episode began.
type sampled struct {
	model      physics.Model
	spec       sim.Spec
	states     [][][]float64 // by world and episode
	parameters [][][]float64
}

// field returns value i of a part of the state, by world and episode, less what the start pose has there.
func (s *sampled) field(t *testing.T, name string, i int) [][]float64 {
	t.Helper()
	span := polytest.Must(s.model.Field(name))(t)
	start := make([]float64, s.model.StateSize())
	polytest.NoError(t, s.model.Keyframe("home", start))
	return pick(s.states, span.Offset+i, start[span.Offset+i])
}

// parameter returns value i of a parameter, by world and episode, and what the model has.
func (s *sampled) parameter(t *testing.T, source string, i int) (values [][]float64, nominal float64) {
	t.Helper()
	at := 0
	for _, have := range s.spec.Parameters {
		p := polytest.Must(s.model.Parameter(have))(t)
		if have == source {
			of := polytest.Must(s.model.Nominal(source))(t)
			return pick(s.parameters, at+i, 0), of[i]
		}
		at += p.Size
	}
	t.Fatalf("no parameter %s among %v", source, s.spec.Parameters)
	return nil, 0
}

func pick(rows [][][]float64, i int, less float64) [][]float64 {
	picked := make([][]float64, len(rows))
	for w, episodes := range rows {
		for _, row := range episodes {
			picked[w] = append(picked[w], row[i]-less)
		}
	}
	return picked
}

// sample runs the jolted task with an event and gathers the beginnings of episodes.
func sample(t *testing.T, event string) *sampled {
	t.Helper()
	s := &sampled{states: make([][][]float64, 64), parameters: make([][][]float64, 64)}
	e := jolt(t, event, nil, watch(runners.Control, -1000, func(w *sim.World) {
		if w.NS() == 0 {
			s.states[w.Index()] = append(s.states[w.Index()], slices.Clone(w.State()))
			s.parameters[w.Index()] = append(s.parameters[w.Index()], slices.Clone(w.Parameters()))
		}
	}))
	s.model, s.spec = e.Model(), e.Sim().Spec()
	for range 10 {
		e.SampleActions()
		step(t, e)
	}
	if n := e.Sim().FaultCount(); n > 0 {
		t.Fatalf("%d faults", n)
	}
	return s
}

// even checks that values are spread evenly from low to high.
func even(t *testing.T, what string, values [][]float64, low, high float64) {
	t.Helper()
	all := slices.Concat(values...)
	n, sum := float64(len(all)), 0.0
	for _, x := range all {
		sum += x
	}
	least, most, middle, width := slices.Min(all), slices.Max(all), (low+high)/2, high-low
	const rounding = 1e-12
	if least < low-rounding || most > high+rounding || least > low+width/10 || most < high-width/10 {
		t.Errorf("%s is from %v to %v, want almost %v to %v", what, least, most, low, high)
	}
	if off := math.Abs(sum/n - middle); off > 4*width/math.Sqrt(12*n)+rounding {
		t.Errorf("the mean of %s is %v off the middle of %v to %v", what, off, low, high)
	}
}

// drawn checks one thing of what an event has drawn.
type drawn func(t *testing.T, s *sampled)

// state checks a value of the state, less the start pose.
func state(name string, i int, low, high float64) drawn {
	return func(t *testing.T, s *sampled) {
		even(t, fmt.Sprintf("%s[%d]", name, i), s.field(t, name, i), low, high)
	}
}

// factor checks a parameter as a multiple of the model's value, offset less it, and value as it is.
func factor(source string, i int, low, high float64) drawn {
	return within(source, i, low, high, func(x, nominal float64) float64 { return x / nominal })
}

func offset(source string, i int, low, high float64) drawn {
	return within(source, i, low, high, func(x, nominal float64) float64 { return x - nominal })
}

func value(source string, i int, low, high float64) drawn {
	return within(source, i, low, high, func(x, _ float64) float64 { return x })
}

func within(source string, i int, low, high float64, of func(x, nominal float64) float64) drawn {
	return func(t *testing.T, s *sampled) {
		values, nominal := s.parameter(t, source, i)
		for _, episodes := range values {
			for k, x := range episodes {
				episodes[k] = of(x, nominal)
			}
		}
		even(t, fmt.Sprintf("%s[%d]", source, i), values, low, high)
	}
}

// same checks that one parameter is always a multiple of another.
func same(source string, i int, other string, j int, ratio float64) drawn {
	return func(t *testing.T, s *sampled) {
		a, _ := s.parameter(t, source, i)
		b, _ := s.parameter(t, other, j)
		for w := range a {
			for k := range a[w] {
				if math.Abs(a[w][k]*ratio-b[w][k]) > 1e-12*math.Abs(b[w][k]) {
					t.Fatalf("%s[%d] is %v and %s[%d] is %v, want %v times as much", source, i, a[w][k], other, j,
						b[w][k], ratio)
				}
			}
		}
	}
}

// TestEventsOfAnEpisodesStart checks the bounds and the spread of what each event draws.
func TestEventsOfAnEpisodesStart(t *testing.T) {
	const foot, and = "{term: geom_friction, geoms: [.*_foot], ", "\n  - "
	for event, want := range map[string][]drawn{
		"{term: reset_root_state_uniform, pose_range: {x: [-1, 2], z: [0, 0.1]}, " +
			"velocity_range: {y: [-0.5, 0.25], yaw: [1, 2]}}": {
			state("qpos", 0, -1, 2), state("qpos", 1, 0, 0), state("qpos", 2, 0, 0.1),
			state("qvel", 1, -0.5, 0.25), state("qvel", 5, 1, 2),
		},
		"{term: reset_joints_by_offset, joints: [FL_abduction, FL_hip], position_range: [-0.2, 0.1], " +
			"velocity_range: [0, 3]}": {
			state("qpos", 7, -0.2, 0.1), state("qpos", 8, -0.2, 0.1), state("qpos", 9, 0, 0),
			state("qvel", 6, 0, 3), state("qvel", 8, 0, 0),
		},
		"{term: push_by_setting_velocity, velocity_range: {x: [-1, 1]}}": {state("qvel", 0, -1, 1), state("qvel", 1, 0, 0)},
		"{term: apply_external_force_torque, bodies: [trunk], force_range: [-3, 5], torque_range: [0, 1]}": {
			state("xfrc_applied/trunk", 0, -3, 5), state("xfrc_applied/trunk", 2, -3, 5),
			state("xfrc_applied/trunk", 5, 0, 1), state("xfrc_applied/FL_thigh", 0, 0, 0),
		},
		"{term: body_mass, bodies: [trunk, FL_thigh], ranges: [0.8, 1.3]}": {
			factor("body_mass/trunk", 0, 0.8, 1.3), factor("body_mass/FL_thigh", 0, 0.8, 1.3),
			factor("body_inertia/trunk", 2, 0.8, 1.3),
		},
		"{term: body_mass, bodies: [trunk], ranges: [-1, 2], operation: add, recompute_inertia: false}": {
			offset("body_mass/trunk", 0, -1, 2),
		},
		"{term: body_mass, bodies: [trunk], ranges: [4, 5], operation: abs}": {value("body_mass/trunk", 0, 4, 5)},
		"{term: body_com_offset, bodies: [trunk], ranges: {x: [-0.02, 0.03], z: [-0.01, 0]}}": {
			offset("body_ipos/trunk", 0, -0.02, 0.03), offset("body_ipos/trunk", 1, 0, 0),
			offset("body_ipos/trunk", 2, -0.01, 0),
		},
		foot + "ranges: [0.3, 1.2]}": {
			value("geom_friction/FL_foot", 0, 0.3, 1.2), value("geom_friction/RR_foot", 0, 0.3, 1.2),
			offset("geom_friction/FL_foot", 1, 0, 0),
		},
		foot + "ranges: [0.5, 2], operation: scale, axes: [0, 2], shared_random: true}": {
			factor("geom_friction/FL_foot", 0, 0.5, 2), factor("geom_friction/FL_foot", 2, 0.5, 2),
			same("geom_friction/FL_foot", 0, "geom_friction/RR_foot", 0, 1),
			same("geom_friction/FL_foot", 2, "geom_friction/RL_foot", 2, 1),
		},
		// all axes of a pair, and a geom with more sizes than the one before it
		"{term: pair_friction, pairs: ['#1'], ranges: [0.3, 1.2], axes: [0, 1, 2, 3, 4]}" + and +
			"{term: geom_size, geoms: [back, head], ranges: [0.5, 2], shared_random: true}": {
			value("pair_friction/#1", 0, 0.3, 1.2), value("pair_friction/#1", 4, 0.3, 1.2),
			factor("geom_size/back", 1, 0.5, 2), factor("geom_size/head", 2, 0.5, 2),
		},
		"{term: pd_gains, joints: [FL_hip], kp_range: [0.5, 1.5], kd_range: [0.2, 2]}": {
			factor("actuator_gainprm/FL_hip", 0, 0.5, 1.5), factor("actuator_biasprm/FL_hip", 2, 0.2, 2),
			same("actuator_gainprm/FL_hip", 0, "actuator_biasprm/FL_hip", 1, -1),
		},
		"{term: pd_gains, operation: abs, kp_range: [20, 30], kd_range: [1, 1]}": {
			value("actuator_gainprm/RR_knee", 0, 20, 30), value("actuator_biasprm/RR_knee", 2, -1, -1),
		},
		"{term: joint_damping, joints: [.*_knee], ranges: [0.05, 0.4]}": {value("dof_damping/FL_knee", 0, 0.05, 0.4)},
		// several at once
		"{term: joint_armature, joints: [.*_knee], ranges: [0.01, 0.04]}" + and +
			"{term: joint_friction, ranges: [0, 0.2]}" + and + "{term: joint_stiffness, ranges: [1, 2]}" + and +
			"{term: joint_default_pos, ranges: [-1, 1]}" + and +
			"{term: joint_limits, joints: [FL_hip], ranges: [0.5, 1], operation: scale}" + and +
			"{term: effort_limits, joints: [FL_hip], effort_limit_range: [0.5, 1]}" + and +
			"{term: body_pos, bodies: [FL_thigh], ranges: {x: [-0.01, 0.02], z: [0, 0.01]}}" + and +
			"{term: geom_pos, geoms: [.*_foot], operation: abs, ranges: {z: [-0.3, -0.2]}}" + and +
			"{term: site_pos, sites: [imu], ranges: {y: [-0.1, 0.1]}}": {
			value("dof_armature/FL_knee", 0, 0.01, 0.04), value("dof_frictionloss/FL_hip", 0, 0, 0.2),
			value("jnt_stiffness/FL_hip", 0, 1, 2), offset("qpos0/FL_hip", 0, -1, 1),
			factor("jnt_range/FL_hip", 0, 0.5, 1), factor("jnt_range/FL_hip", 1, 0.5, 1),
			factor("actuator_forcerange/FL_hip", 0, 0.5, 1),
			same("actuator_forcerange/FL_hip", 0, "actuator_forcerange/FL_hip", 1, -1),
			offset("body_pos/FL_thigh", 0, -0.01, 0.02), offset("body_pos/FL_thigh", 1, 0, 0),
			offset("body_pos/FL_thigh", 2, 0, 0.01), value("geom_pos/FL_foot", 2, -0.3, -0.2),
			offset("geom_pos/FL_foot", 0, 0, 0), offset("site_pos/imu", 1, -0.1, 0.1),
		},
		"{term: joint_limits, joints: [FL_hip], ranges: [2.4, 3], axes: [0]}" + and +
			"{term: effort_limits, effort_limit_range: [5, 9], operation: abs}" + and +
			"{term: geom_size, geoms: [.*_foot, trunk], ranges: [0.5, 1]}" + and +
			"{term: pair_friction, pairs: ['#[13].*'], ranges: [0.3, 1.2]}" + and +
			"{name: other, term: pair_friction, pairs: ['#2'], ranges: [0.3, 1.2], axes: [0, 3], isotropic: true}" + and +
			"{term: randomize_physics_scene_gravity, ranges: {z: [-1, 1]}}" + and +
			"{term: pseudo_inertia, bodies: [trunk, FL_shank], alpha_range: [0.1, 0.1]}" + and +
			"{term: reset_joints_by_scale, joints: [FL_hip], position_range: [0.5, 1.5]}": {
			value("jnt_range/FL_hip", 0, 2.4, 3), same("jnt_range/FL_hip", 0, "jnt_range/FL_hip", 1, 1),
			value("actuator_forcerange/RR_knee", 1, 5, 9),
			same("actuator_forcerange/RR_knee", 0, "actuator_forcerange/RR_knee", 1, -1),
			factor("geom_size/FL_foot", 0, 0.5, 1), factor("geom_size/trunk", 2, 0.5, 1),
			value("pair_friction/#1", 0, 0.3, 1.2), offset("pair_friction/#1", 1, 0, 0),
			value("pair_friction/#2", 1, 0.3, 1.2), same("pair_friction/#2", 3, "pair_friction/#2", 4, 1),
			offset("gravity", 2, -1, 1), factor("body_mass/trunk", 0, math.Exp(0.2), math.Exp(0.2)),
			factor("body_inertia/FL_shank", 2, math.Exp(0.2), math.Exp(0.2)), state("qpos", 8, -0.4, 0.4),
		},
	} {
		t.Run(event, func(t *testing.T) {
			t.Parallel()
			s := sample(t, event)
			for _, check := range want {
				check(t, s)
			}
		})
	}
}

// TestStartupDrawsOnceForEachWorld compares the episodes of worlds: with mode startup they
// begin alike, with mode reset they do not. Worlds differ.
func TestStartupDrawsOnceForEachWorld(t *testing.T) {
	for _, mode := range []string{"startup", "reset"} {
		s := sample(t, "{term: body_mass, mode: "+mode+", bodies: [trunk], ranges: [0.8, 1.3]}")
		values, _ := s.parameter(t, "body_mass/trunk", 0)
		for w, episodes := range values {
			if len(episodes) < 3 {
				t.Fatalf("%d episodes, want at least 3", len(episodes))
			}
			for _, x := range episodes[1:] {
				if (x == episodes[0]) != (mode == "startup") {
					t.Fatalf("mode %s: the mass in the episodes of world %d is %v", mode, w, episodes)
				}
			}
			if w > 0 && episodes[0] == values[0][0] {
				t.Errorf("mode %s: the worlds 0 and %d have the same mass", mode, w)
			}
		}
	}
}

// TestTurnsAreRotations checks the orientation and the angular velocity after a reset:
// the base is turned about its own axes, the velocity is along those of the world.
func TestTurnsAreRotations(t *testing.T) {
	s := sample(t, "{term: reset_root_state_uniform, pose_range: {roll: [0.5, 0.5], yaw: [1, 1]}, "+
		"velocity_range: {x: [0.1, 0.1], roll: [2, 2], yaw: [3, 3]}}")
	pose := polytest.Must(s.model.Field("joint/root/position"))(t)
	motion := polytest.Must(s.model.Field("joint/root/velocity"))(t)
	o := outcome{q: pose.In(s.states[0][0]), u: motion.In(s.states[0][0])}
	// A roll and then a yaw about the axes of the world: Rz(1)·Rx(0.5).
	m, sr, cr, sy, cy := o.rotation(), math.Sin(0.5), math.Cos(0.5), math.Sin(1), math.Cos(1)
	want := [3][3]float64{{cy, -sy * cr, sy * sr}, {sy, cy * cr, -cy * sr}, {0, sr, cr}}
	for i := range 3 {
		for k := range 3 {
			if math.Abs(m[i][k]-want[i][k]) > 1e-12 {
				t.Fatalf("the base is turned by %v, want %v", m, want)
			}
		}
	}
	local := o.inBase([]float64{2, 0, 3})
	for i, w := range local {
		if math.Abs(o.u[3+i]-w) > 1e-12 {
			t.Errorf("the angular velocity is %v in the base's frame, want %v", o.u[3:6], local)
		}
	}
	if o.u[0] != 0.1 {
		t.Errorf("the velocity is %v, want 0.1 along x", o.u[:3])
	}
}

// TestDistributions checks the two distributions that are not even.
func TestDistributions(t *testing.T) {
	s := sample(t, "{term: geom_friction, geoms: [.*_foot], ranges: [0.01, 100], distribution: log_uniform}")
	values, _ := s.parameter(t, "geom_friction/FL_foot", 0)
	for _, episodes := range values {
		for k, x := range episodes {
			episodes[k] = math.Log10(x)
		}
	}
	even(t, "the logarithm", values, -2, 2)

	s = sample(t, "{term: geom_friction, geoms: [.*_foot], ranges: [0.5, 0.4], distribution: gaussian}")
	values, _ = s.parameter(t, "geom_friction/FL_foot", 0)
	all := slices.Concat(values...)
	n, sum, squares, zeros := float64(len(all)), 0.0, 0.0, 0
	for _, x := range all {
		sum, squares = sum+x, squares+square(x-0.5)
		if x == 0 {
			zeros++
		}
	}
	// One value in ten is below 0, and becomes 0.
	mean, std := sum/n, math.Sqrt(squares/n)
	if mean < 0.45 || mean > 0.58 || std < 0.3 || std > 0.45 || zeros == 0 || slices.Min(all) < 0 {
		t.Errorf("mean %v, standard deviation %v, %d values at the least of 0; want about 0.5 and 0.4, and some", mean, std,
			zeros)
	}
}

// TestEncoderBias compares what is observed and regulated with the truth.
func TestEncoderBias(t *testing.T) {
	biases := map[int][]float64{}
	var e *env.Env
	e = jolt(t, "{term: encoder_bias, joints: [.*_knee], bias_range: [-0.02, 0.05]}", nil,
		watch(runners.Acquisition, 1000, func(w *sim.World) {
			observed, _, ok := w.Observation()
			if !ok || w.NS() != 0 {
				return
			}
			q := part(t, e, "qpos")(w.State())
			for i := range 12 {
				biases[i] = append(biases[i], observed[i]-(q[7+i]-home[i]))
			}
		}))
	for range 10 {
		step(t, e)
	}
	for i, name := range joints {
		low, high := 0.0, 0.0
		if strings.HasSuffix(name, "_knee") {
			low, high = -0.02, 0.05
		}
		even(t, "the bias of "+name, [][]float64{biases[i]}, low, high)
	}
}

// TestPushesComeAtIntervals watches the base of robots that are pushed from time to time.
func TestPushesComeAtIntervals(t *testing.T) {
	type kick struct {
		step int64
		size float64
	}
	kicks := make([][]kick, 64)
	before := make([]float64, 64)
	var e *env.Env
	velocity := func(w *sim.World) float64 { return part(t, e, "qvel")(w.State())[0] }
	e = jolt(t, "{term: push_by_setting_velocity, mode: interval, interval: [100ms, 180ms], "+
		"velocity_range: {x: [0.1, 0.5]}}", []string{"episode=100s"},
		watch(runners.Control, -1000, func(w *sim.World) { before[w.Index()] = velocity(w) }),
		watch(runners.Control, 1000, func(w *sim.World) {
			if size := velocity(w) - before[w.Index()]; size != 0 {
				kicks[w.Index()] = append(kicks[w.Index()], kick{w.StepN(), size})
			}
		}))
	for range 60 {
		step(t, e)
	}
	var sizes, gaps []float64
	for w, list := range kicks {
		last := int64(0)
		for i, k := range list {
			gap := float64(k.step-last) * dt
			if gap < 0.1-1e-9 || gap > 0.2+1e-9 {
				t.Fatalf("world %d: push %d comes %v s after the one before, want 0.1 to 0.18 s and then the next control step",
					w, i, gap)
			}
			sizes, gaps, last = append(sizes, k.size), append(gaps, gap), k.step
		}
	}
	even(t, "the push", [][]float64{sizes}, 0.1, 0.5)
	if slices.Min(gaps) == slices.Max(gaps) {
		t.Errorf("all gaps are %v s", gaps[0])
	}
}

// shaken is a task with all events, delays and stages of a curriculum.
var shaken = strings.ReplaceAll(walker, "events:", `curriculum:
  - {term: commands_vel, command: velocity, stages: [{step: 10, lin_vel_x: [1, 2]}, {step: 30, ang_vel_z: [-2, 2]}]}
  - {term: reward_weight, reward: is_alive, stages: [{step: 5, weight: 2}, {step: 25, weight: 0}]}
  - {term: reward_curriculum, reward: feet_air_time, stages: [{step: 15, params: {threshold: 0.1}}]}
  - {term: termination_curriculum, termination: bad_orientation, stages: [{step: 20, params: {limit: 0.5}}]}
  - {term: event_curriculum, event: push_by_setting_velocity,
     stages: [{step: 20, params: {velocity_range: {x: [-2, 2]}}}]}
events:
  - {term: body_mass, mode: startup, bodies: [".*"], ranges: [0.8, 1.3]}
  - {term: body_com_offset, mode: startup, bodies: [trunk], ranges: {x: [-0.02, 0.02]}}
  - {term: geom_friction, geoms: [".*_foot"], ranges: [0.3, 1.2]}
  - {term: pd_gains, kp_range: [0.8, 1.2], kd_range: [0.8, 1.2]}
  - {term: joint_damping, mode: interval, interval: [50ms, 100ms], ranges: [0.05, 0.3]}
  - {term: joint_armature, mode: interval, interval: [50ms, 100ms], ranges: [0.01, 0.03]}
  - {term: joint_limits, axes: [1], operation: scale, ranges: [0.9, 1]}
  - {term: effort_limits, effort_limit_range: [0.7, 1]}
  - {term: pseudo_inertia, bodies: [".*_shank"], d_range: [-0.1, 0.1], t_range: [-0.01, 0.01]}
  - {term: geom_size, mode: interval, interval: [50ms, 100ms], geoms: [".*_foot"], ranges: [0.8, 1.2]}
  - {term: body_quat, bodies: [".*_thigh"], roll_range: [-0.1, 0.1]}
  - {term: pair_friction, pairs: ["#.*"], ranges: [0.5, 1], isotropic: true}
  - {term: site_pos, mode: startup, sites: [imu], ranges: {x: [-0.1, 0.1]}}
  - {term: randomize_physics_scene_gravity, mode: interval, interval: [50ms, 90ms], ranges: {z: [-1, 1]}}
  - {term: apply_body_impulse, mode: interval, interval: [80ms, 120ms], duration: [30ms, 70ms], bodies: [trunk],
     force_range: [-20, 20]}
  - {term: encoder_bias, mode: startup, bias_range: [-0.02, 0.02]}
  - {term: reset_joints_by_offset, position_range: [-0.1, 0.1]}
  - {term: push_by_setting_velocity, mode: interval, interval: [50ms, 100ms], velocity_range: {x: [-1, 1],
     yaw: [-1, 1]}}
  - {term: apply_external_force_torque, mode: interval, interval: [30ms, 60ms], bodies: [trunk],
     force_range: [-20, 20]}`)

// log plays a configuration and returns its log.
func log(t *testing.T, path string, workers int, overrides ...string) []byte {
	t.Helper()
	cfg := polytest.Must(parse(t, "", shaken, append([]string{"worlds=4", "seed=11"}, overrides...)...))(t)
	opt := env.OpenOptions{Workers: workers}
	h := env.LogHeader(cfg, opt)
	h.Actions = true
	f := polytest.Must(os.Create(path))(t)
	opt.Log = polytest.Must(runlog.Create(f, h))(t)
	e := polytest.Must(env.Open(cfg, opt))(t)
	for range 80 {
		e.SampleActions()
		step(t, e)
	}
	polytest.NoError(t, e.Close())
	return polytest.Must(os.ReadFile(path))(t)
}

// TestDeterminismOfEvents runs all events, delays and stages on several workers: the logs
// are the same, and replay finds no difference.
func TestDeterminismOfEvents(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "run.log")
	want := log(t, path, 2)
	polytest.EqualSlices(t, log(t, filepath.Join(dir, "one"), 1), want, "one worker writes another log than two")
	if other := log(t, filepath.Join(dir, "other"), 2, "seed=12"); bytes.Equal(other, want) {
		t.Error("another seed gives the same log: it shows nothing")
	}
	for _, workers := range []int{1, 3} {
		if steps, err := env.Replay(path, workers); err != nil || steps != 80 {
			t.Errorf("replay on %d workers: %d steps, %v; want 80 and no difference", workers, steps, err)
		}
	}
}

// TestSnapshotsHoldEvents goes on from a snapshot in another env, in the midst of an episode: the future is the same.
func TestSnapshotsHoldEvents(t *testing.T) {
	run := func(e *env.Env, steps int) (seen []float64) {
		for range steps {
			for i := range e.Sim().Actions() {
				e.Sim().Actions()[i] = float32(math.Sin(float64(i) + float64(len(seen))))
			}
			step(t, e)
			seen = append(append(append(seen, e.Sim().Observations()...), e.Sim().Rewards()...), e.Sim().Infos()...)
		}
		return seen
	}
	first := open(t, env.OpenOptions{Workers: 1}, "", shaken)
	run(first, 17)
	snapshot := first.Sim().Snapshot()
	want := run(first, 60)
	second := open(t, env.OpenOptions{Workers: 2}, "", shaken)
	polytest.NoError(t, second.Sim().Restore(snapshot))
	polytest.EqualSlices(t, run(second, 60), want, "the run that goes on from the snapshot sees something else")
}

// TestRewardWeightStages reads the weight of a reward that is always 1.
func TestRewardWeightStages(t *testing.T) {
	const stages = "{term: reset_joints_by_offset}\nscale_rewards_by_dt: false\ncurriculum: [{term: reward_weight, " +
		"reward: is_alive, stages: [{step: 2, weight: 3}, {step: 4, weight: 0}]}]"
	for offset, want := range map[int64][]float64{0: {1, 1, 3, 3, 0, 0}, 3: {3, 0, 0, 0, 0, 0}} {
		e := open(t, env.OpenOptions{Workers: 1, StepOffset: offset}, "", jolted+stages)
		var got []float64
		for range want {
			step(t, e)
			got = append(got, e.Sim().Rewards()[0])
		}
		polytest.EqualSlices(t, got, want, "%d steps before: the rewards", offset)
	}
}

// TestCurriculumOfParameters changes parameters of a reward, a termination and an event: all show in the height of the
// base and in what follows from it.
func TestCurriculumOfParameters(t *testing.T) {
	const task = `
episode: 20s
scale_rewards_by_dt: false
actions: [{term: joint_position, scale: 0}]
observations: {policy: [{term: base_pos_z}]}
rewards: [{term: base_height_l2, weight: 1}]
terminations: [{term: root_height_below_minimum, minimum_height: 0.01}]
events: [{term: reset_root_state_uniform, pose_range: {z: [0.1, 0.1]}}]
curriculum:
  - {term: reward_curriculum, reward: base_height_l2, stages: [{step: 2, params: {target_height: 0.5}},
     {step: 4, weight: 3}, {step: 6, weight: 1, params: {target_height: 2}}]}
  - {term: termination_curriculum, termination: root_height_below_minimum,
     stages: [{step: 5, params: {minimum_height: 9}}]}
  - {term: event_curriculum, event: reset_root_state_uniform, stages: [{step: 7, params: {pose_range: {z: [1, 1]}}}]}
`
	for offset, steps := range map[int64]int{0: 10, 4: 5} {
		e := open(t, env.OpenOptions{Workers: 1, StepOffset: offset}, "", task)
		for n := offset; n < offset+int64(steps); n++ {
			step(t, e)
			z := float64(e.Sim().Observations()[0])
			if ended := e.Sim().Terminations()[0]; ended != (n >= 5) {
				t.Fatalf("step %d: terminated is %v", n, ended)
			} else if ended { // the observation is of the next episode
				if started := z - 0.3; math.Abs(started-0.1) > 0.05 && n < 6 || math.Abs(started-1) > 0.05 && n > 7 {
					t.Fatalf("step %d: the episode begins %v above the start pose", n, started)
				}
				continue
			}
			target, weight := 0.0, 1.0
			if n >= 2 {
				target = 0.5
			}
			if n >= 4 {
				weight = 3
			}
			if want := weight * square(z-target); math.Abs(e.Sim().Rewards()[0]-want) > 1e-6 {
				t.Fatalf("step %d: the reward is %v, want %v", n, e.Sim().Rewards()[0], want)
			}
		}
	}
	for change, want := range map[string]string{
		"reward: base_height, stages: [{step: 1}]": `curriculum[0].reward: no reward "base_height"; did you mean ` +
			`base_height_l2?`,
		"reward: base_height_l2, stages: [{step: 1, params: {height: 1}}]": "curriculum[0].stages[0].params: height is " +
			"no parameter of the term of reward base_height_l2",
		"reward: base_height_l2, stages: [{step: 1, params: {target_height: low}}]": "curriculum[0].stages[0].params" +
			".target_height",
		"reward: base_height_l2, stages: []": "curriculum[0].stages has 0 entries, want 1 to 1000",
	} {
		before, _, _ := strings.Cut(task, "curriculum:")
		err := refusal(t, "", before+"curriculum: [{term: reward_curriculum, "+change+"}]\n")
		polytest.ErrorContains(t, err, want)
	}
}

// TestWrongTerms gives terms what their robot does not bear.
func TestWrongTerms(t *testing.T) {
	const range2 = "want two finite numbers, the lower first"
	stages := func(reward, stages string) string {
		return "{term: encoder_bias}\ncurriculum: [{term: reward_weight, reward: " + reward + ", stages: [" + stages + "]}]"
	}
	for event, want := range map[string]string{
		"{term: body_mass, bodies: [trunk]}":                   "events[0].ranges: not given, want a list of two numbers",
		"{term: body_mass, bodies: [trunk], ranges: [-1, 1]}":  "events[0].ranges[0] is -1, want 0 to 1e+09",
		"{term: body_mass, bodies: [trunk], ranges: [1, 0.5]}": "events[0].ranges is [1, 0.5], " + range2,
		"{term: body_mass, bodies: [trunk], ranges: [0, 1], distribution: log_uniform}": "events[0].ranges[0] is 0, " +
			"want more than 0, at most 1e+09",
		"{term: body_com_offset, bodies: [FL_shank, lamp], ranges: {x: [0, 1]}}": `events[0].bodies[1]: no body matches ` +
			`"lamp", want one of trunk, FL_abductor, FL_thigh, FL_shank, FR_abductor, FR_thigh, FR_shank, RL_abductor, ` +
			`RL_thigh, RL_shank, RR_abductor, RR_thigh and 1 more`,
		"{term: geom_friction, geoms: [floor], ranges: [0.3, 1], axes: [3]}": "events[0].axes[0] is 3, want 0 to 2",
		"{term: pd_gains, operation: add}": `events[0].operation is "add", ` +
			`want scale or abs`,

		"{term: geom_size, geoms: [floor], ranges: [1, 2]}": "events[0].geoms: geom floor is a plane, want spheres, " +
			"capsules, cylinders, ellipsoids or boxes",
		"{term: geom_size, geoms: [FL_foot], ranges: [1, 2], axes: [1]}": "events[0].axes[0] is 1, and geom FL_foot, a " +
			"sphere, has 1",
		"{term: pair_friction, pairs: [x], ranges: [1, 2]}":    `events[0].pairs[0]: no pair matches "x"`,
		"{term: tendon_damping, tendons: [x], ranges: [1, 2]}": `events[0].tendons[0]: no tendon matches "x"`,
		"{term: effort_limits}": "events[0].effort_limit_range: not given, want a list " +
			"of two numbers",
		"{term: body_pos, bodies: [trunk], ranges: {x: [1, 0]}}": "events[0].ranges.x is [1, 0], " + range2,
		"{term: apply_body_impulse, bodies: [trunk]}":            "events[0].duration[0] is 0s, want 1ms to",

		"{term: push_by_setting_velocity, velocity_range: {x: [1, 0]}}": "events[0].velocity_range.x is [1, 0], " + range2,

		stages("is_alife", "{step: 0, weight: 1}"): `curriculum[0].reward: no reward "is_alife"; did you mean is_alive?`,

		stages("is_alive", ""): "curriculum[0].stages has 0 entries, want 1 to 1000",
		stages("is_alive", "{step: 3, weight: 1}, {step: 3, weight: 2}"): "curriculum[0].stages[1].step is 3, " +
			"want 4 to 4611686018427387904",
		stages("is_alive", "{step: 3}"): "curriculum[0].stages[0].weight: not given, want a number",
	} {
		polytest.ErrorContains(t, refusal(t, "", jolted+event), want)
	}
}

// TestTermsAskOfTheirRobot gives terms a robot without what they need: a box on a rail,
// whose joint has no limits and whose centre of mass is the origin of its frame.
func TestTermsAskOfTheirRobot(t *testing.T) {
	const box = `<mujoco><worldbody><body name="box" pos="0 0 1">
		<joint name="rail" type="slide" axis="1 0 0"/><joint name="turn" type="hinge" axis="0 1 0"/>
		<geom name="box" type="box" size=".1 .1 .1" mass="1"/>
		</body></worldbody><actuator><motor name="rail" joint="rail"/></actuator></mujoco>`
	const free = `<mujoco><worldbody><body name="box" pos="0 0 1"><freejoint name="root"/>
		<geom name="box" type="box" size=".1 .1 .1" mass="1"/></body>
		<body name="arm"><joint name="rail" type="slide"/><geom size=".02"/></body></worldbody>
		<actuator><motor name="rail" joint="rail"/></actuator></mujoco>`
	const noBase = "needs a base that moves freely, and the robot has no free joint"
	for _, c := range []struct{ model, section, entry, want string }{
		{box, "rewards", "forward_progress, weight: 1", "rewards[0]: " + noBase},
		{box, "rewards", "joint_pos_limits, weight: 1",
			"rewards[0].joints: no joint has limits, so none is ever beyond them"},
		{box, "rewards", "undesired_contacts, weight: 1", "rewards[0].bodies: not given, want patterns of names"},
		{box, "events", "push_by_setting_velocity", "events[0]: " + noBase},
		{box, "events", "pd_gains",
			"events[0].joints: actuator rail has no gains, want position and velocity actuators"},
		{free, "events", "body_com_offset, bodies: [box], ranges: {x: [0, 1]}",
			"events[0].bodies: the engine cannot move the centre of mass of body box, because the model has it in the " +
				"origin of the body's frame; an inertial with another pos makes it movable"},
	} {
		const observations = "observations: {policy: [{term: joint_vel_rel}]}\n"
		err := refusal(t, c.model, effort+observations+c.section+": [{term: "+c.entry+"}]")
		polytest.ErrorContains(t, err, c.want)
	}
}

const effort = "scale_rewards_by_dt: false\nactions: [{term: joint_effort}]\n"

// TestForwardProgressOfAJoint compares the progress along a rail with the joint's mean velocity.
func TestForwardProgressOfAJoint(t *testing.T) {
	const cart = `<mujoco><worldbody><body name="cart"><joint name="rail" type="slide" axis="1 0 0"/>
		<geom size=".1" mass="1"/></body></worldbody>
		<actuator><motor name="rail" joint="rail" gear="3"/></actuator></mujoco>`
	e := open(t, env.OpenOptions{}, cart, effort+`
observations: {policy: [{name: place, expr: "joint_pos"}]}
rewards: [{term: forward_progress, joint: rail, weight: 2}]
events: [{term: reset_joints_by_offset, position_range: [1, 2]}]
`)
	polytest.NoError(t, e.Reset())
	before := e.Sim().Observations()[0]
	if before < 1 {
		t.Fatalf("the cart begins at %v, want 1 to 2", before)
	}
	for range 20 {
		e.SampleActions()
		step(t, e)
		now := e.Sim().Observations()[0]
		if want := 2 * (now - before) / dt; e.Sim().Rewards()[0] != want || want == 0 {
			t.Errorf("the reward is %v, want %v", e.Sim().Rewards()[0], want)
		}
		before = now
	}
}

// TestPoseCommandOfAnArm rewards the hand of an arm that stands fixed, turned by a right
// angle, for being where it is commanded to be in the frame of its stand.
func TestPoseCommandOfAnArm(t *testing.T) {
	const stand = `<mujoco><worldbody><body name="stand" pos="1 2 3" euler="0 0 90"><geom size=".1" mass="1"/>
		<body name="hand" pos="0 0.5 0"><joint name="lift" type="slide" axis="0 0 1" damping="1"/>
		<geom size=".02" mass="0.1"/></body></body></worldbody>
		<actuator><motor name="lift" joint="lift"/></actuator></mujoco>`
	e := open(t, env.OpenOptions{}, stand, effort+`
observations: {policy: [{name: height, expr: "body.hand.position[2]"}]}
commands: [{name: pose, term: uniform_pose, body: hand, pos_x: [0.1, 0.1], pos_y: [0.5, 0.5], pos_z: [0.2, 0.2]}]
rewards: [{term: position_command_error_tanh, std: 0.5, weight: 1}]
`)
	for range 10 {
		e.SampleActions()
		step(t, e)
		// In the world: the command is at (0.5, 2.1, 3.2), the hand at (0.5, 2, z).
		z := e.Sim().Observations()[0]
		want := 1 - math.Tanh(math.Hypot(0.1, z-3.2)/0.5)
		if got := e.Sim().Rewards()[0]; math.Abs(got-want) > 1e-12 {
			t.Errorf("the reward at height %v is %v, want %v", z, got, want)
		}
	}
}

// TestSelfCollisions counts the substeps in which two fingers of a hand press on each other. The table,
// on which they come to stand, is no part of it.
func TestSelfCollisions(t *testing.T) {
	const hand = `<mujoco><worldbody><geom type="box" size="1 1 0.1" condim="1"/>
		<body name="palm" pos="0 0 1"><joint name="down" type="slide" axis="0 0 1" range="-0.8 0" limited="true"/>
		<geom size=".05" contype="0" conaffinity="0"/>
		<body name="left" pos="0 -.1 -.1"><joint name="left" type="slide" axis="0 1 0" range="-1 1" limited="true"/>
		<geom size=".05" mass="0.3" condim="1"/></body>
		<body name="right" pos="0 .1 -.1"><joint name="right" type="slide" axis="0 1 0" range="-1 1" limited="true"/>
		<geom size=".05" mass="0.3" condim="1"/></body></body></worldbody>
		<actuator><motor name="left" joint="left" gear="8"/><motor name="right" joint="right" gear="8"/></actuator></mujoco>`
	want, seen := 0.0, map[float64]bool{}
	var e *env.Env
	count := watch(runners.Acquisition, -1000, func(w *sim.World) {
		if w.NS() == 0 {
			return
		}
		want = 0
		of := slices.Index(e.Sim().Spec().Probes, "contact/body/left")
		for back := range 10 {
			force, _ := w.ProbeAt(of, back)
			want += one(math.Hypot(force[0], force[1]) > 3) // across: the table pushes upwards
		}
	})
	e = open(t, env.OpenOptions{Bindings: []sim.Binding{count}}, hand, effort+`
episode: 400ms
terminations: [{term: time_out}]
observations: {policy: [{name: touch, expr: "body.left.contact"}]}
rewards: [{term: self_collision_cost, threshold: 3, weight: 1}]
`, "worlds=1")
	for n := range 100 {
		press := float32(n%9) / 8
		copy(e.Sim().Actions(), []float32{press, -press})
		step(t, e)
		if got := e.Sim().Rewards()[0]; got != want {
			t.Fatalf("the reward is %v, want %v", got, want)
		}
		seen[want] = true
	}
	if len(seen) < 3 {
		t.Errorf("the numbers of substeps were %v: the fingers hardly touch", seen)
	}
}

// rotate is the rotation of a vector by the quaternion that parameters of a world have, from place at on.
func rotate(q []float64, v [3]float64) [3]float64 {
	o := outcome{q: append(make([]float64, 3), q...)}
	return [3]float64(o.inWorld(v[:]))
}

// TestTurnsOfParts compares the quaternions of a body, a geom and a site with products of rotations.
func TestTurnsOfParts(t *testing.T) {
	const turn = "roll_range: [0.5, 0.5], pitch_range: [-0.2, -0.2], yaw_range: [1, 1]}"
	s := sample(t, "{term: body_quat, bodies: [FL_thigh], "+turn+"\n  - {term: geom_quat, geoms: [trunk], "+turn+
		"\n  - {term: site_quat, sites: [imu], "+turn)
	for _, source := range []string{"body_quat/FL_thigh", "geom_quat/trunk", "site_quat/imu"} {
		q, nominal := make([]float64, 4), make([]float64, 4)
		for i := range q {
			values, model := s.parameter(t, source, i)
			q[i], nominal[i] = values[3][1], model
		}
		got := rotate(q, [3]float64{1, 2, 3})
		want := rotate(nominal, [3]float64{1, 2, 3})
		for _, turn := range [][]float64{{math.Cos(0.25), math.Sin(0.25), 0, 0}, {math.Cos(0.1), 0, -math.Sin(0.1), 0},
			{math.Cos(0.5), 0, 0, math.Sin(0.5)}} {
			want = rotate(turn, want)
		}
		if !closeness(got[:], want[:], 1e-12) {
			t.Errorf("%s turns a vector into %v, want %v", source, got, want)
		}
	}
}

// TestPseudoInertia compares a stretched, sheared and shifted body with six points of mass that are moved likewise.
func TestPseudoInertia(t *testing.T) {
	s := sample(t, "{term: pseudo_inertia, bodies: [FL_shank], alpha_range: [0.1, 0.1], d1_range: [0.2, 0.2], "+
		"d2_range: [-0.3, -0.3], d3_range: [0.1, 0.1], s12_range: [0.15, 0.15], s13_range: [-0.2, -0.2], "+
		"s23_range: [0.05, 0.05], t1_range: [0.02, 0.02], t2_range: [-0.01, -0.01], t3_range: [0.03, 0.03]}")
	of := func(name string, n int) (values, nominal []float64) {
		for i := range n {
			all, model := s.parameter(t, name+"/FL_shank", i)
			values, nominal = append(values, all[2][1]), append(nominal, model)
		}
		return values, nominal
	}
	mass, mass0 := of("body_mass", 1)
	centre, centre0 := of("body_ipos", 3)
	moments, moments0 := of("body_inertia", 3)
	turn, turn0 := of("body_iquat", 4)
	scale := math.Exp(0.1)
	u := [3][4]float64{{math.Exp(0.2), 0.15, -0.2, 0.02}, {0, math.Exp(-0.3), 0.05, -0.01}, {0, 0, math.Exp(0.1), 0.03}}
	var points [][3]float64
	for k := range 3 {
		half := (moments0[0] + moments0[1] + moments0[2]) / 2
		arm := [3]float64{}
		arm[k] = math.Sqrt(3 * (half - moments0[k]) / mass0[0])
		arm = rotate(turn0, arm)
		for _, side := range []float64{-1, 1} {
			var moved [3]float64
			for i := range 3 {
				for j := range 3 {
					moved[i] += u[i][j] * (centre0[j] + side*arm[j])
				}
				moved[i] += u[i][3]
			}
			points = append(points, moved)
		}
	}
	each := mass0[0] * scale * scale / 6
	var mean [3]float64
	for _, p := range points {
		for i := range 3 {
			mean[i] += p[i] / 6
		}
	}
	if math.Abs(mass[0]-6*each) > 1e-12 || !closeness(centre, mean[:], 1e-12) {
		t.Errorf("mass %v and centre %v, want %v and %v", mass, centre, 6*each, mean)
	}
	for i := range 3 {
		for j := range 3 {
			var got, want float64
			for _, p := range points {
				x, y := p[i]-mean[i], p[j]-mean[j]
				want -= each * x * y
				if i == j {
					want += each * (square(p[0]-mean[0]) + square(p[1]-mean[1]) + square(p[2]-mean[2]))
				}
			}
			for k := range 3 {
				var axis [3]float64
				axis[k] = 1
				axis = rotate(turn, axis)
				got += moments[k] * axis[i] * axis[j]
			}
			if math.Abs(got-want) > 1e-12 {
				t.Errorf("inertia[%d][%d] is %v, want %v", i, j, got, want)
			}
		}
	}
}

// TestTendonEvents changes the tendons of a model.
func TestTendonEvents(t *testing.T) {
	const pulley = `<mujoco><worldbody><body><joint name="a" type="slide"/><geom size=".1"/></body>
		<body pos="1 0 0"><joint name="b" type="slide"/><geom size=".1"/></body></worldbody>
		<tendon><fixed name="cord"><joint joint="a" coef="1"/><joint joint="b" coef="-1"/></fixed></tendon>
		<actuator><motor name="a" joint="a"/></actuator></mujoco>`
	var events []string
	for _, what := range []string{"damping", "stiffness", "friction", "armature"} {
		events = append(events, "{term: tendon_"+what+", tendons: [cord], ranges: [1, 2]}")
	}
	var seen []float64
	e := open(t, env.OpenOptions{Workers: 1, Bindings: []sim.Binding{watch(runners.Control, -1000, func(w *sim.World) {
		seen = slices.Clone(w.Parameters())
	})}}, pulley, effort+"observations: {policy: [{term: joint_vel_rel}]}\nevents: ["+strings.Join(events, ", ")+"]\n")
	step(t, e)
	polytest.EqualSlices(t, e.Sim().Spec().Parameters, []string{"tendon_damping/cord", "tendon_stiffness/cord",
		"tendon_frictionloss/cord", "tendon_armature/cord"}, "parameters")
	for i, x := range seen {
		if x < 1 || x > 2 || i > 0 && x == seen[0] {
			t.Errorf("the tendon has %v, want four numbers from 1 to 2", seen)
		}
	}
}

// TestBodyImpulses follows the wrench on a turning base: a force at a point of it, for a time.
func TestBodyImpulses(t *testing.T) {
	type beginning struct{ at, wrench, quaternion []float64 }
	began := map[int]*beginning{}
	var lengths []float64
	var e *env.Env
	e = jolt(t, "{term: apply_body_impulse, mode: interval, interval: [160ms, 240ms], duration: [50ms, 110ms], "+
		"bodies: [trunk], force_range: [-9, 5], torque_range: [-1, 1], body_point_offset: [0.1, 0, 0.2]}",
		[]string{"episode=100s"},
		watch(runners.Control, 1000, func(w *sim.World) {
			wrench := slices.Clone(part(t, e, "xfrc_applied/trunk")(w.State()))
			now, acts := float64(w.NS())*1e-9, length(wrench) > 0
			switch b := began[w.Index()]; {
			case acts && b == nil:
				quaternion := slices.Clone(part(t, e, "joint/root/position")(w.State())[3:7])
				began[w.Index()] = &beginning{[]float64{now}, wrench, quaternion}
			case acts:
				if !slices.Equal(wrench, b.wrench) {
					t.Fatalf("the wrench changed from %v to %v", b.wrench, wrench)
				}
			case b != nil:
				lengths = append(lengths, now-b.at[0])
				arm := rotate(b.quaternion, [3]float64{0.1, 0, 0.2})
				f, torque := b.wrench[:3], b.wrench[3:]
				for i, x := range []float64{arm[1]*f[2] - arm[2]*f[1], arm[2]*f[0] - arm[0]*f[2],
					arm[0]*f[1] - arm[1]*f[0]} {
					if own := torque[i] - x; own < -1-1e-9 || own > 1+1e-9 {
						t.Fatalf("the torque less that of the force is %v, want -1 to 1", own)
					}
				}
				delete(began, w.Index())
			}
		}))
	for range 60 {
		step(t, e)
	}
	if len(lengths) < 64 || slices.Min(lengths) < 0.05-1e-9 || slices.Max(lengths) > 0.12+1e-9 ||
		slices.Min(lengths) == slices.Max(lengths) {
		t.Errorf("%d impulses took %v to %v s, want 0.05 to 0.12", len(lengths), slices.Min(lengths), slices.Max(lengths))
	}
}
