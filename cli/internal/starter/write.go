package starter

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco"
)

func (w *writer) added() []int {
	return slices.DeleteFunc(slices.Clone(w.joints), func(k int) bool { return !w.drives[k].added })
}

// physics returns the options that learning wants otherwise than the file.
func (w *writer) physics() string {
	var options, why []string
	if w.Physics.Cone == "elliptic" {
		options = append(options, "cone: pyramidal", "impratio: 1")
		why = append(why, "faster than the elliptic cones of the file")
	}
	if (len(w.added()) > 0 || w.tuning.Finer > 0) && w.Physics.Integrator == "euler" {
		options, why = append(options, "integrator: implicitfast"),
			append(why, "stable with the damping of the actuators")
	}
	if options == nil {
		return ""
	}
	return fmt.Sprintf("{%s}   # %s", strings.Join(options, ", "), strings.Join(why, "; "))
}

// isSunk reports whether a robot that cannot be lifted is below the floor that was added.
func (w *writer) isSunk() bool {
	sunk := slices.ContainsFunc(w.roots, func(root int) bool {
		low, ok := w.ground(root, w.frames)
		return ok && low < -clear || w.lowestMoving(root, w.frames) < -tooLow
	})
	hasFloor := slices.ContainsFunc(w.Geoms, func(g mujoco.Geom) bool {
		return g.Type == "plane" && g.Body == 0 && g.Name != "floor"
	})
	return !w.floating && sunk && !hasFloor
}

// passes reports whether the parts of the robot pass through one another, as they then do through all in its file that
// moves.
func (w *writer) passes() bool {
	return w.tuning.PassThrough || w.family == legged && !slices.ContainsFunc(w.Joints, func(j mujoco.Joint) bool {
		return !slices.Contains(w.roots, w.rootOf(j.Body))
	})
}

func (w *writer) actuators() (lines []string) {
	for _, e := range w.model.rotors {
		lines = append(lines, fmt.Sprintf("{joints: %s, type: thrust, effort: %s, torque_per_thrust: %s}", list(e.Joints),
			number(e.Effort), number(e.TorquePerThrust)))
	}
	for _, joints := range w.sameGains(w.added()) {
		o, more := w.gains[joints[0]], ""
		if w.drives[joints[0]].kind == "velocity" {
			lines = append(lines, fmt.Sprintf("{joints: %s, type: velocity, kd: %s, effort: %s}",
				list(w.patternsOf(joints)), short(o.kd), short(o.effort)))
			continue
		}
		if o.armature > 0 {
			more += ", armature: " + short(o.armature)
		}
		if slices.ContainsFunc(joints, func(k int) bool { return len(w.Joints[k].Actuators) > 0 }) {
			more += ", replace: true"
		}
		lines = append(lines, fmt.Sprintf("{joints: %s, kp: %s, kd: %s, effort: %s%s}", list(w.patternsOf(joints)),
			short(o.kp), short(o.kd), short(o.effort), more))
	}
	return lines
}

func (w *writer) start() (lines []string) {
	if w.keyframe != "" {
		lines = append(lines, "keyframe: "+quote(w.keyframe))
	}
	if w.height != nil {
		lines = append(lines, "height: "+number(
			*w.height)+"          # m, of the base: the lowest point touches the ground")
	}
	if len(w.startJoints) > 0 {
		lines = append(lines, "joints:                 # rad or m; the others as in the model")
	}
	value := func(k int) float64 { return w.pose[w.Joints[k].PositionAt] }
	for _, joints := range groupBy(w.startJoints, value) {
		for _, p := range w.patternsOf(joints) {
			lines = append(lines, "  "+quote(p)+": "+number(value(joints[0])))
		}
	}
	return lines
}

// Rates that a configuration begins with, where the physics step divides them.
const (
	controlSeconds = 0.02
	maxSubsteps    = 20
	captureRate    = "30"
)

// clock returns the physics steps in a control step, and the rates of control and of the recorder.
func (w *writer) clock() (substeps int, control, capture string) {
	substeps = min(max(1, int(math.Round(controlSeconds/w.step))), maxSubsteps)
	if control = rate(float64(substeps) * w.step); control == "50" {
		return substeps, control, captureRate
	}
	return substeps, control, control
}

// rate returns a period as a rate in hertz, if that is a whole number, or as a period.
func rate(seconds float64) string {
	if hertz := 1 / seconds; math.Abs(hertz-math.Round(hertz)) < 1e-9*hertz {
		return strconv.FormatFloat(math.Round(hertz), 'f', -1, 64)
	}
	if us := seconds * 1e6; math.Abs(us-math.Round(us)) < 1e-6*us {
		return strconv.FormatFloat(math.Round(us)/1000, 'f', -1, 64) + "ms"
	}
	return strconv.FormatFloat(math.Round(1/seconds), 'f', -1, 64)
}

