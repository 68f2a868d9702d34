package starter

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco"
)

func (w *writer) head() {
	d := w.d
	what := map[family]string{
		legged: fmt.Sprintf("a robot on %d legs", len(w.legs)), arm: "an arm on a fixed base", something: "a robot",
	}[w.family]
	w.line("# %s: %s of %s kg with %s, %s and %s.", filepath.Base(w.opt.File), what, short(w.massBelow(w.root)),
		plural(len(w.hinges()), "joint"), plural(len(d.Actuators), "actuator of its own"), plural(len(d.Sensors), "sensor"))
	w.line("# Written by train new. docs/terms.md lists the terms, docs/configuration.md all keys.")
	w.line("task:")
	w.line("  name: %s", w.name())
	w.line("")
	w.line("seed: 1")
	w.line("worlds: 64")
	w.line("")
}

func (w *writer) scene() {
	w.line("scene:")
	w.line("  models:")
	w.line("    - file: %s", quoted(w.opt.File))
	if w.family == legged {
		w.line("      self_collision: false   # its own parts pass through one another: faster")
	}
	w.line("  allow_outside: %t   # whether its includes and meshes may lie outside of its folder", w.opt.AllowOutside)
	if w.sunk() {
		w.line("  floor: false           # a floor at z = 0 would cut through the robot; auto adds one if the world has none")
	} else {
		w.line("  floor: auto            # added if the world has none; true, false")
	}
	w.line("  light: auto            # likewise")
	var added []int
	for _, k := range w.joints {
		if w.drives[k].added {
			added = append(added, k)
		}
	}
	w.physics(len(added) > 0)
	if len(added) > 0 {
		w.line("  # torque = kp (target - position) - kd velocity, at most effort (N m, rad; N, m for slides).")
		w.line("  # The gains follow from masses and lengths; put in those of your robot.")
		w.line("  actuators:")
		for _, g := range w.sameGains(added) {
			w.actuator(g)
		}
	}
	w.line("")
}

// physics writes the options that learning wants otherwise than the file.
func (w *writer) physics(servos bool) {
	var options, why []string
	if w.d.Physics.Cone == "elliptic" {
		options, why = append(options, "cone: pyramidal", "impratio: 1"), append(why, "faster than the elliptic cones of the file")
	}
	if servos && w.d.Physics.Integrator == "euler" {
		options, why = append(options, "integrator: implicitfast"), append(why, "stable with the damping of the actuators")
	}
	if options != nil {
		w.line("  physics: {%s}   # %s", strings.Join(options, ", "), strings.Join(why, "; "))
	}
}

// sunk reports whether a robot that cannot be lifted is below the floor that was added.
func (w *writer) sunk() bool {
	low, ok := w.ground(w.root, w.frames)
	own := slices.ContainsFunc(w.d.Geoms, func(g mujoco.Geom) bool { return g.Type == "plane" && g.Body == 0 && g.Name != "floor" })
	return !w.floating && ok && low < -clear && !own
}

// sameGains groups joints with actuators that are added, and gives all joints of a group
// the largest gains of it.
func (w *writer) sameGains(joints []int) []group {
	kp := map[int]float64{}
	for _, k := range joints {
		kp[k] = w.gains[k].kp
	}
	groups := w.groups(joints, kp)
	for _, g := range groups {
		var most gains
		for _, k := range g.joints {
			o := w.gains[k]
			most = gains{max(most.kp, o.kp), max(most.kd, o.kd), max(most.effort, o.effort), max(most.armature, o.armature)}
		}
		for _, k := range g.joints {
			w.gains[k] = most
		}
	}
	return groups
}

func (w *writer) actuator(g group) {
	o := w.gains[g.joints[0]]
	more := ""
	if o.armature > 0 {
		more += ", armature: " + short(o.armature)
	}
	if slices.ContainsFunc(g.joints, func(k int) bool { return len(w.d.Joints[k].Actuators) > 0 }) {
		more += ", replace: true"
	}
	w.line("    - {joints: %s, kp: %s, kd: %s, effort: %s%s}", list(g.pattern), short(o.kp), short(o.kd), short(o.effort), more)
}

func (w *writer) start() {
	w.line("# The pose in which episodes begin, before the events of mode reset.")
	var lines []string
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	if w.keyframe != "" {
		add("  keyframe: %s", quoted(w.keyframe))
	}
	if w.height != nil {
		add("  height: %s          # m, of the base: the lowest point touches the floor", number(*w.height))
	}
	if len(w.posed) > 0 {
		add("  joints:                 # rad or m; the others as in the model")
		for _, g := range w.samePose() {
			for _, p := range g.pattern {
				add("    %s: %s", quoted(p), number(w.pose[w.tree.joints[g.joints[0]].address]))
			}
		}
	}
	if len(lines) == 0 {
		w.line("start: {}                 # as in the model")
	} else {
		w.line("start:")
		for _, l := range lines {
			w.line("%s", l)
		}
	}
	w.line("")
	w.line("episode: 20s               # after which time_out ends it")
	w.line("")
}

// samePose groups the joints that the start moves by their value.
func (w *writer) samePose() []group {
	var groups []group
	for _, k := range w.posed {
		q := w.pose[w.tree.joints[k].address]
		i := slices.IndexFunc(groups, func(g group) bool { return w.pose[w.tree.joints[g.joints[0]].address] == q })
		if i < 0 {
			i = len(groups)
			groups = append(groups, group{})
		}
		groups[i].joints = append(groups[i].joints, k)
	}
	for i := range groups {
		groups[i].pattern = w.patternsOf(groups[i].joints)
	}
	return groups
}

