package starter

import (
	"math"

	"gonum.org/v1/gonum/num/quat"
	"gonum.org/v1/gonum/spatial/r3"
)

// tree is a model as bodies that joints move, for kinematics. Lengths are in the
// model's unit (m), angles in rad. Body 0 is the world. Indices are those of the model.
type tree struct {
	bodies  []body
	joints  []joint
	shapes  []shape
	gravity float64 // its length, m/s²
}

// body is one frame of the tree. A parent comes before its children.
type body struct {
	name   string
	parent int
	place  frame // in the parent, at joint values of zero
	centre r3.Vec
	mass   float64 // kg
	joints []int
	shapes []int
}

// frame is the position and orientation of a body or shape.
type frame struct {
	at   r3.Vec
	turn r3.Rotation
}

// apply returns a point of the frame in the frame that it is given in.
func (f frame) apply(p r3.Vec) r3.Vec { return r3.Add(f.at, f.turn.Rotate(p)) }

// compose returns the frame inner of f in the frame that f is given in.
func (f frame) compose(inner frame) frame {
	return frame{f.apply(inner.at), r3.Rotation(quat.Mul(quat.Number(f.turn), quat.Number(inner.turn)))}
}

// kind is the kind of a joint.
type kind int

const (
	free kind = iota
	ball
	slide
	hinge
)

// joint moves a body in its parent. Its values are pose[address:] of a pose, as many as
// its kind has: 7, 4, 1 or 1.
type joint struct {
	name         string
	kind         kind
	body         int
	axis, anchor r3.Vec // in the body's frame
	address      int
	home         float64 // of a slide or hinge, the value in the model's own pose
	low, high    float64 // infinite without limits
	inertia      float64 // reflected at the joint in the model's own pose: kg m² or kg
	actuated     bool
}

// shape is a geom.
type shape struct {
	name     string
	body     int
	form     form
	size     r3.Vec // as the engine has them: radius or half sizes
	place    frame  // in the body
	boxAt    r3.Vec // centre of a mesh's bounding box, in the shape's frame
	collides bool
}

// form is the form of a shape.
type form int

const (
	other form = iota // drawn by its bounding box
	plane
	sphere
	capsule
	ellipsoid
	cylinder
	box
)

// frames returns the frames of all bodies in the world for a pose.
func (t *tree) frames(pose []float64) []frame {
	frames := make([]frame, len(t.bodies))
	frames[0] = frame{turn: r3.Rotation{Real: 1}}
	for i := range t.bodies[1:] {
		t.moveBody(i+1, pose, frames)
	}
	return frames
}

// moveBody computes the frame of a body from that of its parent.
func (t *tree) moveBody(i int, pose []float64, frames []frame) {
	b := &t.bodies[i]
	f := frames[b.parent].compose(b.place)
	for _, k := range b.joints {
		f = t.joints[k].move(f, pose)
	}
	frames[i] = f
}

// move returns the frame f of the joint's body after the joint moved it.
func (j *joint) move(f frame, pose []float64) frame {
	v := pose[j.address:]
	switch j.kind {
	case free:
		return frame{r3.Vec{X: v[0], Y: v[1], Z: v[2]}, unit(v[3:7])}
	case ball:
		return f.about(j.anchor, unit(v[:4]))
	case slide:
		f.at = r3.Add(f.at, f.turn.Rotate(r3.Scale(v[0]-j.home, j.axis)))
		return f
	}
	return f.about(j.anchor, r3.NewRotation(v[0]-j.home, j.axis))
}

// about returns f turned about a point of it.
func (f frame) about(anchor r3.Vec, turn r3.Rotation) frame {
	turned := frame{turn: r3.Rotation(quat.Mul(quat.Number(f.turn), quat.Number(turn)))}
	turned.at = r3.Sub(f.apply(anchor), turned.turn.Rotate(anchor))
	return turned
}

// inverse returns the opposite rotation.
func inverse(turn r3.Rotation) r3.Rotation { return r3.Rotation(quat.Conj(quat.Number(turn))) }

// unit returns the rotation of a quaternion w x y z of any length; none for zero.
func unit(v []float64) r3.Rotation {
	q := quat.Number{Real: v[0], Imag: v[1], Jmag: v[2], Kmag: v[3]}
	n := quat.Abs(q)
	if n == 0 {
		return r3.Rotation{Real: 1}
	}
	return r3.Rotation(quat.Scale(1/n, q))
}

// lowest returns the height of a shape's lowest point in the world, where its body has
// the frame f. A mesh counts as its bounding box.
func (s *shape) lowest(f frame) float64 {
	f = f.compose(s.place)
	// the world's vertical in the shape's frame
	up := inverse(f.turn).Rotate(r3.Vec{Z: 1})
	z := f.at.Z
	switch s.form {
	case sphere:
		return z - s.size.X
	case capsule:
		return z - s.size.X - s.size.Y*math.Abs(up.Z)
	case cylinder:
		return z - s.size.Y*math.Abs(up.Z) - s.size.X*math.Sqrt(max(0, 1-up.Z*up.Z))
	case ellipsoid:
		return z - r3.Norm(r3.Vec{X: up.X * s.size.X, Y: up.Y * s.size.Y, Z: up.Z * s.size.Z})
	case plane:
		return math.Inf(-1)
	}
	return f.apply(s.boxAt).Z - math.Abs(up.X)*s.size.X - math.Abs(up.Y)*s.size.Y - math.Abs(up.Z)*s.size.Z
}

// within reports whether a body is root or below it.
func (t *tree) within(b, root int) bool {
	for ; b > 0; b = t.bodies[b].parent {
		if b == root {
			return true
		}
	}
	return false
}

// segment returns the nearest body at or above b that joints move, or the child of the
// world above it: bodies without joints are one piece with their parents.
func (t *tree) segment(b int) int {
	for len(t.bodies[b].joints) == 0 && t.bodies[b].parent > 0 {
		b = t.bodies[b].parent
	}
	return b
}

// chain returns the hinges and slides between root and b, b's included and root's not,
// from root on.
func (t *tree) chain(root, b int) []int {
	var joints []int
	for ; b > 0 && b != root; b = t.bodies[b].parent {
		own := t.bodies[b].joints
		for i := len(own) - 1; i >= 0; i-- {
			joints = append([]int{own[i]}, joints...)
		}
	}
	return joints
}

// massBelow returns the mass of a body and of all below it.
func (t *tree) massBelow(root int) float64 {
	m := 0.0
	for i, b := range t.bodies {
		if t.within(i, root) {
			m += b.mass
		}
	}
	return m
}

// centreOfMass returns the centre of mass of a body and of all below it in the world.
func (t *tree) centreOfMass(root int, frames []frame) r3.Vec {
	var sum r3.Vec
	m := 0.0
	for i, b := range t.bodies {
		if t.within(i, root) {
			sum = r3.Add(sum, r3.Scale(b.mass, frames[i].apply(b.centre)))
			m += b.mass
		}
	}
	if m == 0 {
		return frames[root].at
	}
	return r3.Scale(1/m, sum)
}
