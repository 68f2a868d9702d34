package starter

import (
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"gonum.org/v1/gonum/spatial/r3"

	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco"
)

func isIdentifier(name string) bool {
	return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`).MatchString(name)
}

// ofAll returns the key for all joints of the robot, not only those with an actuator; "" where these are all.
func (w *writer) ofAll() string {
	other := func(j mujoco.Joint) bool { return j.PositionSize == 1 && !slices.Contains(w.roots, w.rootOf(j.Body)) }
	if len(w.idle) == 0 || len(w.joints) == 0 && !slices.ContainsFunc(w.Joints, other) {
		return ""
	}
	return ", joints: " + list(w.patternsOf(w.hinges()))
}

// task is what the hand of an arm is asked to do.
type task struct {
	Command          string // name of the command
	See, Reach, Near string // beginnings of the entries for a hand, with their names; "" for a single hand
	Hand, Box        string // body of the hand, and the box of its targets
}

func (w *writer) reaches() (all []task) {
	if w.family != arm {
		return nil
	}
	for i, hand := range w.hands {
		r := task{Command: "pose", Near: "near", Hand: w.Bodies[hand].Ref}
		if len(w.hands) > 1 {
			r.Command, r.Near = fmt.Sprintf("pose_%d", i+1), fmt.Sprintf("near_%d", i+1)
			r.See, r.Reach = "name: to_"+r.Command+", ", fmt.Sprintf("name: reach_%d, ", i+1)
		}
		low, high := w.reach(hand)
		var box []string
		for k, axis := range []string{"x", "y", "z"} {
			box = append(box, fmt.Sprintf("pos_%s: [%s, %s]", axis, number(low[k]), number(high[k])))
		}
		r.Box = strings.Join(box, ", ")
		all = append(all, r)
	}
	return all
}

// upperLegs returns patterns of the bodies of legs that collide and on which they do not stand: no joint parts those of a
// sole from it, as the calf of a foot that is fixed to it. It returns nil if there are none.
func (w *writer) upperLegs() []string {
	stands := func(body int) bool {
		return slices.ContainsFunc(w.legs, func(l leg) bool { return w.segment(body) == l.foot })
	}
	return patternsWhere(w.Bodies, bodyName, func(i int) bool {
		b := &w.Bodies[i]
		inLeg := slices.ContainsFunc(b.Joints, func(k int) bool { return w.legOf(k) >= 0 })
		return inLeg && !stands(i) && slices.ContainsFunc(b.Geoms, func(s int) bool { return w.Geoms[s].Collides() })
	})
}

// rewardsTrot reports whether a trot is rewarded: of a robot with four legs whose feet an expression can name.
func (w *writer) rewardsTrot() bool {
	return len(w.legs) == 4 && !slices.ContainsFunc(w.contacts, func(quantity string) bool {
		_, name, _ := strings.Cut(quantity, ".")
		return !isIdentifier(strings.TrimSuffix(name, ".contact"))
	})
}

// stride returns the frequency of the trot, Hz: a share of that of a pendulum as long as the legs.
func (w *writer) stride() float64 { return 0.33 * math.Sqrt(w.gravity()/max(w.legLength(), 1e-6)) }

// trot returns a reward for feet that are on the ground when, and only when, a trot has them there, by diagonals.
func (w *writer) trot() string {
	var forces, phases []string
	var middle r3.Vec
	for _, l := range w.legs {
		middle = r3.Add(middle, r3.Scale(0.25, w.hip(l, w.frames)))
	}
	for i, l := range w.legs {
		offset := r3.Sub(w.hip(l, w.frames), middle)
		phase := "0"
		if offset.X*offset.Y < 0 {
			phase = "0.5"
		}
		forces, phases = append(forces, "norm("+w.contacts[i]+")"), append(phases, phase)
	}
	return fmt.Sprintf("mean(where(([%s] > 1) == (([%s] + %s * time %% 1) %% 1 < 0.5), 1, 0))",
		strings.Join(forces, ", "), strings.Join(phases, ", "), short(w.stride()))
}

// deviationJoints returns patterns of the joints in no leg, and of two legs those that do not bend forwards.
func (w *writer) deviationJoints() []string {
	var joints []int
	for _, k := range w.joints {
		j := w.Joints[k]
		side := w.frames[j.Body].turn.Rotate(vector(j.Axis)).Y
		if w.legOf(k) < 0 || len(w.legs) < 4 && math.Abs(side) < 0.5 {
			joints = append(joints, k)
		}
	}
	return w.patternsOf(joints)
}

// otherRewards returns those of a robot that is neither on legs nor an arm.
func (w *writer) otherRewards() []string {
	if w.family == flyer {
		return []string{
			"{term: track_lin_vel_xy_exp, weight: 1, command: velocity, std: 0.5}    # follow the command",
			"{term: track_ang_vel_z_exp, weight: 0.5, command: velocity, std: 0.5}",
			"{term: base_height_l2, weight: -2, target_height: " + short(w.frames[w.root].position.Z) + "}   # m",
			"{term: lin_vel_z_l2, weight: -0.2}", "{term: ang_vel_xy_l2, weight: -0.05}",
			"{term: flat_orientation_l2, weight: -1}", "{term: is_alive, weight: 0.5}",
			"{term: is_terminated, weight: -10}                  # do not fall",
		}
	}
	if w.family == wheeled {
		std := short(w.cruise() / 2)
		return []string{
			"{term: track_lin_vel_xy_exp, weight: 2, command: velocity, std: " + std + "}    # follow the command",
			"{term: track_ang_vel_z_exp, weight: 1, command: velocity, std: 0.5}",
			"{term: is_alive, weight: 0.25}",
			"{term: is_terminated, weight: -10}                  # do not fall over",
		}
	}
	if w.family != otherFamily {
		return nil
	}
	lines := []string{"{term: is_alive, weight: 1}"}
	if w.floating {
		axis, sign := w.upAxis()
		return append(lines, fmt.Sprintf("{name: upright, expr: \"%sprojected_gravity[%d]\", weight: 1}",
			map[bool]string{true: "-"}[sign > 0], axis))
	}
	if k := w.track(); k >= 0 {
		return append(lines, fmt.Sprintf("{term: forward_progress, joint: %s, weight: 1}   # m/s",
			quote(w.Joints[k].Ref)))
	}
	if name := w.shapeAt(w.tip(w.root)); isIdentifier(name) {
		lines = append(lines, "{name: high, expr: \"geom."+name+".position[2]\", weight: 1}   # m: raise the last body")
	}
	return lines
}

// upAxis returns the base's most vertical axis at the start, 0 to 2, and 1 or -1 for up or down.
func (w *writer) upAxis() (axis int, sign float64) {
	vertical := inverse(w.frames[w.root].turn).Rotate(r3.Vec{Z: 1})
	most := 0.0
	for i, v := range []float64{vertical.X, vertical.Y, vertical.Z} {
		if math.Abs(v) > math.Abs(most)+1e-9 {
			axis, most = i, v
		}
	}
	return axis, math.Copysign(1, most)
}

// balls returns what observes the ball joints whose names an expression can spell.
func (w *writer) balls() (lines []string) {
	for _, j := range w.Joints {
		if j.Type == "ball" && isIdentifier(j.Ref) && slices.Contains(w.roots, w.rootOf(j.Body)) {
			lines = append(lines, fmt.Sprintf("{name: %s_pos, expr: joint.%[1]s.position}", j.Ref),
				fmt.Sprintf("{name: %s_vel, expr: joint.%[1]s.velocity, scale: 0.1}", j.Ref))
		}
	}
	return lines
}

// shapeAt returns the name of the shape of a body that is the farthest from its frame; "" if it has none.
func (w *writer) shapeAt(b int) string {
	name, most := "", -1.0
	for _, k := range w.Bodies[b].Geoms {
		if d := r3.Norm(vector(w.Geoms[k].Position)); d > most {
			name, most = w.Geoms[k].Ref, d
		}
	}
	return name
}

// track returns the slide of the root along x without an actuator, along which a robot moves; -1 if there is none.
func (w *writer) track() int {
	for _, k := range w.Bodies[w.root].Joints {
		j := w.Joints[k]
		if j.Type == "slide" && len(j.Actuators) == 0 && math.Abs(j.Axis[0]) > 0.9 {
			return k
		}
	}
	return -1
}

// leastLoad is the share of a joint's effort that counts as its load where it bears less, as one that is balanced.
const leastLoad = 0.1

// torqueWeight returns a weight by which the torques that bear the robot cost a share of a reward of 1. So all efforts
// together cost at most that share over the square of leastLoad.
func (w *writer) torqueWeight() float64 {
	sum := 0.0
	for _, k := range w.hinges() {
		load := w.torque(k)
		sum += load * load
	}
	if sum == 0 {
		return -1e-4 / math.Pow10(w.tuning.Cheaper)
	}
	share := 0.12
	if w.family != legged {
		share = 0.02
	}
	return -roundTo(share/sum/math.Pow10(w.tuning.Cheaper), 1)
}

// torque returns that which a joint's actuators are expected to exert, N m or N; 0 for a joint that nothing drives.
func (w *writer) torque(k int) float64 {
	d, driven := w.drives[k]
	if driven {
		effort := d.effort // effort of the model's own actuator, where it is plausible
		if d.added {
			effort = w.gains[k].effort
		}
		return max(w.load(k, w.frames), leastLoad*effort)
	}
	most := 0.0
	for _, i := range w.Joints[k].Actuators {
		if slices.Contains(w.others, i) {
			most = max(most, w.load(k, w.frames), leastLoad*w.effortOf(k, &w.Actuators[i]))
		}
	}
	// what tendons and the like move is not known: joints below the root, which may be rails
	if between := w.Joints[k].Body != w.root; between && slices.ContainsFunc(w.others, func(i int) bool {
		return !ofJoint(&w.Actuators[i])
	}) {
		most = max(most, w.load(k, w.frames))
	}
	return most
}

// isHeld reports whether a constraint of the model holds what is from a body on to something else, so that its joints
// are not free to start anywhere.
func (t *tree) isHeld(body int) bool {
	return slices.ContainsFunc(t.Loops, func(l mujoco.Loop) bool {
		return t.isWithin(l.Bodies[0], body) != t.isWithin(l.Bodies[1], body)
	})
}

// shaken returns the entry for the joints that start elsewhere in each episode: those that no constraint holds, and not
// the height of a robot on a rail.
func (w *writer) shaken() string {
	all := w.hinges()
	loose := slices.DeleteFunc(slices.Clone(all), func(k int) bool {
		j := &w.Joints[k]
		inTendon := slices.ContainsFunc(w.Tendons, func(t mujoco.Tendon) bool { return t.Held && slices.Contains(t.Joints, k) })
		// on a rail, it would start in the floor
		up := w.frames[j.Body].turn.Rotate(vector(j.Axis)).Z
		rail := j.Type == "slide" && j.Body == w.root && len(j.Actuators) == 0 && math.Abs(up) > 1-across
		return inTendon || rail || w.isHeld(j.Body)
	})
	selection := w.ofAll()
	switch {
	case len(loose) == 0:
		return ""
	case len(loose) < len(all):
		selection = ", joints: " + list(w.patternsOf(loose))
	}
	return "{term: reset_joints_by_offset, mode: reset, position_range: [-0.05, 0.05], velocity_range: [0, 0]" +
		selection + "}   # rad or m"
}

// mass returns that of the robot: of all that hangs on a base that is fixed to the world, too.
func (w *writer) mass() float64 {
	if isURDF(w.file) {
		return w.TotalMass
	}
	sum := 0.0
	for _, root := range w.roots {
		sum += w.Bodies[root].SubtreeMass
	}
	return sum
}

// isURDF reports whether a file is one robot and nothing else.
func isURDF(file string) bool { return strings.EqualFold(filepath.Ext(file), ".urdf") }

// placed returns the key for the joints of which the policy sees where they are: not those of wheels, which turn on and
// on. It reports false if there are none.
func (w *writer) placed() (string, bool) {
	all := w.hinges()
	seen := slices.DeleteFunc(slices.Clone(all), func(k int) bool { return w.wheelOf(k) != nil })
	if len(seen) == len(all) {
		return w.ofAll(), len(all) > 0
	}
	return ", joints: " + list(w.patternsOf(seen)), len(seen) > 0
}

// fast returns a part of the fastest speed that legs are asked for, m/s.
func (w *writer) fast(part float64) string { return number(roundTo(w.speed(), 1) * part) }

func (w *writer) speed() float64 { return max(0.2, math.Sqrt(0.3*w.gravity()*w.legLength())) }

// legLength returns the height of the hips over the soles, m.
func (w *writer) legLength() float64 {
	sum := 0.0
	for _, l := range w.legs {
		sum += (w.hip(l, w.frames).Z - w.sole(l, w.frames).Z) / float64(len(w.legs))
	}
	return sum
}

// grips returns patterns of the geoms between which the feet find their hold: the soles and the floor.
func (w *writer) grips() []string {
	var soles []int
	for _, l := range w.legs {
		soles = append(soles, l.soles...)
	}
	floor := patternsWhere(w.Geoms, geomName, func(i int) bool {
		g := &w.Geoms[i]
		return g.Body == 0 && (g.Type == "plane" || g.Type == "hfield")
	})
	return append(floor, patternsWhere(w.Geoms, geomName, func(i int) bool { return slices.Contains(soles, i) })...)
}
