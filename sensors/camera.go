package sensors

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/internal/bounds"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/cast"
)

// Camera makes a channel the pictures that package physics/cast takes of the scene. A sample is the pose of everything
// that moves, and the parameters of the world that can be seen; the picture is cast from it when it is read, so
// pictures that nobody looks at cost nothing. The values are those of the pixels row by row from the top left, of each
// the values of the kinds in their order: height × width × channels. The errors of the channel act on them.
type Camera struct {
	// Name is a camera of the model. If it is "", the camera is at Position (m; nil: the origin) and Quaternion (w, x, y,
	// z; nil: no turn) in the frame of Body, "" for the world, and looks along -z with y up.
	Name       string      `yaml:"name,omitempty"`
	Body       string      `yaml:"body,omitempty"`
	Position   *[3]float64 `yaml:"position,omitempty"`
	Quaternion *[4]float64 `yaml:"quaternion,omitempty"`

	FOV *float64 `yaml:"fovy,omitempty"` // vertical field of view, degrees; nil: that of the model's camera, or 45
	// Distortion are the coefficients k1, k2, p1, p2 and k3 of OpenCV's model of a lens; nil for none.
	Distortion *[5]float64 `yaml:"distortion,omitempty"`

	Width  int `yaml:"width"` // pixels
	Height int `yaml:"height"`

	// Kinds are some of "rgb", three values from 0 to 1, "depth", m along the axis of view, "segmentation", the
	// number of the geom, -1 for none, and "normals", three values, see [cast.Pictures]; rgb alone if there are none.
	Kinds []string `yaml:"kinds,omitempty"`

	// Classes make a segmentation show the number, from 0, of the first class that a geom is in, and -1 for geoms in none.
	Classes []Class `yaml:"classes,omitempty"`
	// Instances is what has a number of its own in a segmentation without classes: GeomInstances, as "" is, or
	// BodyInstances.
	Instances string `yaml:"instances,omitempty"`

	// MaxDistance is the largest depth, m, which is also that of nothing; the far end of the model's clipping range if
	// it is 0.
	MaxDistance float64 `yaml:"max_distance,omitempty"`

	// Samples is the number of rays of which a colour is the mean; 0 for 1. Reflections says that planes reflect.
	Samples     int  `yaml:"samples,omitempty"`
	Reflections bool `yaml:"reflections,omitempty"`
}

// MaxPictureValues is the largest number of values that a picture of one kind has.
const MaxPictureValues = 1 << 20

// WithDefaults returns the camera with the kinds that it has.
func (c Camera) WithDefaults() Camera {
	if len(c.Kinds) == 0 {
		c.Kinds = []string{physics.RGB}
	}
	return c
}

// Channels returns the values of a pixel.
func (c *Camera) Channels() (n int) {
	for _, kind := range c.WithDefaults().Kinds {
		n += physics.ChannelsOf(kind)
	}
	return n
}

// Coefficients returns the coefficients of the distortion, zeros for none.
func (c *Camera) Coefficients() [5]float64 { return valueOf(c.Distortion) }

