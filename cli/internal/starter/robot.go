package starter

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/spatial/r3"

	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco"
)

// family is what a robot is, as far as its first task depends on it.
type family int

const (
	otherFamily family = iota // none of the following families
	legged                    // a floating base on two or more legs
	arm                       // a chain of joints on a fixed base
	flyer                     // a floating base without hinges and slides, but for rotors, that actuators at sites push
	wheeled                   // a floating base on wheels
)

type robot struct {
	*tree
	family   family
	root     int   // number of the child of the world with the most bodies
	roots    []int // root, and other children of the world with driven joints
	floating bool  // root has a free joint
	joints   []int // hinges and slides that actuators move, or could move
	legs     []leg
	wheels   []wheel
	hands    []int // hands of arms, one for each root: the last body before the fingers
	idle     []int // hinges and slides below roots that are not among joints
}

type leg struct {
	foot   int   // number of the body that the last joint of the leg moves
	soles  []int // shapes of the foot that stand on the ground
	joints []int // joints from the root to the foot, without those that other legs share
}

// classify finds the robot in a tree, as it stands in a pose. It returns nil for a model without hinges and slides
// that has no other actuators.
func classify(t *tree, pose []float64) *robot {
	r := &robot{tree: t, root: mainRoot(t)}
	if r.root == 0 {
		r.root = pushedRoot(t)
	}
	if r.root == 0 {
		return nil
	}
	baseJoints := t.Bodies[r.root].Joints
	r.floating = len(baseJoints) > 0 && t.Joints[baseJoints[0]].Type == "free"
	frames := t.frames(pose)
	if r.floating && frames[r.root].turn.Rotate(r3.Vec{Z: 1}).Z > upward {
		r.wheels = t.findWheels(r.root, frames)
	}
	r.chooseJoints()
	stiff := !slices.ContainsFunc(r.idle, func(k int) bool { return !t.isRotor(k, frames) })
	if r.floating && len(r.joints) == 0 && stiff && slices.ContainsFunc(t.Actuators, isThruster) {
		r.family, r.idle = flyer, nil // where its rotors are does not matter
		return r
	}
	if r.rolls() {
		r.family = wheeled
		return r
	}
	if r.floating {
		r.legs = t.findLegs(r.root, frames)
		if len(r.legs) >= 2 && frames[r.root].turn.Rotate(r3.Vec{Z: 1}).Z > upward {
			r.family = legged
		}
		return r
	}
	for _, root := range r.roots {
		if hand := t.findHand(root); r.isArm(root, hand) {
			r.hands = append(r.hands, hand)
		}
	}
	if len(r.hands) == len(r.roots) {
		r.family = arm
	}
	return r
}

// chooseJoints sorts the joints into those to drive and the others. Those with an actuator are driven. If none has,
// all of the largest tree are, and of each other one that has at least half as many, such as a second arm, unless a
// joint follows another or actuators of tendons and the like may move it.
func (r *robot) chooseJoints() {
	otherDrives := slices.ContainsFunc(r.Actuators, func(a mujoco.Actuator) bool {
		return !ofJoint(&a) && a.ControlSize == 1
	})
	count, actuated := map[int]int{}, false
	for _, j := range r.Joints {
		if j.PositionSize == 1 {
			count[r.rootOf(j.Body)]++
			actuated = actuated || len(j.Actuators) > 0
		}
	}
	drive := func(j *mujoco.Joint) bool {
		return len(j.Actuators) > 0 || !actuated && !otherDrives && !j.Follows && !r.isCaster(j) &&
			2*count[r.rootOf(j.Body)] >= count[r.root]
	}
	r.roots = []int{r.root}
	for _, j := range r.Joints {
		if root := r.rootOf(j.Body); j.PositionSize == 1 && drive(&j) && !slices.Contains(r.roots, root) {
			r.roots = append(r.roots, root)
		}
	}
	for k, j := range r.Joints {
		switch {
		case j.PositionSize != 1 || !slices.Contains(r.roots, r.rootOf(j.Body)):
		case drive(&j):
			r.joints = append(r.joints, k)
		default:
			r.idle = append(r.idle, k)
		}
	}
}

