package rl

import (
	"math"
	"testing"
)

func tanh(x float32) float32 {
	y := []float32{x}
	addBiasTanh(y, []float32{0})
	return y[0]
}

func TestTanh(t *testing.T) {
	for x := float32(1e-6); x < 20; x *= 1.0007 {
		want := math.Tanh(float64(x))
		if got := float64(tanh(x)); math.Abs(got-want) > 4e-7*want {
			t.Errorf("tanh(%g) = %g, want %g", x, got, want)
		}
		if tanh(-x) != -tanh(x) {
			t.Errorf("tanh(%g) = %g, want %g", -x, tanh(-x), -tanh(x))
		}
	}
	inf := float32(math.Inf(1))
	for _, c := range []struct{ x, want float32 }{{0, 0}, {9.5, 1}, {-1e30, -1}, {inf, 1}, {-inf, -1}} {
		if got := tanh(c.x); got != c.want {
			t.Errorf("tanh(%g) = %g, want %g", c.x, got, c.want)
		}
	}
	if got := tanh(float32(math.NaN())); got == got {
		t.Errorf("tanh(NaN) = %g", got)
	}
}

// The end of an array, which does not fill a vector, is computed like the rest.
func TestDeterminismOfKernelsOverLength(t *testing.T) {
	const size = 67
	x, bias := make([]float32, size), make([]float32, size)
	s := newStream()
	s.key(1, 0, 0, 0)
	for i := range x {
		x[i], bias[i] = float32(3*s.NormFloat64()), float32(s.NormFloat64())
	}
	for n := 1; n <= size; n++ {
		y, sum, slope := append([]float32(nil), x[:n]...), append([]float32(nil), x[:n]...), append([]float32(nil), x[:n]...)
		addBiasTanh(y, bias[:n])
		addBias(sum, bias[:n])
		tanhSlope(slope, y)
		for i := range n {
			if want := tanh(x[i] + bias[i]); y[i] != want {
				t.Fatalf("value %d of %d: tanh %g, want %g", i, n, y[i], want)
			}
			if want := x[i] + bias[i]; sum[i] != want {
				t.Fatalf("value %d of %d: sum %g, want %g", i, n, sum[i], want)
			}
			if want := x[i] * (1 - float32(y[i]*y[i])); slope[i] != want {
				t.Fatalf("value %d of %d: slope %g, want %g", i, n, slope[i], want)
			}
		}
	}
}

func TestAddRowsGoesInOrder(t *testing.T) {
	// 1e8 + 1 - 1e8 is 0 in float32, 1e8 - 1e8 + 1 is 1.
	sum := []float32{0, 0}
	addRows(sum, []float32{1e8, 1e8, 1, -1e8, -1e8, 1})
	if sum[0] != 0 || sum[1] != 1 {
		t.Errorf("sums %g, want [0 1]", sum)
	}
}
