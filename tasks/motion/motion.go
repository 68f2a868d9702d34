package motion

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"slices"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/tasks/internal/rotation"
)

// Robot is what a motion moves: the bodies below one body of the world, and their hinges and slides. It is immutable.
type Robot struct {
	Model physics.Model // a model of MuJoCo; not closed by this package

	// Base is the part of the state row with the pose of the base: position in m and quaternion w x y z in the world.
	// BaseVelocity is the velocity: linear in m/s in the world, angular in rad/s in the base's frame. Their Len is 0 for
	// a robot that is fixed to the world.
	Base, BaseVelocity physics.Span

	Joints []Joint // its joints, in the order of the model
	Bodies []Body  // its bodies, in the order of the model, the base first
	Start  []float64
}

// Joint is a hinge (rad) or a slide (m) of a robot.
type Joint struct {
	Name         string
	Body         int        // index of the body that it moves
	Slide        bool       // else a hinge
	Axis, Anchor [3]float64 // its place in the frame of that body
	Low, High    float64    // limits; ∓Inf if there are none

	Position, Velocity int // places in the state row
}

// Body is a body of a robot.
type Body struct {
	Name   string
	Parent int // index of the body that it hangs on; -1 for the base
}

// Free reports whether the base moves freely.
func (r *Robot) Free() bool { return r.Base.Len > 0 }

func (r *Robot) jointNames() (names []string) {
	for _, j := range r.Joints {
		names = append(names, j.Name)
	}
	return names
}

func (r *Robot) bodyNames() (names []string) {
	for _, b := range r.Bodies {
		names = append(names, b.Name)
	}
	return names
}

// Clip is a motion at even times: frame k is at the exact instant k/Rate. Arrays are row-major, a row for each frame.
// Positions are in m, quaternions w x y z, velocities in m/s and rad/s, of the origins of the bodies' frames in the
// world; joints in rad and rad/s, or m and m/s. A clip is not changed once it is made.
type Clip struct {
	Rate   runners.Rate
	Frames int

	// Joints and Bodies are the names in the order of the arrays; nil if the file has none.
	Joints, Bodies []string

	JointPos, JointVel     []float64 // frames × joints
	BodyPos, BodyQuat      []float64 // frames × bodies × 3, × 4
	BodyLinVel, BodyAngVel []float64 // frames × bodies × 3
}

// JointCount is the number of joints.
func (c *Clip) JointCount() int { return len(c.JointPos) / c.Frames }

// BodyCount is the number of bodies.
func (c *Clip) BodyCount() int { return len(c.BodyQuat) / c.Frames / 4 }

// Seconds is the time from the first frame to the last.
func (c *Clip) Seconds() float64 { return float64(c.Frames-1) * c.Rate.Seconds() }

// frameValues returns the n values of thing i of count in frame k of one of the arrays.
func frameValues(values []float64, k, count, i, n int) []float64 {
	start := (k*count + i) * n
	return values[start : start+n : start+n]
}

// Joint returns the positions and the velocities of all joints in frame k. The slices are the clip's own.
func (c *Clip) Joint(k int) (position, velocity []float64) {
	n := c.JointCount()
	return frameValues(c.JointPos, k, 1, 0, n), frameValues(c.JointVel, k, 1, 0, n)
}

// Body returns the pose and the velocity of body i in frame k. The slices are the clip's own.
func (c *Clip) Body(k, i int) (position, quaternion, linear, angular []float64) {
	n := c.BodyCount()
	linear, angular = frameValues(c.BodyLinVel, k, n, i, 3), frameValues(c.BodyAngVel, k, n, i, 3)
	return frameValues(c.BodyPos, k, n, i, 3), frameValues(c.BodyQuat, k, n, i, 4), linear, angular
}

