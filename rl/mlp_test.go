package rl

import (
	"math"
	"testing"
)

func TestOrthogonal(t *testing.T) {
	for _, c := range []struct{ rows, columns int }{{3, 3}, {17, 64}, {64, 6}, {1, 5}, {5, 1}, {64, 64}} {
		w := make([]float32, c.rows*c.columns)
		s := newStream()
		s.key(5, drawWeights, 0, 0)
		orthogonal(w, c.rows, c.columns, 0.5, s)
		at := func(i, k int) float64 { // entry k of vector i, the shorter side's
			if c.columns < c.rows {
				return float64(w[k*c.columns+i])
			}
			return float64(w[i*c.columns+k])
		}
		for i := range min(c.rows, c.columns) {
			for j := range i + 1 {
				product, want := 0.0, 0.0
				for k := range max(c.rows, c.columns) {
					product += at(i, k) * at(j, k)
				}
				if i == j {
					want = 0.25
				}
				if math.Abs(product-want) > 1e-6 {
					t.Errorf("%d×%d: product of vectors %d and %d is %g, want %g", c.rows, c.columns, i, j, product, want)
				}
			}
		}
	}
}

// reference computes one sample through a network in double precision.
func (n mlp) reference(params []float64, x []float64) []float64 {
	for l := range n.layers() {
		in, out := n.sizes[l], n.sizes[l+1]
		y := make([]float64, out)
		for o := range y {
			y[o] = params[in*out+o]
			for i, v := range x {
				y[o] += v * params[i*out+o]
			}
			if l == n.layers()-1 {
				continue
			}
			switch n.activation {
			case Tanh:
				y[o] = math.Tanh(y[o])
			case ELU:
				if y[o] < 0 {
					y[o] = math.Expm1(y[o])
				}
			case ReLU:
				y[o] = max(0, y[o])
			}
		}
		x, params = y, params[(in+1)*out:]
	}
	return x
}

func TestForward(t *testing.T) {
	const rows = 5
	for _, hidden := range [][]int{nil, {7}, {33, 12, 4}} {
		n := newMLP(6, hidden, 3, Tanh)
		params := make([]float32, n.parameters())
		n.initialise(params, 1, 1, 0)
		s := newStream()
		s.key(2, 0, 0, 0)
		wide := make([]float64, len(params))
		for i := range params {
			params[i] += float32(0.1 * s.NormFloat64()) // biases are zero otherwise
			wide[i] = float64(params[i])
		}
		a := n.newActivations(rows, false)
		for i := range a.input() {
			a.input()[i] = float32(s.NormFloat64())
		}
		n.forward(params, a, rows)
		for r := range rows {
			x := make([]float64, 6)
			for i := range x {
				x[i] = float64(a.input()[r*6+i])
			}
			for o, want := range n.reference(wide, x) {
				if got := float64(a.output()[r*3+o]); math.Abs(got-want) > 2e-6 {
					t.Errorf("hidden %d, row %d, output %d: %g, want %g", hidden, r, o, got, want)
				}
			}
		}
	}
}