func valueOf[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// Check returns an error about the first setting that is out of its bounds, by its key. Pictures may be as large as package
// cast takes them.
func (c Camera) Check() error {
	var b bounds.Check
	c = c.WithDefaults()
	switch hasPlace := c.Body != "" || c.Position != nil || c.Quaternion != nil; {
	case c.Name != "" && hasPlace:
		b.Fail("name is %q with a body, position or quaternion, want a camera of the model or a place", c.Name)
	case c.Name == "" && !hasPlace:
		b.Fail("name: not given, want a camera of the model, or body, position and quaternion")
	}
	b.Whole("width", int64(c.Width), 1, cast.MaxPixels)
	b.Whole("height", int64(c.Height), 1, cast.MaxPixels)
	if c.FOV != nil {
		b.Number("fovy", *c.FOV, 0.1, 170)
	}
	for i, kind := range c.Kinds {
		b.OneOf(fmt.Sprintf("kinds[%d]", i), kind, physics.PictureKinds()...)
		if slices.Contains(c.Kinds[:i], kind) {
			b.Fail("kinds are %s, want each once", strings.Join(c.Kinds, ", "))
		}
	}
	c.checkClasses(&b)
	b.Number("max_distance", c.MaxDistance, 0, 10000)
	for i, v := range c.Coefficients() {
		b.Number(fmt.Sprintf("distortion[%d]", i), v, -10, 10)
	}
	b.Whole("samples", int64(c.Samples), 0, cast.MaxSamples)
	if (c.Samples > 1 || c.Reflections) && !slices.Contains(c.Kinds, physics.RGB) {
		b.Fail("kinds are %s with samples or reflections, want rgb among them: the others are of one ray",
			strings.Join(c.Kinds, ", "))
	}
	for i, v := range valueOf(c.Position) {
		b.Number(fmt.Sprintf("position[%d]", i), v, -1000, 1000)
	}
	for i, v := range valueOf(c.Quaternion) {
		b.Number(fmt.Sprintf("quaternion[%d]", i), v, -1, 1)
	}
	if q := c.Quaternion; q != nil && *q == [4]float64{} {
		b.Fail("quaternion is %v, want w, x, y and z that are not all 0", *q)
	}
	return b.Err()
}

// validate is Check for the camera of a channel, whose pictures worlds keep.
func (c Camera) validate() error {
	if err := c.Check(); err != nil {
		return err
	}
	var b bounds.Check
	for _, kind := range c.WithDefaults().Kinds {
		n := int64(c.Width) * int64(c.Height) * int64(physics.ChannelsOf(kind))
		if b.Err() == nil && n > MaxPictureValues {
			b.Fail("width is %d: %s of %d values (height × width × channels), want at most %d", c.Width, kind, n,
				MaxPictureValues)
		}
	}
	return b.Err()
}

// String describes the camera for the metadata of a dataset and for what a snapshot fits.
func (c Camera) String() string {
	c = c.WithDefaults()
	place := c.Name
	if place == "" {
		place = fmt.Sprintf("%v %v on %q", valueOf(c.Position), valueOf(c.Quaternion), c.Body)
	}
	angle, reach := "", ""
	if c.FOV != nil {
		angle = fmt.Sprintf("fovy %v, ", *c.FOV)
	}
	if lens := c.Coefficients(); lens != ([5]float64{}) {
		angle += fmt.Sprintf("distortion %v, ", lens)
	}
	if c.MaxDistance > 0 {
		reach = fmt.Sprintf(", to %v m", c.MaxDistance)
	}
	looks := ""
	if c.Samples > 1 {
		looks = fmt.Sprintf(", %d samples", c.Samples)
	}
	if c.Reflections {
		looks += ", reflections"
	}
	if c.Instances == BodyInstances {
		looks += ", instances of bodies"
	}
	if len(c.Classes) > 0 {
		looks += fmt.Sprintf(", classes %v", c.Classes)
	}
	return fmt.Sprintf("%s, %d × %d, %s%s%s%s", place, c.Width, c.Height, angle, strings.Join(c.Kinds, ","), reach, looks)
}

// poseProbes are the probes from which pictures are cast.
var poseProbes = []string{"pose"}

// Cast returns the camera as package cast takes it.
func (c *Camera) Cast() cast.Camera {
	camera := cast.Camera{
		Mount: physics.Mount{Camera: c.Name, Body: c.Body, Position: valueOf(c.Position), Quaternion: valueOf(c.Quaternion)},
		Width: c.Width, Height: c.Height, Distortion: c.Coefficients(), Samples: c.Samples, Reflections: c.Reflections,
	}
	if c.FOV != nil {
		camera.FieldOfView = *c.FOV
	}
	return camera
}

// Eyes take the pictures of the cameras of a suite, for one goroutine at a time. They hold nothing on which a picture
// depends.
type Eyes struct {
	caster   *cast.Caster
	pictures []cast.Pictures // pictures by camera
	feelers  []feelers       // feelers by scan of geoms
}

// feelers are what measures the distances of a scan of geoms.
type feelers struct {
	caster *cast.Caster
	rays   []cast.Ray // rays of the scan that is read
}

// Open opens eyes for the cameras and the scans of geoms of the suite, which is compiled against m; nil if it has none.
// Close them before the model.
func (s *Suite) Open(m physics.Model) (*Eyes, error) {
	if len(s.cameras)+len(s.scans) == 0 {
		return nil, nil
	}
	e := &Eyes{}
	for _, channel := range s.scans {
		scan := s.channels[channel].scan
		caster, err := openFeelers(m, &scan.scan, s.looks...)
		if err != nil {
			return e, err
		}
		e.feelers = append(e.feelers, feelers{caster, make([]cast.Ray, len(scan.rays))})
	}
	if len(s.cameras) == 0 {
		return e, nil
	}
	cameras := make([]cast.Camera, len(s.cameras))
	for i, channel := range s.cameras {
		k := s.channels[channel].camera
		cameras[i] = k.Cast()
		e.pictures = append(e.pictures, cast.NewPictures(k.Kinds, k.Width*k.Height))
	}
	var err error
	e.caster, err = openCaster(m, cameras, s.looks...)
	return e, err
}

func openCaster(m physics.Model, cameras []cast.Camera, looks ...physics.Vector) (*cast.Caster, error) {
	optical, err := opticalOf(m)
	if err != nil {
		return nil, err
	}
	return cast.Open(optical, cameras, looks...)
}

func openFeelers(m physics.Model, s *Scan, looks ...physics.Vector) (*cast.Caster, error) {
	optical, err := opticalOf(m)
	if err != nil {
		return nil, err
	}
	return cast.OpenRays(optical, s.Frame, looks...)
}

func opticalOf(m physics.Model) (physics.Optical, error) {
	optical, ok := m.(physics.Optical)
	if !ok {
		return nil, errors.New("the engine has nothing that cameras see, want a scene of MuJoCo")
	}
	return optical, nil
}

// closeUp is a scene without a near end of what is seen.
type closeUp struct {
	physics.Optical
	near float64 // near end of the scene's own cameras, m
}

func (c *closeUp) Optics(visible physics.Visible) physics.Optics {
	o := c.Optical.Optics(visible)
	c.near, o.Near = o.Near, 0
	return o
}

// Nearest returns the near end of what the camera of a channel sees, and how near the nearest thing is that it would
// see without one in some states of the model, at most [Info].Far, both in m along its axis of view.
func (s *Suite) Nearest(m physics.Model, channel int, states ...[]float64) (near, nearest float64, err error) {
	optical, err := opticalOf(m)
	if err != nil {
		return 0, 0, err
	}
	c, scene := &s.channels[channel], &closeUp{Optical: optical}
	caster, err := cast.Open(scene, []cast.Camera{c.camera.Cast()})
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, caster.Close()) }()
	depths, pose := make([]float32, c.camera.Width*c.camera.Height), make([]float64, optical.Pose().Size)
	nearest = c.Far
	for _, state := range states {
		optical.PoseOf(state, pose)
		if err := caster.Cast(0, pose, cast.Pictures{Depth: depths}); err != nil {
			return 0, 0, err
		}
		nearest = min(nearest, float64(slices.Min(depths)))
	}
	return scene.near, nearest, nil
}

