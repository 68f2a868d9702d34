package terms_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// walker is a task on the quadruped with every reward and every termination, the latter
// truncating so that most do not hide the others.
const walker = `
block_size: 2
episode: 1s
scale_rewards_by_dt: false
actions: [{term: joint_position, scale: 0.9}]
observations: {policy: [{term: joint_pos_rel}]}
commands:
  - {name: velocity, term: uniform_velocity, lin_vel_x: [-1, 1], lin_vel_y: [-0.5, 0.5], ang_vel_z: [-1, 1],
     rel_standing_envs: 0.3, resampling: [60ms, 200ms]}
  - {name: pose, term: uniform_pose, body: FL_shank, pos_x: [0.1, 0.3], pos_y: [0, 0.2], pos_z: [-0.3, 0],
     resampling: [60ms, 200ms]}
  - {name: place, term: uniform_pose, body: FL_shank, frame: world, pos_x: [0.1, 0.3], pos_y: [0, 0.2],
     pos_z: [0, 0.3], resampling: [60ms, 200ms]}
events:
  - {term: reset_root_state_uniform, pose_range: {z: [0.05, 0.15], roll: [-0.4, 0.4], yaw: [-3, 3]},
     velocity_range: {x: [-1, 1], z: [-1, 1], yaw: [-2, 2]}}
rewards:
  - {term: track_lin_vel_xy_exp, weight: 1, std: 0.6}
  - {name: with_z, term: track_lin_vel_xy_exp, weight: 1, others: true}
  - {term: track_ang_vel_z_exp, weight: 1, std: 0.7}
  - {name: with_xy, term: track_ang_vel_z_exp, weight: 1, std: 2, others: true}
  - {term: position_command_error_tanh, weight: 1, std: 0.2}
  - {name: place, term: position_command_error_tanh, command: place, weight: 1, std: 0.3}
  - {term: is_alive, weight: 1}
  - {term: is_terminated, weight: 1}
  - {term: lin_vel_z_l2, weight: 1}
  - {term: ang_vel_xy_l2, weight: 1}
  - {term: flat_orientation_l2, weight: 1}
  - {term: body_angular_velocity_penalty, bodies: [trunk, FL_shank], weight: 1}
  - {term: angular_momentum_penalty, weight: 1}
  - {term: upright, std: 0.3, weight: 1}
  - {name: shank, term: upright, body: FL_shank, feet: [".*_foot"], weight: 1}
  - {term: base_height_l2, target_height: 0.25, weight: 1}
  - {term: joint_torques_l2, weight: 1}
  - {name: hip_torques, term: joint_torques_l2, joints: [".*_hip"], weight: 1}
  - {term: joint_vel_l1, joints: [".*_hip"], weight: 1}
  - {term: joint_vel_l2, weight: 1}
  - {term: joint_velocity_hinge_penalty, max_vel: 4, weight: 1}
  - {term: joint_acc_l2, weight: 1}
  - {term: joint_deviation_l1, joints: [".*_knee", "FL_.*"], weight: 1}
  - {term: joint_pos_limits, soft_joint_pos_limit_factor: 0.3, weight: 1}
  - {term: action_l2, weight: 1}
  - {term: action_rate_l2, weight: 1}
  - {term: action_acc_l2, weight: 1}
  - {term: electrical_power_cost, weight: 1}
  - {term: posture, std: {".*_abduction": 0.3, ".*_(hip|knee)": 0.6}, weight: 1}
  - {term: variable_posture, command: velocity, std_standing: 0.2, std_walking: {".*_knee": 0.7, ".*_[ah].*": 0.4},
     std_running: 1, weight: 1}
  - {term: feet_air_time, feet: [".*_foot"], threshold: 0.04, weight: 1}
  - {name: in_air, term: feet_air_time, feet: [".*_foot"], mode: air, threshold_min: 0.03, threshold_max: 0.15,
     command: velocity, weight: 1}
  - {term: feet_slip, feet: [".*_foot"], command: velocity, weight: 1}
  - {term: feet_clearance, feet: [".*_foot"], target_height: 0.07, weight: 1}
  - {term: feet_swing_height, feet: [".*_foot"], target_height: 0.05, command: velocity, weight: 1}
  - {term: soft_landing, feet: [".*_foot"], weight: 1}
  - {term: undesired_contacts, bodies: [trunk, ".*_shank"], threshold: 30, weight: 1}
  - {term: forward_progress, weight: 1}
  - name: feet
    expr: "sum(site.FL_foot.velocity) + sum(site.FR_foot.velocity) + sum(site.RL_foot.velocity) +
      sum(site.RR_foot.velocity)"
    weight: 1
terminations:
  - {term: time_out}
  - {term: bad_orientation, limit: 0.7}
  - {term: root_height_below_minimum, minimum_height: 0.2, truncate: true}
  - {term: illegal_contact, bodies: [trunk, ".*_shank"], threshold: 600, truncate: true}
  - {term: joint_pos_out_of_limit, joints: [".*_abduction"], soft_joint_pos_limit_factor: 0.9, truncate: true}
  - {term: nan_detection}
`

