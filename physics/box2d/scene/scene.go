package scene

// Scene is a world of rigid bodies over a ground that each episode may shape anew. The order of bodies, fixtures,
// joints and actuators is the order of creation and use, on which the bits of the result depend.
type Scene struct {
	// Gravity is the initial value of the field "gravity", in m/s².
	Gravity [2]float64

	// Timestep is the length of a substep in seconds. Each substep is one b2World::Step with these iterations.
	Timestep           float64
	VelocityIterations int
	PositionIterations int

	Ground    Ground
	Bodies    []Body
	Joints    []Revolute
	Actuators []Actuator
	Rays      []Ray

	// MaxContacts is the number of contacts a row has room for: pairs of shapes whose boxes overlap, touching or not.
	// A world that has more is a fault. 0 means 32.
	MaxContacts int

	// Sleepless keeps all bodies awake for ever.
	Sleepless bool

	Picture Picture
}

// Body is a dynamic body.
type Body struct {
	Name     string
	Position [2]float64 // position of the body's origin in the initial state
	Angle    float64    // angle of the body in the initial state

	Fixtures []Fixture // at least one, and one with a density

	LinearDamping  float64 // 1/s
	AngularDamping float64 // 1/s
	FixedRotation  bool
	Bullet         bool // continuous collision with other dynamic bodies, not with the ground alone

	// Fill and Outline are the colours in a picture; where both are black, they are grey.
	// Bodies are drawn from last to first.
	Fill, Outline Color
}

// Fixture is a shape on a body: a convex polygon if it has vertices, else a circle.
type Fixture struct {
	// Vertices are 3 to 8 corners of a strictly convex polygon, in order, in body coordinates.
	Vertices [][2]float64

	// Center and Radius are those of a circle, in body coordinates.
	Center [2]float64
	Radius float64

	Density     float64 // kg/m²
	Friction    float64
	Restitution float64

	// Two shapes collide if each one's Category is in the other's Mask.
	Category uint16 // 0 means 0x0001
	Mask     uint16 // 0 means 0xFFFF
}

// Box returns the vertices of a box about the body's origin, as
// b2PolygonShape::SetAsBox has them. halfWidth and halfHeight are half its sides.
func Box(halfWidth, halfHeight float64) [][2]float64 {
	return [][2]float64{
		{-halfWidth, -halfHeight}, {halfWidth, -halfHeight},
		{halfWidth, halfHeight}, {-halfWidth, halfHeight},
	}
}

// Revolute is a hinge between two bodies, with an angle of the second against
// the first that may be limited and driven.
type Revolute struct {
	Name           string
	BodyA, BodyB   string     // BodyA "" is the ground
	AnchorA        [2]float64 // in coordinates of BodyA
	AnchorB        [2]float64 // in coordinates of BodyB
	ReferenceAngle float64    // angle of BodyB against BodyA where the joint's angle is 0

	Limited      bool
	Lower, Upper float64 // rad

	// Motor drives the joint towards MotorSpeed (rad/s) with up to MaxMotorTorque (N·m). An actuator of kind [Motor]
	// replaces both at every substep; they are then its initial control.
	Motor          bool
	MotorSpeed     float64
	MaxMotorTorque float64

	Collide bool // the two bodies collide with each other
}

// ActuatorKind is what an actuator does at the start of every substep.
type ActuatorKind uint8

const (
	// Force has 2 values: a force (x, y) in newtons at the body's centre of mass, in world axes. Like Torque and
	// Impulse it wakes the body, and 0 does nothing.
	Force ActuatorKind = iota
	// Torque has 1 value, in N·m.
	Torque
	// Impulse has 4 values: an impulse (x, y) in N·s and the world point (x, y) that it acts on.
	Impulse
	// Motor has 2 values: the speed in rad/s that the joint's motor aims at and the largest torque it may exert, in
	// N·m, at least 0. It wakes both bodies at every substep.
	Motor
)

// Size returns the number of values in control.
func (k ActuatorKind) Size() int {
	return [...]int{Force: 2, Torque: 1, Impulse: 4, Motor: 2}[k]
}

// Actuator is one input of the control.
type Actuator struct {
	Name   string
	Kind   ActuatorKind
	Target string // name of the body, or of the joint of a Motor
}

// Ray is cast from a body's origin. It reads the fraction of its length at which it first meets a shape that has a
// bit of Category, 1 if there is none; shapes that hold the origin are not seen.
type Ray struct {
	Name     string
	Body     string
	Vector   [2]float64 // from start to end, m
	Turns    bool       // Vector is in the body's axes, not the world's
	Category uint16     // 0 means all; the ground has 0x0001
}
