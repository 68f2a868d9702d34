package nn_test

import (
	"math"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/policy"
	"github.com/polyrhythm-rl/polyrhythm/rl/internal/nntest"
	"github.com/polyrhythm-rl/polyrhythm/rl/nn"
)

// Merged running moments agree with two passes over all vectors, far from zero too.
func TestMomentsAgainstTwoPasses(t *testing.T) {
	const size = 4
	s := nn.NewStream()
	s.Key(1, 0, 0, 0)
	all, columns := nn.NewMoments(size), make([][]float64, size)
	for _, count := range []int{1, 0, 2, 100, 17} {
		part := nn.NewMoments(size)
		for range count {
			x := []float64{s.NormFloat64(), 1e6 + s.NormFloat64(), 7, 1e-3 * s.NormFloat64()}
			part.Add(x)
			for i, v := range x {
				columns[i] = append(columns[i], v)
			}
		}
		all.Merge(part)
	}
	z := nn.NewStandardiser(size)
	z.Set(all, nil)
	for i, column := range columns {
		mean, variance := nntest.TwoPass(column)
		if math.Abs(all.Mean[i]-mean) > 1e-12*(1+math.Abs(mean)) {
			t.Errorf("value %d: mean %g, want %g", i, all.Mean[i], mean)
		}
		if got, want := z.Scale[i], 1/math.Sqrt(variance+1e-8); math.Abs(got/want-1) > 1e-6 {
			t.Errorf("value %d: scale %g, want %g", i, got, want)
		}
	}
	polytest.Equal(t, all.Count, 120, "vectors")
}

func TestStandardiserClipsAndFindsWhatIsNotFinite(t *testing.T) {
	z := nn.NewStandardiser(3)
	z.Mean[0], z.Scale[0] = 5, 2
	dst := make([]float32, 3)
	if bad := z.Apply(dst, []float64{6, -50, 11}); bad != -1 || dst[0] != 2 || dst[1] != -10 || dst[2] != 10 {
		t.Errorf("standardised to %g, bad value %d; want [2 -10 10], -1", dst, bad)
	}
	polytest.Equal(t, z.Apply(dst, []float64{0, math.Inf(-1), math.NaN()}), 1, "first bad value")
}

// The standard normal draws of neighbouring keys are independent enough to have the right moments and no correlation.
func TestKeyedDrawsAreIndependent(t *testing.T) {
	s := nn.NewStream()
	var draws []float64
	for world := range int64(100) {
		for step := range int64(200) {
			s.Key(1, nn.DrawAction, world, step)
			draws = append(draws, s.NormFloat64())
		}
	}
	mean, variance := nntest.TwoPass(draws)
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

// A channel of a picture has the moments of all its pixels, however they were gathered; what is beside it has its own.
func TestMomentsOfPictures(t *testing.T) {
	const size = 9
	pictures := []policy.Picture{{First: 1, Height: 1, Width: 2, Channels: 2}, {First: 5, Height: 3, Width: 1, Channels: 1}}
	s := nn.NewStream()
	s.Key(1, 0, 0, 0)
	all := nn.NewMoments(nn.MomentsSize(size, pictures))
	of := []int{0, 1, 2, 1, 2, 3, 3, 3, 4} // moment of each value
	columns := make([][]float64, 5)
	for _, count := range []int{1, 0, 2, 50} {
		part := nn.NewMoments(5)
		for range count {
			x := make([]float64, size)
			for i := range x {
				x[i] = float64(of[i]) * (100 + s.NormFloat64())
				columns[of[i]] = append(columns[of[i]], x[i])
			}
			part.AddObserved(x, pictures)
		}
		all.Merge(part)
	}
	z := nn.NewStandardiser(size)
	z.Set(all, pictures)
	for i := range size {
		mean, variance := nntest.TwoPass(columns[of[i]])
		if want := 1 / math.Sqrt(variance+1e-8); math.Abs(z.Mean[i]-mean) > 1e-9 || math.Abs(z.Scale[i]/want-1) > 1e-6 {
			t.Errorf("value %d: mean %g and scale %g, want %g and %g", i, z.Mean[i], z.Scale[i], mean, want)
		}
	}
	polytest.Equal(t, all.Count, 53, "vectors")
}
