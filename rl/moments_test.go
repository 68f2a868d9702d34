package rl

import (
	"math"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// Merged running moments agree with two passes over all vectors, far from zero too.
func TestMomentsAgainstTwoPasses(t *testing.T) {
	const size = 4
	s := newStream()
	s.key(1, 0, 0, 0)
	all, columns := newMoments(size), make([][]float64, size)
	for _, count := range []int{1, 0, 2, 100, 17} {
		part := newMoments(size)
		for range count {
			x := []float64{s.NormFloat64(), 1e6 + s.NormFloat64(), 7, 1e-3 * s.NormFloat64()}
			part.add(x)
			for i, v := range x {
				columns[i] = append(columns[i], v)
			}
		}
		all.merge(part)
	}
	z := newStandardiser(size)
	z.set(all, nil)
	for i, column := range columns {
		mean, variance := twoPass(column)
		if math.Abs(all.mean[i]-mean) > 1e-12*(1+math.Abs(mean)) {
			t.Errorf("value %d: mean %g, want %g", i, all.mean[i], mean)
		}
		if got, want := z.scale[i], 1/math.Sqrt(variance+1e-8); math.Abs(got/want-1) > 1e-6 {
			t.Errorf("value %d: scale %g, want %g", i, got, want)
		}
	}
	polytest.Equal(t, all.count, 120, "vectors")
}

func TestStandardiserClipsAndFindsWhatIsNotFinite(t *testing.T) {
	z := newStandardiser(3)
	z.mean[0], z.scale[0] = 5, 2
	dst := make([]float32, 3)
	if bad := z.apply(dst, []float64{6, -50, 11}); bad != -1 || dst[0] != 2 || dst[1] != -10 || dst[2] != 10 {
		t.Errorf("standardised to %g, bad value %d; want [2 -10 10], -1", dst, bad)
	}
	polytest.Equal(t, z.apply(dst, []float64{0, math.Inf(-1), math.NaN()}), 1, "first bad value")
}

// The standard normal draws of neighbouring keys are independent enough to have the right moments and no correlation.
func TestKeyedDrawsAreIndependent(t *testing.T) {
	s := newStream()
	var draws []float64
	for world := range int64(100) {
		for step := range int64(200) {
			s.key(1, drawAction, world, step)
			draws = append(draws, s.NormFloat64())
		}
	}
	mean, variance := twoPass(draws)
	if math.Abs(mean) > 0.03 || math.Abs(variance-1) > 0.04 {
		t.Errorf("mean %g, variance %g, want about 0 and 1", mean, variance)
	}
	for _, lag := range []int{1, 200} {
		product := 0.0
		for i := range draws[lag:] {
			product += draws[i] * draws[i+lag] / float64(len(draws))
		}
		if math.Abs(product) > 0.03 {
			t.Errorf("correlation %g with the draw %d further, want about 0", product, lag)
		}
	}
}
