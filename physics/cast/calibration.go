package cast

// #include "caster.h"
import "C"

import (
	"cmp"
	"fmt"
	"math"

	"github.com/polyrhythm-rl/polyrhythm/physics"
)

// Calibration says which pixel shows what. A point at (x, y, z) in the optical frame of the camera, m, is seen at column
// Focal[0]·x/z + Principal[0] and row Focal[1]·y/z + Principal[1]. Whole numbers are the middles of pixels, counted from
// 0 at the top left, as OpenCV has it. The optical frame has x to the right, y down and z along the axis of view. An
// orthographic camera shows the point at column Focal[0]·x + Principal[0] and row Focal[1]·y + Principal[1].
type Calibration struct {
	Projection string // "" or physics.Orthographic

	Position   [3]float64 // origin of the optical frame in the world, m
	Quaternion [4]float64 // rotation from the optical frame to the world: w, x, y, z, w at least 0
	Focal      [2]float64 // focal lengths along columns and rows, pixels; of an orthographic camera pixels per m
	Principal  [2]float64 // column and row of the axis of view, pixels
}

// optics is what the calibration of a camera follows from, beside its place.
type optics struct {
	lens   physics.Lens
	varies bool // each world has its own field of view
}

// Varies reports whether each world has its own field of view of a camera: it is among the looks.
func Varies(model physics.Optical, camera Camera, looks ...physics.Vector) (bool, error) {
	placer, err := model.NewPlacer([]physics.Mount{camera.Mount}, physics.Visible{Looks: looks})
	if err != nil {
		return false, err
	}
	_, lens, varies := placer.Lens(0)
	varies = varies && lens.Focal == [2]float64{} && camera.FieldOfView == 0
	return varies, cmp.Or(placer.Close(), camera.checkVariation(varies))
}

func (c *Camera) checkVariation(varies bool) error {
	if varies && c.Distortion != ([5]float64{}) {
		return fmt.Errorf("camera %q has a distortion and a field of view of its own in each world, want one of them",
			c.Camera)
	}
	return nil
}

// Calibration returns the calibration of a camera in a world of the last call of [Caster.Cast], whichever camera took
// the pictures; before the first call in the initial state of the model, as the only world. It allocates nothing.
func (c *Caster) Calibration(camera, world int) (k Calibration) {
	place := c.places[world*c.placer.Size()+C.PR_PLACE*c.shapes+C.PR_MOUNT*camera:][:C.PR_MOUNT]
	copy(k.Position[:], place)
	m := [9]float64(place[3:])
	for i := range 3 { // MuJoCo's frame has y up and −z along the axis of view
		m[3*i+1], m[3*i+2] = -m[3*i+1], -m[3*i+2]
	}
	k.Quaternion = quaternionOf(m)
	eye, spec := &c.optics[camera], &c.cameras[camera]
	width, height := float64(spec.Width), float64(spec.Height)
	switch {
	case eye.lens.Orthographic:
		k.Projection = physics.Orthographic
		k.Focal[1] = height / place[C.PR_ANGLE]
		k.Focal[0] = k.Focal[1]
	case eye.lens != physics.Lens{}:
		k.Focal = [2]float64{eye.lens.Focal[0] * width, eye.lens.Focal[1] * height}
	default:
		angle := spec.FieldOfView
		if eye.varies {
			angle = place[C.PR_ANGLE]
		}
		k.Focal[1] = height / 2 / math.Tan(angle/2*math.Pi/180)
		k.Focal[0] = k.Focal[1]
	}
	k.Principal[0] = float64(width*(0.5+eye.lens.Principal[0])) - 0.5
	k.Principal[1] = float64(height*(0.5+eye.lens.Principal[1])) - 0.5
	return k
}

// quaternionOf returns the quaternion of a rotation matrix, given row by row.
func quaternionOf(m [9]float64) (q [4]float64) {
	// four times the squares of w, x, y and z; the largest is at least 1
	squares := [4]float64{1 + m[0] + m[4] + m[8], 1 + m[0] - m[4] - m[8], 1 - m[0] + m[4] - m[8], 1 - m[0] - m[4] + m[8]}
	largest := 0
	for i, v := range squares {
		if v > squares[largest] {
			largest = i
		}
	}
	products := [4][4]float64{ // four times those of two components
		{squares[0], m[7] - m[5], m[2] - m[6], m[3] - m[1]},
		{m[7] - m[5], squares[1], m[1] + m[3], m[2] + m[6]},
		{m[2] - m[6], m[1] + m[3], squares[2], m[5] + m[7]},
		{m[3] - m[1], m[2] + m[6], m[5] + m[7], squares[3]},
	}[largest]
	sign := math.Copysign(2, products[0])
	if products[0] == 0 {
		sign = 2
	}
	root := sign * math.Sqrt(squares[largest])
	for i, v := range products {
		q[i] = v / root
	}
	return q
}
