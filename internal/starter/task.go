package starter

import (
	"math"
	"regexp"
	"slices"
	"strings"

	"gonum.org/v1/gonum/spatial/r3"
)

// spelt reports whether an expression can name an object.
func spelt(name string) bool { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`).MatchString(name) }

func (w *writer) observations() {
	w.line("# What the policy sees, and what only the value network sees, which is not needed later.")
	w.line("observations:")
	w.line("  policy:")
	if w.floating {
		w.line("    - {term: base_lin_vel, noise: {uniform: 0.1}}        # m/s, in the base's frame")
		w.line("    - {term: base_ang_vel, noise: {uniform: 0.2}}        # rad/s")
		w.line("    - {term: projected_gravity, noise: {uniform: 0.05}}")
	}
	if w.commanded() != "" {
		w.line("    - {term: generated_commands, command: %s}", w.commanded())
	}
	joints := ""
	if w.passive > 0 {
		joints = ", joints: " + list(w.patternsOf(w.hinges()))
	}
	w.line("    - {term: joint_pos_rel%s, noise: {uniform: 0.01}}   # rad or m, relative to the start", joints)
	w.line("    - {term: joint_vel_rel%s, noise: {uniform: 0.5}, scale: 0.1}", joints)
	w.line("    - {term: last_action}")
	if w.trots() {
		w.line("    - {term: gait_phase, frequency: %s}                 # Hz, of the trot that is rewarded", short(w.stride()))
	}
	w.line("  critic:")
	if w.floating {
		w.line("    - {term: base_lin_vel}")
		w.line("    - {term: base_ang_vel}")
		w.line("    - {term: projected_gravity}")
		w.line("    - {term: base_pos_z}")
	}
	if w.commanded() != "" {
		w.line("    - {term: generated_commands, command: %s}", w.commanded())
	}
	w.line("    - {term: joint_pos_rel%s}", joints)
	w.line("    - {term: joint_vel_rel%s, scale: 0.1}", joints)
	w.line("    - {term: last_action}")
	if w.trots() {
		w.line("    - {term: gait_phase, frequency: %s}", short(w.stride()))
	}
	switch w.family {
	case legged:
		w.line("    - {term: foot_contact, feet: %s}", list(w.feet))
		w.line("    - {term: foot_height, feet: %s}", list(w.feet))
	case arm:
		w.line("    - {term: body_pose_w, bodies: %s}", list([]string{regexp.QuoteMeta(w.bodies[w.hand].name)}))
	}
	w.line("")
}

// commanded returns the name of the command that the task follows; "" for none.
func (w *writer) commanded() string {
	switch w.family {
	case legged:
		return "velocity"
	case arm:
		return "pose"
	}
	return ""
}

func (w *writer) rewards() {
	w.line("# Added up: weight × value × length of a control step. An entry may also be an expression, such as")
	w.line("# {name: calm, expr: \"sum(square(joint_vel))\", weight: -1e-4}.")
	w.line("rewards:")
	switch w.family {
	case legged:
		w.leggedRewards()
	case arm:
		w.armRewards()
	default:
		w.otherRewards()
	}
	w.line("  - {term: action_rate_l2, weight: %s}              # smooth actions", w.actionRateWeight())
	w.line("  - {term: joint_torques_l2, weight: %s}            # little effort", number(w.torqueWeight()))
	if slices.ContainsFunc(w.joints, func(k int) bool { return !math.IsInf(w.tree.joints[k].high, 0) }) {
		w.line("  - {term: joint_pos_limits, weight: -1}                # within the joints' limits")
	}
	w.line("")
}

func (w *writer) leggedRewards() {
	w.line("  - {term: track_lin_vel_xy_exp, weight: 2, command: velocity, std: 0.5}    # follow the command")
	w.line("  - {term: track_ang_vel_z_exp, weight: 1, command: velocity, std: 0.5}")
	w.line("  - {term: is_alive, weight: 0.25}")
	w.line("  - {term: is_terminated, weight: -10}                  # do not fall")
	w.line("  - {term: lin_vel_z_l2, weight: -1}")
	w.line("  - {term: ang_vel_xy_l2, weight: -0.05}")
	w.line("  - {term: flat_orientation_l2, weight: -2.5}           # upright")
	w.line("  - {term: base_height_l2, weight: %s, target_height: %s}   # on its legs, not on its knees", number(w.heightWeight()), short(w.frames[w.root].at.Z))
	if p := w.upperLegs(); p != nil {
		w.line("  - {term: undesired_contacts, weight: -0.5, bodies: %s}", list(p))
	}
	w.line("  - {term: joint_vel_l2, weight: -3e-4}")
	if w.trots() {
		w.trot()
	} else {
		w.line("  - {term: feet_air_time, weight: 1, feet: %s, command: velocity, threshold: 0.1}   # step, do not shuffle", list(w.feet))
	}
	w.line("  - {term: feet_slip, weight: -0.1, feet: %s, command: velocity}", list(w.feet))
	if p := w.deviating(); p != nil {
		w.line("  - {term: joint_deviation_l1, weight: -0.1, joints: %s}   # near the start pose", list(p))
	}
}

// heightWeight returns the weight of the squared error in height: a fifth of the height
// costs as much as the loss of a third of what tracking gives at most.
func (w *writer) heightWeight() float64 {
	height := max(w.frames[w.root].at.Z, 1e-3)
	return math.Round(-2 / (height * height))
}

// actionRateWeight returns the weight of changes of the action, as text.
func (w *writer) actionRateWeight() string {
	if w.family == legged {
		return "-0.03"
	}
	return "-0.005"
}

// upperLegs returns patterns of the bodies of legs that collide but hold no sole; nil if
// there are none.
func (w *writer) upperLegs() []string {
	soles := map[int]bool{}
	for _, l := range w.legs {
		for _, s := range l.soles {
			soles[w.tree.shapes[s].body] = true
		}
	}
	var names, all []string
	for i, b := range w.bodies {
		all = append(all, b.name)
		inLeg := slices.ContainsFunc(b.joints, func(k int) bool { return w.legOf(k) >= 0 })
		collides := slices.ContainsFunc(b.shapes, func(s int) bool { return w.tree.shapes[s].collides })
		if inLeg && collides && !soles[i] && b.name != "" {
			names = append(names, b.name)
		}
	}
	if names == nil {
		return nil
	}
	return patterns(names, all)
}

// trots reports whether a trot is rewarded: of a robot with four legs whose feet an
// expression can name.
func (w *writer) trots() bool {
	return len(w.legs) == 4 && !slices.ContainsFunc(w.contacts, func(quantity string) bool {
		_, name, _ := strings.Cut(quantity, ".")
		return !spelt(strings.TrimSuffix(name, ".contact"))
	})
}

// stride returns the frequency of the trot, Hz: robots of other sizes at the same share of
// the frequency of a pendulum as long as their legs.
func (w *writer) stride() float64 { return 0.33 * math.Sqrt(w.gravity/max(w.legLength(), 1e-6)) }

// trot writes the reward for feet that are on the ground when, and only when, a trot has
// them there: those of a diagonal together.
func (w *writer) trot() {
	var forces, phases []string
	var middle r3.Vec
	for _, l := range w.legs {
		middle = r3.Add(middle, r3.Scale(0.25, w.hip(l, w.frames)))
	}
	for i, l := range w.legs {
		at := r3.Sub(w.hip(l, w.frames), middle)
		phase := "0"
		if at.X*at.Y < 0 {
			phase = "0.5"
		}
		forces, phases = append(forces, "norm("+w.contacts[i]+")"), append(phases, phase)
	}
	w.line("  # the share of the feet that are on the ground when, and only when, a trot has them there")
	w.line("  - name: trot")
	w.line("    weight: 0.5")
	w.line("    expr: \"mean(where(([%s] > 1) == (([%s] + %s * time %% 1) %% 1 < 0.5), 1, 0))\"",
		strings.Join(forces, ", "), strings.Join(phases, ", "), short(w.stride()))
}

// deviating returns patterns of the joints that walking needs little: those that are in
// no leg, and of two legs those about the vertical or the forward axis.
func (w *writer) deviating() []string {
	var joints []int
	for _, k := range w.joints {
		j := w.tree.joints[k]
		side := w.frames[j.body].turn.Rotate(j.axis).Y
		if w.legOf(k) < 0 || len(w.legs) < 4 && math.Abs(side) < 0.5 {
			joints = append(joints, k)
		}
	}
	if joints == nil {
		return nil
	}
	return w.patternsOf(joints)
}

func (w *writer) armRewards() {
	w.line("  - {term: position_command_error_tanh, weight: 1, command: pose, std: 0.2}    # reach the commanded position")
	w.line("  - {name: near, term: position_command_error_tanh, weight: 1, command: pose, std: 0.05}   # and exactly")
}

func (w *writer) otherRewards() {
	w.line("  - {term: is_alive, weight: 1}")
	if w.floating {
		axis, sign := w.upAxis()
		w.line("  - {name: upright, expr: \"%sprojected_gravity[%d]\", weight: 1}", map[bool]string{true: "-"}[sign > 0], axis)
	} else if k := w.track(); k >= 0 {
		w.line("  - {term: forward_progress, joint: %s, weight: 1}   # m/s", quoted(w.tree.joints[k].name))
	} else if name := w.shapeAt(w.tip()); spelt(name) {
		w.line("  - {name: high, expr: \"geom.%s.position[2]\", weight: 1}   # m: raise the last body", name)
	}
}

// upAxis returns the axis of the base, 0 to 2, that is the most vertical at the start, and
// 1 or -1 for up or down.
func (w *writer) upAxis() (axis int, sign float64) {
	up := inverse(w.frames[w.root].turn).Rotate(r3.Vec{Z: 1})
	most := 0.0
	for i, v := range []float64{up.X, up.Y, up.Z} {
		if math.Abs(v) > math.Abs(most)+1e-9 {
			axis, most = i, v
		}
	}
	return axis, math.Copysign(1, most)
}

// shapeAt returns the name of the shape of a body that is the farthest from its frame; ""
// if it has none.
func (w *writer) shapeAt(b int) string {
	name, most := "", -1.0
	for _, k := range w.bodies[b].shapes {
		if d := r3.Norm(w.shapes[k].place.at); d > most {
			name, most = w.shapes[k].name, d
		}
	}
	return name
}

// track returns the joint along which a robot in the plane moves forward: a slide of the
// root along x without actuator; -1 if there is none.
func (w *writer) track() int {
	for _, k := range w.bodies[w.root].joints {
		j := w.tree.joints[k]
		if j.kind == slide && !j.actuated && math.Abs(j.axis.X) > 0.9 {
			return k
		}
	}
	return -1
}

// tip returns the body at the end of the longest chain of joints.
func (w *writer) tip() int {
	tip := w.root
	for _, leaf := range w.leaves(w.root) {
		if len(w.chain(0, leaf)) > len(w.chain(0, tip)) {
			tip = leaf
		}
	}
	return tip
}

// torqueWeight returns the weight of the squared torques, by which those that bear the
// robot cost an eighth of a reward of 1.
func (w *writer) torqueWeight() float64 {
	sum := 0.0
	for _, k := range w.joints {
		load := w.load(k, w.frames)
		sum += load * load
	}
	if sum == 0 {
		return -1e-4
	}
	share := 0.12
	if w.family != legged {
		share = 0.02
	}
	return -round1(share / sum)
}

// round1 rounds to one significant digit.
func round1(x float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(x)))
	return math.Round(x/unit) * unit
}

func (w *writer) terminations() {
	w.line("terminations:")
	w.line("  - {term: time_out}")
	name := regexp.QuoteMeta(w.bodies[w.root].name)
	height := w.frames[w.root].at.Z
	switch {
	case w.family == legged:
		w.line("  - {term: bad_orientation, limit: 1.0}                 # rad")
		w.line("  - {term: root_height_below_minimum, minimum_height: %s}   # m", short(0.5*height))
		w.line("  - {term: illegal_contact, bodies: %s, threshold: 1}   # N", list([]string{name}))
	case w.floating && w.gravity > 0 && height > 0:
		w.line("  - {term: root_height_below_minimum, minimum_height: %s}   # m", short(0.4*height))
	}
	w.line("  - {term: nan_detection}")
	w.line("")
}

func (w *writer) commands() {
	switch w.family {
	case legged:
		w.line("# What the robot is asked to do: drawn anew when an episode begins and after each time of resampling.")
		w.line("commands:")
		fast := round1(max(0.2, math.Sqrt(0.3*w.gravity*w.legLength())))
		w.line("  - {name: velocity, term: uniform_velocity, lin_vel_x: [%[1]s, %[2]s], lin_vel_y: [%[3]s, %[4]s], ang_vel_z: [-1, 1],   # m/s, m/s, rad/s",
			number(-fast), number(fast), number(-fast/2), number(fast/2))
		w.line("     resampling: [5s, 10s], rel_standing_envs: 0.05}")
		w.line("")
	case arm:
		w.line("# Where the hand should be: drawn anew when an episode begins and after each time of resampling.")
		w.line("commands:")
		low, high := w.reach()
		w.line("  - {name: pose, term: uniform_pose, body: %s, frame: world,", quoted(w.bodies[w.hand].name))
		w.line("     pos_x: [%s, %s], pos_y: [%s, %s], pos_z: [%s, %s],   # m", number(low[0]), number(high[0]), number(low[1]), number(high[1]), number(low[2]), number(high[2]))
		w.line("     resampling: [3s, 5s]}")
		w.line("")
	}
}

// legLength returns the height of the hips over the soles, m.
func (w *writer) legLength() float64 {
	sum := 0.0
	for _, l := range w.legs {
		sum += (w.hip(l, w.frames).Z - w.sole(l, w.frames).Z) / float64(len(w.legs))
	}
	return sum
}

func (w *writer) events() {
	w.line("# What differs from world to world and from episode to episode, so that the policy does not rely on it.")
	w.line("events:")
	if w.floating {
		w.line("  - {term: reset_root_state_uniform, mode: reset, pose_range: {x: [-0.5, 0.5], y: [-0.5, 0.5], yaw: [-3.14, 3.14]}}")
	}
	w.line("  - {term: reset_joints_by_offset, mode: reset, position_range: [-0.05, 0.05], velocity_range: [0, 0]}   # rad or m")
	if w.family == legged {
		name := regexp.QuoteMeta(w.bodies[w.root].name)
		fast := number(round1(max(0.2, math.Sqrt(0.3*w.gravity*w.legLength())) / 2))
		w.line("  - {term: push_by_setting_velocity, mode: interval, interval: [5s, 10s], velocity_range: {x: [-%[1]s, %[1]s], y: [-%[1]s, %[1]s]}}   # m/s", fast)
		w.line("  - {term: body_mass, mode: startup, bodies: %s, ranges: [0.9, 1.1]}   # a factor", list([]string{name}))
		w.line("  - {term: geom_friction, mode: startup, geoms: %s, shared_random: true, ranges: [0.5, 1.25]}   # of floor and feet", list(w.grips()))
	}
	w.line("")
}

// grips returns patterns of the geoms between which the feet find their hold: the soles
// and the floor.
func (w *writer) grips() []string {
	var names, all []string
	for i, g := range w.d.Geoms {
		all = append(all, g.Ref)
		if w.shapes[i].form == plane && g.Body == 0 {
			names = append(names, g.Ref)
		}
	}
	found := patterns(names, all)
	names = nil
	for _, l := range w.legs {
		for _, k := range l.soles {
			names = append(names, w.shapes[k].name)
		}
	}
	return append(found, patterns(names, all)...)
}

func (w *writer) training() {
	w.line("recording:")
	w.line("  enabled: true             # the dataset of the run; false saves disk")
	w.line("  every_world: 8")
	w.line("")
	w.line("# Learning by PPO. More steps and wider networks help where the curve still rises.")
	w.line("training:")
	steps, hidden := "3_000_000", "[128, 128]"
	if w.family == something {
		steps, hidden = "1_000_000", "[64, 64]"
	}
	w.line("  steps: %s", steps)
	w.line("  segment: 48               # control steps of each world between two updates")
	w.line("  epochs: 5")
	w.line("  minibatch: 1024")
	w.line("  learning_rate: 1e-3")
	w.line("  schedule: adaptive        # keeps the policy's change at each update near target_kl")
	w.line("  target_kl: 0.012")
	w.line("  hidden: %s", hidden)
	w.line("  initial_std: 0.5")
	w.line("")
	w.line("evaluation:")
	w.line("  episodes: 20")
}
