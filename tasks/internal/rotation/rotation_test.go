package rotation

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestRotationsAgree compares products, vectors and yaws of drawn rotations with what they do to vectors.
func TestRotationsAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	drawn := func() [4]float64 {
		var q [4]float64
		length := 0.0
		for i := range q {
			q[i] = r.NormFloat64()
			length = math.Hypot(length, q[i])
		}
		for i := range q {
			q[i] /= length
		}
		return q
	}
	same := func(what string, got, want [3]float64) {
		t.Helper()
		for i := range got {
			if math.Abs(got[i]-want[i]) > 1e-12 {
				t.Fatalf("%s: %v, want %v", what, got, want)
			}
		}
	}
	for range 1000 {
		a, b, u := drawn(), drawn(), [3]float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}
		same("a product", Rotate(Product(a, b), u), Rotate(a, Rotate(b, u)))
		same("an inverse", Rotate(Conjugate(a), Rotate(a, u)), u)
		v := Vector(a)
		angle := math.Hypot(math.Hypot(v[0], v[1]), v[2])
		if angle > math.Pi+1e-12 {
			t.Fatalf("the angle of %v is %v, want at most π", a, angle)
		}
		sin, cos := math.Sincos(angle / 2)
		sin /= angle
		same("the rotation of a vector", Rotate([4]float64{cos, v[0] * sin, v[1] * sin, v[2] * sin}, u), Rotate(a, u))
		yaw := Yaw(a)
		x := Rotate(a, [3]float64{1, 0, 0}) // its heading is that of the yaw
		h := math.Hypot(x[0], x[1])
		same("the heading of a yaw", Rotate(yaw, [3]float64{1, 0, 0}), [3]float64{x[0] / h, x[1] / h, 0})
	}
}
