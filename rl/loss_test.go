package rl

import (
	"math"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/rl/nn"
)

// The kernel of the value network's loss does what the same loop in Go does, to the bit.
func TestDeterminismOfValueLoss(t *testing.T) {
	const size, clip, weight = 67, 0.2, 0.7
	s := nn.NewStream()
	s.Key(4, 0, 0, 0)
	arrays := make([][]float32, 3) // values, and by sample: old values, targets
	for i := range arrays {
		arrays[i] = make([]float32, size)
		for j := range arrays[i] {
			arrays[i][j] = float32(0.3 * s.NormFloat64())
		}
	}
	var samples []int32
	for range size {
		samples = append(samples, s.Int32N(size))
	}
	for n := range size + 1 {
		delta, held, want := make([]float32, n), 0, 0.0
		got := valueLoss(delta, arrays[0], arrays[1], arrays[2], samples[:n], clip, weight, size)
		for i, sample := range samples[:n] {
			v, old, target := float64(arrays[0][i]), float64(arrays[1][sample]), float64(arrays[2][sample])
			e, slope := v-target, v-target
			if moved := v - old; math.Abs(moved) > clip {
				if there := old + math.Copysign(clip, moved) - target; math.Abs(there) > math.Abs(e) {
					e, slope = there, 0
					held++
				}
			}
			want += 0.5 * float64(e*e)
			if d := float32(float64(weight*slope) / size); delta[i] != d {
				t.Fatalf("slope %d of %d is %g, want %g", i, n, delta[i], d)
			}
		}
		if got != want || n == size && (held == 0 || held == n) {
			t.Fatalf("the loss of %d values, %d of them held, is %g, want %g", n, held, got, want)
		}
	}
}
