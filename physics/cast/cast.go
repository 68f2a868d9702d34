package cast

// #cgo CFLAGS: -std=c11 -O3 -Wall -Wextra
// #cgo LDFLAGS: -ldl -lm
// #cgo noescape pr_cast
// #cgo nocallback pr_cast
// #cgo noescape pr_castRays
// #cgo nocallback pr_castRays
// #include <stdlib.h>
// #include "caster.h"
import "C"

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"unsafe"

	"github.com/polyrhythm-rl/polyrhythm/internal/bounds"
	"github.com/polyrhythm-rl/polyrhythm/physics"
)

// MaxPixels is the largest width and height of a picture.
const MaxPixels = physics.MaxPixels

// Camera is what pictures are taken with. It looks along −z with y up.
type Camera struct {
	physics.Mount
	FieldOfView   float64 // vertical, degrees, above 0 and below 180; 0 for what the model's camera has, or 45
	Width, Height int     // pixels, 1 to MaxPixels

	// Distortion are the coefficients k1, k2, p1, p2 and k3 of OpenCV's model of a lens, 0 for one without distortion. A
	// distorting camera has the same field of view in all worlds.
	Distortion [5]float64

	// Samples is the number of rays of which the colour of a pixel is the mean, 1 to MaxSamples; 0 for 1. Depth,
	// segmentation and normals are those of the ray through the middle.
	Samples int

	// Reflections says that planes whose material has a reflectance reflect.
	Reflections bool

	// Haze says that haze hides the end of the first plane without ends, as in MuJoCo's own pictures. An orthographic
	// camera has none.
	Haze bool

	// Backs says that a camera behind a plane sees its back, with 0.3 of its opacity, as in MuJoCo's own pictures. So
	// do depths and labels.
	Backs bool

	extent float64 // height of what an orthographic camera sees that is none of the model's, m; 0: it is in perspective
}

// MaxSamples is the largest number of samples of a pixel.
const MaxSamples = 64

const defaultFieldOfView = 45

// Pictures are the pictures of some worlds, one after the other, each row by row from the top left.
// What is nil is not taken.
type Pictures struct {
	RGB          []byte    // red, green and blue of each pixel
	Depth        []float32 // m along the axis of view; where nothing is seen, the farthest that can be
	Segmentation []int32   // label of the visible shape, see physics.OpticalShape; −1 for nothing

	// Normals are those of the visible surfaces, three values of a pixel, of length 1 in the optical frame of the camera, see
	// Calibration: to the right, down and along the axis of view; 0 for nothing. Those of meshes are of their faces.
	Normals []float32
}

// NewPictures returns room for the pictures of some kinds of so many pixels.
func NewPictures(kinds []string, pixels int) (p Pictures) {
	for _, kind := range kinds {
		size := pixels * physics.ChannelsOf(kind)
		switch kind {
		case physics.RGB:
			p.RGB = make([]byte, size)
		case physics.Depth:
			p.Depth = make([]float32, size)
		case physics.Segmentation:
			p.Segmentation = make([]int32, size)
		case physics.Normals:
			p.Normals = make([]float32, size)
		}
	}
	return p
}

// PixelBytes returns the bytes of a pixel in [Pictures] of a kind.
func PixelBytes(kind string) int {
	if kind == physics.RGB {
		return 3
	}
	return 4 * physics.ChannelsOf(kind)
}

// Caster takes pictures of a model. It owns C memory, and one goroutine at a time may use it. Close
// it before the model.
type Caster struct {
	c            *C.pr_Caster
	placer       physics.Placer
	cameras      []Camera
	eyes         []C.pr_Eye
	optics       []optics // optics of the cameras
	shapes       int      // number of shapes
	lamps        int      // number of lamps
	excludedTree int      // number of the tree of shapes that cameras do not see; 0: none
	pose         int      // number of values of a pose
	maxDepth     float32  // depth of a pixel in which nothing is visible, m
	unseen       []string
	segments     []physics.Segment
	tables       []unsafe.Pointer // C memory of the rays of distorting cameras
	places       []float64        // places of the shapes in the worlds of a call
	sky          *physics.Texture // sky of worlds without a skybox, in place of its colours; nil: none
	shared       []*asset
	message      [C.PR_CAST_MESSAGE]C.char
}

