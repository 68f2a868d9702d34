package physics

import "math"

// The kinds of pictures of cameras.
const (
	RGB          = "rgb"          // red, green and blue
	Depth        = "depth"        // along the axis of view
	Segmentation = "segmentation" // the number of the geom
	Normals      = "normals"      // of surfaces, in the optical frame of the camera
)

// pictureKinds are the kinds of pictures with the values of a pixel, in the order in which errors and help list them.
var pictureKinds = []struct {
	name     string
	channels int
}{{RGB, 3}, {Depth, 1}, {Segmentation, 1}, {Normals, 3}}

// PictureKinds returns the kinds of pictures, in the order in which errors and help list them.
func PictureKinds() (names []string) {
	for _, kind := range pictureKinds {
		names = append(names, kind.name)
	}
	return names
}

// ChannelsOf returns the values of a pixel of a kind of pictures; 0 for a kind that is none.
func ChannelsOf(kind string) int {
	for i := range pictureKinds {
		if pictureKinds[i].name == kind {
			return pictureKinds[i].channels
		}
	}
	return 0
}

// Segment is what has a label in a segmentation.
type Segment struct {
	Label      int32
	Name, Body string // of the shape and of its body, see [OpticalShape]
	BodyLabel  int32  // likewise
	Class      string // what else has the label, where others have taken the place of those of shapes
}

// Orthographic is the projection of cameras whose rays are parallel.
const Orthographic = "orthographic"

// Optical is a [Drawable] that cameras in its scene can see: what package physics/cast casts
// rays at.
type Optical interface {
	Drawable

	// Shows reports whether a parameter of the model can be seen: the place, size, colour or texture of a
	// shape, the place or angle of a camera, light, or the sky.
	Shows(source string) bool

	// Optics returns what cameras see. It may be called from any goroutine; the caller owns the result.
	Optics(Visible) Optics

	// Tree returns the number of the body below the world that a frame, "body/NAME" or "site/NAME", hangs from; 0 for
	// one of the world. It is the [OpticalShape.Tree] of shapes that hang from the same body.
	Tree(frame string) (int, error)

	// Overview says what a camera shows that is none of the model's, where worlds have looks of their own. The caller owns
	// the result.
	Overview(looks []Vector) (Overview, error)

	// NewPlacer opens a placer for the shapes and the light of [Optics] of what is visible, and
	// for cameras on mounts. Close it before the model.
	NewPlacer(mounts []Mount, visible Visible) (Placer, error)
}

// Visible says what cameras see of a model, beside its geoms, and its flexes that are sheets or solids. Of everything it is
// what has a group from 0 to 2 and an opacity above 0.
type Visible struct {
	Looks []Vector // parameters that each world has of its own, of those that can be seen, see [Optical.Shows]

	Sites   bool
	Tendons bool // those that run through space
	Lines   bool // flexes that are lines
	Skins   bool
}

// MaxShown is the largest magnitude of a number that pictures are made of, in its own unit: pictures are made in float32,
// and sums of squares of such numbers are finite there.
const MaxShown = 1e18

// CanShow reports whether a number can be part of a picture: it is finite, and no larger than MaxShown.
func CanShow(v float64) bool { return math.Abs(v) <= MaxShown }

// Optics is a scene as cameras see it. Looks may change places, sizes, colours, textures, light and the sky.
type Optics struct {
	Shapes   []OpticalShape
	Meshes   []Mesh
	Textures []Texture // those that neither a material nor the sky can have are empty

	Ambient [3]float32 // light from everywhere, red, green and blue
	Head    [3]float32 // light from the camera, along its axis of view
	Lights  []Light    // lamps, at most MaxLights

	HeadSpecular [3]float32 // highlights of the light from the camera

	// Haze hides the end of the first plane without ends, for cameras that show it: a band before the horizon of this
	// colour. At the height of the camera it is 0.7·Far away, and nearer by HazeWidth, a part of that, at the plane.
	Haze      [3]float32
	HazeWidth float64

	Near, Far float64 // range in which cameras see, m

	Unseen []string // contents of the scene that cameras do not see, such as "2 skins"
}

// OpticalShape is a shape that cameras see. Its colour is that of its material.
type OpticalShape struct {
	Kind  string     // see [ShapePlane]
	Size  [3]float64 // m
	Mesh  int        // index in Optics.Meshes, of ShapeMesh; -1: none
	Label int32      // number of what the shape shows in the engine, which a segmentation shows
	Name  string     // by which configurations address the shape, such as "#3" for the third without a name
	Body  string     // name of its body; "" if it has none

	// BodyLabel is the number of its body in the engine or, of what has none, one behind those of bodies.
	BodyLabel int32

	Tree  int  // number of the body below the world that the shape hangs from; 0: the shape is the world's
	Still bool // it never moves

	Color    [3]float32 // 0 to 1; it multiplies the texture's
	Emission float32    // share of the colour that the shape shows in the dark, 0 to 1

	// Specular is how strong highlights are, 0 to 1: the light's times the cosine of the angle between the normal and the
	// middle between the directions to light and eye, to the power of Exponent.
	Specular, Exponent float32

	Reflectance float32 // of a plane: share of the light of what it reflects, 0 to 1

	Mapping string // how a texture lies on the shape that is no cube, see [MappingFlat]
	Uniform bool   // a cube is in metres, not in sizes of the shape
}

