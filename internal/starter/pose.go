package starter

import (
	"math"

	"gonum.org/v1/gonum/spatial/r3"
)

// within limits, a joint starts at least margin of its range away from a limit that it
// would otherwise be beyond.
const margin = 0.05

// ownPose returns the pose of the model itself, with joints that are outside of their
// limits moved inside.
func (t *tree) ownPose(home []float64) []float64 {
	pose := append([]float64{}, home...)
	for _, j := range t.joints {
		if j.kind != slide && j.kind != hinge {
			continue
		}
		q, inside := &pose[j.address], margin*(j.high-j.low)
		if *q < j.low {
			*q = j.low + inside
		} else if *q > j.high {
			*q = j.high - inside
		}
	}
	return pose
}

// How high a robot stands, as a share of the height from its lowest possible foot to its
// hip: four legs are bent, two nearly straight.
const (
	standOnFour = 0.7
	standOnTwo  = 0.93
)

// stand bends the legs of a robot in place, so that each foot is below its hip in the
// direction of x, moved by as much as the hips' middle is from the centre of mass, and
// as far to its side as it was. Unless always is set, it leaves legs that are not
// stretched.
func (r *robot) stand(pose []float64, always bool) {
	height := standOnFour
	if len(r.legs) < 4 {
		height = standOnTwo
	}
	frames := r.frames(pose)
	upright := append([]frame{}, frames...)
	centre := r.centreOfMass(r.root, frames)
	var hips []r3.Vec
	var middle r3.Vec
	for _, l := range r.legs {
		hip := r.hip(l, frames)
		hips = append(hips, hip)
		middle = r3.Add(middle, r3.Scale(1/float64(len(r.legs)), hip))
	}
	lowest := math.Inf(-1) // of the leg that reaches least far down
	for i, l := range r.legs {
		longest := append([]float64{}, pose...)
		r.search(l, longest, func(frames []frame) float64 {
			at := r.sole(l, frames)
			return at.Z + math.Hypot(at.X-hips[i].X, at.Y-r.sole(l, upright).Y)
		})
		lowest = max(lowest, r.sole(l, r.frames(longest)).Z)
	}
	reach := 0.0
	for i, l := range r.legs {
		reach = max(reach, (hips[i].Z-r.sole(l, upright).Z)/max(1e-6, hips[i].Z-lowest))
	}
	if !always && reach < stretched {
		return
	}
	for i, l := range r.legs {
		want := r3.Vec{X: hips[i].X + centre.X - middle.X, Y: r.sole(l, upright).Y, Z: hips[i].Z - height*(hips[i].Z-lowest)}
		scale := 1 / max(1e-6, hips[i].Z-lowest)
		flat := r.flat(l)
		start := append([]float64{}, pose...)
		r.search(l, pose, func(frames []frame) float64 {
			cost := r3.Norm2(r3.Scale(scale, r3.Sub(r.sole(l, frames), want)))
			if flat {
				cost += 0.3 * (1 - up(frames[l.foot], upright[l.foot]))
			}
			return cost + stay*r.distance(l.joints, pose, start)
		})
	}
}

// stretched is the share of the height from its lowest possible foot to its hip from which
// a leg counts as stretched.
const stretched = 0.97

// stay is the cost of moving a joint by 1 rad, beside that of a foot which is off by the
// length of its leg.
const stay = 2e-3

// hip returns where the first joint of a leg is.
func (r *robot) hip(l leg, frames []frame) r3.Vec {
	j := r.tree.joints[l.joints[0]]
	return frames[j.body].apply(j.anchor)
}

// flat reports whether a foot has a sole rather than a point.
func (r *robot) flat(l leg) bool {
	return len(l.soles) > 1 || r.shapes[l.soles[0]].form != sphere
}

// up returns the cosine of the angle by which a body is tilted from where it was.
func up(now, was frame) float64 {
	return now.turn.Rotate(inverse(was.turn).Rotate(r3.Vec{Z: 1})).Z
}

// distance returns the sum of the squares of how far joints are from a start.
func (r *robot) distance(joints []int, pose, start []float64) float64 {
	sum := 0.0
	for _, k := range joints {
		j := r.tree.joints[k]
		if j.kind == hinge || j.kind == slide {
			d := pose[j.address] - start[j.address]
			sum += d * d
		}
	}
	return sum
}

// span returns the range of a joint; π rad or 1 m without limits.
func span(j joint) float64 {
	if width := j.high - j.low; !math.IsInf(width, 0) && width > 0 {
		return width
	}
	if j.kind == slide {
		return 1
	}
	return math.Pi
}

// limb is what a search moves: joints, and the bodies that they move up to a foot.
type limb struct {
	*robot
	moving []joint
	bodies []int // in the order of the tree
	pose   []float64
	frames []frame
	cost   func([]frame) float64
	tries  int // that are left
}

// maxTries bounds the work of a search.
const maxTries = 30_000

// search lowers the cost of a pose by moving the joints of a leg within their limits: by
// a share of their range at a time, each alone or two together, in halving steps. It
// begins from the pose and from poses in which one joint is bent.
func (r *robot) search(l leg, pose []float64, cost func([]frame) float64) {
	m := &limb{robot: r, pose: pose, frames: r.frames(pose), cost: cost}
	for _, k := range l.joints {
		if j := r.tree.joints[k]; j.kind == hinge || j.kind == slide {
			m.moving = append(m.moving, j)
		}
	}
	for i := range r.bodies {
		if i > 0 && r.segment(i) == l.foot || r.within(l.foot, i) {
			m.bodies = append(m.bodies, i)
		}
	}
	start := append([]float64{}, pose...)
	best := append([]float64{}, pose...)
	lowest := math.Inf(1)
	for first := -1; first < len(m.moving); first++ {
		for _, bend := range []float64{0.25, -0.25} {
			copy(pose, start)
			if first >= 0 {
				j := m.moving[first]
				pose[j.address] = clamp(pose[j.address]+bend*span(j), j)
			}
			m.tries = maxTries / (2*len(m.moving) + 2)
			if c := m.descend(); c < lowest-1e-9 {
				lowest = c
				copy(best, pose)
			}
		}
	}
	copy(pose, best)
}

// now returns the cost of the pose.
func (m *limb) now() float64 {
	m.tries--
	for _, i := range m.bodies {
		m.moveBody(i, m.pose, m.frames)
	}
	return m.cost(m.frames)
}

// descend is search from one pose. It returns the lowest cost.
func (m *limb) descend() float64 {
	now := m.now()
	try := func(a, b joint, da, db float64) bool {
		old := [2]float64{m.pose[a.address], m.pose[b.address]}
		m.pose[a.address] = clamp(old[0]+da*span(a), a)
		if a.address != b.address {
			m.pose[b.address] = clamp(old[1]+db*span(b), b)
		}
		if c := m.now(); c < now-1e-12 {
			now = c
			return true
		}
		m.pose[a.address], m.pose[b.address] = old[0], old[1]
		return false
	}
	for step := 0.1; step > 5e-4; step /= 2 {
		for better := true; better && m.tries > 0; {
			better = false
			for i, a := range m.moving {
				for _, b := range m.moving[i:] {
					for _, d := range [][2]float64{{1, 1}, {-1, -1}, {1, -1}, {-1, 1}} {
						better = try(a, b, d[0]*step, d[1]*step) || better
					}
				}
			}
		}
	}
	return now
}

// clamp returns q within the limits of a joint.
func clamp(q float64, j joint) float64 { return min(max(q, j.low), j.high) }
