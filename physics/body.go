package physics

// Body is a body that can move: where its pose is read and where it can be pushed. Spans
// are of a state row; one with Len 0 says that the engine has no such part.
type Body struct {
	Name string

	// Pose lists the sources of probes, all of [Motion], whose values one after the other
	// are the body's pose: position in m and quaternion w, x, y, z in three dimensions,
	// x, y in m and angle in rad in two, where values may follow that are not part of it.
	Pose []string

	Wrench   Span // force in N, then torque in N·m, at the centre of mass in world axes; it acts until it is changed
	Velocity Span // linear, m/s in world axes, of a body that moves freely
}

// Bodied is a [Model] whose bodies can be watched and pushed from outside.
type Bodied interface {
	Model

	// Bodies returns the bodies that can move, in the model's order.
	Bodies() []Body

	// PoseSize is the number of values of a pose: 7 in three dimensions, 3 in two.
	PoseSize() int
}
