package nn

import (
	"math"
	"testing"
)

func TestOrthogonal(t *testing.T) {
	for _, c := range []struct{ rows, columns int }{{3, 3}, {17, 64}, {64, 6}, {1, 5}, {5, 1}, {64, 64}} {
		w := make([]float32, c.rows*c.columns)
		s := NewStream()
		s.Key(5, drawWeights, 0, 0)
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
