package nn

import (
	"slices"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/policy"
)

// The end of an array, which does not fill a vector, is computed like the rest.
func TestDeterminismOfGRUOverLength(t *testing.T) {
	const size, rows = 37, 3
	s := NewStream()
	s.Key(3, 0, 0, 0)
	draw := func(n int) []float32 {
		v := make([]float32, n)
		for i := range v {
			v[i] = float32(2 * s.NormFloat64())
		}
		return v
	}
	sigmoid := func(x float32) float32 { return 0.5 + float32(0.5*activated(policy.Tanh, 0.5*x)) }
	for n := 1; n <= size; n++ {
		sums, recurrent, previous, bias, delta := draw(3*n*rows), draw(3*n*rows), draw(n*rows), draw(4*n), draw(n*rows)
		state, kept, gates := make([]float32, n*rows), make([]float32, n*rows), slices.Clone(sums)
		gruForward(state, gates, kept, recurrent, previous, bias, n)
		byInput, byRecurrent, passed := make([]float32, 3*n*rows), make([]float32, 3*n*rows), slices.Clone(delta)
		gruSlope(passed, byInput, byRecurrent, gates, kept, previous, n)
		for at := range state {
			row, i := at/n*3*n, at%n
			r := sigmoid(sums[row+i] + recurrent[row+i] + bias[i])
			z := sigmoid(sums[row+n+i] + recurrent[row+n+i] + bias[n+i])
			k := recurrent[row+2*n+i] + bias[3*n+i]
			c := activated(policy.Tanh, sums[row+2*n+i]+bias[2*n+i]+float32(r*k))
			if h := c + float32(z*(previous[at]-c)); state[at] != h || gates[row+i] != r || gates[row+n+i] != z ||
				gates[row+2*n+i] != c || kept[at] != k {
				t.Fatalf("unit %d of %d in row %d: state %g, want %g", i, n, at/n, state[at], h)
			}
			byC := float32(delta[at]*(1-z)) * (1 - float32(c*c))
			byZ := float32(delta[at]*(previous[at]-c)) * float32(z*(1-z))
			byR := float32(byC*k) * float32(r*(1-r))
			for j, want := range []float32{byR, byZ, byC} {
				if byInput[row+j*n+i] != want {
					t.Fatalf("unit %d of %d: derivative %d by the input %g, want %g", i, n, j, byInput[row+j*n+i], want)
				}
				if j == 2 {
					want *= r
				}
				if byRecurrent[row+j*n+i] != want {
					t.Fatalf("unit %d of %d: derivative %d by the recurrent sum %g, want %g", i, n, j, byRecurrent[row+j*n+i], want)
				}
			}
			if want := delta[at] * z; passed[at] != want {
				t.Fatalf("unit %d of %d: %g passes, want %g", i, n, passed[at], want)
			}
		}
	}
}