var units = map[string]string{
	"gyro": "rad/s", "accelerometer": "m/s^2", "velocimeter": "m/s", "touch": "N", "force": "N", "torque": "N*m",
	"framepos": "m", "framelinvel": "m/s", "frameangvel": "rad/s", "framelinacc": "m/s^2", "frameangacc": "rad/s^2",
	"rangefinder": "m", "subtreecom": "m", "subtreelinvel": "m/s",
}

// channels returns the sensors: those of one number that measure alike in one channel, the others in their own.
func (w *writer) channels() (lines []string) {
	type channel struct {
		name, unit string
		sources    []string
	}
	var all []channel
	used := map[string]bool{}
	uniqueName := func(name string) string {
		name = regexp.MustCompile(`[^A-Za-z0-9-]`).ReplaceAllString(name, "_")
		for used[name] {
			name += "_"
		}
		used[name] = true
		return name
	}
	channelOf := map[string]int{} // index of a channel by its type
	for _, s := range w.Sensors {
		source := "sensor/" + s.Name
		if _, err := w.model.compiled.Probe(source); s.Name == "" || err != nil { // no channel can read the sensor
			continue
		}
		i, found := channelOf[s.Type]
		if s.Size == 1 && found {
			all[i].sources = append(all[i].sources, source)
			continue
		}
		name, unit := s.Name, ""
		if s.Size == 1 {
			channelOf[s.Type], name = len(all), s.Type
		}
		if u := units[s.Type]; u != "" {
			unit = ", unit: " + quote(u)
		}
		all = append(all, channel{uniqueName(name), unit, []string{source}})
	}
	for _, c := range all {
		lines = append(lines, fmt.Sprintf("{name: %s, runner: Sensors, sources: %s%s}", quote(c.name), list(c.sources),
			c.unit))
	}
	return lines
}

func (w *writer) actions() (lines []string) {
	// Without patterns an action takes all joints with actuators, also those of the others.
	uniform := !slices.ContainsFunc(w.others, func(i int) bool { return ofJoint(&w.Actuators[i]) })
	for _, k := range w.joints {
		uniform = uniform && w.drives[k].kind == w.drives[w.joints[0]].kind
	}
	for _, kind := range [][2]string{
		{"position", "targets are the start pose + scale × action"},
		{"velocity", "target velocities are scale × action"},
		{"effort", "torques are gear × scale × action"},
	} {
		joints := slices.DeleteFunc(slices.Clone(w.joints), func(k int) bool { return w.drives[k].kind != kind[0] })
		only := ""
		if !uniform {
			only = ", joints: " + list(w.patternsOf(joints))
		}
		var names []string
		scale, offset, what := map[string]float64{}, map[string]float64{}, ""
		for _, k := range joints {
			name := w.Joints[k].Ref
			names, scale[name] = append(names, name), w.scale(k)/twice(w.tuning.Calmer)
			if kind[0] == "position" {
				if offset[name] = w.offset(k, scale[name]); offset[name] != 0 {
					what = " + offset"
				}
			}
		}
		if what != "" {
			only += ", offset: " + byName(names, offset)
		}
		if len(joints) > 0 {
			lines = append(lines, fmt.Sprintf("{term: joint_%s%s, scale: %s}   # %s", kind[0], only,
				byName(names, scale), strings.Replace(kind[1], " + scale", what+" + scale", 1)))
		}
	}
	if w.others != nil {
		lines = append(lines, w.controls())
	}
	return lines
}

// controls returns the action of other actuators: from end to end of their control, or about a servo's length.
func (w *writer) controls() string {
	var names, all []string
	scale, offset := map[string]float64{}, map[string]float64{}
	for i := range w.Actuators {
		a := &w.Actuators[i]
		all = append(all, a.Ref)
		if !slices.Contains(w.others, i) {
			continue
		}
		names = append(names, a.Ref)
		half, middle := 1.0, 0.0
		switch {
		case a.ControlLimited:
			half, middle = (a.ControlRange[1]-a.ControlRange[0])/2, (a.ControlRange[0]+a.ControlRange[1])/2
		case a.Kind == mujoco.KindMuscle:
			half, middle = 0.5, 0.5
		}
		if hover := w.hover(); hover > 0 && isThruster(*a) {
			middle, half = hover, hover/2
			if a.ControlLimited {
				half = min(half, hover-a.ControlRange[0], a.ControlRange[1]-hover)
			}
		}
		scale[a.Ref] = half / twice(w.tuning.Calmer)
		if a.Kind == mujoco.KindPosition {
			inset := scale[a.Ref] // so that no action is beyond an end
			if w.family == legged || !a.ControlLimited {
				inset = 0 // an action of 0 holds the legs
			}
			middle = min(max(a.Length, a.ControlRange[0]+inset), a.ControlRange[1]-inset)
		}
		offset[a.Ref] = middle
	}
	if w.family == flyer {
		return fmt.Sprintf("{term: actuator_control, actuators: %s, scale: %s, offset: %s}   # it hovers by the offset",
			list(patterns(names, all)), byName(names, scale), byName(names, offset))
	}
	return fmt.Sprintf("{term: actuator_control, actuators: %s, scale: %s, offset: %s}   "+
		"# controls are offset + scale × action", list(patterns(names, all)), byName(names, scale),
		byName(names, offset))
}

