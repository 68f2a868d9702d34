package starter

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/optimize"
	"gonum.org/v1/gonum/spatial/r3"

	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco"
)

// margin is the share of its range that a joint starts away from a limit that it would be beyond.
const margin = 0.05

// ownPose returns the pose of the model itself, with joints that are outside of their limits moved inside.
func (t *tree) ownPose(home []float64) []float64 {
	pose := slices.Clone(home)
	for _, j := range t.Joints {
		if j.PositionSize != 1 {
			continue
		}
		q, inset := &pose[j.PositionAt], margin*(j.Range[1]-j.Range[0])
		if *q < j.Range[0] {
			*q = j.Range[0] + inset
		} else if *q > j.Range[1] {
			*q = j.Range[1] - inset
		}
	}
	return pose
}

// How high a robot stands, as a share of the height from its lowest possible foot to its hip.
const (
	standOnFour = 0.7
	standOnTwo  = 0.93
)

// stand bends the legs of a robot in place, so that each foot is below its hip in the direction of x, moved
// by as much as the hips' middle is from the centre of mass, and as far to its side as it was. Unless always
// is set, it leaves legs that are not stretched.
func (r *robot) stand(pose []float64, always bool) {
	height := standOnFour
	if len(r.legs) < 4 {
		height = standOnTwo
	}
	frames := r.frames(pose)
	upright := slices.Clone(frames)
	centre := r.centreOfMass(r.root, frames)
	var hips []r3.Vec
	var middle r3.Vec
	for _, l := range r.legs {
		hip := r.hip(l, frames)
		hips = append(hips, hip)
		middle = r3.Add(middle, r3.Scale(1/float64(len(r.legs)), hip))
	}
	lowest := math.Inf(-1) // height of the leg that reaches least far down
	for i, l := range r.legs {
		longest := slices.Clone(pose)
		r.search(l, longest, func(frames []frame) float64 {
			foot := r.sole(l, frames)
			return foot.Z + math.Hypot(foot.X-hips[i].X, foot.Y-r.sole(l, upright).Y)
		})
		lowest = max(lowest, r.sole(l, r.frames(longest)).Z)
	}
	reach := 0.0
	for i, l := range r.legs {
		reach = max(reach, (hips[i].Z-r.sole(l, upright).Z)/max(1e-6, hips[i].Z-lowest))
	}
	if !always && reach < stretchShare {
		return
	}
	for i, l := range r.legs {
		want := r3.Vec{X: hips[i].X + centre.X - middle.X, Y: r.sole(l, upright).Y,
			Z: hips[i].Z - height*(hips[i].Z-lowest)}
		scale := 1 / max(1e-6, hips[i].Z-lowest)
		flat := r.flat(l)
		start := slices.Clone(pose)
		r.search(l, pose, func(frames []frame) float64 {
			cost := r3.Norm2(r3.Scale(scale, r3.Sub(r.sole(l, frames), want)))
			if flat {
				cost += 0.3 * (1 - uprightness(frames[l.foot], upright[l.foot]))
			}
			return cost + stay*r.distance(l.joints, pose, start)
		})
	}
}

// stretchShare is the share of the height from its lowest possible foot to its hip of a leg that counts as stretched.
const stretchShare = 0.97

// stay is the cost of moving a joint by 1 rad, beside that of a foot which is off by the length of its leg.
const stay = 2e-3

func (r *robot) hip(l leg, frames []frame) r3.Vec {
	j := &r.Joints[l.joints[0]]
	return frames[j.Body].apply(vector(j.Anchor))
}

// flat reports whether a foot has a sole rather than a point.
func (r *robot) flat(l leg) bool { return len(l.soles) > 1 || r.Geoms[l.soles[0]].Type != "sphere" }

// uprightness returns the cosine of the angle by which a body is tilted from where it was.
func uprightness(now, start frame) float64 {
	return now.turn.Rotate(inverse(start.turn).Rotate(r3.Vec{Z: 1})).Z
}

