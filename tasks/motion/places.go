package motion

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/tasks/internal/rotation"
)

// reading is a way to read the arrays of a file: for each joint and each body of a robot its index in the file, and
// whether quaternions are x y z w.
type reading struct {
	joints, bodies []int
	last           bool // w is the last value of a quaternion
}

// discrepancy is how far a body is from where forward kinematics places it beside the base.
type discrepancy struct {
	metres, radians float64
	frame, body     int
}

// score is how far that is, for a robot whose bodies are up to so many metres from its base.
func (a discrepancy) score(extent float64) float64 { return a.metres/extent + a.radians }

// With at most nearly, in m per m of the robot and rad, bodies are where the joints have them, also of a robot that was
// built a little otherwise. With more than far, they are those of another one.
const (
	nearly = 0.05
	far    = 1
)

// mostCompared is the number of frames that are compared with forward kinematics.
const mostCompared = 16

// checkPlaces returns an error unless the bodies of a clip, read in a way, are about where the engine's forward
// kinematics has them. It says of which order they are if another one fits: without names mjlab's order, which is the
// model's, cannot be told from that of Isaac Lab, breadth first, nor w x y z from x y z w.
func (c *Clip) checkPlaces(r *Robot, order reading) error {
	k, err := newKinematics(r)
	if err != nil {
		return err
	}
	defer k.close()
	worst, extent, err := c.discrepancy(k, order)
	if err != nil || worst.score(extent) <= nearly {
		return err
	}
	breadth := r.breadthFirst()
	var inBreadth []int // of joints
	for i := range r.Joints {
		inBreadth = append(inBreadth, i)
	}
	slices.SortStableFunc(inBreadth, func(a, b int) int {
		return cmp.Compare(slices.Index(breadth, r.Joints[a].Body), slices.Index(breadth, r.Joints[b].Body))
	})
	for _, last := range []bool{false, true} {
		for _, bodies := range [][]int{order.bodies, places(breadth)} {
			for _, joints := range [][]int{order.joints, places(inBreadth)} {
				alternative := reading{joints, bodies, last}
				if c.Joints != nil && !slices.Equal(joints, order.joints) || c.Bodies != nil && !slices.Equal(bodies, order.bodies) {
					continue
				}
				if fits, extent, err := c.discrepancy(k, alternative); err != nil || fits.score(extent) > nearly {
					continue
				}
				var differences []string
				for _, reason := range []struct {
					differs bool
					what    string
				}{
					{!slices.Equal(joints, order.joints), "joints breadth first, want them in the robot's order or with joint_names"},
					{!slices.Equal(bodies, order.bodies), "bodies breadth first, want them in the robot's order or with body_names"},
					{last, "quaternions x y z w, want w x y z"},
				} {
					if reason.differs {
						differences = append(differences, reason.what)
					}
				}
				return fmt.Errorf("by forward kinematics it has %s", strings.Join(differences, ", and "))
			}
		}
	}
	if worst.score(extent) <= far {
		return nil
	}
	return fmt.Errorf("in frame %d %s is %.3g m and %.3g rad from where the joints place it beside %s, want quaternions "+
		"w x y z, and without names the robot's order", worst.frame, r.Bodies[worst.body].Name, worst.metres, worst.radians,
		r.Bodies[0].Name)
}

// discrepancy returns the body that is farthest from its place, in a way to read the clip, and the extent of the robot, m.
func (c *Clip) discrepancy(k *kinematics, order reading) (worst discrepancy, extent float64, err error) {
	r, n := k.robot, min(c.Frames, mostCompared)
	type body struct {
		position   [3]float64
		quaternion [4]float64
	}
	relativePose := func(base, b body) body { // b as the base sees it
		inverse := rotation.Conjugate(base.quaternion)
		d := [3]float64{b.position[0] - base.position[0], b.position[1] - base.position[1], b.position[2] - base.position[2]}
		return body{rotation.Rotate(inverse, d), rotation.Product(inverse, b.quaternion)}
	}
	clipPose := func(frame, i int) body {
		p, q, _, _ := c.Body(frame, order.bodies[i])
		if order.last {
			q = []float64{q[3], q[0], q[1], q[2]}
		}
		return body{[3]float64(p), unitQuaternion(q)}
	}
	size := func(v [3]float64) float64 { return math.Hypot(math.Hypot(v[0], v[1]), v[2]) }
	var all []discrepancy
	for i := range n {
		frame := i * (c.Frames - 1) / max(n-1, 1)
		joints, _ := c.Joint(frame)
		for j := range r.Joints {
			k.row()[r.Joints[j].Position] = joints[order.joints[j]]
		}
		if err := k.forward(); err != nil {
			return discrepancy{}, 0, fmt.Errorf("frame %d: %w", frame, err)
		}
		bodyPose := func(i int) body {
			p, q, _ := k.body(i)
			return body{[3]float64(p), quaternion(q)}
		}
		for b := range r.Bodies {
			actual, want := relativePose(clipPose(frame, 0), clipPose(frame, b)), relativePose(bodyPose(0), bodyPose(b))
			extent = max(extent, size(want.position))
			d := [3]float64{actual.position[0] - want.position[0], actual.position[1] - want.position[1],
				actual.position[2] - want.position[2]}
			turn := rotation.Vector(rotation.Product(actual.quaternion, rotation.Conjugate(want.quaternion)))
			all = append(all, discrepancy{size(d), size(turn), frame, b})
		}
	}
	extent = max(extent, 1e-3) // the bodies of a robot may all lie in one place
	for _, a := range all {
		if a.score(extent) > worst.score(extent) {
			worst = a
		}
	}
	return worst, extent, nil
}

// breadthFirst returns the bodies by how many others they hang on.
func (r *Robot) breadthFirst() []int {
	depth, order := make([]int, len(r.Bodies)), make([]int, len(r.Bodies))
	for i, b := range r.Bodies {
		if order[i] = i; b.Parent >= 0 {
			depth[i] = depth[b.Parent] + 1
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(depth[a], depth[b]) })
	return order
}

// places returns for each thing its place in an order.
func places(order []int) []int {
	list := make([]int, len(order))
	for place, thing := range order {
		list[thing] = place
	}
	return list
}
