package terms

import (
	"math"

	"github.com/polyrhythm-rl/polyrhythm/tasks/internal/rotation"
)

func square(x float64) float64 { return float64(x * x) }

func sumOfSquares(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += float64(x * x)
	}
	return sum
}

// difference returns the vector from the point b to the point a.
func difference(a, b []float64) [3]float64 { return [3]float64{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }

// distance returns the distance of two points, or the size of the difference of two vectors.
func distance(a, b []float64) float64 { return math.Sqrt(squaredDistance(a, b)) }

// squaredDistance returns the square of [distance].
func squaredDistance(a, b []float64) float64 {
	return square(a[0]-b[0]) + square(a[1]-b[1]) + square(a[2]-b[2])
}

// wrap brings an angle to -π to π.
func wrap(angle float64) float64 { return math.Remainder(angle, 2*math.Pi) }

// normalize returns a quaternion of length 1; that of no rotation for one of length 0.
func normalize(q []float64) [4]float64 {
	s := float64(q[0]*q[0]) + float64(q[1]*q[1]) + float64(q[2]*q[2]) + float64(q[3]*q[3])
	if s == 1 {
		return [4]float64{q[0], q[1], q[2], q[3]}
	}
	if s == 0 {
		return [4]float64{1}
	}
	n := 1 / math.Sqrt(s)
	return [4]float64{q[0] * n, q[1] * n, q[2] * n, q[3] * n}
}

// eulerQuaternion returns the unit quaternion w x y z, with w ≥ 0, of a turn about the fixed x axis, then y, then z.
func eulerQuaternion(roll, pitch, yaw float64) [4]float64 {
	sr, cr := math.Sincos(roll / 2)
	sp, cp := math.Sincos(pitch / 2)
	sy, cy := math.Sincos(yaw / 2)
	q := rotation.Product(rotation.Product([4]float64{cy, 0, 0, sy}, [4]float64{cp, 0, sp, 0}), [4]float64{cr, sr, 0, 0})
	if q[0] < 0 {
		for i := range q {
			q[i] = -q[i]
		}
	}
	return q
}

// matrixQuaternion returns the unit quaternion w x y z of a rotation matrix by rows, by its largest component.
func matrixQuaternion(m []float64) [4]float64 {
	// 4·(w², x², y², z²)
	squares := [4]float64{1 + m[0] + m[4] + m[8], 1 + m[0] - m[4] - m[8], 1 - m[0] + m[4] - m[8], 1 - m[0] - m[4] + m[8]}
	largest := 0
	for i, x := range squares {
		if x > squares[largest] {
			largest = i
		}
	}
	products := [4][4]float64{ // 4·(w, x, y, z)·each
		{squares[0], m[7] - m[5], m[2] - m[6], m[3] - m[1]},
		{m[7] - m[5], squares[1], m[1] + m[3], m[2] + m[6]},
		{m[2] - m[6], m[1] + m[3], squares[2], m[5] + m[7]},
		{m[3] - m[1], m[2] + m[6], m[5] + m[7], squares[3]},
	}
	return normalize(products[largest][:])
}

// inverseMatrix returns the matrix that rotates vectors of the world into the frame of a body with the unit quaternion q.
func inverseMatrix(q [4]float64) [3][3]float64 {
	w, x, y, z := q[0], q[1], q[2], q[3]
	return [3][3]float64{
		{1 - 2*(float64(y*y)+float64(z*z)), 2 * (float64(x*y) + float64(w*z)), 2 * (float64(x*z) - float64(w*y))},
		{2 * (float64(x*y) - float64(w*z)), 1 - 2*(float64(x*x)+float64(z*z)), 2 * (float64(y*z) + float64(w*x))},
		{2 * (float64(x*z) + float64(w*y)), 2 * (float64(y*z) - float64(w*x)), 1 - 2*(float64(x*x)+float64(y*y))},
	}
}

// rotateInverse rotates a vector of the world into the frame of a body with the unit quaternion q.
func rotateInverse(dst []float64, q [4]float64, u []float64) {
	for i, row := range inverseMatrix(q) {
		dst[i] = float64(row[0]*u[0]) + float64(row[1]*u[1]) + float64(row[2]*u[2])
	}
}

// transformPoint returns the point in the world of a point in the frame of a body, whose orientation is the unit
// quaternion q and whose position is origin.
func transformPoint(point []float64, q [4]float64, origin []float64) (world [3]float64) {
	rotateInverse(world[:], rotation.Conjugate(q), point)
	for i := range world {
		world[i] = origin[i] + world[i]
	}
	return world
}

// relativePose returns the pose p, q in the frame of a body that is at the pose origin, turn.
func relativePose(origin, turn, p, q []float64) (position [3]float64, quaternion [4]float64) {
	inverse := rotation.Conjugate([4]float64(turn))
	return rotation.Rotate(inverse, difference(p, origin)), rotation.Product(inverse, [4]float64(q))
}

// gravityDirection writes the world's downward unit vector in the frame of a body with the unit quaternion q.
func gravityDirection(dst []float64, q [4]float64) {
	for i, row := range inverseMatrix(q) {
		dst[i] = -row[2]
	}
}

// headingVector returns cosine and sine of the angle of a body's x axis about the vertical;
// those of 0 for a body that points straight up or down.
func headingVector(q []float64) (cos, sin float64) {
	w, x, y, z := q[0], q[1], q[2], q[3]
	cos = 1 - 2*(float64(y*y)+float64(z*z))
	sin = 2 * (float64(x*y) + float64(w*z))
	length := math.Sqrt(float64(cos*cos) + float64(sin*sin))
	if length < 1e-9 {
		return 1, 0
	}
	return cos / length, sin / length
}

// rotationAngle is the angle of the rotation from one orientation to another, 0 to π.
func rotationAngle(a, b []float64) float64 {
	q := rotation.Product([4]float64(a), rotation.Conjugate([4]float64(b)))
	return 2 * math.Atan2(math.Sqrt(sumOfSquares(q[1:])), math.Abs(q[0]))
}
