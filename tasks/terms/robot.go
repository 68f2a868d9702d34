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

	// ReadFile reads a file that a parameter of a term names, of at most max bytes; nil: from the disk.
	ReadFile func(path string, max int64) ([]byte, error)

	// Entities are the names of what terms can address, the robot first; none is the robot alone. Each of the objects
	// below belongs to one of them, by its number.
	Entities []string

	// Trees are the bodies below the world that carry each entity, the one with its first joint first; those of an entity
	// without bodies, or of all, may be missing.
	Trees [][]int

	Contacts []string // names of the pairs of sets of geoms whose contacts are measured

	ControlSeconds float64      // length of a control step
	ControlRate    runners.Rate // rate of the first control steps

	Bodies    []Part // the first is the world
	Geoms     []Part
	Sites     []Part
	Joints    []Joint
	Actuators []Actuator
	Couplings []Coupling
	Tendons   []Part // belong to no body
	Pairs     []Part // pairs of geoms that the model lists: they belong to no body, and all to the robot
	Cameras   []Part
	Lights    []Part
	Materials []Part // belong to no body
	Textures  []Part // likewise, in the order of the model

	// Ground is the scene's terrain; nil if it has none, and the ground is then at z = 0.
	Ground *terrain.Terrain

	// Start is the state row in which episodes begin, before events.
	Start []float64
}

// Part is a body, a geom, a site, a tendon, a pair of geoms, a camera, a light, a material or a texture.
type Part struct {
	Name   string
	Body   int    // index of the body that it hangs on or belongs to; 0 is the world
	Type   string // shape of a geom, such as "box"
	Entity int

	Follows bool // whether a camera or a light is not fixed to its body

	Sky *[2][3]float64 // of a skybox: the colours of the sky at its zenith and its nadir, 0 to 1; nil of others
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

	Entity int

	Low, High float64 // limits, rad or m; ∓Inf if there are none

	Axis, Anchor [3]float64 // place of a hinge or a slide in the frame of the body

	Position, Velocity physics.Span // its parts of the state row
}

// ActuatorKind says what the control of an actuator means.
type ActuatorKind uint8

const (
	OtherActuator    ActuatorKind = iota
	PositionActuator              // target position, rad or m
	VelocityActuator              // target velocity, rad/s or m/s
	EffortActuator                // torque or force, N·m or N, up to a gear
	MuscleActuator                // excitation, 0 to 1
)

func (k ActuatorKind) String() string {
	return [...]string{"another kind", "position", "velocity", "effort", "muscle"}[k]
}

// Actuator is an actuator of the scene.
type Actuator struct {
	Name    string
	Kind    ActuatorKind
	Joint   int // index of the joint that it drives; -1 if it drives something else
	Control int // index of its value in the control
	Entity  int

	Transmission string // "joint", "tendon", "site" or another of MuJoCo's
	Target       string // name of what it acts on: a joint, a tendon, a site; "" if none of these

	Gear      float64 // factor from positions and velocities of what it acts on to its own, which its control has
	Low, High float64 // range of the control; ∓Inf if it has none
	Learned   bool    // a network computes its torque: it has no gains
	Motor     bool    // a DC motor: its gains are the first two parameters of its bias
}

// entity is what terms address by name: an entity of the scene.
type entity struct {
	name         string // "" if it is the robot
	number       int
	base         int   // joint that moves all of it freely, -1 if there is none
	trees        []int // bodies below the world that carry it
	frame        int   // body whose frame is that of a base that does not move freely, see [Robot.frame]
	actuated     []int // joints
	joints       []int // joints that terms mean where no patterns are given
	drivenBodies []int // bodies that these move or, of a robot without hinges and slides, that its actuators act on
}

// quantity returns the name of the entity's quantity of a base, such as "base_pos".
func (e *entity) quantity(name string) string {
	if e.number > 0 {
		return "entity." + e.name + "." + name
	}
	return name
}

// String names the entity in an error.
func (e *entity) String() string {
	if e.number == 0 {
		return "the robot"
	}
	return "entity " + e.name
}

// noBase says why an entity has no base.
func (e *entity) noBase() string { return e.String() + " has no free joint" }

// entities lists the entities, the robot first.
func (r *Robot) entities() (list []entity) {
	for n := range max(len(r.Entities), 1) {
		e := entity{number: n, base: -1}
		if n > 0 {
			e.name = r.Entities[n]
		}
		// the actuated joints or, of a robot that tendons and muscles move, all hinges and slides
		e.actuated, _ = r.objects("actuated joint", n)
		if e.joints = e.actuated; e.joints == nil {
			e.joints, _ = r.objects("joint", n)
		}
		e.drivenBodies = r.drivenBodies(&e)
		if n < len(r.Trees) {
			e.trees = r.Trees[n]
		}
		e.base, e.frame = r.base(&e), r.frame(&e)
		list = append(list, e)
	}
	return list
}

