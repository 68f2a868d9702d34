package starter

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/spatial/r3"
)

// family is what a robot is, as far as its first task depends on it.
type family int

const (
	something family = iota // anything that is neither of the others
	legged                  // a floating base on two or more legs
	arm                     // a chain of joints on a fixed base
)

// robot is what a tree turned out to be.
type robot struct {
	*tree
	family   family
	root     int   // the body that the others hang on, a child of the world
	floating bool  // whether root has a free joint
	joints   []int // the hinges and slides below root that actuators move, or could
	legs     []leg
	hand     int // of an arm: the last body before its fingers
	passive  int // hinges and slides below root that have no actuator although others have one
}

// leg is a leg of a robot.
type leg struct {
	foot   int   // the body, moved by the last joint of the leg
	soles  []int // the shapes of the foot that stand on the ground
	joints []int // from the root to the foot, without those that other legs share
}

// classify finds the robot in a tree, as it stands in the model's own pose. It returns nil for a model
// in which nothing moves.
func classify(t *tree, pose []float64) *robot {
	r := &robot{tree: t, root: mainRoot(t)}
	if r.root == 0 {
		return nil
	}
	for _, k := range t.bodies[r.root].joints {
		r.floating = r.floating || t.joints[k].kind == free
	}
	var idle []int
	for k, j := range t.joints {
		if !t.within(j.body, r.root) || j.kind == free || j.kind == ball {
			continue
		}
		if j.actuated {
			r.joints = append(r.joints, k)
		} else {
			idle = append(idle, k)
		}
	}
	if len(r.joints) == 0 {
		r.joints, idle = idle, nil
	}
	r.passive = len(idle)
	frames := t.frames(pose)
	if r.floating {
		r.legs = t.findLegs(r.root, frames)
		if len(r.legs) >= 2 && frames[r.root].turn.Rotate(r3.Vec{Z: 1}).Z > upward {
			r.family = legged
		}
	} else if hand := t.findHand(r.root); r.passive == 0 && r.isArm(hand) {
		r.family, r.hand = arm, hand
	}
	return r
}

// upward is the cosine of the largest angle between the vertical and the z axis of the base of
// a robot with legs: the terms for walking take that axis for its height.
const upward = 0.85

// aloft reports whether the robot is above the ground in a pose.
func (r *robot) aloft(pose []float64) bool {
	low, ok := r.ground(r.root, r.frames(pose))
	return ok && low > clear
}

// clear is how far from the ground a robot counts as above or below it, m.
const clear = 0.05

// isArm reports whether the joints up to a body are those of an arm: hinges in at least
// two bodies, at least half of all joints.
func (r *robot) isArm(hand int) bool {
	bodies := map[int]bool{}
	chain := r.chain(0, hand)
	for _, k := range chain {
		j := r.tree.joints[k]
		if j.kind == ball {
			return false
		}
		if j.kind == hinge {
			bodies[j.body] = true
		}
	}
	return len(bodies) >= 2 && 2*len(chain) >= len(r.joints)
}

// mainRoot returns the child of the world with the most actuated joints below it, of
// several the one with the most joints, then with the most mass; 0 if no joint moves
// anything.
func mainRoot(t *tree) int {
	best, count := 0, [2]int{}
	for i, b := range t.bodies {
		if i == 0 || b.parent != 0 {
			continue
		}
		n := [2]int{}
		for _, j := range t.joints {
			if t.within(j.body, i) {
				n[1]++
				if j.actuated {
					n[0]++
				}
			}
		}
		order := slices.Compare(n[:], count[:])
		if n[1] > 0 && (order > 0 || order == 0 && t.massBelow(i) > t.massBelow(best)) {
			best, count = i, n
		}
	}
	return best
}

// leaves returns the bodies below root that joints move and that have no such body
// below them.
func (t *tree) leaves(root int) []int {
	inner := map[int]bool{}
	var moved []int
	for i, b := range t.bodies {
		if i != root && t.within(i, root) && len(b.joints) > 0 {
			moved = append(moved, i)
			inner[t.segment(b.parent)] = true
		}
	}
	return slices.DeleteFunc(moved, func(b int) bool { return inner[b] })
}

