package physics

import (
	"image"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/internal/bounds"
)

// The cameras of a [View] that are none of the model's.
const (
	// TrackCamera follows the robot. It is the model's camera of this name if there is one
	// and the view does not say where the camera is.
	TrackCamera = "track"
	// FreeCamera stays where it is, and shows the whole scene.
	FreeCamera = "free"
)

// MaxPixels is the largest width and height of a picture.
const MaxPixels = 4096

const maxPlace = 1e6

// View says how a [Renderer] draws.
type View struct {
	Width, Height int // pixels, 1 to MaxPixels; 0 for 640 × 480

	// Camera is the name of a camera of the model, TrackCamera or FreeCamera; "" for TrackCamera.
	Camera string

	// Azimuth and Elevation are the direction in which TrackCamera and FreeCamera
	// look, in degrees, and Distance is how far away they are, in metres; 0 for the
	// engine's choice, and at most 1e6. An engine that draws in two dimensions ignores them.
	Azimuth, Elevation, Distance float64

	// Quality trades looks for time. The zero value is [Balanced].
	Quality Quality
}

// Quality is the effort that a renderer makes.
type Quality uint8

const (
	Balanced Quality = iota // smooth edges, fast enough for clips
	Fast                    // one ray a pixel, for pictures that are needed in every step
	Best                    // smoother edges, and reflections
)

// Filled returns the view with its defaults, or an error that names what is out of range.
func (v View) Filled() (View, error) {
	if v.Width == 0 && v.Height == 0 {
		v.Width, v.Height = 640, 480
	}
	var c bounds.Check
	c.Whole("width", int64(v.Width), 1, MaxPixels)
	c.Whole("height", int64(v.Height), 1, MaxPixels)
	c.Number("azimuth", v.Azimuth, -maxPlace, maxPlace)
	c.Number("elevation", v.Elevation, -maxPlace, maxPlace)
	c.Number("distance", v.Distance, 0, maxPlace)
	if v.Camera == "" {
		v.Camera = TrackCamera
	}
	return v, c.Err()
}

// FindCamera returns the place of the view's camera in cameras, the names of a model's own, or -1 for TrackCamera and
// FreeCamera where the model has none of that name, or the view says where they are.
func (v View) FindCamera(cameras []string) (int, error) {
	i := slices.Index(cameras, v.Camera)
	isPlaced := v.Azimuth != 0 || v.Elevation != 0 || v.Distance != 0
	if isPlaced && (v.Camera == TrackCamera || v.Camera == FreeCamera) {
		return -1, nil
	}
	if i < 0 && v.Camera != TrackCamera && v.Camera != FreeCamera {
		known := slices.DeleteFunc(slices.Clone(cameras), func(name string) bool { return name == "" })
		return -1, UnknownError("camera", v.Camera, append(known, TrackCamera, FreeCamera))
	}
	return i, nil
}

// Drawable is a [Model] that can be drawn.
type Drawable interface {
	Model

	// Cameras returns the names of the model's own cameras, "" for one without.
	Cameras() []string

	// Pose is the probe that a renderer draws.
	Pose() Vector

	// PoseOf writes the pose of a state row to dst, which has room for it.
	PoseOf(row, dst []float64)

	// Scenery is the part of a state row that a renderer needs once in an episode, such
	// as the ground; its Len is 0 if there is none.
	Scenery() Span
}

// Planar is a [Drawable] of two dimensions, which brings its own renderer. Those of three are [Optical].
type Planar interface {
	Drawable

	// NewRenderer opens a renderer. Close it before the model.
	NewRenderer(View) (Renderer, error)
}

// Renderer draws poses: samples of the probe "pose", and the looks that it was opened with. One goroutine at a time may use
// it.
type Renderer interface {
	// SetScenery sets the scenery of the episode that is drawn next: the values of
	// Drawable.Scenery. Before the first call it is that of the initial state.
	SetScenery(values []float64) error

	// Focus returns the point that a camera which follows the robot looks at in a pose, in metres.
	Focus(pose []float64) ([3]float64, error)

	// Render draws a pose into a picture of the size of the view. A camera that follows the robot looks at focus.
	Render(pose []float64, focus [3]float64, picture *image.RGBA) error

	// Close frees the renderer. Closing a second time does nothing.
	Close() error
}

// Render draws a pose with a camera that, if it follows the robot, looks at its focus.
func Render(r Renderer, pose []float64, picture *image.RGBA) error {
	focus, err := r.Focus(pose)
	if err != nil {
		return err
	}
	return r.Render(pose, focus, picture)
}