// Open opens a caster for some cameras. looks are parameters of the model that each world has of its own, of those
// that can be seen, see [physics.Optical]: a pose is that of the model, then their values. Without Embree the error
// names the package that brings it.
func Open(model physics.Optical, cameras []Camera, looks ...physics.Vector) (*Caster, error) {
	return OpenVisible(model, cameras, physics.Visible{Looks: looks})
}

// OpenVisible opens a caster for cameras that see more of the model than those of [Open], such as its sites. A
// segmentation shows it, too, so cameras of sensors see no more than those of Open.
func OpenVisible(model physics.Optical, cameras []Camera, visible physics.Visible) (*Caster, error) {
	c := &Caster{cameras: slices.Clone(cameras), pose: model.Pose().Size}
	if err := c.open(model, visible); err != nil {
		c.Close()
		return nil, fmt.Errorf("cast: %w", err)
	}
	return c, nil
}

// OpenRays opens a caster without cameras, for [Caster.Distances]. The shapes of the tree that a frame, "body/NAME" or
// "site/NAME", hangs from are left out, see [physics.Optical.Tree]. looks are as in [Open].
func OpenRays(model physics.Optical, frame string, looks ...physics.Vector) (*Caster, error) {
	tree, err := model.Tree(frame)
	if err != nil {
		return nil, fmt.Errorf("cast: %w", err)
	}
	c := &Caster{pose: model.Pose().Size, excludedTree: tree}
	if err := c.open(model, physics.Visible{Looks: looks}); err != nil {
		c.Close()
		return nil, fmt.Errorf("cast: %w", err)
	}
	return c, nil
}

func (c *Caster) open(model physics.Optical, visible physics.Visible) (err error) {
	mounts := make([]physics.Mount, len(c.cameras))
	for i, camera := range c.cameras {
		mounts[i] = camera.Mount
		if err := camera.check(); err != nil {
			return err
		}
	}
	if c.placer, err = model.NewPlacer(mounts, visible); err != nil {
		return err
	}
	for i := range c.cameras {
		if err := c.addEye(i); err != nil {
			return err
		}
	}
	scene := model.Optics(visible)
	reflects := slices.ContainsFunc(scene.Shapes, func(s physics.OpticalShape) bool {
		return s.Kind == physics.ShapePlane && s.Reflectance > 0
	})
	for i, camera := range c.cameras {
		c.eyes[i].reflections = flag(camera.Reflections && reflects)
		c.eyes[i].haze = flag(camera.Haze && c.eyes[i].orthographic == 0)
		c.eyes[i].backs = flag(camera.Backs)
	}
	c.maxDepth, c.unseen, c.shapes = float32(scene.Far), scene.Unseen, len(scene.Shapes)
	c.lamps = len(scene.Lights)
	for _, s := range scene.Shapes {
		c.segments = append(c.segments, physics.Segment{Label: s.Label, Name: s.Name, Body: s.Body, BodyLabel: s.BodyLabel})
	}
	if err := c.build(&scene); err != nil {
		return err
	}
	return c.finish(model, visible)
}

// check returns an error about the first setting that is out of its bounds.
func (c *Camera) check() error {
	var check bounds.Check
	check.Whole("width", int64(c.Width), 1, MaxPixels)
	check.Whole("height", int64(c.Height), 1, MaxPixels)
	check.Whole("samples", int64(c.Samples), 0, MaxSamples)
	check.Below("field_of_view", c.FieldOfView, 0, 180)
	check.Number("extent", c.extent, 0, math.MaxFloat32)
	return check.Err()
}