// How textures lie on shapes that are no cubes.
const (
	MappingFlat  = "flat"  // in the plane of x and y: columns run along x, rows against y
	MappingSides = "sides" // on each side of a box; around the others, with the zenith in its first row
	MappingMesh  = "mesh"  // as the texture coordinates of the mesh say
)

// Texture is a picture that is repeated over a shape.
type Texture struct {
	Width, Height int
	Pixels        []byte // red, green and blue of the pixels, row by row

	// Cube says that it consists of six square pictures below each other, which lie at +x, −x, +y, −y, +z and −z around
	// the origin of a shape, or of one for all of them.
	Cube bool
}

// MaxLights is the largest number of lamps of a scene.
const MaxLights = 8

// Light is a lamp. One that is neither directional nor a spot shines to all sides.
type Light struct {
	Directional bool // it shines from infinitely far away
	Spot        bool // it shines into a cone around its direction
	Shadows     bool
	Color       [3]float32
	Specular    [3]float32 // light of its highlights

	// Attenuation says how the light of a lamp that is no directional one falls off: at the distance d, in m, it is
	// divided by Attenuation[0] + Attenuation[1]·d + Attenuation[2]·d².
	Attenuation [3]float32

	// Of a spot: half the angle of its cone, degrees, to 90, and the power of the cosine of the angle between a ray and
	// its direction by which it shines less to the sides.
	Cutoff, Exponent float64
}

// Overview is what a [TrackCamera] and a [FreeCamera] show that are none of the model's.
type Overview struct {
	Azimuth, Elevation float64    // the direction in which they look, degrees
	Orthographic       bool       // the rays of the cameras are parallel
	FieldOfView        float64    // vertical, degrees, or of an orthographic camera the height of what it sees, m
	Centre             [3]float64 // the middle of the scene, m
	Distance           float64    // from there at which the scene is seen, m
	RobotDistance      float64    // from the robot's centre of mass at which all of the robot is seen, m
	Sky                bool       // the scene has a skybox
	ColoredSky         bool       // each world has the colours of the sky of its own
}

// Mount is where a camera is: a camera of the model, the robot, or a place on a body, looking along −z
// with y up, as MuJoCo's do.
type Mount struct {
	Camera string // name of a camera of the model or, if it is "",

	// Robot is for the robot's centre of mass, with the axes of the world. Where the base of the robot cannot move, it is
	// that of the model's first pose. If it is not set,
	Robot bool

	Body       string     // "" or "world" for a camera that stands still
	Position   [3]float64 // m, in the body's frame
	Quaternion [4]float64 // w, x, y, z, likewise; 0 for that of the frame
}

// Lens is how a camera with a sensor sees: where it is in a picture, the axis of view may be beside the middle, and
// pixels need not be square. Or it is that of a camera whose rays are parallel.
type Lens struct {
	Orthographic bool // rays run along the axis of view, from a rectangle around the camera

	Focal     [2]float64 // focal lengths along x and y, in widths and heights of the picture
	Principal [2]float64 // the axis of view, from the middle of the picture to the right and down, likewise
}

// Placer says where everything is that cameras see. One goroutine at a time may use it.
type Placer interface {
	// Lens is the vertical angle of a mount's camera in the model, in degrees, 0 for one on a body, or of an orthographic
	// camera the height of what it sees, m; and the lens of a camera that has one of its own, the zero value for one whose
	// angle says everything. The angle varies if it is among the looks.
	Lens(mount int) (fieldOfView float64, lens Lens, varies bool)

	// Size is the number of values that a pose gives: for each shape a position (3, m), a
	// rotation matrix (9, row by row), its size (3, m), colour (3) and opacity, the index of its texture in
	// Optics.Textures or -1, the repetitions of that along columns and rows (2), per metre if it is flat, and the column and
	// row of a flat one at the origin of the shape (2), in repetitions; for each mount a position,
	// a rotation matrix and the vertical angle of its camera (degrees, or m, see Lens; 0 on a body); the light
	// from everywhere (3) and from the camera (3); the colours of the sky at its zenith (3) and nadir (3), 0 to 1, and the
	// index of its texture in Optics.Textures, a cube of which +y is the zenith and +z what is at −y, or -1 for a sky of
	// these colours; of each lamp its position (3, m), the direction in which it shines (3) and its light (3); and of each mesh that bends, in
	// their order, the vertices (3 each, m) in the frame of its shape.
	Size() int

	// Place writes what poses give to dst, worlds × Size. A pose is Drawable.Pose().Size values,
	// then those of the looks.
	Place(dst, poses []float64) error

	// Close frees the placer. Closing a second time does nothing.
	Close() error
}
