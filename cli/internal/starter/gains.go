package starter

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/spatial/r3"

	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco"
)

// gains are those of kp·(target − position) − kd·velocity, at most effort: torque, or force for a slide.
type gains struct {
	kp, kd, effort, armature float64
}

// The rule of the gains. A joint is stiff enough to give way by at most sag under its load: for the joint of
// a leg, the robot's weight on half of its legs at half the distance from the joint to the sole; for others,
// the weight of all beyond the joint at their distance. Stiffness is also at least that of an oscillation at
// lowFrequency of the inertia reflected at the joint, and damping is that share of the critical one. The
// effort limit is effortShare of the load.
const (
	legSag       = 0.3 // largest sag of a leg's joint, rad
	armSag       = 0.1
	slideSag     = 0.02 // largest sag of a slide, m
	lowFrequency = 2.0  // lowest frequency of a joint with its actuator, Hz
	legDamping   = 0.5
	armDamping   = 1.0
	effortShare  = 2.5
	// fastest is the largest share of a radian that the oscillation of a joint may advance
	// in a physics step. Where it is more, the joint gets an armature.
	fastest = 0.4
)

// gainsOf applies the rule to a joint. most is the effort of the joint's own actuators, 0 if it is not known.
func (w *writer) gainsOf(k int, most float64, tuning Tuning) gains {
	if wheel := w.wheelOf(k); wheel != nil {
		return w.gainsOfWheel(wheel, most, tuning)
	}
	j := &w.Joints[k]
	load, sag, damping := w.load(k, w.frames), armSag, armDamping
	if j.Type == "slide" {
		sag = slideSag
	} else if w.legOf(k) >= 0 {
		sag, damping = legSag, legDamping
	}
	inertia := max(j.Inertia, 1e-9)
	omega := 2 * math.Pi * lowFrequency
	g := gains{kp: max(load/sag, inertia*omega*omega)}
	g.effort = effortShare * max(load, g.kp*sag) * twice(tuning.Stronger)
	if most > 0 {
		g.effort, g.kp = most, min(g.kp, most/armSag)
		if reach := w.coverage(k); reach > armSag { // the effort holds the joint against its farthest target
			g.kp = min(g.kp, max(load/sag, most/reach))
		}
	}
	g.kp *= twice(tuning.Stiffer)
	if least := g.kp * (w.step / fastest) * (w.step / fastest); least > inertia {
		g.armature = least
		inertia = least
	}
	g.kd = 2 * damping * math.Sqrt(g.kp*inertia)
	return gains{min(g.kp, mostGain), min(g.kd, mostGain), min(g.effort, mostGain), min(g.armature, mostArmature)}
}

func twice(n int) float64 { return math.Ldexp(1, n) }

// The largest numbers of scene.actuators, which a robot of kilometres needs.
const (
	mostGain     = 1e9
	mostArmature = 1e6
)

// load returns the torque or force that a joint bears, see the rule of the gains.
func (r *robot) load(k int, frames []frame) float64 {
	j := &r.Joints[k]
	weight, point, share := r.weight(j.Body), r.centreOfMass(j.Body, frames), 1.0
	if i := r.legOf(k); i >= 0 {
		weight, point, share = r.weight(r.root)/float64(max(1, len(r.legs)/2)), r.sole(r.legs[i], frames), 0.5
	}
	if j.Type == "slide" {
		return weight
	}
	return weight * share * r3.Norm(r3.Sub(point, frames[j.Body].apply(vector(j.Anchor))))
}

func (r *robot) legOf(k int) int {
	return slices.IndexFunc(r.legs, func(l leg) bool { return slices.Contains(l.joints, k) })
}

// groupBy sorts things into groups of one key, in the order of the first of each.
func groupBy[T any, K comparable](all []T, key func(T) K) (groups [][]T) {
	index := map[K]int{}
	for _, item := range all {
		i, found := index[key(item)]
		if !found {
			i, groups = len(groups), append(groups, nil)
			index[key(item)] = i
		}
		groups[i] = append(groups[i], item)
	}
	return groups
}

// alike is the largest ratio of the stiffnesses of joints in one group.
const alike = 1.5