// distance returns the sum of the squares of how far joints are from a start.
func (r *robot) distance(joints []int, pose, start []float64) float64 {
	sum := 0.0
	for _, k := range joints {
		j := &r.Joints[k]
		if j.PositionSize == 1 {
			d := pose[j.PositionAt] - start[j.PositionAt]
			sum += d * d
		}
	}
	return sum
}

// span returns the range of a joint; π rad or 1 m without limits.
func span(j *mujoco.Joint) float64 {
	if width := j.Range[1] - j.Range[0]; !math.IsInf(width, 0) && width > 0 {
		return width
	}
	if j.Type == "slide" {
		return 1
	}
	return math.Pi
}

// maxTries bounds the work of a search.
const maxTries = 4000

// raise bends an arm whose parts are below the floor out of it: one joint of its chain, by as little as it takes.
func (r *robot) raise(pose []float64) {
	raiseOne := func(hand int) {
		root := r.rootOf(hand)
		above := func() float64 {
			frames := r.frames(pose)
			return r.lowestMoving(root, frames) - r.floor(frames)
		}
		for _, want := range []float64{clear, 0} { // where parts that no joint moves are near the floor, the second
			for _, turn := range raisingTurns {
				for _, k := range r.chain(0, hand) {
					if above() >= -tooLow {
						return
					}
					j := &r.Joints[k]
					at := pose[j.PositionAt]
					to := at + turn
					if pose[j.PositionAt] = to; j.Type != "hinge" || clamp(to, j) != to || above() < want {
						pose[j.PositionAt] = at
					}
				}
			}
		}
	}
	for _, hand := range r.hands {
		raiseOne(hand)
	}
}

// raisingTurns are what may raise an arm, rad, the least first.
var raisingTurns = []float64{-0.3, 0.3, -0.6, 0.6, -1, 1, -1.57, 1.57}

// search lowers the cost of a pose by a leg's joints, from the pose and from poses in which one joint is bent.
func (r *robot) search(l leg, pose []float64, cost func([]frame) float64) {
	var movable []*mujoco.Joint
	for _, k := range l.joints {
		if j := &r.Joints[k]; j.PositionSize == 1 {
			movable = append(movable, j)
		}
	}
	var bodies []int // bodies up to the foot, in the order of the tree
	for i := range r.Bodies {
		if i > 0 && r.segment(i) == l.foot || r.isWithin(l.foot, i) {
			bodies = append(bodies, i)
		}
	}
	frames := r.frames(pose)
	// x are shares of the joints' ranges. Beyond a limit they cost more and more.
	costAt := func(x []float64) float64 {
		excess := 0.0
		for i, j := range movable {
			q := x[i] * span(j)
			pose[j.PositionAt] = clamp(q, j)
			excess += math.Abs(q-pose[j.PositionAt]) / span(j)
		}
		for _, i := range bodies {
			r.moveBody(i, pose, frames)
		}
		return cost(frames) + 0.1*excess
	}
	start := make([]float64, len(movable))
	for i, j := range movable {
		start[i] = pose[j.PositionAt] / span(j)
	}
	best, lowest := start, math.Inf(1)
	for first := -1; first < len(movable); first++ {
		for _, bend := range []float64{0.25, -0.25} {
			x := slices.Clone(start)
			if first >= 0 {
				x[first] = clamp((x[first]+bend)*span(movable[first]), movable[first]) / span(movable[first])
			}
			found, err := optimize.Minimize(optimize.Problem{Func: costAt}, x,
				&optimize.Settings{FuncEvaluations: maxTries}, &optimize.NelderMead{SimplexSize: 0.1})
			if err == nil && found.F < lowest-1e-9 {
				best, lowest = found.X, found.F
			}
		}
	}
	costAt(best)
}

func clamp(q float64, j *mujoco.Joint) float64 { return min(max(q, j.Range[0]), j.Range[1]) }
