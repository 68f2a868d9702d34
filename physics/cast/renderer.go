package cast

import (
	"errors"
	"fmt"
	"image"
	"math"

	"github.com/polyrhythm-rl/polyrhythm/physics"
)

// efforts are how cameras draw in each quality.
var efforts = map[physics.Quality]Camera{
	physics.Fast:     {Samples: 1},
	physics.Balanced: {Samples: 4},
	physics.Best:     {Samples: 8, Reflections: true},
}

// renderer draws a model for people. Its casters have two cameras: that of the view, and one at the robot.
type renderer struct {
	caster   *Caster
	view     physics.View
	overview physics.Overview
	free     bool // the camera is none of the model's
	rgb      []byte
}

// The cameras of a renderer.
const (
	viewCamera = iota
	robotCamera
)

// NewRenderer opens a renderer that draws a model by rays, with all that can be seen of it, see [OpenVisible]. The sky is
// that of other cameras, or a blue one for a model without a skybox. looks are as in [Open]: the pose of a renderer is that of the
// model, then their values. If they give the sky its colours, it has these.
func NewRenderer(model physics.Optical, view physics.View, looks ...physics.Vector) (physics.Renderer, error) {
	view, err := view.Filled()
	if err != nil {
		return nil, fmt.Errorf("cast: %w", err)
	}
	number, err := view.FindCamera(model.Cameras())
	if err != nil {
		return nil, fmt.Errorf("cast: %w", err)
	}
	r := &renderer{view: view, free: number < 0, rgb: make([]byte, 3*view.Width*view.Height)}
	if r.overview, err = model.Overview(looks); err != nil {
		return nil, fmt.Errorf("cast: %w", err)
	}
	if view.Azimuth != 0 || view.Elevation != 0 {
		r.overview.Azimuth, r.overview.Elevation = view.Azimuth, view.Elevation
	}
	camera := efforts[view.Quality]
	camera.Width, camera.Height = view.Width, view.Height
	camera.Mount = physics.Mount{Camera: view.Camera}
	camera.Haze, camera.Backs = r.overview.Sky, true // MuJoCo's renderer has haze before a skybox alone
	switch {
	case r.free && r.overview.Orthographic:
		camera.Mount, camera.extent = physics.Mount{Robot: true}, r.overview.FieldOfView
	case r.free:
		camera.Mount, camera.FieldOfView = physics.Mount{Robot: true}, r.overview.FieldOfView
	}
	r.caster = &Caster{pose: model.Pose().Size, cameras: []Camera{
		viewCamera: camera, robotCamera: {Mount: physics.Mount{Robot: true}, Width: 1, Height: 1},
	}}
	if !r.overview.Sky && !r.overview.ColoredSky {
		r.caster.sky = plainSky()
	}
	visible := physics.Visible{Looks: looks, Sites: true, Tendons: true, Lines: true, Skins: true}
	if err := r.caster.open(model, visible); err != nil {
		return nil, errors.Join(fmt.Errorf("cast: %w", err), r.caster.Close())
	}
	r.caster.sky = nil // the caster has a copy
	return r, nil
}

// plainSky is a sky of rows of colour, from the zenith to below the horizon.
func plainSky() *physics.Texture {
	const side = 64
	top, middle, low := [3]float64{86, 132, 186}, [3]float64{205, 222, 238}, [3]float64{132, 140, 150}
	sky := &physics.Texture{Width: side, Height: 6 * side, Cube: true, Pixels: make([]byte, 3*6*side*side)}
	for i := range sky.Pixels {
		face, row, k := i/(3*side*side), i/(3*side)%side, i%3
		x := (float64(row) + 0.5) / side // 0 at the zenith
		switch face {
		case 2:
			x = 0
		case 3:
			x = 1
		}
		from, to, part := top[k], middle[k], 2*x
		if x >= 0.5 {
			from, to, part = middle[k], low[k], 2*x-1
		}
		sky.Pixels[i] = byte(0.5 + from + part*(to-from))
	}
	return sky
}

// SetScenery implements [physics.Renderer]: there is none to set.
func (r *renderer) SetScenery(values []float64) error {
	if len(values) != 0 {
		return fmt.Errorf("cast: scenery of %d values, want none", len(values))
	}
	return nil
}

// Focus implements [physics.Renderer]: the robot's centre of mass.
func (r *renderer) Focus(pose []float64) (focus [3]float64, err error) {
	if err := r.check(pose); err != nil {
		return focus, err
	}
	if err = r.caster.place(pose, 1); err != nil {
		return focus, fmt.Errorf("cast: %w", err)
	}
	copy(focus[:], r.caster.mount(robotCamera))
	return focus, nil
}

// Render implements [physics.Renderer].
func (r *renderer) Render(pose []float64, focus [3]float64, picture *image.RGBA) error {
	if err := r.check(pose); err != nil {
		return err
	}
	if picture.Rect.Dx() != r.view.Width || picture.Rect.Dy() != r.view.Height || picture.Stride != 4*r.view.Width {
		return fmt.Errorf("cast: a picture of %d × %d pixels, want %d × %d", picture.Rect.Dx(), picture.Rect.Dy(),
			r.view.Width, r.view.Height)
	}
	if err := r.caster.place(pose, 1); err != nil {
		return fmt.Errorf("cast: %w", err)
	}
	if r.free {
		mount := r.caster.mount(viewCamera)
		if r.aim(mount, focus); !physics.CanShow(mount[0]) || !physics.CanShow(mount[1]) || !physics.CanShow(mount[2]) {
			return fmt.Errorf("cast: the camera is at %v, want numbers up to %v, which pictures can show", mount[:3], physics.MaxShown)
		}
	}
	if err := r.caster.look(viewCamera, 1, Pictures{RGB: r.rgb}); err != nil {
		return err
	}
	for from, to := r.rgb, picture.Pix; len(from) > 0; from, to = from[3:], to[4:] {
		to[0], to[1], to[2], to[3] = from[0], from[1], from[2], 255
	}
	return nil
}

// aim writes position and rotation matrix of a camera that is none of the model's.
func (r *renderer) aim(mount []float64, focus [3]float64) {
	middle, distance := focus, r.overview.RobotDistance
	if r.view.Camera == physics.FreeCamera {
		middle, distance = r.overview.Centre, r.overview.Distance
	}
	if r.view.Distance > 0 {
		distance = r.view.Distance
	}
	sinA, cosA := math.Sincos(r.overview.Azimuth * math.Pi / 180)
	sinE, cosE := math.Sincos(r.overview.Elevation * math.Pi / 180)
	axes := [3][3]float64{ // to the right, up and backward
		{sinA, -cosA, 0},
		{-sinE * cosA, -sinE * sinA, cosE},
		{-cosE * cosA, -cosE * sinA, -sinE},
	}
	for i := range 3 {
		mount[i] = middle[i] + float64(distance*axes[2][i])
		for k := range 3 {
			mount[3+3*i+k] = axes[k][i]
		}
	}
}

func (r *renderer) check(pose []float64) error {
	if r.caster.c == nil {
		return errors.New("cast: the renderer is closed")
	}
	if len(pose) != r.caster.pose {
		return fmt.Errorf("cast: a pose of %d values, want %d", len(pose), r.caster.pose)
	}
	return nil
}

// Close implements [physics.Renderer].
func (r *renderer) Close() error { return r.caster.Close() }
