package nn_test

import (
	"math"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/policy"
	"github.com/polyrhythm-rl/polyrhythm/rl/internal/nntest"
	"github.com/polyrhythm-rl/polyrhythm/rl/nn"
)

func TestForward(t *testing.T) {
	const rows = 5
	for _, hidden := range [][]int{nil, {7}, {33, 12, 4}} {
		n := nn.NewMLP(6, hidden, 3, policy.Tanh)
		params := make([]float32, n.Parameters())
		n.Initialise(params, 1, 1, 0)
		s := nn.NewStream()
		s.Key(2, 0, 0, 0)
		wide := make([]float64, len(params))
		for i := range params {
			params[i] += float32(0.1 * s.NormFloat64()) // biases are zero otherwise
			wide[i] = float64(params[i])
		}
		a := n.NewActivations(rows, false)
		for i := range a.Input() {
			a.Input()[i] = float32(s.NormFloat64())
		}
		n.Forward(params, a, rows)
		for r := range rows {
			x := make([]float64, 6)
			for i := range x {
				x[i] = float64(a.Input()[r*6+i])
			}
			for o, want := range nntest.MLP(n, wide, x) {
				if got := float64(a.Output()[r*3+o]); math.Abs(got-want) > 2e-6 {
					t.Errorf("hidden %d, row %d, output %d: %g, want %g", hidden, r, o, got, want)
				}
			}
		}
	}
}