// hover returns the control of its thrusters, the same of all, at which what flies neither rises nor sinks; 0 if there
// is none within their ranges.
func (w *writer) hover() float64 {
	lift, low, high := 0.0, 0.0, math.Inf(1)
	for _, i := range w.others {
		a := &w.Actuators[i]
		if w.family != flyer || !isThruster(*a) {
			continue
		}
		s := &w.Sites[a.Target]
		turn := w.frames[s.Body].compose(frameOf(s.Position, s.Quaternion)).turn
		lift += a.Gain * turn.Rotate(vector([3]float64(a.Gears[:3]))).Z
		low, high = max(low, a.ControlRange[0]), min(high, a.ControlRange[1])
	}
	if u := w.weight(w.root) / lift; lift > 0 && u > low && u < high {
		return u
	}
	return 0
}

// byName writes a number for each of some names, one number if all are the same.
func byName(names []string, value map[string]float64) string {
	text := func(name string) string { return number(roundTo(value[name], 3) + 0) } // + 0 makes -0 a 0
	groups := groupBy(names, text)
	if len(groups) == 1 {
		return text(names[0])
	}
	var parts []string
	for _, same := range groups {
		for _, p := range patterns(same, names) {
			parts = append(parts, quote(p)+": "+text(same[0]))
		}
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// The scale of targets of position, rad or m: less on two legs, which fall sooner.
const (
	wideScale   = 0.5
	narrowScale = 0.25
)

// targets returns the lowest and the highest target of a joint's position, ∓Inf without limits.
func (w *writer) targets(k int) (low, high float64) {
	j, d := &w.Joints[k], w.drives[k]
	low, high = j.Range[0], j.Range[1]
	if !d.added && d.kind == "position" {
		a := &w.Actuators[d.actuator]
		ends := []float64{a.ControlRange[0] / a.Gear, a.ControlRange[1] / a.Gear}
		slices.Sort(ends)
		low, high = max(low, ends[0]), min(high, ends[1])
	}
	return low, high
}

// farthest is half of the widest range of a hinge of an arm that its actions cover.
const farthest = math.Pi / 2

// coverage returns half of the range that the actions of a joint cover as a whole; 0 for a joint that they move near
// where it starts, as those of legs, and those of arms that go far.
func (w *writer) coverage(k int) float64 {
	low, high := w.targets(k)
	half := (high - low) / 2
	inArm := func(hand int) bool { return slices.Contains(w.chain(0, hand), k) }
	far := w.family == arm && w.Joints[k].Type == "hinge" && half > farthest && slices.ContainsFunc(w.hands, inArm)
	if w.family == legged || w.drives[k].kind != "position" || math.IsInf(half, 0) || half <= 0 || far {
		return 0
	}
	return half
}

// offset returns what is added to the start of a joint so that no action, of a scale, is beyond an end of its targets.
func (w *writer) offset(k int, scale float64) float64 {
	low, high := w.targets(k)
	if w.family == legged || low+2*scale > high+1e-9 {
		return 0
	}
	start := w.pose[w.Joints[k].PositionAt]
	offset := min(max(start, low+scale), high-scale) - start
	if math.Abs(offset) < 1e-3*scale {
		return 0
	}
	return offset
}

// scale returns the scale of a joint's action: of position half of its range if that is covered, or else at most that
// and at most what its effort holds; of velocity or effort the limit.
func (w *writer) scale(k int) float64 {
	j, d := &w.Joints[k], w.drives[k]
	if d.kind != "position" {
		limit := d.limit
		if d.kind == "effort" && d.effort > 0 {
			a := &w.Actuators[d.actuator]
			limit = min(limit, d.effort/math.Abs(a.Gear*a.Gain))
		}
		if limit == 0 {
			return 1
		}
		return limit
	}
	if half := w.coverage(k); half > 0 {
		return half
	}
	scale := wideScale
	if w.family == legged && len(w.legs) < 4 {
		scale = narrowScale
	}
	if half := (j.Range[1] - j.Range[0]) / 2; half > 0 {
		scale = min(scale, half)
	}
	kp := w.gains[k].kp
	if !d.added {
		a := &w.Actuators[d.actuator]
		kp = a.KP * a.Gear * a.Gear
	}
	if d.effort > 0 && kp > 0 {
		scale = min(scale, d.effort/kp)
	}
	return scale
}

// short formats a number with two significant digits.
func short(x float64) string { return number(roundTo(x, 2)) }

// number formats a number without an exponent where that is short.
func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

func list(texts []string) string {
	var parts []string
	for _, t := range texts {
		parts = append(parts, quote(t))
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

func quote(text string) string { return strconv.Quote(text) }

func plural(n int, noun string) string {
	first, rest, _ := strings.Cut(noun, " ")
	if n != 1 {
		first += "s"
	}
	return strings.TrimSpace(fmt.Sprintf("%d %s %s", n, first, rest))
}
