package starter

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/num/quat"
	"gonum.org/v1/gonum/spatial/r3"

	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco"
)

// tree is a model as bodies that joints move, in m and rad. Body 0 is the world.
type tree struct{ *mujoco.Description }

func vector(v [3]float64) r3.Vec { return r3.Vec{X: v[0], Y: v[1], Z: v[2]} }

// weight returns that of a body and of all below it, N.
func (t *tree) weight(b int) float64 { return t.Bodies[b].SubtreeMass * t.gravity() }

// gravity returns its length, m/s².
func (t *tree) gravity() float64 { return r3.Norm(vector(t.Gravity)) }

func (t *tree) home() []float64 {
	pose := make([]float64, t.PositionSize)
	for _, j := range t.Joints {
		copy(pose[j.PositionAt:], j.Home)
	}
	return pose
}

// frame is the position and orientation of a body or shape.
type frame struct {
	position r3.Vec
	turn     r3.Rotation
}

// apply returns a point of the frame in the frame that it is given in.
func (f frame) apply(p r3.Vec) r3.Vec { return r3.Add(f.position, f.turn.Rotate(p)) }

func (f frame) compose(inner frame) frame {
	return frame{f.apply(inner.position), r3.Rotation(quat.Mul(quat.Number(f.turn), quat.Number(inner.turn)))}
}

func frameOf(position [3]float64, turn [4]float64) frame {
	return frame{vector(position), unit(turn[:])}
}

func (t *tree) frames(pose []float64) []frame {
	frames := make([]frame, len(t.Bodies))
	frames[0] = frame{turn: r3.Rotation{Real: 1}}
	for i := 1; i < len(frames); i++ {
		t.moveBody(i, pose, frames)
	}
	return frames
}

// moveBody computes the frame of a body from that of its parent, whose index is less.
func (t *tree) moveBody(i int, pose []float64, frames []frame) {
	b := &t.Bodies[i]
	f := frames[b.Parent].compose(frameOf(b.Position, b.Quaternion))
	for _, k := range b.Joints {
		j := &t.Joints[k]
		switch v := pose[j.PositionAt:]; j.Type {
		case "free":
			f = frame{r3.Vec{X: v[0], Y: v[1], Z: v[2]}, unit(v[3:7])}
		case "ball":
			f = f.rotateAbout(vector(j.Anchor), unit(v[:4]))
		case "slide":
			f.position = r3.Add(f.position, f.turn.Rotate(r3.Scale(v[0]-j.Home[0], vector(j.Axis))))
		default:
			f = f.rotateAbout(vector(j.Anchor), r3.NewRotation(v[0]-j.Home[0], vector(j.Axis)))
		}
	}
	frames[i] = f
}

// rotateAbout returns f turned about a point of it.
func (f frame) rotateAbout(anchor r3.Vec, turn r3.Rotation) frame {
	result := frame{turn: r3.Rotation(quat.Mul(quat.Number(f.turn), quat.Number(turn)))}
	result.position = r3.Sub(f.apply(anchor), result.turn.Rotate(anchor))
	return result
}

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

// lowest returns the height of a geom's lowest point in the world. A mesh counts as its bounding box.
func (t *tree) lowest(geom int, frames []frame) float64 {
	g := &t.Geoms[geom]
	f := frames[g.Body].compose(frameOf(g.Position, g.Quaternion))
	// the world's vertical in the geom's frame
	vertical := inverse(f.turn).Rotate(r3.Vec{Z: 1})
	size, z := vector(g.Size), f.position.Z
	switch g.Type {
	case "sphere":
		return z - size.X
	case "capsule":
		return z - size.X - size.Y*math.Abs(vertical.Z)
	case "cylinder":
		return z - size.Y*math.Abs(vertical.Z) - size.X*math.Sqrt(max(0, 1-vertical.Z*vertical.Z))
	case "ellipsoid":
		return z - r3.Norm(r3.Vec{X: vertical.X * size.X, Y: vertical.Y * size.Y, Z: vertical.Z * size.Z})
	case "plane", "hfield":
		return math.Inf(-1)
	}
	size, z = vector(g.BoxSize), f.apply(vector(g.BoxCentre)).Z
	return z - math.Abs(vertical.X)*size.X - math.Abs(vertical.Y)*size.Y - math.Abs(vertical.Z)*size.Z
}

// box returns the box along the axes of the world around the bounding box of a geom.
func (t *tree) box(geom int, frames []frame) r3.Box {
	g := &t.Geoms[geom]
	f := frames[g.Body].compose(frameOf(g.Position, g.Quaternion))
	centre := f.apply(vector(g.BoxCentre))
	var half r3.Vec
	for i, size := range g.BoxSize {
		var axis [3]float64
		axis[i] = size
		v := f.turn.Rotate(vector(axis))
		half = r3.Add(half, r3.Vec{X: math.Abs(v.X), Y: math.Abs(v.Y), Z: math.Abs(v.Z)})
	}
	return r3.Box{Min: r3.Sub(centre, half), Max: r3.Add(centre, half)}
}

// isWithin reports whether a body is root or below it.
func (t *tree) isWithin(b, root int) bool {
	for ; b > 0 && b != root; b = t.Bodies[b].Parent {
	}
	return b > 0
}

// segment returns the nearest body at or above b that joints move, or the child of the world above it.
func (t *tree) segment(b int) int {
	for len(t.Bodies[b].Joints) == 0 && t.Bodies[b].Parent > 0 {
		b = t.Bodies[b].Parent
	}
	return b
}

// chain returns the joints between root and b, b's included and root's not, from root on.
func (t *tree) chain(root, b int) []int {
	var joints []int
	for ; b > 0 && b != root; b = t.Bodies[b].Parent {
		joints = slices.Concat(t.Bodies[b].Joints, joints)
	}
	return joints
}

// centreOfMass returns the centre of mass of a body and of all below it in the world.
func (t *tree) centreOfMass(root int, frames []frame) r3.Vec {
	m := t.Bodies[root].SubtreeMass
	if m == 0 {
		return frames[root].position
	}
	var sum r3.Vec
	for i, b := range t.Bodies {
		if t.isWithin(i, root) {
			sum = r3.Add(sum, r3.Scale(b.Mass, frames[i].apply(vector(b.Centre))))
		}
	}
	return r3.Scale(1/m, sum)
}
