package starter

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/spatial/r3"
)

// gains are those of a position actuator: torque = kp·(target − position) − kd·velocity,
// at most effort. For a slide, forces and metres.
type gains struct {
	kp, kd, effort, armature float64
}

// The rule of the gains. A joint is stiff enough to give way by at most sag under its
// load: for the joint of a leg, the robot's weight on half of its legs at half the
// distance from the joint to the sole; for others, the weight of all beyond the joint at
// their distance. Stiffness is also at least that of an oscillation at lowFrequency of
// the inertia reflected at the joint, and damping is that share of the critical one. The
// effort limit is effortShare of the load.
const (
	legSag       = 0.3 // rad
	armSag       = 0.1
	slideSag     = 0.02 // m
	lowFrequency = 2.0  // Hz
	legDamping   = 0.5
	armDamping   = 1.0
	effortShare  = 2.5
	// fastest is the largest share of a radian that the oscillation of a joint may advance
	// in a physics step. Where it is more, the joint gets an armature.
	fastest = 0.4
)

// gainsOf applies the rule to a joint for a physics step in seconds.
func (r *robot) gainsOf(k int, frames []frame, step float64) gains {
	j := r.tree.joints[k]
	load, sag, damping := r.load(k, frames), armSag, armDamping
	if j.kind == slide {
		sag = slideSag
	} else if r.legOf(k) >= 0 {
		sag, damping = legSag, legDamping
	}
	inertia := max(j.inertia, 1e-9)
	w := 2 * math.Pi * lowFrequency
	g := gains{kp: max(load/sag, inertia*w*w)}
	if least := g.kp * (step / fastest) * (step / fastest); least > inertia {
		g.armature = least
		inertia = least
	}
	g.kd = 2 * damping * math.Sqrt(g.kp*inertia)
	g.effort = effortShare * max(load, g.kp*sag)
	return gains{min(g.kp, mostGain), min(g.kd, mostGain), min(g.effort, mostGain), min(g.armature, mostArmature)}
}

// The largest numbers of scene.actuators, which a robot of kilometres needs.
const (
	mostGain     = 1e9
	mostArmature = 1e6
)

// load returns the torque or force that a joint bears, see the rule of the gains.
func (r *robot) load(k int, frames []frame) float64 {
	j := r.tree.joints[k]
	if i := r.legOf(k); i >= 0 {
		l := r.legs[i]
		carrying := max(1, len(r.legs)/2)
		share := r.massBelow(r.root) * r.gravity / float64(carrying)
		if j.kind == slide {
			return share
		}
		return share * 0.5 * r3.Norm(r3.Sub(r.sole(l, frames), frames[j.body].apply(j.anchor)))
	}
	weight := r.massBelow(j.body) * r.gravity
	if j.kind == slide {
		return weight
	}
	return weight * r3.Norm(r3.Sub(r.centreOfMass(j.body, frames), frames[j.body].apply(j.anchor)))
}

// legOf returns the leg that a joint belongs to, -1 if none.
func (r *robot) legOf(k int) int {
	return slices.IndexFunc(r.legs, func(l leg) bool { return slices.Contains(l.joints, k) })
}

// group is joints that differ in their side or place only, such as the knees.
type group struct {
	joints  []int
	pattern []string // regular expressions that match the names of exactly these joints
}

// alike is the largest ratio of the stiffnesses of joints in one group.
const alike = 1.5

// groups sorts joints into groups by their names. kp is the stiffness of each joint.
func (r *robot) groups(joints []int, kp map[int]float64) []group {
	var groups []group
	var stems []string
	for _, k := range joints {
		stem := stemOf(r.tree.joints[k].name)
		i := slices.Index(stems, stem)
		if i < 0 {
			i = len(stems)
			stems, groups = append(stems, stem), append(groups, group{})
		}
		groups[i].joints = append(groups[i].joints, k)
	}
	var split []group
	for _, g := range groups {
		low, high := math.Inf(1), 0.0
		for _, k := range g.joints {
			low, high = min(low, kp[k]), max(high, kp[k])
		}
		if high <= alike*low {
			split = append(split, g)
			continue
		}
		for _, k := range g.joints {
			split = append(split, group{joints: []int{k}})
		}
	}
	for i := range split {
		split[i].pattern = r.patternsOf(split[i].joints)
	}
	return split
}

// patternsOf returns regular expressions that match the names of joints, and of no
// others in the model.
func (r *robot) patternsOf(joints []int) []string {
	var names, all []string
	for k, j := range r.tree.joints {
		if j.kind == free || j.kind == ball {
			continue
		}
		all = append(all, j.name)
		if slices.Contains(joints, k) {
			names = append(names, j.name)
		}
	}
	return patterns(names, all)
}

var (
	words = regexp.MustCompile(`[A-Z]+(?:[^A-Za-z0-9]|$)|[A-Z]?[a-z]+|[A-Z]+|[0-9]+`)
	sides = map[string]bool{
		"fl": true, "fr": true, "rl": true, "rr": true, "hl": true, "hr": true, "bl": true, "br": true,
		"lf": true, "rf": true, "lr": true, "lh": true, "rh": true, "lb": true, "rb": true,
		"l": true, "r": true, "f": true, "h": true, "b": true,
		"left": true, "right": true, "front": true, "rear": true, "back": true, "hind": true, "mid": true, "middle": true,
	}
)

// stemOf returns a name without words for sides and without numbers.
func stemOf(name string) string {
	var kept []string
	for _, w := range words.FindAllString(name, -1) {
		w = strings.ToLower(strings.Trim(w, "_-. /"))
		if _, err := strconv.Atoi(w); err == nil || sides[w] {
			continue
		}
		kept = append(kept, w)
	}
	return strings.Join(kept, "_")
}

// patterns returns regular expressions that match names and, of all names, no others:
// one for a common ending or beginning if there is such, else each name.
func patterns(names, all []string) []string {
	if len(names) == len(all) && len(names) > 1 {
		return []string{".*"}
	}
	if len(names) > 1 {
		end, start := commonEnd(names), commonStart(names)
		for _, p := range []string{".*" + regexp.QuoteMeta(end), regexp.QuoteMeta(start) + ".*", regexp.QuoteMeta(start) + ".*" + regexp.QuoteMeta(end)} {
			if p != ".*" && matches(p, all) == len(names) && matches(p, names) == len(names) {
				return []string{p}
			}
		}
	}
	var each []string
	for _, n := range names {
		each = append(each, regexp.QuoteMeta(n))
	}
	return each
}

// matches counts the names that a pattern matches in full.
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
	n := 0
	for n < len(names[0]) && !slices.ContainsFunc(names, func(s string) bool { return n >= len(s) || s[n] != names[0][n] }) {
		n++
	}
	return names[0][:strings.LastIndexAny(names[0][:n], "_-./ ")+1]
}

// commonEnd returns the longest ending that all names share, cut to whole words.
func commonEnd(names []string) string {
	n := 0
	first := names[0]
	for n < len(first) && !slices.ContainsFunc(names, func(s string) bool { return n >= len(s) || s[len(s)-1-n] != first[len(first)-1-n] }) {
		n++
	}
	end := first[len(first)-n:]
	if i := strings.IndexAny(end, "_-./ "); i >= 0 && n < len(first) {
		return end[i:]
	}
	return end
}

// round2 rounds to two significant digits.
func round2(x float64) float64 {
	if x == 0 || math.IsInf(x, 0) || math.IsNaN(x) {
		return x
	}
	v, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 2, 64), 64)
	return v
}