// The joints of the quadruped in the order of its model, and its feet.
var (
	legs   = []string{"FL", "FR", "RL", "RR"}
	joints = func() (names []string) {
		for _, leg := range legs {
			names = append(names, leg+"_abduction", leg+"_hip", leg+"_knee")
		}
		return names
	}()
	home   = []float64{0, 0.8, -1.6, 0, 0.8, -1.6, 0, 0.8, -1.6, 0, 0.8, -1.6}
	limits = map[string][2]float64{"abduction": {-0.8, 0.8}, "hip": {-0.7, 2.3}, "knee": {-2.6, -0.5}}
)

// dt is the length of a control step.
const dt = 0.02

// outcome is what the naive formulas see of a world at the end of a control step.
type outcome struct {
	q, u      []float64    // qpos and qvel
	x0        float64      // the base's x when the control step began
	actions   [3][]float64 // newest first
	contacts  [4][]bool    // of each foot, since the episode began, the newest last
	heights   [4][]float64 // likewise, m
	velocity  []float64    // the commands
	pose      []float64
	place     []float64
	probe     func(source string, back int) []float64
	terminate bool
}

// rotation returns the matrix that turns vectors of the base into the world's.
func (o *outcome) rotation() (m [3][3]float64) {
	w, x, y, z := o.q[3], o.q[4], o.q[5], o.q[6]
	return [3][3]float64{
		{w*w + x*x - y*y - z*z, 2 * (x*y - w*z), 2 * (x*z + w*y)},
		{2 * (x*y + w*z), w*w - x*x + y*y - z*z, 2 * (y*z - w*x)},
		{2 * (x*z - w*y), 2 * (y*z + w*x), w*w - x*x - y*y + z*z},
	}
}

// inBase turns a vector of the world into the base's frame.
func (o *outcome) inBase(v []float64) (b [3]float64) {
	m := o.rotation()
	for i := range 3 {
		for k := range 3 {
			b[i] += m[k][i] * v[k]
		}
	}
	return b
}

// inWorld turns a vector of the base's frame into the world's.
func (o *outcome) inWorld(v []float64) []float64 {
	var w []float64
	for _, row := range o.rotation() {
		w = append(w, row[0]*v[0]+row[1]*v[1]+row[2]*v[2])
	}
	return w
}

func (o *outcome) linear() [3]float64  { return o.inBase(o.u[:3]) }
func (o *outcome) gravity() [3]float64 { return o.inBase([]float64{0, 0, -1}) }

// overJoints adds up a formula over the joints whose names have one of the parts.
func (o *outcome) overJoints(f func(i int) float64, parts ...string) float64 {
	sum := 0.0
	for i, name := range joints {
		if len(parts) == 0 || slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(name, part) }) {
			sum += f(i)
		}
	}
	return sum
}

func (o *outcome) torque(i int) float64 { return o.probe("joint/"+joints[i]+"/torque", 0)[0] }

