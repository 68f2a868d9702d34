package physics

// Optical is a [Drawable] that cameras in its scene can see: what package physics/cast casts
// rays at.
type Optical interface {
	Drawable

	// Optics returns what cameras see. It may be called from any goroutine; the caller owns
	// the result.
	Optics() Optics

	// NewPlacer opens a placer for the shapes and the light of [Optics], and for cameras on
	// mounts. Close it before the model.
	NewPlacer(mounts []Mount) (Placer, error)
}

// Optics is a scene as cameras see it.
type Optics struct {
	Shapes   []Seen
	Meshes   []Mesh
	Textures []Texture

	Ambient [3]float32    // light from everywhere, red, green and blue
	Head    [3]float32    // light from the camera
	Light   *Light        // the lamp that casts shadows; nil for none
	Sky     [2][3]float32 // colours of the sky at its zenith and nadir, 0 to 1

	Near, Far float64 // what cameras see is at least and at most so far away, m
}

// Seen is a shape that cameras see. Its colour is that of its material.
type Seen struct {
	Kind  string     // see [ShapePlane]
	Size  [3]float64 // m
	Mesh  int        // index in Optics.Meshes, of ShapeMesh; -1: none
	Label int32      // the engine's number of it, which a segmentation shows
	Still bool       // it never moves

	Color    [3]float32 // 0 to 1; it multiplies the texture's
	Emission float32    // how much of the colour it shows in the dark, 0 to 1
	Texture  int        // index in Optics.Textures, laid along the shape's x and y; -1: none
	Repeat   [2]float64 // of the texture, times per metre; its columns run along x, its rows against y
	Phase    [2]float64 // of the texture at the origin of the shape, in times
}

// Texture is a picture that is repeated over a shape.
type Texture struct {
	Width, Height int
	Pixels        []byte // red, green and blue of each, row by row
}

// Light is a lamp.
type Light struct {
	Directional bool // it shines from infinitely far away
	Shadows     bool
	Color       [3]float32
}

// Mount is where a camera is: a camera of the model, or a place on a body, looking along −z
// with y up, as MuJoCo's do.
type Mount struct {
	Camera     string     // of the model; or, if it is "",
	Body       string     // "" or "world" for a camera that stands still
	Position   [3]float64 // m, in the body's frame
	Quaternion [4]float64 // w, x, y, z, likewise; 0 for that of the frame
}

// Placer says where everything is that cameras see. One goroutine at a time may use it.
type Placer interface {
	// FieldOfView is the vertical angle of a mount's camera in degrees; 0 for one on a body.
	FieldOfView(mount int) float64

	// Size is the number of values that a pose gives: for each shape, then for each mount, a
	// position (3, m) and a rotation matrix (9, row by row), and of the light, if there is
	// one, its position (3, m) and the direction in which it shines (3).
	Size() int

	// Place writes what poses, worlds × Drawable.Pose().Size, give to dst, worlds × Size.
	Place(dst, poses []float64) error

	// Close frees the placer. Closing a second time does nothing.
	Close() error
}