// rootOf returns the child of the world that a body hangs on.
func (t *tree) rootOf(b int) int { return t.Bodies[b].Root }

// upward is the least cosine between the vertical and the z axis of a base on legs, whose height the terms take.
const upward = 0.85

// clear is how far from the ground a robot counts as above or below it, m.
const clear = 0.05

// isArm reports whether the joints up to a body are an arm's: hinges in two bodies, half of all below root, none idle.
func (r *robot) isArm(root, hand int) bool {
	bodies := map[int]bool{}
	chain := r.chain(0, hand)
	for _, k := range chain {
		j := &r.Joints[k]
		if j.Type == "ball" {
			return false
		}
		if j.Type == "hinge" {
			bodies[j.Body] = true
		}
	}
	below := func(k int) bool { return r.isWithin(r.Joints[k].Body, root) }
	n := 0
	for _, k := range r.joints {
		if below(k) {
			n++
		}
	}
	return len(bodies) >= 2 && 2*len(chain) >= n && !slices.ContainsFunc(r.idle, func(k int) bool {
		return below(k) && !r.Joints[k].Follows
	})
}

// pushedRoot returns the child of the world on which the most actuators of sites and ball joints act; 0 if none do.
func pushedRoot(t *tree) (best int) {
	count := make([]int, len(t.Bodies))
	for _, a := range t.Actuators {
		switch {
		case isThruster(a):
			count[t.rootOf(t.Sites[a.Target].Body)]++
		case ofJoint(&a) && a.ControlSize == 1:
			count[t.rootOf(t.Joints[a.Target].Body)]++
		}
	}
	for i, n := range count {
		if i > 0 && n > count[best] {
			best = i
		}
	}
	return best
}

// isThruster reports whether an actuator pushes a site, as the motor of a drone does.
func isThruster(a mujoco.Actuator) bool {
	return a.Transmission == "site" && a.Target >= 0 && a.ControlSize == 1
}

// mainRoot returns the child of the world with the most actuated joints below it, of several the one with the
// most hinges and slides, then with the most mass; 0 if there is no such joint.
func mainRoot(t *tree) int {
	count := make([][2]int, len(t.Bodies)) // by root: number of joints with actuators, and of all joints
	for _, j := range t.Joints {
		if j.PositionSize == 1 {
			n := &count[t.rootOf(j.Body)]
			n[0] += min(len(j.Actuators), 1)
			n[1]++
		}
	}
	best := 0
	for _, i := range t.Bodies[0].Children {
		order := slices.Compare(count[i][:], count[best][:])
		if order > 0 || order == 0 && count[i][1] > 0 && t.Bodies[i].SubtreeMass > t.Bodies[best].SubtreeMass {
			best = i
		}
	}
	return best
}

// leaves returns the bodies below root that joints move and that have no such body below them.
func (t *tree) leaves(root int) []int {
	inner := map[int]bool{}
	var bodies []int
	for i, b := range t.Bodies {
		if i != root && t.isWithin(i, root) && len(b.Joints) > 0 {
			bodies = append(bodies, i)
			inner[t.segment(b.Parent)] = true
		}
	}
	return slices.DeleteFunc(bodies, func(b int) bool { return inner[b] })
}

// In shares of the root's height: a foot stands on the shapes that end at most soleTolerance above its lowest point,
// at most footTolerance above the lowest foot, and the root's own shapes end at least clearance above.
const (
	soleTolerance = 0.02
	footTolerance = 0.25
	clearance     = 0.2
)