// addEye adds how camera i sees, by its own settings and else by the lens that the model gives it.
func (c *Caster) addEye(i int) error {
	camera := &c.cameras[i]
	eye := C.pr_Eye{width: C.int32_t(camera.Width), height: C.int32_t(camera.Height),
		samples: C.int32_t(max(1, camera.Samples))}
	angle, lens, varies := c.placer.Lens(i)
	var optic optics
	switch {
	case lens.Orthographic:
		if camera.FieldOfView != 0 || camera.Distortion != ([5]float64{}) {
			return fmt.Errorf("camera %q has an orthographic projection, whose height the model gives, want neither a "+
				"field of view nor a distortion", camera.Camera)
		}
		eye.orthographic, eye.placed = 1, 1
		optic = optics{lens, varies}
	case camera.FieldOfView == 0 && lens != physics.Lens{}:
		camera.FieldOfView, optic.lens = angle, lens
	case camera.FieldOfView == 0 && angle != 0:
		camera.FieldOfView, eye.placed, optic.varies = angle, 1, varies
	case camera.extent > 0:
		eye.orthographic = 1
	case camera.FieldOfView == 0:
		camera.FieldOfView = defaultFieldOfView
	}
	camera.aim(&eye, optic.lens)
	if camera.Distortion != ([5]float64{}) {
		if err := camera.checkVariation(optic.varies); err != nil {
			return err
		}
		eye.placed = 0
		if err := c.distort(&eye, camera); err != nil {
			return err
		}
	}
	for _, v := range []C.float{eye.step[0], eye.step[1], eye.middle[0], eye.middle[1]} {
		if !physics.CanShow(float64(v)) {
			return fmt.Errorf("camera %q has a lens of %v, want one whose rays have directions", camera.Camera, optic.lens)
		}
	}
	c.eyes, c.optics = append(c.eyes, eye), append(c.optics, optic)
	return nil
}

// aim sets the pixel that looks along the axis of view, and the angles between pixels.
func (c *Camera) aim(eye *C.pr_Eye, lens physics.Lens) {
	width, height := C.float(c.Width), C.float(c.Height)
	eye.middle = [2]C.float{width / 2, height / 2}
	if lens.Focal != [2]float64{} {
		fx, fy := lens.Focal[0]*float64(c.Width), lens.Focal[1]*float64(c.Height) // pixels
		eye.step = [2]C.float{C.float(1 / fx), C.float(1 / fy)}
		eye.middle[0] += C.float(lens.Principal[0]) * width
		eye.middle[1] += C.float(lens.Principal[1]) * height
		return
	}
	step := 2 * C.float(math.Tan(c.FieldOfView/2*math.Pi/180)) / height
	if c.extent > 0 {
		step = C.float(c.extent) / height
	}
	eye.step = [2]C.float{step, step}
}

// finish completes the caster in the pose in which the model begins.
func (c *Caster) finish(model physics.Optical, visible physics.Visible) error {
	row, pose := make([]float64, model.StateSize()), make([]float64, c.pose)
	model.InitialState(row)
	model.PoseOf(row, pose[:c.pose])
	for _, look := range visible.Looks {
		nominal, err := model.Nominal(look.Source)
		if err != nil {
			return err
		}
		pose = append(pose, nominal...)
	}
	c.pose = len(pose)
	if err := c.place(pose, 1); err != nil {
		return err
	}
	return c.try(C.pr_finishCaster(c.c, doubles(c.places), C.int(len(c.cameras)), &c.message[0]) == 0)
}

// kinds are the kinds of shapes in C.
var kinds = map[string]C.int32_t{
	physics.ShapePlane: C.PR_PLANE, physics.ShapeSphere: C.PR_SPHERE, physics.ShapeCapsule: C.PR_CAPSULE,
	physics.ShapeEllipsoid: C.PR_ELLIPSOID, physics.ShapeCylinder: C.PR_CYLINDER, physics.ShapeBox: C.PR_BOX,
	physics.ShapeMesh: C.PR_MESH,
}