// Close frees the eyes, which may be nil.
func (e *Eyes) Close() error {
	if e == nil {
		return nil
	}
	var err error
	for _, f := range e.feelers {
		err = errors.Join(err, f.caster.Close())
	}
	if e.caster != nil {
		err = errors.Join(err, e.caster.Close())
	}
	return err
}

// scan writes the distances of a scan of geoms to dst. pose is that of its frame, then that of everything.
func (e *Eyes) scan(dst []float64, c *caster, pose []float64) {
	if e == nil {
		panic("sensors: a scan of geoms is read without eyes, want those of Bank.Lend")
	}
	f, frame := &e.feelers[c.eye], c.scan.poseSize()
	c.aim(pose[:frame], func(i int, origin, direction [3]float64) {
		f.rays[i] = cast.Ray{Origin: origin, Direction: direction}
	})
	rise := c.rise()
	if err := f.caster.Distances(dst, f.rays, c.scan.MaxDistance+rise, pose[frame:]); err != nil {
		panic(err)
	}
	miss := float64(float32(c.scan.MaxDistance + rise))
	for i, d := range dst {
		if dst[i] = min(d-rise, c.scan.MaxDistance); d >= miss {
			dst[i] = c.scan.MaxDistance
		}
	}
}

// CalibrationSize is the number of values that [Bank.ReadCalibration] writes.
const CalibrationSize = 11

