package mujoco

// #include "render.h"
import "C"

import (
	"errors"
	"fmt"
	"image"
	"os"
	"runtime"
	"unsafe"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/internal/engine"
)

// GLVariable is the environment variable that chooses where OpenGL comes from: "egl", "osmesa" or "auto", which tries
// them in this order and is the default. The first renderer of a process decides it for all.
const GLVariable = "POLYRHYTHM_GL"

// Renderer draws a model with MuJoCo's own renderer, off screen. It implements
// [physics.Renderer]. OpenGL belongs to threads, so a renderer has one of its own.
type Renderer struct {
	owner
	view  physics.View
	pose  int // number of values of a pose
	c     *C.pr_Renderer
	calls chan func()
}

// smoothFaces is the number of faces of meshes up to which a Balanced picture has smooth
// edges. On a processor they more than double the time of a model of large meshes.
const smoothFaces = 20_000

// NewRenderer implements [physics.Drawable]. It draws geoms of the groups that MuJoCo's viewer shows, and adds a sky
// to a model without one. It takes EGL (the packages libegl1, libegl-mesa0 and libgl1-mesa-dri of Debian) or OSMesa
// (libosmesa6), opened at run time, see [GLVariable].
func (m *Model) NewRenderer(view physics.View) (physics.Renderer, error) {
	view, err := view.Filled()
	if err != nil {
		return nil, fmt.Errorf("mujoco: %w", err)
	}
	c, err := m.viewOf(view)
	if err != nil {
		return nil, fmt.Errorf("mujoco: %w", err)
	}
	r := &Renderer{view: view, pose: m.Pose().Size, calls: make(chan func())}
	if err := engine.Own(&r.owner, &m.base, "renderer", func() (func(), error) {
		go serve(r.calls)
		var err error
		r.run(func() {
			err = try(func(message *C.char) bool {
				r.c = C.pr_makeRenderer(m.c, &c, message)
				return r.c != nil
			})
		})
		if err != nil {
			close(r.calls)
		}
		return func() {
			r.run(func() { C.pr_deleteRenderer(r.c) })
			close(r.calls)
		}, err
	}); err != nil {
		return nil, err
	}
	return r, nil
}

func (m *Model) viewOf(view physics.View) (C.pr_View, error) {
	v := C.pr_View{
		width:     C.int(view.Width),
		height:    C.int(view.Height),
		azimuth:   C.double(view.Azimuth),
		elevation: C.double(view.Elevation),
		distance:  C.double(view.Distance),
	}
	switch view.Quality {
	case physics.Balanced:
		v.shadow_size = 2048
		if m.c.nmeshface <= smoothFaces {
			v.samples = 4
		}
	case physics.Best:
		v.samples, v.shadow_size, v.reflections = 4, 8192, 1
	}
	camera, err := view.FindCamera(m.Cameras())
	if err != nil {
		return v, err
	}
	switch {
	case camera >= 0:
		v.camera = C.int(camera)
	case view.Camera == physics.TrackCamera:
		v.camera = C.PR_CAMERA_TRACK
	default:
		v.camera = C.PR_CAMERA_FREE
	}
	if view.Azimuth == 0 && view.Elevation == 0 {
		v.azimuth, v.elevation = C.double(m.c.vis.global.azimuth), C.double(m.c.vis.global.elevation)
	}
	name := os.Getenv(GLVariable)
	gl, known := map[string]C.int{
		"": C.PR_GL_AUTO, "auto": C.PR_GL_AUTO, "egl": C.PR_GL_EGL, "osmesa": C.PR_GL_OSMESA,
	}[name]
	if !known {
		return v, fmt.Errorf("%s is %q, want egl, osmesa or auto", GLVariable, name)
	}
	v.gl = gl
	return v, nil
}

// serve runs calls on a thread of its own, which ends with them.
func serve(calls <-chan func()) {
	runtime.LockOSThread() // never unlocked: OpenGL may leave things behind on the thread
	for call := range calls {
		call()
	}
}

func (r *Renderer) run(f func()) {
	done := make(chan struct{})
	r.calls <- func() {
		defer close(done)
		f()
	}
	<-done
}

func (r *Renderer) try(call func(message *C.char) (ok bool)) (err error) {
	r.run(func() {
		if err = try(call); err != nil {
			err = fmt.Errorf("mujoco: %w", err)
		}
	})
	return err
}

// SetScenery implements [physics.Renderer]: there is none to set.
func (r *Renderer) SetScenery(values []float64) error {
	if len(values) != 0 {
		return fmt.Errorf("mujoco: scenery of %d values, want none", len(values))
	}
	return nil
}

// Focus implements [physics.Renderer]: the centre of mass of the robot, which is the tree of bodies with the most
// actuators and, of those, the most degrees of freedom.
func (r *Renderer) Focus(pose []float64) (focus [3]float64, err error) {
	if err := r.check(pose); err != nil {
		return focus, err
	}
	err = r.try(func(message *C.char) bool { return C.pr_focus(r.c, doubles(pose), doubles(focus[:]), message) == 0 })
	return focus, err
}

// Render implements [physics.Renderer].
func (r *Renderer) Render(pose []float64, focus [3]float64, picture *image.RGBA) error {
	if err := r.check(pose); err != nil {
		return err
	}
	if picture.Rect.Dx() != r.view.Width || picture.Rect.Dy() != r.view.Height || picture.Stride != 4*r.view.Width {
		return fmt.Errorf("mujoco: a picture of %d × %d pixels, want %d × %d", picture.Rect.Dx(), picture.Rect.Dy(),
			r.view.Width, r.view.Height)
	}
	return r.try(func(message *C.char) bool {
		return C.pr_render(r.c, doubles(pose), doubles(focus[:]), (*C.uint8_t)(unsafe.SliceData(picture.Pix)),
			message) == 0
	})
}

func (r *Renderer) check(pose []float64) error {
	if r.Closed() {
		return errors.New("mujoco: the renderer is closed")
	}
	if len(pose) != r.pose {
		return fmt.Errorf("mujoco: a pose of %d values, want %d", len(pose), r.pose)
	}
	return nil
}
