package expression

import (
	"math"

	"github.com/polyrhythm-rl/polyrhythm/tasks/internal/rotation"
)

// shape is a function of vectors of given sizes.
type shape struct {
	argumentSizes []int // sizes of the arguments, 0 for a number
	resultSize    int   // size of the result, 0 for a number

	// function writes the result to a vector that overlaps no argument. A number is a vector of one value.
	function func(to []float64, x [3][]float64)
}

// shapes are the functions of quaternions w x y z by name. The names are those of Isaac Lab's and mjlab's mathematics.
var shapes = map[string]shape{
	"quat_mul": {[]int{4, 4}, 4, func(to []float64, x [3][]float64) {
		q := rotation.Product([4]float64(x[0]), [4]float64(x[1]))
		copy(to, q[:])
	}},
	"quat_conjugate": {[]int{4}, 4, func(to []float64, x [3][]float64) {
		to[0], to[1], to[2], to[3] = x[0][0], -x[0][1], -x[0][2], -x[0][3]
	}},
	"quat_apply":         {[]int{4, 3}, 3, func(to []float64, x [3][]float64) { turn(to, x[0], x[1], 1) }},
	"quat_apply_inverse": {[]int{4, 3}, 3, func(to []float64, x [3][]float64) { turn(to, x[0], x[1], -1) }},
	"quat_apply_yaw": {[]int{4, 3}, 3, func(to []float64, x [3][]float64) {
		q := rotation.Yaw([4]float64(x[0]))
		turn(to, q[:], x[1], 1)
	}},
	"yaw_quat": {[]int{4}, 4, func(to []float64, x [3][]float64) {
		q := rotation.Yaw([4]float64(x[0]))
		copy(to, q[:])
	}},
	"quat_box_minus": {[]int{4, 4}, 3, func(to []float64, x [3][]float64) {
		turned := difference(x[0], x[1])
		copy(to, turned[:])
	}},
	"quat_error_magnitude": {[]int{4, 4}, 0, func(to []float64, x [3][]float64) {
		turned := difference(x[0], x[1])
		to[0] = norm(turned[:])
	}},
	"axis_angle_from_quat": {[]int{4}, 3, func(to []float64, x [3][]float64) { rotationVector(to, x[0]) }},
	"quat_from_angle_axis": {[]int{0, 3}, 4, func(to []float64, x [3][]float64) {
		axis := x[1]
		length := norm(axis)
		if length < 1e-140 || length > 1e140 { // its square has lost digits, or is none
			largest := max(math.Abs(axis[0]), math.Abs(axis[1]), math.Abs(axis[2]))
			if largest == 0 { // no axis, no turn
				to[0], to[1], to[2], to[3] = 1, 0, 0, 0
				return
			}
			scaled := [3]float64{axis[0] / largest, axis[1] / largest, axis[2] / largest}
			axis, length = scaled[:], norm(scaled[:])
		}
		sin, cos := math.Sincos(x[0][0] / 2)
		sin /= length
		to[0], to[1], to[2], to[3] = cos, axis[0]*sin, axis[1]*sin, axis[2]*sin
	}},
	"quat_from_euler_xyz": {[]int{0, 0, 0}, 4, func(to []float64, x [3][]float64) {
		sr, cr := math.Sincos(x[0][0] / 2)
		sp, cp := math.Sincos(x[1][0] / 2)
		sy, cy := math.Sincos(x[2][0] / 2)
		to[0] = float64(cr*cp*cy) + float64(sr*sp*sy)
		to[1] = float64(sr*cp*cy) - float64(cr*sp*sy)
		to[2] = float64(cr*sp*cy) + float64(sr*cp*sy)
		to[3] = float64(cr*cp*sy) - float64(sr*sp*cy)
	}},
	"euler_xyz_from_quat": {[]int{4}, 3, func(to []float64, x [3][]float64) {
		q := x[0]
		sin, cos := 2*(float64(q[0]*q[1])+float64(q[2]*q[3])), 1-2*(float64(q[1]*q[1])+float64(q[2]*q[2]))
		to[0] = math.Atan2(sin, cos)
		to[1] = math.Asin(min(max(2*(float64(q[0]*q[2])-float64(q[3]*q[1])), -1), 1))
		to[2] = math.Atan2(2*(float64(q[0]*q[3])+float64(q[1]*q[2])), 1-2*(float64(q[2]*q[2])+float64(q[3]*q[3])))
		if max(math.Abs(sin), math.Abs(cos)) < 1e-8 { // x points up or down: rounding has its share in the two
			to[0], to[2] = 0, math.Remainder(2*math.Atan2(q[3], q[0]), 2*math.Pi)
		}
	}},
}

// turn writes a vector turned by a unit quaternion, or with side -1 by its inverse: u + 2w(v × u) + 2v × (v × u).
func turn(dst, q, u []float64, side float64) {
	w, v := side*q[0], q[1:]
	var t [3]float64
	for i := range 3 {
		j, k := (i+1)%3, (i+2)%3
		t[i] = 2 * (float64(v[j]*u[k]) - float64(v[k]*u[j]))
	}
	for i := range 3 {
		j, k := (i+1)%3, (i+2)%3
		dst[i] = u[i] + float64(w*t[i]) + (float64(v[j]*t[k]) - float64(v[k]*t[j]))
	}
}

// difference is the rotation vector from the orientation b to a: that of a·b⁻¹.
func difference(a, b []float64) (vector [3]float64) {
	q := rotation.Product([4]float64(a), rotation.Conjugate([4]float64(b)))
	rotationVector(vector[:], q[:])
	return vector
}

// rotationVector writes the axis of a unit quaternion times its angle, 0 to π.
func rotationVector(dst, q []float64) {
	sin, side := norm(q[1:4]), 1.0
	if q[0] < 0 {
		side = -1
	}
	scale := 2 * side // of a small angle
	if sin > 1e-9 {
		scale = side * 2 * math.Atan2(sin, side*q[0]) / sin
	}
	for i := range 3 {
		dst[i] = scale * q[1+i]
	}
}
