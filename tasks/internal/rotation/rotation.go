// Package rotation computes with unit quaternions w x y z. Nothing here allocates, and no two operations are fused.
package rotation

import "math"

// Conjugate returns the inverse of a unit quaternion.
func Conjugate(q [4]float64) [4]float64 { return [4]float64{q[0], -q[1], -q[2], -q[3]} }

// Product returns the product of two quaternions: the rotation b, then a.
func Product(a, b [4]float64) [4]float64 {
	return [4]float64{
		float64(a[0]*b[0]) - float64(a[1]*b[1]) - float64(a[2]*b[2]) - float64(a[3]*b[3]),
		float64(a[0]*b[1]) + float64(a[1]*b[0]) + float64(a[2]*b[3]) - float64(a[3]*b[2]),
		float64(a[0]*b[2]) - float64(a[1]*b[3]) + float64(a[2]*b[0]) + float64(a[3]*b[1]),
		float64(a[0]*b[3]) + float64(a[1]*b[2]) - float64(a[2]*b[1]) + float64(a[3]*b[0]),
	}
}

// Rotate turns a vector by a unit quaternion.
func Rotate(q [4]float64, v [3]float64) [3]float64 {
	p := Product(Product(q, [4]float64{0, v[0], v[1], v[2]}), Conjugate(q))
	return [3]float64{p[1], p[2], p[3]}
}

// Vector returns axis times angle, at most π, of a unit quaternion.
func Vector(q [4]float64) [3]float64 {
	if q[0] < 0 {
		q = [4]float64{-q[0], -q[1], -q[2], -q[3]}
	}
	sine := math.Sqrt(float64(q[1]*q[1]) + float64(q[2]*q[2]) + float64(q[3]*q[3]))
	scale := 2.0 // of a very small angle
	if sine > 1e-12 {
		scale = 2 * math.Atan2(sine, q[0]) / sine
	}
	return [3]float64{scale * q[1], scale * q[2], scale * q[3]}
}

// Yaw returns the turn of a unit quaternion about the vertical alone.
func Yaw(q [4]float64) [4]float64 {
	yaw := math.Atan2(2*(float64(q[0]*q[3])+float64(q[1]*q[2])), 1-2*(float64(q[2]*q[2])+float64(q[3]*q[3])))
	sin, cos := math.Sincos(yaw / 2)
	return [4]float64{cos, 0, 0, sin}
}