// beyond is how far joint i is beyond its limits, narrowed by a factor.
func (o *outcome) beyond(i int, factor float64) float64 {
	_, kind, _ := strings.Cut(joints[i], "_")
	r := limits[kind]
	middle, half := (r[0]+r[1])/2, (r[1]-r[0])/2*factor
	return math.Max(0, math.Abs(o.q[7+i]-middle)-half)
}

// airborne returns the number of control steps for which a foot had been in the air before
// the one that is back steps ago, that one included.
func (o *outcome) airborne(leg, back int) int {
	c := o.contacts[leg]
	n := 0
	for i := len(c) - 1 - back; i >= 0 && !c[i]; i-- {
		n++
	}
	return n
}

// peak is the largest contact force on a body in the substeps of the control step.
func (o *outcome) peak(body string) float64 {
	largest := 0.0
	for back := range 10 {
		largest = math.Max(largest, length(o.probe("contact/body/"+body, back)))
	}
	return largest
}

// touching counts the trunk and the shanks that felt more than a force.
func (o *outcome) touching(force float64) float64 {
	sum := one(o.peak("trunk") > force)
	for _, leg := range legs {
		sum += one(o.peak(leg+"_shank") > force)
	}
	return sum
}

func length(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x * x
	}
	return math.Sqrt(sum)
}

func square(x float64) float64 { return x * x }