// mappings are how textures lie on shapes in C.
var mappings = map[string]C.int32_t{
	physics.MappingFlat: C.PR_FLAT, physics.MappingSides: C.PR_SIDES, physics.MappingMesh: C.PR_CORNERS,
}

// build makes the caster in C, all but the places of the shapes.
func (c *Caster) build(o *physics.Optics) error {
	lighting, err := lightingOf(o)
	if err != nil {
		return err
	}
	textures := o.Textures
	if c.sky != nil {
		lighting.plain, textures = C.int32_t(len(textures)), append(textures, *c.sky)
	}
	shapes := make([]C.pr_Seen, len(o.Shapes))
	for i, s := range o.Shapes {
		kind, ok := kinds[s.Kind]
		if !ok {
			return fmt.Errorf("a shape of kind %q", s.Kind)
		}
		shapes[i] = C.pr_Seen{
			kind: kind, mesh: C.int32_t(s.Mesh), label: C.int32_t(s.Label),
			still: flag(s.Still), flat: mappings[s.Mapping], uniform: flag(s.Uniform),
			color: floats3(s.Color), reflectance: C.float(s.Reflectance), emission: C.float(s.Emission), specular: C.float(s.Specular),
			exponent: C.float(s.Exponent),
		}
		for k, v := range s.Size {
			shapes[i].size[k] = C.float(v)
		}
		if c.excludedTree != 0 && s.Tree == c.excludedTree {
			shapes[i].kind = C.PR_HIDDEN
		}
	}
	painted, err := c.shareTextures(textures)
	if err != nil {
		return err
	}
	c.c = C.pr_makeCaster(&lighting, unsafe.SliceData(shapes), C.int(len(shapes)), C.int(len(o.Meshes)), painted.textures,
		&c.message[0])
	if err := c.try(c.c != nil); err != nil {
		return err
	}
	for i := range o.Meshes {
		if err := c.addMesh(&o.Meshes[i]); err != nil {
			return err
		}
	}
	return nil
}

// addMesh adds a mesh to the caster, one of its own if it bends.
func (c *Caster) addMesh(m *physics.Mesh) error {
	if m.Bends {
		surface, unpin := surfaceOf(m)
		defer unpin()
		return c.try(C.pr_addBending(c.c, &surface, &c.message[0]) == 0)
	}
	a, err := c.shareMesh(m)
	if err == nil {
		C.pr_addMesh(c.c, a.mesh)
	}
	return err
}

// lightingOf returns the lights of a scene in C, without the sky. It fails if a number is beyond what pictures can show.
func lightingOf(o *physics.Optics) (lighting C.pr_Lighting, err error) {
	for _, part := range []struct {
		name   string
		values [3]float32
	}{
		{"an ambient light", o.Ambient}, {"a headlight", o.Head}, {"highlights of its headlight", o.HeadSpecular},
		{"a haze", o.Haze}, {"a range of its cameras", [3]float32{float32(o.Near), float32(o.Far), float32(o.HazeWidth)}},
	} {
		for _, v := range part.values {
			if !physics.CanShow(float64(v)) {
				return lighting, fmt.Errorf("the scene has %s of %v, want numbers up to %v, which pictures can show", part.name, v,
					physics.MaxShown)
			}
		}
	}
	lighting = C.pr_Lighting{
		ambient: floats3(o.Ambient), head: floats3(o.Head), head_specular: floats3(o.HeadSpecular),
		haze: floats3(o.Haze), haze_width: C.float(o.HazeWidth),
		near: C.float(o.Near), far: C.float(o.Far),
		plain: -1,
	}
	if len(o.Lights) > physics.MaxLights {
		return lighting, fmt.Errorf("%d lights, want at most %d", len(o.Lights), physics.MaxLights)
	}
	lighting.nlamp = C.int32_t(len(o.Lights))
	for i, light := range o.Lights {
		lighting.lamps[i] = C.pr_Lamp{
			directional: flag(light.Directional), shadows: flag(light.Shadows), spot: flag(light.Spot),
			attenuation: floats3(light.Attenuation), exponent: C.float(light.Exponent), color: floats3(light.Color),
			cutoff: C.float(math.Cos(light.Cutoff * math.Pi / 180)), specular: floats3(light.Specular),
		}
	}
	return lighting, nil
}