// A foot stands on the shapes that end at most soleTolerance of the root's height above its
// lowest point. It stands at most footTolerance of the root's height above the lowest foot, and
// the root's own shapes end at least clearance of it above.
const (
	soleTolerance = 0.02
	footTolerance = 0.25
	clearance     = 0.2
)

// findLegs returns the legs of a robot whose bodies have the given frames: chains of at
// least two joints that end on the ground, where the root itself does not.
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
	height := frames[root].at.Z - ground
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
		for k := range t.shapes {
			if s := &t.shapes[k]; s.collides && t.segment(s.body) == e.body && s.lowest(frames[s.body])-e.z < soleTolerance*height {
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

// supportMargin is how far outside of the box around the soles the centre of mass may
// be, as a share of the robot's height.
const supportMargin = 0.25

// supports reports whether a robot stands on its legs: whether its centre of mass is
// above them.
func (t *tree) supports(legs []leg, frames []frame, centre r3.Vec, height float64) bool {
	box := r3.Box{Min: t.sole(legs[0], frames), Max: t.sole(legs[0], frames)}
	for _, l := range legs {
		s := t.sole(l, frames)
		box.Min = r3.Vec{X: min(box.Min.X, s.X), Y: min(box.Min.Y, s.Y)}
		box.Max = r3.Vec{X: max(box.Max.X, s.X), Y: max(box.Max.Y, s.Y)}
	}
	margin := supportMargin * height
	return centre.X > box.Min.X-margin && centre.X < box.Max.X+margin && centre.Y > box.Min.Y-margin && centre.Y < box.Max.Y+margin
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

// lowestOf returns the lowest point of the shapes that collide and that move with a
// segment, and the index of the shape, -1 if there is none.
func (t *tree) lowestOf(segment int, frames []frame) (z float64, index int) {
	z, index = math.Inf(1), -1
	for k := range t.shapes {
		if s := &t.shapes[k]; s.collides && t.segment(s.body) == segment {
			if low := s.lowest(frames[s.body]); low < z {
				z, index = low, k
			}
		}
	}
	return z, index
}

// ground returns the height of the lowest point of the shapes below root that collide;
// false if there are none.
func (t *tree) ground(root int, frames []frame) (float64, bool) {
	z := math.Inf(1)
	for k := range t.shapes {
		if s := &t.shapes[k]; s.collides && t.within(s.body, root) {
			z = min(z, s.lowest(frames[s.body]))
		}
	}
	return z, !math.IsInf(z, 0)
}

// findHand returns the body at the end of an arm: the last one before the chain of
// joints branches, or the end of the longest branch if it branches at once.
func (t *tree) findHand(root int) int {
	longest := root
	for _, leaf := range t.leaves(root) {
		if len(t.chain(0, leaf)) > len(t.chain(0, longest)) {
			longest = leaf
		}
	}
	hand := longest
	for b := t.segment(t.bodies[longest].parent); b != root && b > 0; b = t.segment(t.bodies[b].parent) {
		if t.branches(b) {
			hand = b
		}
	}
	if len(t.chain(0, hand)) < 2 {
		return longest
	}
	return hand
}

// branches reports whether more than one chain of joints leaves a segment.
func (t *tree) branches(segment int) bool {
	n := 0
	for _, b := range t.bodies {
		if len(b.joints) > 0 && b.parent > 0 && t.segment(b.parent) == segment {
			n++
		}
	}
	return n > 1
}

// sole returns the middle of a leg's soles in the world.
func (t *tree) sole(l leg, frames []frame) r3.Vec {
	var sum r3.Vec
	for _, k := range l.soles {
		s := &t.shapes[k]
		at := frames[s.body].apply(s.place.at)
		at.Z = s.lowest(frames[s.body])
		sum = r3.Add(sum, at)
	}
	return r3.Scale(1/float64(len(l.soles)), sum)
}