// Reorder returns the clip with joints and bodies in the order of a robot. It is an error if the clip has names and they
// are not the robot's, if the numbers differ, or if the joints place the bodies elsewhere.
func (c *Clip) Reorder(r *Robot) (*Clip, error) {
	joints, err := match("joint", c.Joints, c.JointCount(), r.jointNames())
	if err != nil {
		return nil, err
	}
	bodies, err := match("body", c.Bodies, c.BodyCount(), r.bodyNames())
	if err != nil {
		return nil, err
	}
	if err := c.checkPlaces(r, reading{joints: joints, bodies: bodies}); err != nil {
		return nil, err
	}
	d := *c
	d.Joints, d.Bodies = r.jointNames(), r.bodyNames()
	d.JointPos, d.JointVel = reorder(c.JointPos, c.Frames, joints, 1), reorder(c.JointVel, c.Frames, joints, 1)
	d.BodyPos, d.BodyQuat = reorder(c.BodyPos, c.Frames, bodies, 3), reorder(c.BodyQuat, c.Frames, bodies, 4)
	for i := 0; i < len(d.BodyQuat); i += 4 { // doubles that were floats are not quite of length 1
		unit := unitQuaternion(d.BodyQuat[i : i+4])
		copy(d.BodyQuat[i:], unit[:])
	}
	d.BodyLinVel, d.BodyAngVel = reorder(c.BodyLinVel, c.Frames, bodies, 3), reorder(c.BodyAngVel, c.Frames, bodies, 3)
	return &d, nil
}

// Digest is a checksum of the frames.
func (c *Clip) Digest() uint32 {
	h := crc32.NewIEEE()
	fmt.Fprintln(h, c.Rate, c.Joints, c.Bodies)
	for _, d := range dataArrays {
		if err := binary.Write(h, binary.LittleEndian, *d.in(c)); err != nil {
			panic(err) // a checksum takes all
		}
	}
	return h.Sum32()
}

// match returns for each wanted name its index among n things with names; without names the order is the wanted one.
func match(kind string, names []string, n int, want []string) (index []int, err error) {
	if names == nil {
		if n != len(want) {
			return nil, fmt.Errorf("%d %s without names, want the robot's %d", n, plural(kind), len(want))
		}
		for i := range n {
			index = append(index, i)
		}
		return index, nil
	}
	var missing, other []string
	for _, name := range want {
		i := slices.Index(names, name)
		if i < 0 {
			missing = append(missing, name)
		}
		index = append(index, i)
	}
	for _, name := range names {
		if !slices.Contains(want, name) {
			other = append(other, name)
		}
	}
	var parts []string
	if missing != nil {
		parts = append(parts, "without "+nameList(missing))
	}
	if other != nil {
		parts = append(parts, "with "+nameList(other)+" that the robot has not")
	}
	if parts != nil {
		return nil, fmt.Errorf("%s %s, want the robot's", plural(kind), strings.Join(parts, ", and "))
	}
	return index, nil
}

// nameList are the first few of some names.
func nameList(names []string) string {
	const most = 8
	if more := len(names) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), more)
	}
	return strings.Join(names, ", ")
}

func plural(kind string) string { return map[string]string{"joint": "joints", "body": "bodies"}[kind] }

// reorder returns an array whose things, of n values each, are those of the given indices.
func reorder(values []float64, frames int, index []int, n int) []float64 {
	count := len(values) / frames / n
	list := make([]float64, 0, frames*len(index)*n)
	for k := range frames {
		for _, i := range index {
			list = append(list, frameValues(values, k, count, i, n)...)
		}
	}
	return list
}

// Track returns the positions of a clip: of the joints, and of its first body as the base of a robot that moves freely.
func (c *Clip) Track(free bool) *Track {
	t := &Track{Rate: c.Rate, Rows: c.Frames, Joints: slices.Clone(c.JointPos)}
	for k := range c.Frames {
		if free {
			position, quaternion, _, _ := c.Body(k, 0)
			t.Base = append(append(t.Base, position...), quaternion...)
		}
	}
	return t
}

// Resample returns the clip at another rate: itself if it has that rate already, else from its positions, see [Track].
func (c *Clip) Resample(rate runners.Rate, r *Robot) (*Clip, error) {
	if c.Rate == rate {
		return c, nil
	}
	t, err := c.Track(r.Free()).Resample(rate)
	if err != nil {
		return nil, err
	}
	return r.Clip(t)
}

// Place writes a frame into a state row: the pose and the velocity of the base, and the joints. The clip is one that
// [Clip.Reorder] returned.
func (r *Robot) Place(row []float64, c *Clip, k int) {
	position, velocity := c.Joint(k)
	for i, j := range r.Joints {
		row[j.Position], row[j.Velocity] = position[i], velocity[i]
	}
	if r.Free() {
		p, q, linear, angular := c.Body(k, 0)
		pose, motion := r.Base.In(row), r.BaseVelocity.In(row)
		copy(pose, p)
		copy(pose[3:], q)
		copy(motion, linear)
		local := rotation.Rotate(rotation.Conjugate(quaternion(q)), [3]float64(angular))
		copy(motion[3:], local[:])
	}
}