// look writes what a camera of the suite sees in a pose to dst, and its calibration to calibration.
func (e *Eyes) look(dst, calibration []float64, of *compiled, pose []float64) {
	if e == nil {
		panic("sensors: a camera is read without eyes, want those of Bank.Lend")
	}
	k, pictures := of.camera, &e.pictures[of.eye]
	if err := e.caster.Cast(of.eye, pose, *pictures); err != nil {
		panic(err)
	}
	channels, offset := len(dst)/(k.Width*k.Height), 0
	for _, kind := range k.Kinds {
		switch kind {
		case physics.RGB:
			for i, v := range pictures.RGB {
				dst[i/3*channels+offset+i%3] = float64(v) / 255
			}
		case physics.Depth:
			spread(dst[offset:], channels, pictures.Depth, of.Far)
		case physics.Segmentation:
			for i, v := range pictures.Segmentation {
				dst[i*channels+offset] = float64(of.labels.Of(v))
			}
		case physics.Normals:
			for i, v := range pictures.Normals {
				dst[i/3*channels+offset+i%3] = float64(v)
			}
		}
		offset += physics.ChannelsOf(kind)
	}
	c := e.caster.Calibration(of.eye, 0)
	n := copy(calibration, c.Position[:])
	n += copy(calibration[n:], c.Quaternion[:])
	n += copy(calibration[n:], c.Focal[:])
	copy(calibration[n:], c.Principal[:])
}

// spread writes depths to every n-th value of dst. It is most of what the pictures take beside their cast: so no min,
// which looks for NaN, and a loop of its own for the usual n.
func spread(dst []float64, n int, depths []float32, far float64) {
	if n == 1 {
		for i, v := range dst[:len(depths)] {
			if v = float64(depths[i]); v > far {
				v = far
			}
			dst[i] = v
		}
		return
	}
	for i, v := range depths {
		dst[n*i] = min(float64(v), far)
	}
}

// Lend gives the bank the eyes by which it reads cameras until the next call. Which they are changes no value.
func (b *Bank) Lend(e *Eyes) { b.eyes = e }

// view returns the picture of a camera's channel in a pose, and the calibration. The newest view of each world is kept:
// it is a function of the pose alone, so a reader cannot tell.
func (b *Bank) view(c *compiled, id int, pose []float64) (picture, calibration []float64) {
	view := c.view.In(rowOf(b.views, id, b.suite.views))
	cached, picture := view[:len(pose)], view[len(pose):]
	picture, calibration = picture[:c.width], picture[c.width:]
	if last := &calibration[CalibrationSize-1]; math.IsNaN(*last) || !slices.Equal(cached, pose) {
		*last = math.NaN() // the view is invalid until it is complete
		b.eyes.look(picture, calibration, c, pose)
		copy(cached, pose)
	}
	return picture, calibration
}

// ReadCalibration writes the [cast.Calibration] of the camera of a channel in world id to dst, of which the picture is
// that [Bank.Read] gives, the newest one of a window: position (3), quaternion (4), focal lengths (2) and principal
// point (2). It returns the same stamp.
func (b *Bank) ReadCalibration(dst []float64, channel, id int, now Now) (stampNS int64, ok bool) {
	c := &b.suite.channels[channel]
	if c.lasts {
		return b.readMemory(nil, dst, c, channel, id, &now)
	}
	row, _, stampNS, ok := b.newestSample(c, channel, id, &now)
	pose := b.scratchPose[:c.join(b.scratchPose, row)]
	_, calibration := b.view(c, id, pose)
	copy(dst, calibration)
	return stampNS, ok
}
