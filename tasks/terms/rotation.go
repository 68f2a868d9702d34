package terms

import "math"

// fromRollPitchYaw returns the unit quaternion w x y z, with w ≥ 0, of a turn about the
// fixed x axis, then y, then z.
func fromRollPitchYaw(roll, pitch, yaw float64) [4]float64 {
	sr, cr := math.Sincos(roll / 2)
	sp, cp := math.Sincos(pitch / 2)
	sy, cy := math.Sincos(yaw / 2)
	q := product(product([4]float64{cy, 0, 0, sy}, [4]float64{cp, 0, sp, 0}), [4]float64{cr, sr, 0, 0})
	if q[0] < 0 {
		for i := range q {
			q[i] = -q[i]
		}
	}
	return q
}

// product returns the product of two quaternions w x y z: the rotation b, then a.
func product(a, b [4]float64) [4]float64 {
	return [4]float64{
		float64(a[0]*b[0]) - float64(a[1]*b[1]) - float64(a[2]*b[2]) - float64(a[3]*b[3]),
		float64(a[0]*b[1]) + float64(a[1]*b[0]) + float64(a[2]*b[3]) - float64(a[3]*b[2]),
		float64(a[0]*b[2]) - float64(a[1]*b[3]) + float64(a[2]*b[0]) + float64(a[3]*b[1]),
		float64(a[0]*b[3]) + float64(a[1]*b[2]) - float64(a[2]*b[1]) + float64(a[3]*b[0]),
	}
}
