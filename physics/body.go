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

// The kinds of shapes. Sizes are as in MuJoCo: half lengths of a box, the radii of an
// ellipsoid, the radius of a sphere, radius and half length along z of a capsule or a
// cylinder, the half sizes along x and y of a plane, 0 for one without end.
const (
	ShapePlane     = "plane"
	ShapeSphere    = "sphere"
	ShapeCapsule   = "capsule"
	ShapeEllipsoid = "ellipsoid"
	ShapeCylinder  = "cylinder"
	ShapeBox       = "box"
	ShapeMesh      = "mesh"
)

// Shape is something of a scene that can be seen.
type Shape struct {
	Body       int        `json:"body"` // index in Bodies of what it moves with; -1: it stands still
	Kind       string     `json:"kind"`
	Size       [3]float64 `json:"size"`       // m
	Position   [3]float64 `json:"position"`   // m, in the frame of the body, or of the world
	Quaternion [4]float64 `json:"quaternion"` // w, x, y, z, in the same frame as Position
	Color      [4]float32 `json:"color"`      // sRGB and opacity, 0 to 1
	Mesh       int        `json:"mesh"`       // index of its mesh, of ShapeMesh; -1: none
}

// Mesh is a surface of triangles.
type Mesh struct {
	Vertices []float32 // x, y, z of each, m
	Normals  []float32 // normals of the vertices, of length 1
	Faces    []uint32  // three vertices each, counterclockwise from outside

	// TexCoords are column and row of a texture, 0 to 1, for each corner of each face; nil: none.
	TexCoords []float32

	// Bends says that the vertices are what a pose makes of them, see [Placer]; those that stand here are any of them.
	// Smooth says that normals of vertices then lie between those of their faces; otherwise faces are flat.
	Bends, Smooth bool
}

// Shaped is a [Bodied] whose bodies can be drawn elsewhere, such as in a browser. A scene
// in two dimensions lies in the plane of x and z: its y is up.
type Shaped interface {
	Bodied

	// Shapes returns what can be seen, and the meshes of it. It may be called from any
	// goroutine; the caller owns the result.
	Shapes() ([]Shape, []Mesh)
}

// Outlined is a [Drawable] whose scenery has outlines.
type Outlined interface {
	Drawable

	// Outlines returns the outlines of a scenery, the values of Drawable.Scenery: two
	// points are an edge of the ground, more a convex polygon. Points are x and y in m.
	Outlines(scenery []float64) ([][][2]float64, error)
}