// findLegs returns the legs of a robot: chains of at least two joints that end on the ground, unlike the root.
func (t *tree) findLegs(root int, frames []frame) []leg {
	type end struct {
		body  int
		z     float64
		shape int
	}
	var ends []end
	ground := math.Inf(1)
	for _, leaf := range t.leaves(root) {
		z, s := t.lowestOf(leaf, frames)
		if s >= 0 && len(t.chain(root, leaf)) >= 2 {
			ends = append(ends, end{leaf, z, s})
			ground = min(ground, z)
		}
	}
	height := frames[root].position.Z - ground
	belly, s := t.lowestOf(root, frames)
	if len(ends) < 2 || height <= 0 || s >= 0 && belly-ground < clearance*height {
		return nil
	}
	var legs []leg
	for _, e := range ends {
		if e.z-ground > footTolerance*height {
			continue
		}
		l := leg{foot: e.body, joints: t.chain(root, e.body)}
		for k := range t.Geoms {
			if s := &t.Geoms[k]; s.Collides() && t.segment(s.Body) == e.body &&
				t.lowest(k, frames)-e.z < soleTolerance*height {
				l.soles = append(l.soles, k)
			}
		}
		legs = append(legs, l)
	}
	if len(legs) < 2 || !t.supports(legs, frames, t.centreOfMass(root, frames), height) {
		return nil
	}
	dropShared(legs)
	return legs
}

// supportMargin is how far outside of the soles' box the centre of mass may be, as a share of the robot's height.
const supportMargin = 0.25

// supports reports whether a robot stands on its legs: whether its centre of mass is above them.
func (t *tree) supports(legs []leg, frames []frame, centre r3.Vec, height float64) bool {
	box := r3.Box{Min: t.sole(legs[0], frames), Max: t.sole(legs[0], frames)}
	for _, l := range legs {
		s := t.sole(l, frames)
		box.Min = r3.Vec{X: min(box.Min.X, s.X), Y: min(box.Min.Y, s.Y)}
		box.Max = r3.Vec{X: max(box.Max.X, s.X), Y: max(box.Max.Y, s.Y)}
	}
	margin := supportMargin * height
	return centre.X > box.Min.X-margin && centre.X < box.Max.X+margin && centre.Y > box.Min.Y-margin &&
		centre.Y < box.Max.Y+margin
}

// dropShared removes from each leg the joints that it shares with another one.
func dropShared(legs []leg) {
	count := map[int]int{}
	for _, l := range legs {
		for _, k := range l.joints {
			count[k]++
		}
	}
	for i := range legs {
		legs[i].joints = slices.DeleteFunc(legs[i].joints, func(k int) bool { return count[k] > 1 })
	}
}

// lowestOf returns the lowest point of the colliding shapes of a segment, and the shape's index, -1 if there is none.
func (t *tree) lowestOf(segment int, frames []frame) (z float64, index int) {
	return t.lowestWhere(func(body int) bool { return t.segment(body) == segment }, frames)
}

// ground returns the height of the lowest point of the colliding shapes below root; false if there are none.
func (t *tree) ground(root int, frames []frame) (float64, bool) {
	z, index := t.lowestWhere(func(body int) bool { return t.isWithin(body, root) }, frames)
	return z, index >= 0 && !math.IsInf(z, 0)
}

// footing returns the height of what a robot can stand on where it is: the highest plane that is level, or 0 without
// one; or, and then it is raised, the top of what is fixed and would be inside the robot if it stood lower.
func (t *tree) footing(root int, frames []frame) (height float64, raised bool) {
	height = t.floor(frames)
	var fixed []r3.Box
	robot := r3.Box{Min: r3.Vec{Z: math.Inf(1)}, Max: r3.Vec{Z: math.Inf(-1)}}
	for k := range t.Geoms {
		switch g := &t.Geoms[k]; {
		case !g.Collides() || g.Type == "hfield" || g.Type == "plane":
		case t.isWithin(g.Body, root):
			robot = union(robot, t.box(k, frames))
		case t.Bodies[g.Body].Static:
			fixed = append(fixed, t.box(k, frames))
		}
	}
	slices.SortStableFunc(fixed, func(a, b r3.Box) int { return cmp.Compare(a.Max.Z, b.Max.Z) })
	for _, b := range fixed {
		disjoint := b.Max.X <= robot.Min.X || b.Min.X >= robot.Max.X || b.Max.Y <= robot.Min.Y || b.Min.Y >= robot.Max.Y
		if !disjoint && b.Max.Z > height && b.Min.Z < height+robot.Max.Z-robot.Min.Z {
			height, raised = b.Max.Z, true
		}
	}
	return height, raised
}

