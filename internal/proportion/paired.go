package proportion

import (
	"math"
	"math/big"
)

// Pair is what became of one trial, the same for both policies: whether each succeeded.
type Pair struct{ Reference, Candidate bool }

// Paired counts pairs: in how many both policies succeeded, one alone, or neither.
type Paired struct{ Both, OnlyReference, OnlyCandidate, Neither int }

// Count returns the table of pairs.
func Count(pairs []Pair) (p Paired) {
	for _, pair := range pairs {
		switch pair {
		case Pair{true, true}:
			p.Both++
		case Pair{true, false}:
			p.OnlyReference++
		case Pair{false, true}:
			p.OnlyCandidate++
		default:
			p.Neither++
		}
	}
	return p
}

// Pairs returns the number of pairs.
func (p Paired) Pairs() int { return p.Both + p.OnlyReference + p.OnlyCandidate + p.Neither }

// Difference returns the candidate's rate less the reference's, (OnlyCandidate - OnlyReference)/Pairs: negative for a
// loss; NaN without pairs.
func (p Paired) Difference() float64 {
	return float64(p.OnlyCandidate-p.OnlyReference) / float64(p.Pairs())
}

// Tango returns the score interval of the difference of the rates (Tango 1998, Equivalence test and confidence interval
// for the difference in proportions for the paired-sample design): the differences d, candidate less reference, that a
// two-sided score test of level alpha does not reject,
//
//	|OnlyCandidate - OnlyReference - n·d| ≤ z·√(n·(2q + d·(1-d))),  z = Φ⁻¹(1 - alpha/2)
//
// n is the number of pairs and q the likeliest probability, given d, that the reference succeeds alone:
//
//	q = (√(B² - 4AC) - B) / 2A,  A = 2n,  B = (2n - OnlyCandidate + OnlyReference)·d - OnlyCandidate - OnlyReference,
//	C = -OnlyReference·d·(1-d)
//
// It covers the true difference with a probability near 1 - alpha, also in tables with cells that are 0. Its bounds lie
// in [-1, 1], have an error below 1e-12, and the difference in the table lies between them. Without pairs it is all of
// [-1, 1].
func (p Paired) Tango(alpha float64) Interval {
	z := quantile(alpha / 2)
	gains, losses, n := float64(p.OnlyCandidate), float64(p.OnlyReference), float64(p.Pairs())
	return Interval{-tangoHigh(losses, gains, n, z), tangoHigh(gains, losses, n, z)}
}

// tangoHigh returns the largest difference that the test does not reject. The function whose zero is sought is above 0
// at the difference in the table, or is 0 there, and is at most 0 at 1.
func tangoHigh(gains, losses, n, z float64) float64 {
	if n == 0 {
		return 1
	}
	return bisect((gains-losses)/n, 1, func(d float64) bool {
		return gains-losses-n*d+z*deviation(gains, losses, n, d) < 0
	})
}

// deviation returns the standard deviation of gains - losses where the true difference of the rates is d, at the
// likeliest probabilities that have it. Counts may be fractions, as those of n = 1 are probabilities.
func deviation(gains, losses, n, d float64) float64 {
	if d < 0 { // so that d·(1-d) is not negative, and the root cancels nothing
		gains, losses, d = losses, gains, -d
	}
	a, b, c := 2*n, (2*n-gains+losses)*d-gains-losses, -losses*d*(1-d)
	root := math.Sqrt(b*b - 4*a*c)
	q := (root - b) / (2 * a)
	if b > 0 {
		q = -2 * c / (root + b)
	}
	return math.Sqrt(n * (2*q + d*(1-d)))
}

// McNemar returns the two-sided p-value of the exact test that both policies succeed equally often (McNemar 1947): of
// the m pairs in which one alone succeeded, each policy has half in the mean,
//
//	min(1, 2·P(X ≤ min(OnlyReference, OnlyCandidate))),  X ~ Binomial(m, ½)
//
// It is exact for any numbers, and rounded once. Without such pairs it is 1.
func (p Paired) McNemar() float64 {
	m, least := int64(p.OnlyReference+p.OnlyCandidate), int64(min(p.OnlyReference, p.OnlyCandidate))
	ways, sum := big.NewInt(1), big.NewInt(1)
	for k := int64(1); k <= least; k++ {
		ways.Mul(ways, big.NewInt(m-k+1)).Quo(ways, big.NewInt(k))
		sum.Add(sum, ways)
	}
	tail, _ := new(big.Float).SetMantExp(new(big.Float).SetInt(sum), 1-int(m)).Float64()
	return min(1, tail)
}