// sameGains groups joints that differ in their side or place only, such as the knees, and are about equally stiff,
// and gives all joints of a group the largest gains of it.
func (w *writer) sameGains(joints []int) (groups [][]int) {
	stem := func(k int) string { return w.drives[k].kind + " " + stemOf(w.Joints[k].Ref) }
	for _, g := range groupBy(joints, stem) {
		var most gains
		low := math.Inf(1)
		for _, k := range g {
			o := w.gains[k]
			low = min(low, o.kp+o.kd) // a servo of velocities has no kp
			most = gains{max(most.kp, o.kp), max(most.kd, o.kd), max(most.effort, o.effort),
				max(most.armature, o.armature)}
		}
		if most.kp+most.kd > alike*low {
			groups = slices.AppendSeq(groups, slices.Chunk(g, 1))
			continue
		}
		groups = append(groups, g)
		for _, k := range g {
			w.gains[k] = most
		}
	}
	return groups
}

// patternsOf returns regular expressions that match the names of joints, and of no others in the model.
func (r *robot) patternsOf(joints []int) []string {
	return patternsWhere(r.Joints, hingeName, func(k int) bool { return slices.Contains(joints, k) })
}

// patternsWhere returns the patterns of the names of those of all things that are chosen, by their index.
func patternsWhere[T any](all []T, name func(T) string, selects func(int) bool) []string {
	return patterns(namesWhere(all, name, selects), namesWhere(all, name, func(int) bool { return true }))
}

// namesWhere returns the names of those of all things that are chosen and have one.
func namesWhere[T any](all []T, name func(T) string, selects func(int) bool) (names []string) {
	for i, item := range all {
		if n := name(item); n != "" && selects(i) {
			names = append(names, n)
		}
	}
	return names
}

func bodyName(b mujoco.Body) string { return b.Ref }
func geomName(g mujoco.Geom) string { return g.Ref }

// hingeName returns the name of a hinge or slide, "" for other joints.
func hingeName(j mujoco.Joint) string {
	if j.PositionSize != 1 {
		return ""
	}
	return j.Ref
}

var (
	words = regexp.MustCompile(`[A-Z]+(?:[^A-Za-z0-9]|$)|[A-Z]?[a-z]+|[A-Z]+|[0-9]+`)
	sides = map[string]bool{
		"fl": true, "fr": true, "rl": true, "rr": true, "hl": true, "hr": true, "bl": true, "br": true,
		"lf": true, "rf": true, "lr": true, "lh": true, "rh": true, "lb": true, "rb": true,
		"l": true, "r": true, "f": true, "h": true, "b": true,
		"left": true, "right": true, "front": true, "rear": true, "back": true, "hind": true, "mid": true,
		"middle": true,
	}
)

// stemOf returns a name without words for sides and without numbers.
func stemOf(name string) string {
	var parts []string
	for _, w := range words.FindAllString(name, -1) {
		w = strings.ToLower(strings.Trim(w, "_-. /"))
		if _, err := strconv.Atoi(w); err == nil || sides[w] {
			continue
		}
		parts = append(parts, w)
	}
	return strings.Join(parts, "_")
}

// patterns returns expressions that match names and no others of all: a common ending or beginning, else each name.
func patterns(names, all []string) []string {
	if len(names) == len(all) && len(names) > 1 {
		return []string{".*"}
	}
	if len(names) > 1 {
		end, start := commonEnd(names), commonStart(names)
		first, last := regexp.QuoteMeta(start), regexp.QuoteMeta(end)
		for _, p := range []string{".*" + last, first + ".*", first + ".*" + last} {
			if p != ".*" && matches(p, all) == len(names) && matches(p, names) == len(names) {
				return []string{p}
			}
		}
	}
	var escaped []string
	for _, n := range names {
		escaped = append(escaped, regexp.QuoteMeta(n))
	}
	return escaped
}

func matches(pattern string, names []string) int {
	p, n := regexp.MustCompile("^(?:"+pattern+")$"), 0
	for _, name := range names {
		if p.MatchString(name) {
			n++
		}
	}
	return n
}

// commonStart returns the longest beginning that all names share, cut to whole words.
func commonStart(names []string) string {
	start := names[0]
	for slices.ContainsFunc(names, func(s string) bool { return !strings.HasPrefix(s, start) }) {
		start = start[:len(start)-1]
	}
	return start[:strings.LastIndexAny(start, "_-./ ")+1]
}

// commonEnd returns the longest ending that all names share, cut to whole words.
func commonEnd(names []string) string {
	end := names[0]
	for slices.ContainsFunc(names, func(s string) bool { return !strings.HasSuffix(s, end) }) {
		end = end[1:]
	}
	if i := strings.IndexAny(end, "_-./ "); i >= 0 && len(end) < len(names[0]) {
		return end[i:]
	}
	return end
}

// roundTo rounds to a number of significant digits.
func roundTo(x float64, digits int) float64 {
	v, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', digits, 64), 64)
	return v
}
