package terms

import (
	"errors"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/terrain"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sensors"
	"github.com/polyrhythm-rl/polyrhythm/tasks/motion"
)

// Robot is what the terms know of the scene. It is immutable once a task is made of it.
// Objects are in the order of the model; one without a name is called "#" and its number.
type Robot struct {
	Model   physics.Model
	Sensors *sensors.Suite

	ControlSeconds float64      // length of a control step
	ControlRate    runners.Rate // of the first control steps

	Bodies    []Part // the first is the world
	Geoms     []Part
	Sites     []Part
	Joints    []Joint
	Actuators []Actuator

	// Ground is the scene's terrain; nil if it has none, and the ground is then at z = 0.
	Ground *terrain.Terrain

	// Start is the state row in which episodes begin, before events.
	Start []float64
}

// Part is a body, a geom or a site.
type Part struct {
	Name string
	Body int // index of the body that it hangs on or belongs to; 0 is the world
}

// JointType says how a joint moves.
type JointType uint8

const (
	Hinge JointType = iota // position in rad
	Slide                  // position in m
	Ball
	Free
)

// Joint is a joint of the scene.
type Joint struct {
	Name string
	Type JointType
	Body int // the body that it moves

	Low, High float64 // limits, rad or m; ∓Inf if there are none

	Axis, Anchor [3]float64 // of a hinge or a slide, in the frame of the body

	Position, Velocity physics.Span // in the state row
}

// ActuatorKind says what the control of an actuator means.
type ActuatorKind uint8

const (
	OtherActuator    ActuatorKind = iota
	PositionActuator              // target position, rad or m
	VelocityActuator              // target velocity, rad/s or m/s
	EffortActuator                // torque or force, N·m or N, up to a gear
)

func (k ActuatorKind) String() string {
	return [...]string{"another kind", "position", "velocity", "effort"}[k]
}

// Actuator is an actuator of the scene.
type Actuator struct {
	Name    string
	Kind    ActuatorKind
	Joint   int // index of the joint that it drives; -1 if it drives something else
	Control int // index of its value in the control

	Low, High float64 // range of the control; ∓Inf if it has none
}

// base returns the index of the free joint of the robot: the first that moves actuated
// joints, so that an object that lies about is none; -1 if there is none.
func (r *Robot) base() int {
	carries := make([]bool, len(r.Bodies))
	for _, j := range r.moving() {
		for body := r.Joints[j].Body; body != 0; body = r.Bodies[body].Body {
			carries[body] = true
		}
	}
	for i, j := range r.Joints {
		if j.Type == Free && carries[j.Body] {
			return i
		}
	}
	return -1
}

// root returns the index of the body below the world that carries the first actuated
// joint, which is the base of a robot whether it moves freely or not; 0 if there is none.
func (r *Robot) root() int {
	root := 0
	if joints := r.moving(); len(joints) > 0 {
		for body := r.Joints[joints[0]].Body; body != 0; body = r.Bodies[body].Body {
			root = body
		}
	}
	return root
}

// Moving returns what a reference motion moves: the bodies that hang on the base or, of a robot that is fixed to the
// world, on the body that carries its first joint, and their hinges and slides. Its Start is the robot's.
func (r *Robot) Moving() (*motion.Robot, error) {
	m := &motion.Robot{Model: r.Model, Start: r.Start}
	root := r.root()
	if base := r.base(); base >= 0 {
		j := &r.Joints[base]
		root, m.Base, m.BaseVelocity = j.Body, j.Position, j.Velocity
	}
	if root == 0 {
		return nil, errors.New("the robot has no joints that move")
	}
	number := map[int]int{root: 0} // of its bodies, by their index in the model
	m.Bodies = []motion.Body{{Name: r.Bodies[root].Name, Parent: -1}}
	for i := root + 1; i < len(r.Bodies); i++ { // a body comes after the one that it hangs on
		if parent, ok := number[r.Bodies[i].Body]; ok {
			number[i] = len(m.Bodies)
			m.Bodies = append(m.Bodies, motion.Body{Name: r.Bodies[i].Name, Parent: parent})
		}
	}
	for _, j := range r.Joints {
		body, ok := number[j.Body]
		if !ok || j.Type != Hinge && j.Type != Slide {
			continue
		}
		m.Joints = append(m.Joints, motion.Joint{
			Name: j.Name, Body: body, Slide: j.Type == Slide, Axis: j.Axis, Anchor: j.Anchor, Low: j.Low, High: j.High,
			Position: j.Position.Offset, Velocity: j.Velocity.Offset,
		})
	}
	return m, nil
}

// objects returns the indices and the names of the objects of a kind, see [Binder.Select].
func (r *Robot) objects(kind string) (index []int, names []string) {
	add := func(i int, name string) { index, names = append(index, i), append(names, name) }
	switch kind {
	case "joint", "actuated joint":
		for i, j := range r.Joints {
			actuated := slices.ContainsFunc(r.Actuators, func(a Actuator) bool { return a.Joint == i })
			if (j.Type == Hinge || j.Type == Slide) && (kind == "joint" || actuated) {
				add(i, j.Name)
			}
		}
	case "actuator":
		for i, a := range r.Actuators {
			add(i, a.Name)
		}
	case "body", "geom", "site":
		for i, o := range map[string][]Part{"body": r.Bodies, "geom": r.Geoms, "site": r.Sites}[kind] {
			if kind != "body" || i > 0 { // not the world
				add(i, o.Name)
			}
		}
	}
	return index, names
}

// moving returns the actuated joints or, of a robot that tendons and muscles move, all hinges and slides.
func (r *Robot) moving() []int {
	joints, _ := r.objects("actuated joint")
	if joints == nil {
		joints, _ = r.objects("joint")
	}
	return joints
}
