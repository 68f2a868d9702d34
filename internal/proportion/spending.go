package proportion

import (
	"math"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/stat/distuv"
)

// Spend returns the one-sided level of the test at each look, so that all looks together reject what is true with
// probability alpha. looks has the number of trials at each look, rising; the last is where the test ends at the
// latest. The function that says how much of alpha is spent up to a look is that of Lan and DeMets (1983) for
// boundaries like those of O'Brien and Fleming, with t the part of the last look's trials,
//
//	spent(t) = 2·(1 - Φ(z/√t)),  z = Φ⁻¹(1 - alpha/2)
//
// which leaves nearly all of it for the last looks. A level solves
//
//	P(no test before rejects, and this one does) = spent(t) - spent(t before)
//
// for sums of normal variables, whose density between looks is integrated numerically, look by look (Armitage,
// McPherson and Rowe 1969; Jennison and Turnbull 2000, chapter 19). The z of a level has an error below 1e-9. The
// levels hold, as the tests at the looks do, for statistics that are nearly normal; alpha is at most ½. A look that
// comes so early that its level is no number above 0 has level 0.
func Spend(looks []int, alpha float64) []float64 {
	levels := make([]float64, len(looks))
	var before density
	spent, last := 0.0, 0.0
	for k, look := range looks {
		t := float64(look) / float64(looks[len(looks)-1])
		now := 2 * tail(quantile(alpha/2)/math.Sqrt(t))
		step := math.Sqrt(t - last)
		bound := bisect(-40*math.Sqrt(t), 40*math.Sqrt(t), func(x float64) bool {
			return before.exceeding(x, step) <= now-spent
		})
		levels[k] = tail(bound / math.Sqrt(t))
		if k+1 < len(looks) && levels[k] > 0 {
			following := math.Sqrt(float64(looks[k+1])/float64(looks[len(looks)-1]) - t)
			before, spent, last = before.next(bound, step, -9*math.Sqrt(t), min(step, following)), now, t
		}
	}
	return levels
}

// tail returns the probability that a standard normal variable exceeds z.
func tail(z float64) float64 { return math.Erfc(z/math.Sqrt2) / 2 }

// density is that of a sum at a look, of the runs that no test up to there has rejected: mass at points, by the weights
// of a quadrature. Empty is the start, where the sum is 0.
type density struct{ at, mass []float64 }

// exceeding returns the probability that the sum is above x when a normal variable with this deviation was added.
func (d density) exceeding(x, deviation float64) (p float64) {
	if d.at == nil {
		return tail(x / deviation)
	}
	for i, at := range d.at {
		p += d.mass[i] * tail((x-at)/deviation)
	}
	return p
}

// next returns the density of what is below the bound when a normal variable with deviation step was added. What is
// below low is left out. finest is the smallest deviation that the points have to follow.
func (d density) next(bound, step, low, finest float64) density {
	if bound <= low {
		return density{at: []float64{}}
	}
	n := 64 + int(3*(bound-low)/finest)
	to := density{make([]float64, n), make([]float64, n)}
	quad.Legendre{}.FixedLocations(to.at, to.mass, low, bound)
	for i, x := range to.at {
		p := 0.0
		if d.at == nil {
			p = distuv.UnitNormal.Prob(x/step) / step
		}
		for j, at := range d.at {
			p += d.mass[j] * distuv.UnitNormal.Prob((x-at)/step) / step
		}
		to.mass[i] *= p
	}
	return to
}