func one(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// overFeet adds up a formula over the feet: their position, horizontal speed and contact.
func (o *outcome) overFeet(f func(leg int, at []float64, speed float64, contact bool) float64) float64 {
	sum := 0.0
	for leg, name := range legs {
		velocity := o.probe("site/"+name+"_foot/velocity", 0)
		contact := o.contacts[leg]
		sum += f(leg, o.probe("geom/"+name+"_foot/position", 0), length(velocity[:2]), contact[len(contact)-1])
	}
	return sum
}

// distance is that of the shank from a commanded position in the world.
func (o *outcome) distance(c [3]float64) float64 {
	p := o.probe("body/FL_shank/position", 0)
	return length([]float64{p[0] - c[0], p[1] - c[1], p[2] - c[2]})
}

func (o *outcome) moving(threshold float64) bool {
	return math.Hypot(o.velocity[0], o.velocity[1])+math.Abs(o.velocity[2]) > threshold
}

// naive holds a formula for each reward of the walker.
var naive = map[string]func(o *outcome) float64{
	"track_lin_vel_xy_exp": func(o *outcome) float64 {
		v := o.linear()
		return math.Exp(-(square(o.velocity[0]-v[0]) + square(o.velocity[1]-v[1])) / 0.36)
	},
	"with_z": func(o *outcome) float64 {
		v := o.linear()
		return math.Exp(-(square(o.velocity[0]-v[0]) + square(o.velocity[1]-v[1]) + square(v[2])) / 0.25)
	},
	"track_ang_vel_z_exp": func(o *outcome) float64 { return math.Exp(-square(o.velocity[2]-o.u[5]) / 0.49) },
	"with_xy": func(o *outcome) float64 {
		return math.Exp(-(square(o.velocity[2]-o.u[5]) + square(o.u[3]) + square(o.u[4])) / 4)
	},
	"position_command_error_tanh": func(o *outcome) float64 {
		m, c := o.rotation(), [3]float64(o.q[:3])
		for i := range 3 {
			for k := range 3 {
				c[i] += m[i][k] * o.pose[k]
			}
		}
		return 1 - math.Tanh(o.distance(c)/0.2)
	},
	"place":               func(o *outcome) float64 { return 1 - math.Tanh(o.distance([3]float64(o.place))/0.3) },
	"is_alive":            func(o *outcome) float64 { return one(!o.terminate) },
	"is_terminated":       func(o *outcome) float64 { return one(o.terminate) },
	"lin_vel_z_l2":        func(o *outcome) float64 { return square(o.linear()[2]) },
	"ang_vel_xy_l2":       func(o *outcome) float64 { return square(o.u[3]) + square(o.u[4]) },
	"flat_orientation_l2": func(o *outcome) float64 { return square(o.gravity()[0]) + square(o.gravity()[1]) },
	"body_angular_velocity_penalty": func(o *outcome) float64 {
		a, b := o.probe("body/trunk/velocity", 0), o.probe("body/FL_shank/velocity", 0)
		return square(a[3]) + square(a[4]) + square(b[3]) + square(b[4])
	},
	"angular_momentum_penalty": func(o *outcome) float64 {
		return square(length(o.probe("body/trunk/angular_momentum", 0)))
	},
	"upright": func(o *outcome) float64 {
		return math.Exp(-(square(o.gravity()[0]) + square(o.gravity()[1])) / 0.09)
	},
	"shank": func(o *outcome) float64 {
		shank := outcome{q: append(make([]float64, 3), o.probe("body/FL_shank/quaternion", 0)...)}
		return math.Exp(-(square(shank.gravity()[0]) + square(shank.gravity()[1])) / 0.25)
	},
	"base_height_l2": func(o *outcome) float64 { return square(o.q[2] - 0.25) },
	"joint_torques_l2": func(o *outcome) float64 {
		return o.overJoints(func(i int) float64 { return square(o.torque(i)) })
	},
	"hip_torques": func(o *outcome) float64 {
		return o.overJoints(func(i int) float64 { return square(o.torque(i)) }, "_hip")
	},
	"joint_vel_l1": func(o *outcome) float64 {
		return o.overJoints(func(i int) float64 { return math.Abs(o.u[6+i]) }, "_hip")
	},
	"joint_velocity_hinge_penalty": func(o *outcome) float64 {
		return o.overJoints(func(i int) float64 { return square(math.Max(0, math.Abs(o.u[6+i])-4)) })
	},
	"joint_vel_l2": func(o *outcome) float64 { return o.overJoints(func(i int) float64 { return square(o.u[6+i]) }) },
	"joint_acc_l2": func(o *outcome) float64 {
		return o.overJoints(func(i int) float64 { return square(o.probe("qacc", 0)[6+i]) })
	},
	"joint_deviation_l1": func(o *outcome) float64 {
		return o.overJoints(func(i int) float64 { return math.Abs(o.q[7+i] - home[i]) }, "_knee", "FL_")
	},
	"joint_pos_limits": func(o *outcome) float64 {
		return o.overJoints(func(i int) float64 { return o.beyond(i, 0.3) })
	},
	"action_l2": func(o *outcome) float64 {
		return o.overJoints(func(i int) float64 { return square(o.actions[0][i]) })
	},
	"action_rate_l2": func(o *outcome) float64 {
		return o.overJoints(func(i int) float64 { return square(o.actions[0][i] - o.actions[1][i]) })
	},
	"action_acc_l2": func(o *outcome) float64 {
		return o.overJoints(func(i int) float64 { return square(o.actions[0][i] - 2*o.actions[1][i] + o.actions[2][i]) })
	},
	"electrical_power_cost": func(o *outcome) float64 {
		return o.overJoints(func(i int) float64 { return math.Max(0, o.torque(i)*o.u[6+i]) })
	},
	"posture": func(o *outcome) float64 {
		return math.Exp(-o.overJoints(func(i int) float64 {
			std := 0.6
			if strings.HasSuffix(joints[i], "_abduction") {
				std = 0.3
			}
			return square(o.q[7+i]-home[i]) / (std * std)
		}) / 12)
	},
	"variable_posture": func(o *outcome) float64 {
		speed := math.Hypot(o.velocity[0], o.velocity[1]) + math.Abs(o.velocity[2])
		return math.Exp(-o.overJoints(func(i int) float64 {
			std := 0.4
			switch {
			case speed < 0.5:
				std = 0.2
			case speed >= 1.5:
				std = 1
			case strings.HasSuffix(joints[i], "_knee"):
				std = 0.7
			}
			return square((o.q[7+i] - home[i]) / std)
		}) / 12)
	},
	"feet_swing_height": func(o *outcome) float64 {
		return one(o.moving(0.05)) * o.overFeet(func(leg int, _ []float64, _ float64, contact bool) float64 {
			n, h := o.airborne(leg, 1), o.heights[leg]
			if !contact || n == 0 {
				return 0
			}
			return square(slices.Max(h[len(h)-1-n:len(h)-1])/0.05 - 1)
		})
	},
	"soft_landing": func(o *outcome) float64 {
		return o.overFeet(func(leg int, _ []float64, _ float64, contact bool) float64 {
			return one(contact && o.airborne(leg, 1) > 0) * length(o.probe("contact/geom/"+legs[leg]+"_foot", 0))
		})
	},
	"feet_air_time": func(o *outcome) float64 {
		return o.overFeet(func(leg int, _ []float64, _ float64, contact bool) float64 {
			if n := o.airborne(leg, 1); contact && n > 0 {
				return float64(n+1)*dt - 0.04
			}
			return 0
		})
	},
	"in_air": func(o *outcome) float64 {
		return one(o.moving(0.1)) * o.overFeet(func(leg int, _ []float64, _ float64, _ bool) float64 {
			n := float64(o.airborne(leg, 0))
			return one(n*dt > 0.03 && n*dt < 0.15)
		})
	},
	"feet_slip": func(o *outcome) float64 {
		return one(o.moving(0.01)) * o.overFeet(func(_ int, _ []float64, speed float64, contact bool) float64 {
			return one(contact) * square(speed)
		})
	},
	"feet_clearance": func(o *outcome) float64 {
		return o.overFeet(func(_ int, at []float64, speed float64, _ bool) float64 { return math.Abs(at[2]-0.07) * speed })
	},
	"undesired_contacts": func(o *outcome) float64 { return o.touching(30) },
	"forward_progress":   func(o *outcome) float64 { return (o.q[0] - o.x0) / dt },
	"feet": func(o *outcome) float64 {
		sum := 0.0
		for _, leg := range legs {
			for _, x := range o.probe("site/"+leg+"_foot/velocity", 0) {
				sum += x
			}
		}
		return sum
	},
}

// observer gathers outcomes and compares them with what the task says.
type observer struct {
	t       *testing.T
	spec    sim.Spec
	q, u    func(state []float64) []float64 // qpos and qvel
	started []float64
	worlds  []outcome
	lowest  map[string]float64
	highest map[string]float64
	ends    map[string]int // how often each termination held
}

func (b *observer) info(w *sim.World, name string, n int) []float64 {
	at := slices.Index(b.spec.InfoNames, name)
	if at < 0 {
		b.t.Fatalf("no info %s among %v", name, b.spec.InfoNames)
	}
	return w.Info()[at : at+n]
}

// see brings the outcome of a world up to date.
func (b *observer) see(w *sim.World) *outcome {
	o := &b.worlds[w.Index()]
	if w.Steps() == 1 {
		zero := make([]float64, 12)
		*o = outcome{actions: [3][]float64{zero, zero, zero}}
	}
	o.q, o.u, o.x0 = b.q(w.State()), b.u(w.State()), b.started[w.Index()]
	o.probe = func(source string, back int) []float64 {
		i := slices.Index(b.spec.Probes, source)
		if i < 0 {
			b.t.Fatalf("no probe %s among %v", source, b.spec.Probes)
		}
		values, _ := w.ProbeAt(i, back)
		return values
	}
	action, _, _ := w.Action()
	clipped := make([]float64, 12)
	for i, a := range action {
		clipped[i] = math.Max(-1, math.Min(1, float64(a)))
	}
	o.actions = [3][]float64{clipped, o.actions[0], o.actions[1]}
	for leg, name := range legs {
		o.contacts[leg] = append(o.contacts[leg], length(o.probe("contact/geom/"+name+"_foot", 0)) > 1)
		o.heights[leg] = append(o.heights[leg], o.probe("geom/"+name+"_foot/position", 0)[2])
	}
	o.velocity = b.info(w, "command/velocity[0]", 3)
	o.pose, o.place = b.info(w, "command/pose[0]", 7), b.info(w, "command/place[0]", 7)
	o.terminate = math.Acos(-o.gravity()[2]) > 0.7
	return o
}

func (b *observer) Rewarded(w *sim.World, reward float64) {
	o := b.see(w)
	total := 0.0
	for name, formula := range naive {
		got, want := b.info(w, "reward/"+name, 1)[0], formula(o)
		if math.Abs(got-want) > 1e-9*math.Max(1, math.Abs(want)) {
			b.t.Errorf("world %d, step %d: %s is %v, want %v", w.Index(), w.Steps(), name, got, want)
		}
		b.lowest[name], b.highest[name] = math.Min(b.lowest[name], want), math.Max(b.highest[name], want)
		total += want
	}
	if math.Abs(reward-total) > 1e-8*math.Abs(total) {
		b.t.Errorf("world %d, step %d: the reward is %v, want %v", w.Index(), w.Steps(), reward, total)
	}
}

func (b *observer) Ended(w *sim.World, e sim.Episode) {
	if !e.Complete {
		return
	}
	o := &b.worlds[w.Index()]
	held := map[string]bool{
		"bad_orientation":           o.terminate,
		"root_height_below_minimum": o.q[2] < 0.2,
		"illegal_contact":           o.touching(600) > 0,
		"joint_pos_out_of_limit":    o.overJoints(func(i int) float64 { return o.beyond(i, 0.9) }, "_abduction") > 0,
		"time_out":                  e.Steps == 50,
	}
	for name, yes := range held {
		if yes {
			b.ends[name]++
		}
	}
	truncated := held["root_height_below_minimum"] || held["illegal_contact"] || held["joint_pos_out_of_limit"] ||
		held["time_out"]
	if e.Terminated != held["bad_orientation"] || e.Truncated != (truncated && !e.Terminated) && e.Truncated != truncated {
		b.t.Errorf("world %d, step %d: terminated %v, truncated %v, though what held is %v", w.Index(), e.Steps,
			e.Terminated, e.Truncated, held)
	}
	if !e.Terminated && !e.Truncated {
		b.t.Errorf("world %d, step %d: the episode ended, though nothing held", w.Index(), e.Steps)
	}
}

// TestRewardsAndTerminations compares every reward and termination with a naive formula
// over a rollout of random actions.
func TestRewardsAndTerminations(t *testing.T) {
	b := &observer{t: t, started: make([]float64, 4), worlds: make([]outcome, 4), lowest: map[string]float64{},
		highest: map[string]float64{}, ends: map[string]int{}}
	for name := range naive {
		b.lowest[name], b.highest[name] = math.Inf(1), math.Inf(-1)
	}
	before := watch(runners.Control, -1000, func(w *sim.World) { b.started[w.Index()] = b.q(w.State())[0] })
	e := open(t, env.OpenOptions{Workers: 1, Observers: []sim.Observer{b}, Bindings: []sim.Binding{before}}, "", walker,
		"worlds=4", "seed=11")
	b.spec, b.q, b.u = e.Sim().Spec(), part(t, e, "qpos"), part(t, e, "qvel")
	if n, want := len(naive), strings.Count(fmt.Sprint(b.spec.InfoNames), "reward/"); n != want {
		t.Fatalf("there are %d formulas and %d rewards", n, want)
	}
	for range 400 {
		e.SampleActions()
		step(t, e)
		if t.Failed() {
			return
		}
	}
	for name := range naive {
		if b.lowest[name] == b.highest[name] {
			t.Errorf("%s was always %v: the rollout tests nothing", name, b.lowest[name])
		}
	}
	if len(b.ends) != 5 {
		t.Errorf("only %v held, want each termination: the rollout tests nothing", b.ends)
	}
}

// TestTermsDoNotAllocate compares the allocations of a step with every reward, termination
// and event with those of a built-in task, which come from the workers.
func TestTermsDoNotAllocate(t *testing.T) {
	builtIn := polytest.Must(env.Make("HalfCheetah-v5", env.Options{Worlds: 2, Workers: 1}))(t)
	defer builtIn.Close()
	allocations := func(e *env.Env) float64 {
		return polytest.Allocations(100, func() {
			e.SampleActions()
			step(t, e)
		})
	}
	if got, want := allocations(termsEnv(t, shaken)), allocations(builtIn); got > want {
		t.Errorf("a step allocates %v times, want at most %v", got, want)
	}
}