// Far returns the depth of what shows nothing, m.
func (c *Caster) Far() float32 { return c.maxDepth }

// Unseen returns what there is in the scene that cameras do not see, such as "2 skins"; nil: nothing.
func (c *Caster) Unseen() []string { return c.unseen }

// Segments returns what a segmentation may show, in the order of the shapes. It is not to be changed.
func (c *Caster) Segments() []physics.Segment { return c.segments }

// Cameras returns the cameras, with their fields of view, 0 for an orthographic one. They are not to be changed.
func (c *Caster) Cameras() []Camera { return c.cameras }

// Cast takes a picture with a camera, given by its number, in each of some worlds. poses is a pose
// of each, see [physics.Drawable.Pose] and [Open]; where nothing moves, poses are empty, and the picture is that of one
// world. It allocates nothing once it has been called for as many worlds.
func (c *Caster) Cast(camera int, poses []float64, pictures Pictures) error {
	if c.c == nil {
		return errors.New("cast: the caster is closed")
	}
	if camera < 0 || camera >= len(c.eyes) {
		return fmt.Errorf("cast: camera %d, want one of %d, counted from 0", camera, len(c.eyes))
	}
	worlds, eye := 1, &c.eyes[camera]
	if c.pose > 0 {
		worlds = len(poses) / c.pose
	}
	if len(poses) != worlds*c.pose {
		return fmt.Errorf("cast: poses of %d values, want a multiple of %d", len(poses), c.pose)
	}
	pixels := worlds * int(eye.width) * int(eye.height)
	for _, part := range []struct {
		name           string
		size, perPixel int
	}{{"RGB", len(pictures.RGB), 3}, {"Depth", len(pictures.Depth), 1},
		{"Segmentation", len(pictures.Segmentation), 1}, {"Normals", len(pictures.Normals), 3}} {
		if part.size != 0 && part.size != part.perPixel*pixels {
			return fmt.Errorf("cast: %s has room for %d values, want %d", part.name, part.size, part.perPixel*pixels)
		}
	}
	if worlds == 0 {
		return nil
	}
	if err := c.place(poses, worlds); err != nil {
		return fmt.Errorf("cast: %w", err)
	}
	return c.look(camera, worlds, pictures)
}

// place places everything in the poses of worlds.
func (c *Caster) place(poses []float64, worlds int) error {
	size := c.placer.Size()
	c.places = slices.Grow(c.places[:0], worlds*size)[:worlds*size]
	if err := c.placer.Place(c.places, poses); err != nil {
		return err
	}
	for i, v := range c.places {
		if !physics.CanShow(v) {
			return fmt.Errorf("%s of %v, want numbers up to %v, which pictures can show", c.nameOf(i%size), v, physics.MaxShown)
		}
	}
	return nil
}

// nameOf names what value i of the places of a world belongs to.
func (c *Caster) nameOf(i int) string {
	if i < C.PR_PLACE*c.shapes {
		for _, part := range []struct {
			from int
			name string
		}{
			{C.PR_REPEAT, "repetitions of a texture"}, {C.PR_TEXTURE, "a texture"}, {C.PR_COLOR, "a colour"}, {C.PR_SIZE, "a size"},
		} {
			if i%C.PR_PLACE >= part.from {
				return fmt.Sprintf("shape %q has %s", c.segments[i/C.PR_PLACE].Name, part.name)
			}
		}
		return fmt.Sprintf("shape %q has a place", c.segments[i/C.PR_PLACE].Name)
	}
	if i -= C.PR_PLACE * c.shapes; i < C.PR_MOUNT*len(c.cameras) {
		return fmt.Sprintf("camera %d, counted from 0, has a place or an angle", i/C.PR_MOUNT)
	}
	if i -= C.PR_MOUNT*len(c.cameras) + C.PR_LIGHT; i < 0 {
		return "the scene has light or a sky"
	}
	if i < C.PR_LAMP*c.lamps {
		return fmt.Sprintf("lamp %d, counted from 0, has a place or light", i/C.PR_LAMP)
	}
	return "a mesh that bends has a vertex"
}

