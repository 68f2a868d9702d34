package cast

// #include <stdlib.h>
// #include "caster.h"
import "C"

import (
	"fmt"
	"math"
	"unsafe"
)

// distort gives an eye, which has the step and the middle of its camera, the rays of the camera's distortion.
func (c *Caster) distort(eye *C.pr_Eye, camera *Camera) error {
	width, height := camera.Width, camera.Height
	n := 2 * (width*height + width + height)
	memory := C.malloc(C.size_t(n) * C.sizeof_float)
	if memory == nil {
		return fmt.Errorf("no memory for the rays of %d × %d pixels", width, height)
	}
	c.tables = append(c.tables, memory)
	table := unsafe.Slice((*float32)(memory), n)
	bounds := table[2*width*height:]
	for i := range width + height {
		bounds[2*i], bounds[2*i+1] = math.MaxFloat32, -math.MaxFloat32
	}
	widen := func(i int, v float32) { bounds[2*i], bounds[2*i+1] = min(bounds[2*i], v), max(bounds[2*i+1], v) }
	for row := range height {
		for column := range width {
			x, y := (float64(column)+0.5-float64(eye.middle[0]))*float64(eye.step[0]),
				(float64(row)+0.5-float64(eye.middle[1]))*float64(eye.step[1])
			u, v, ok := undistort(&camera.Distortion, x, y)
			if !ok {
				return fmt.Errorf("the distortion %v bends no ray to the pixel in column %d and row %d, want a weaker one, or "+
					"a smaller field of view", camera.Distortion, column, row)
			}
			ray := table[2*(row*width+column):]
			ray[0], ray[1] = float32(u), float32(-v) // rows go down
			widen(column, ray[0])
			widen(width+row, ray[1])
		}
	}
	eye.rays = (*C.float)(memory)
	return nil
}

// distorted returns where a lens shows what is at (x, y) at depth 1, with y down, and the derivatives by x and y.
func distorted(d *[5]float64, x, y float64) (u, v float64, by [2][2]float64) {
	k1, k2, p1, p2, k3 := d[0], d[1], d[2], d[3], d[4]
	square := x*x + y*y
	radial := 1 + square*(k1+square*(k2+square*k3))
	slope := k1 + square*(2*k2+3*square*k3) // of radial, by the square
	u = x*radial + 2*p1*x*y + p2*(square+2*x*x)
	v = y*radial + p1*(square+2*y*y) + 2*p2*x*y
	mixed := 2*x*y*slope + 2*p1*x + 2*p2*y
	by = [2][2]float64{{radial + 2*x*x*slope + 2*p1*y + 6*p2*x, mixed}, {mixed, radial + 2*y*y*slope + 6*p1*y + 2*p2*x}}
	return u, v, by
}

// steps is the number of steps from the axis of view in which a ray is followed to a pixel, each with Newton's method.
const steps, newtons = 8, 20

// undistort returns the ray that a lens bends to (u, v) at depth 1: the one that is reached from the axis of view without
// a fold of the picture. ok is false if there is none.
func undistort(d *[5]float64, u, v float64) (x, y float64, ok bool) {
	for i := 1; i <= steps; i++ {
		part := float64(i) / steps
		ok = false
		for range newtons {
			a, b, by := distorted(d, x, y)
			determinant := by[0][0]*by[1][1] - by[0][1]*by[1][0]
			if !(determinant > 1e-6) {
				return 0, 0, false
			}
			a, b = a-part*u, b-part*v
			if ok = math.Abs(a)+math.Abs(b) < 1e-12*(1+math.Abs(u)+math.Abs(v)); ok {
				break
			}
			x, y = x-(by[1][1]*a-by[0][1]*b)/determinant, y-(by[0][0]*b-by[1][0]*a)/determinant
		}
		if !ok {
			return 0, 0, false
		}
	}
	return x, y, true
}
