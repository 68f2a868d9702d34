package physics

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
	Quaternion [4]float64 `json:"quaternion"` // likewise; w, x, y, z
	Color      [4]float32 `json:"color"`      // sRGB and opacity, 0 to 1
	Mesh       int        `json:"mesh"`       // index of its mesh, of ShapeMesh; -1: none
}

// Mesh is a surface of triangles.
type Mesh struct {
	Vertices []float32 // x, y, z of each, m
	Normals  []float32 // of each vertex, of length 1
	Faces    []uint32  // three vertices each, counterclockwise from outside
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