// Rates that a configuration begins with, where the physics step divides them.
const (
	controlSeconds = 0.02
	maxSubsteps    = 20
	captureRate    = "30"
)

func (w *writer) clock() {
	w.substeps = min(max(1, int(math.Round(controlSeconds/w.step))), maxSubsteps)
	control, capture := rate(float64(w.substeps)*w.step), captureRate
	if control != "50" {
		capture = control
	}
	w.line("# Every rate is in hertz, or a period such as 15ms.")
	w.line("runners:")
	w.line("  - {name: Robot, rate: %s}      # control", control)
	w.line("  - {name: Capture, rate: %s}    # the recorder", capture)
	if len(w.channels()) > 0 {
		w.line("  - {name: Sensors, rate: %s}", rate(w.step))
	}
	w.line("")
	w.line("bindings:")
	w.line("  - {name: physics, substeps: %d}  # in a control step: %s ms each, as in the model", w.substeps, short(1000*w.step))
	w.line("  - {name: recorder, runner: Capture, phase: Control, priority: 100}")
	w.line("")
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

// channel is a sensor channel: sensors of the model that are read together.
type channel struct {
	name, unit string
	sources    []string
}

var units = map[string]string{
	"gyro": "rad/s", "accelerometer": "m/s^2", "velocimeter": "m/s", "touch": "N", "force": "N", "torque": "N*m",
	"framepos": "m", "framelinvel": "m/s", "frameangvel": "rad/s", "framelinacc": "m/s^2", "frameangacc": "rad/s^2",
	"rangefinder": "m", "subtreecom": "m", "subtreelinvel": "m/s",
}

// channels returns the sensors of the model: those of one number that measure alike in
// one channel, each of the others in its own.
func (w *writer) channels() []channel {
	var all []channel
	taken := map[string]bool{}
	named := func(name string) string {
		name = strings.Map(func(r rune) rune {
			if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' {
				return r
			}
			return '_'
		}, name)
		for taken[name] {
			name += "_"
		}
		taken[name] = true
		return name
	}
	of := map[string]int{} // index of the channel of a type
	for _, s := range w.d.Sensors {
		source := "sensor/" + s.Name
		if s.Name == "" || w.opt.Usable != nil && !w.opt.Usable(source) {
			continue
		}
		i, found := of[s.Type]
		if s.Size == 1 && found {
			all[i].sources = append(all[i].sources, source)
			continue
		}
		name := s.Name
		if s.Size == 1 {
			of[s.Type], name = len(all), s.Type
		}
		all = append(all, channel{named(name), units[s.Type], []string{source}})
	}
	return all
}

func (w *writer) sensors() {
	channels := w.channels()
	if len(channels) == 0 {
		return
	}
	w.line("# What is measured and recorded. Each may have noise: {std: 0.01}, latency: 4ms, bias and more;")
	w.line("# {term: sensor, channel: NAME} observes one.")
	w.line("sensors:")
	for _, c := range channels {
		unit := ""
		if c.unit != "" {
			unit = ", unit: " + quoted(c.unit)
		}
		w.line("  - {name: %s, runner: Sensors, sources: %s%s}", quoted(c.name), list(c.sources), unit)
	}
	w.line("")
}

func (w *writer) actions() {
	w.line("# What the policy sets, each value from -1 to 1.")
	w.line("actions:")
	one := true
	for _, k := range w.joints {
		one = one && w.drives[k].kind == w.drives[w.joints[0]].kind
	}
	for _, kind := range []string{"position", "velocity", "effort"} {
		var joints []int
		for _, k := range w.joints {
			if w.drives[k].kind == kind {
				joints = append(joints, k)
			}
		}
		if len(joints) == 0 {
			continue
		}
		only := ""
		if !one {
			only = ", joints: " + list(w.patternsOf(joints))
		}
		w.line("  - {term: joint_%s%s, scale: %s}   # %s", kind, only, w.scale(kind, joints), map[string]string{
			"position": "targets are the start pose + scale × action",
			"velocity": "target velocities are scale × action",
			"effort":   "torques are gear × scale × action",
		}[kind])
	}
	w.line("")
}

// scale returns the scale of an action, one number or a mapping.
func (w *writer) scale(kind string, joints []int) string {
	if kind == "position" {
		if w.family == legged && len(w.legs) < 4 {
			return "0.25"
		}
		return "0.5"
	}
	limits := map[int]float64{}
	low, high := math.Inf(1), 0.0
	for _, k := range joints {
		limits[k] = w.drives[k].limit
		if limits[k] == 0 {
			limits[k] = 1
		}
		low, high = min(low, limits[k]), max(high, limits[k])
	}
	if low == high {
		return short(high)
	}
	var parts []string
	for _, k := range joints {
		parts = append(parts, fmt.Sprintf("%s: %s", quoted(w.patternsOf([]int{k})[0]), short(limits[k])))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// short formats a number with two significant digits.
func short(x float64) string {
	return number(round2(x))
}

// number formats a number without an exponent where that is short.
func number(x float64) string {
	if a := math.Abs(x); a != 0 && (a < 1e-4 || a >= 1e6) {
		return strconv.FormatFloat(x, 'e', -1, 64)
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}

// list formats a list of texts.
func list(texts []string) string {
	var parts []string
	for _, t := range texts {
		parts = append(parts, quoted(t))
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// quoted formats a text for YAML.
func quoted(text string) string { return strconv.Quote(text) }

// plural returns a number of things.
func plural(n int, thing string) string {
	first, rest, _ := strings.Cut(thing, " ")
	if n != 1 {
		first += "s"
	}
	return strings.TrimSpace(fmt.Sprintf("%d %s %s", n, first, rest))
}
