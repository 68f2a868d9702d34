package nn

import (
	"math"
	"slices"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/policy"
)

// activated is one value of an activation.
func activated(a policy.Activation, x float32) float32 {
	y := []float32{x}
	addBiasActivate(a, y, []float32{0})
	return y[0]
}

func TestTanh(t *testing.T) {
	for x := float32(1e-6); x < 20; x *= 1.0007 {
		want := math.Tanh(float64(x))
		if got := float64(activated(policy.Tanh, x)); math.Abs(got-want) > 4e-7*want {
			t.Errorf("tanh(%g) = %g, want %g", x, got, want)
		}
		polytest.Equal(t, activated(policy.Tanh, -x), -activated(policy.Tanh, x), "tanh(%g)", -x)
	}
}

func TestELU(t *testing.T) {
	for x := float32(1e-6); x < 200; x *= 1.0007 {
		polytest.Equal(t, activated(policy.ELU, x), x, "elu(%g)", x)
		want := math.Expm1(-float64(x))
		if got := float64(activated(policy.ELU, -x)); math.Abs(got-want) > 4e-7*math.Abs(want) {
			t.Errorf("elu(%g) = %g, want %g", -x, got, want)
		}
	}
}

func TestActivationsAtTheEdges(t *testing.T) {
	inf := float32(math.Inf(1))
	for _, c := range []struct {
		a       policy.Activation
		x, want float32
	}{
		{policy.Tanh, 0, 0}, {policy.Tanh, 9.5, 1}, {policy.Tanh, -1e30, -1}, {policy.Tanh, inf, 1}, {policy.Tanh, -inf, -1},
		{policy.ELU, 0, 0}, {policy.ELU, -18.5, -1}, {policy.ELU, -1e30, -1}, {policy.ELU, 1e30, 1e30}, {policy.ELU, inf, inf}, {policy.ELU, -inf, -1},
		{policy.ReLU, 0, 0}, {policy.ReLU, 2.5, 2.5}, {policy.ReLU, -2.5, 0}, {policy.ReLU, inf, inf}, {policy.ReLU, -inf, 0}, {policy.ReLU, 1e-45, 1e-45}, {policy.ReLU,
			-1e-45, 0},
	} {
		polytest.Equal(t, activated(c.a, c.x), c.want, "%s(%g)", c.a, c.x)
	}
	for _, a := range []policy.Activation{policy.Tanh, policy.ELU, policy.ReLU} {
		for _, sign := range []float64{1, -1} {
			if got := activated(a, float32(math.Copysign(math.NaN(), sign))); got == got {
				t.Errorf("%s(NaN) = %g", a, got)
			}
		}
	}
}

// The end of an array, which does not fill a vector, is computed like the rest, and
// the derivative is that of the activation.
func TestDeterminismOfKernelsOverLength(t *testing.T) {
	const size, rows = 67, 7 // more than a tile of rows
	s := NewStream()
	s.Key(1, 0, 0, 0)
	x, bias := make([]float32, rows*size), make([]float32, size)
	for i := range x {
		x[i] = float32(3 * s.NormFloat64())
	}
	for i := range bias {
		bias[i] = float32(s.NormFloat64())
	}
	derivative := map[policy.Activation]func(y float32) float32{
		policy.Tanh: func(y float32) float32 { return 1 - float32(y*y) },
		policy.ELU:  func(y float32) float32 { return 1 + min(y, 0) },
		policy.ReLU: func(y float32) float32 { return float32(math.Ceil(math.Min(1, float64(y)))) },
	}
	for n := 1; n <= size; n++ {
		sum := slices.Clone(x[:rows*n])
		addBiasActivate(noActivation, sum, bias[:n])
		for i := range sum {
			if want := x[i] + bias[i%n]; sum[i] != want {
				t.Fatalf("value %d of %d: sum %g, want %g", i, n, sum[i], want)
			}
		}
		for a, derivative := range derivative {
			y, delta, column := slices.Clone(x[:rows*n]), slices.Clone(x[:rows*n]), make([]float32, n)
			addBiasActivate(a, y, bias[:n])
			slope(a, delta, y, column)
			total := make([]float32, n)
			for i := range y {
				if want := activated(a, x[i]+bias[i%n]); y[i] != want {
					t.Fatalf("value %d of %d: %s %g, want %g", i, n, a, y[i], want)
				}
				want := float32(x[i] * derivative(y[i])) // not fused with its sum below
				if delta[i] != want {
					t.Fatalf("value %d of %d: slope of %s %g, want %g", i, n, a, delta[i], want)
				}
				total[i%n] += want
			}
			if !slices.Equal(column, total) {
				t.Fatalf("sums of %d columns of %s %g, want %g", n, a, column, total)
			}
		}
	}
}