// look takes pictures of worlds in which everything has its place.
func (c *Caster) look(camera, worlds int, pictures Pictures) error {
	err := c.try(C.pr_cast(c.c, doubles(c.places), C.int(worlds), C.int(c.placer.Size()), C.int(camera),
		C.int(len(c.eyes)), &c.eyes[camera], (*C.uint8_t)(address(pictures.RGB)), (*C.float)(address(pictures.Depth)),
		(*C.int32_t)(address(pictures.Segmentation)), (*C.float)(address(pictures.Normals)), &c.message[0]) == 0)
	if err != nil {
		return fmt.Errorf("cast: %w", err)
	}
	return nil
}

// mount is the place of a camera's mount in the world that was placed last: its position and rotation matrix, and the
// angle of its camera.
func (c *Caster) mount(camera int) []float64 {
	return c.places[C.PR_PLACE*c.shapes+C.PR_MOUNT*camera:][:C.PR_MOUNT]
}

// Ray is where a ray begins, m, and its direction, of length 1, in the frame of the world.
type Ray struct{ Origin, Direction [3]float64 }

// Distances writes how far rays go in a pose, see [Open], until they come to the front of something, or most, m. One
// that begins inside of a shape does not meet it. It allocates nothing.
func (c *Caster) Distances(dst []float64, rays []Ray, most float64, pose []float64) error {
	if c.c == nil {
		return errors.New("cast: the caster is closed")
	}
	if len(dst) != len(rays) || len(pose) != c.pose {
		return fmt.Errorf("cast: room for %d distances of %d rays in a pose of %d values, want as many, and a "+
			"pose of %d", len(dst), len(rays), len(pose), c.pose)
	}
	if len(rays) == 0 {
		return nil
	}
	if err := c.place(pose, 1); err != nil {
		return fmt.Errorf("cast: %w", err)
	}
	for i, r := range rays {
		for k := range 3 {
			if !physics.CanShow(r.Origin[k]) || !physics.CanShow(r.Direction[k]) {
				return fmt.Errorf("cast: ray %d is %v, want numbers up to %v", i, r, physics.MaxShown)
			}
		}
	}
	err := c.try(C.pr_castRays(c.c, doubles(c.places), doubles(rays[0].Origin[:]), C.int(len(rays)), C.float(most),
		doubles(dst), &c.message[0]) == 0)
	if err != nil {
		return fmt.Errorf("cast: %w", err)
	}
	return nil
}

// Close frees the caster. Closing a second time does nothing.
func (c *Caster) Close() error {
	if c.c != nil {
		C.pr_deleteCaster(c.c)
		c.c = nil
	}
	for _, a := range c.shared {
		a.release()
	}
	c.shared = nil
	for _, table := range c.tables {
		C.free(table)
	}
	c.tables = nil
	if c.placer == nil {
		return nil
	}
	return c.placer.Close()
}

// try returns the message of a call into C that failed.
func (c *Caster) try(ok bool) error {
	if ok {
		return nil
	}
	return errors.New(C.GoString(&c.message[0]))
}

// address returns the address of values, nil if there are none.
func address[T any](values []T) unsafe.Pointer {
	if len(values) == 0 {
		return nil
	}
	return unsafe.Pointer(unsafe.SliceData(values))
}

func flag(is bool) C.int32_t {
	if is {
		return 1
	}
	return 0
}

func doubles(values []float64) *C.double { return (*C.double)(unsafe.SliceData(values)) }

func floats3(values [3]float32) [3]C.float {
	return [3]C.float{C.float(values[0]), C.float(values[1]), C.float(values[2])}
}