// floor returns the height of the highest plane that is level; 0 without one.
func (t *tree) floor(frames []frame) float64 {
	height := math.Inf(-1)
	for _, g := range t.Geoms {
		f := frames[g.Body].compose(frameOf(g.Position, g.Quaternion))
		if g.Type == "plane" && g.Collides() && t.Bodies[g.Body].Static && f.turn.Rotate(r3.Vec{Z: 1}).Z > level {
			height = max(height, f.position.Z)
		}
	}
	if math.IsInf(height, 0) {
		return 0
	}
	return height
}

// lowestMoving returns the height of the lowest point of the colliding shapes below root that can move; +Inf without any.
func (t *tree) lowestMoving(root int, frames []frame) float64 {
	z, _ := t.lowestWhere(func(body int) bool { return t.isWithin(body, root) && !t.Bodies[body].Static }, frames)
	return z
}

// level is the least cosine between the vertical and the normal of a plane to stand on.
const level = 0.999

func union(a, b r3.Box) r3.Box {
	if a.Min.Z > a.Max.Z { // no geom was found
		return b
	}
	low := r3.Vec{X: min(a.Min.X, b.Min.X), Y: min(a.Min.Y, b.Min.Y), Z: min(a.Min.Z, b.Min.Z)}
	return r3.Box{Min: low, Max: r3.Vec{X: max(a.Max.X, b.Max.X), Y: max(a.Max.Y, b.Max.Y), Z: max(a.Max.Z, b.Max.Z)}}
}

func (t *tree) lowestWhere(selects func(body int) bool, frames []frame) (z float64, index int) {
	z, index = math.Inf(1), -1
	for k := range t.Geoms {
		if g := &t.Geoms[k]; g.Collides() && selects(g.Body) {
			if low := t.lowest(k, frames); low < z {
				z, index = low, k
			}
		}
	}
	return z, index
}

// findHand returns the last body of an arm before its joints branch, or the longest branch's end if they do at once.
func (t *tree) findHand(root int) int {
	longest := t.tip(root)
	hand := longest
	for b := t.segment(t.Bodies[longest].Parent); b != root && b > 0; b = t.segment(t.Bodies[b].Parent) {
		leaving := namesWhere(t.Bodies, bodyName, func(i int) bool {
			other := &t.Bodies[i]
			return len(other.Joints) > 0 && other.Parent > 0 && t.segment(other.Parent) == b
		})
		if len(leaving) > 1 {
			hand = b
		}
	}
	if len(t.chain(0, hand)) < 2 {
		return longest
	}
	return hand
}

// tip returns the body at the end of the longest chain of joints.
func (t *tree) tip(root int) int {
	tip := root
	for _, leaf := range t.leaves(root) {
		if len(t.chain(0, leaf)) > len(t.chain(0, tip)) {
			tip = leaf
		}
	}
	return tip
}

func (t *tree) sole(l leg, frames []frame) r3.Vec {
	var sum r3.Vec
	for _, k := range l.soles {
		s := &t.Geoms[k]
		sole := frames[s.Body].apply(vector(s.Position))
		sole.Z = t.lowest(k, frames)
		sum = r3.Add(sum, sole)
	}
	return r3.Scale(1/float64(len(l.soles)), sum)
}