// Adam's kernel and the sum of squares do what the same loops in Go do, to the bit, wherever an array ends.
func TestDeterminismOfAdamAndSquares(t *testing.T) {
	const size, scale, rate, spread = 67, 0.7, 0.01, 1.3
	s := NewStream()
	s.Key(2, 0, 0, 0)
	arrays := make([][]float32, 4)
	for i := range arrays {
		arrays[i] = make([]float32, size)
		for j := range arrays[i] {
			arrays[i][j] = float32(s.NormFloat64())
			if i == 2 {
				arrays[i][j] *= arrays[i][j] // a mean of squares
			}
		}
	}
	for n := range size + 1 {
		params, first := slices.Clone(arrays[0][:n]), slices.Clone(arrays[1][:n])
		second, grad := slices.Clone(arrays[2][:n]), arrays[3][:n]
		moveAdam(params, first, second, grad, AdamStep{scale, rate, spread, adamEpsilon})
		var sums [32]float64
		for i := range n {
			d := float32(scale) * grad[i]
			m := float32(adamBeta1*arrays[1][i]) + float32((1-adamBeta1)*d)
			v := float32(adamBeta2*arrays[2][i]) + float32((1-adamBeta2)*float32(d*d))
			p := arrays[0][i] - float32(float32(rate)*m/(float32(float32(math.Sqrt(float64(v)))*float32(spread))+1e-5))
			if params[i] != p || first[i] != m || second[i] != v {
				t.Fatalf("value %d of %d: %g, %g, %g; want %g, %g, %g", i, n, params[i], first[i], second[i], p, m, v)
			}
			sums[i%32] += float64(grad[i]) * float64(grad[i])
		}
		for half := 16; half > 0; half /= 2 {
			for k := range half {
				sums[k] += sums[k+half]
			}
		}
		if got, want := Squares(grad), sums[0]; got != want {
			t.Fatalf("the squares of %d values are %g, want %g", n, got, want)
		}
	}
}

// The tree is that of its definition, in halves of a power of two, and groups of rows may be summed apart.
func TestDeterminismOfSumTree(t *testing.T) {
	const size, columns = 37, 35
	s := NewStream()
	s.Key(3, 0, 0, 0)
	all := make([]float32, 64*size)
	for i := range all {
		all[i] = float32(s.NormFloat64())
	}
	var sum func(from, n, span, c int) float32
	sum = func(from, n, span, c int) float32 {
		switch {
		case span == 1:
			return all[from*size+c]
		case n <= span/2:
			return sum(from, n, span/2, c)
		}
		return sum(from, span/2, span/2, c) + sum(from+span/2, n-span/2, span/2, c)
	}
	for n := 1; n <= 64; n++ {
		want := make([]float32, columns)
		for c := range want {
			want[c] = sum(0, n, 64, c)
		}
		for group := 1; group <= 8; group *= 2 {
			rows := slices.Clone(all)
			for at := 0; at < n; at += group {
				SumTree(rows[at*size:], size, min(group, n-at), columns)
			}
			SumTree(rows, group*size, (n+group-1)/group, columns)
			if !slices.Equal(rows[:columns], want) {
				t.Fatalf("%d rows in groups of %d: sums %g, want %g", n, group, rows[:columns], want)
			}
		}
	}
}

func TestAddRowsGoesInOrder(t *testing.T) {
	// 1e8 + 1 - 1e8 is 0 in float32, 1e8 - 1e8 + 1 is 1.
	sum := []float32{0, 0}
	AddRows(sum, []float32{1e8, 1e8, 1, -1e8, -1e8, 1})
	if sum[0] != 0 || sum[1] != 1 {
		t.Errorf("sums %g, want [0 1]", sum)
	}
}