// drivenBodies returns the bodies that the joints of an entity move or, where it has no hinges and slides, those that its
// actuators act on, such as the body of a drone, or else those of its ball joints.
func (r *Robot) drivenBodies(e *entity) (bodies []int) {
	for _, j := range e.joints {
		bodies = append(bodies, r.Joints[j].Body)
	}
	if bodies != nil {
		return bodies
	}
	for _, a := range r.Actuators {
		if a.Entity != e.number {
			continue
		}
		if a.Joint >= 0 {
			bodies = append(bodies, r.Joints[a.Joint].Body)
		}
		if i := slices.IndexFunc(r.Sites, func(s Part) bool { return s.Name == a.Target }); i >= 0 &&
			a.Transmission == "site" {
			bodies = append(bodies, r.Sites[i].Body)
		}
	}
	if bodies != nil {
		return bodies
	}
	for _, j := range r.Joints {
		if j.Type == Ball && j.Entity == e.number {
			bodies = append(bodies, j.Body)
		}
	}
	return bodies
}

// base returns the index of the free joint of an entity: of the robot the first that carries what it drives, so that a
// thing that lies about is none, of another the first, or of a robot that drives nothing; -1 if there is none.
func (r *Robot) base(e *entity) int {
	carries := make([]bool, len(r.Bodies))
	for _, body := range e.drivenBodies {
		for ; body != 0; body = r.Bodies[body].Body {
			carries[body] = true
		}
	}
	for i, j := range r.Joints {
		if j.Type == Free && j.Entity == e.number && (carries[j.Body] || e.number > 0 || e.drivenBodies == nil) {
			return i
		}
	}
	return -1
}

// frame returns the index of the body that is the base of an entity where it does not move freely: the one that its
// first joint moves a part against, which may be the world; of an entity without joints its first body.
func (r *Robot) frame(e *entity) (base int) {
	if len(e.trees) == 0 {
		return 0
	}
	base = e.trees[0]
	if len(e.drivenBodies) == 0 {
		return base
	}
	for body := e.drivenBodies[0]; body != 0; body = r.Bodies[body].Body {
		if slices.ContainsFunc(r.Joints, func(j Joint) bool { return j.Body == body }) {
			base = r.Bodies[body].Body
		}
	}
	return base
}

// MotionRobot returns what a reference motion moves: the bodies that hang on the base or, of a robot that is fixed to the
// world, all of its trees, and their hinges and slides. Its Start is the robot's.
func (r *Robot) MotionRobot() (*motion.Robot, error) {
	m := &motion.Robot{Model: r.Model, Start: r.Start}
	e := r.entities()[0]
	roots := e.trees
	if e.base >= 0 {
		j := &r.Joints[e.base]
		roots, m.Base, m.BaseVelocity = []int{j.Body}, j.Position, j.Velocity
	}
	if len(roots) == 0 {
		return nil, errors.New("the robot has no joints that move")
	}
	number := map[int]int{}      // of its bodies, by their index in the model
	for i, b := range r.Bodies { // a body comes after the one that it hangs on
		parent, ok := number[b.Body]
		if isRoot := slices.Contains(roots, i); isRoot {
			parent = -1
		} else if !ok {
			continue
		}
		number[i] = len(m.Bodies)
		m.Bodies = append(m.Bodies, motion.Body{Name: b.Name, Parent: parent})
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

// anyEntity stands for the objects of all entities.
const anyEntity = -1

// objects returns the indices and the names of the objects of a kind that an entity has, see [Binder.Select].
func (r *Robot) objects(kind string, entity int) (index []int, names []string) {
	add := func(i int, name string, owner int) {
		if entity == anyEntity || entity == owner {
			index, names = append(index, i), append(names, name)
		}
	}
	switch kind {
	case "joint", "actuated joint":
		for i, j := range r.Joints {
			actuated := slices.ContainsFunc(r.Actuators, func(a Actuator) bool { return a.Joint == i })
			if (j.Type == Hinge || j.Type == Slide) && (kind == "joint" || actuated) {
				add(i, j.Name, j.Entity)
			}
		}
	case "actuator":
		for i, a := range r.Actuators {
			add(i, a.Name, a.Entity)
		}
	case "texture", "skybox":
		for i, t := range r.Textures {
			if (t.Sky != nil) == (kind == "skybox") {
				add(i, t.Name, t.Entity)
			}
		}
	default:
		for i, o := range r.parts(kind) {
			if kind != "body" || i > 0 { // not the world
				add(i, o.Name, o.Entity)
			}
		}
	}
	return index, names
}

// parts returns the objects of a kind other than joints and actuators.
func (r *Robot) parts(kind string) []Part {
	return map[string][]Part{"body": r.Bodies, "geom": r.Geoms, "site": r.Sites, "tendon": r.Tendons, "pair": r.Pairs,
		"camera": r.Cameras, "light": r.Lights, "material": r.Materials}[kind]
}
