package proportion_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/internal/proportion"
)

// usual is the gate of an exam that says nothing else.
var usual = proportion.Gate{Margin: 0.05, Alpha: 0.05, Looks: []int{50, 100, 200, 500}}

// TestSpendAgainstPublishedBoundaries compares with the printed boundaries of equal looks, one-sided 0.025.
func TestSpendAgainstPublishedBoundaries(t *testing.T) {
	for _, want := range [][]float64{
		{1.9600},
		{2.9626, 1.9686},
		{3.7103, 2.5114, 1.9930},
		{4.3326, 2.9631, 2.3590, 2.0141},
		{4.8769, 3.3569, 2.6803, 2.2898, 2.0310},
	} {
		looks := make([]int, len(want))
		for i := range looks {
			looks[i] = 30 * (i + 1)
		}
		for i, level := range proportion.Spend(looks, 0.025) {
			near(t, -distuv.UnitNormal.Quantile(level), want[i], 2e-4, "look %d of %d", i+1, len(want))
		}
	}
}

// TestSpendOfManyLooks: twenty looks leave less for the last than ten do, and no level is negative.
func TestSpendOfManyLooks(t *testing.T) {
	last := func(every int) float64 {
		var looks []int
		for n := every; n <= 200; n += every {
			looks = append(looks, n)
		}
		levels := proportion.Spend(looks, 0.05)
		for i, level := range levels {
			if !(0 <= level && level <= 0.05) || i > 0 && level < levels[i-1] {
				t.Errorf("level %v after %v at look %d", level, levels[max(0, i-1)], i)
			}
		}
		return levels[len(levels)-1]
	}
	if twenty, ten := last(10), last(20); !(0 < twenty && twenty < ten && ten < 0.05) {
		t.Errorf("last levels %v and %v, want them to rise to 0.05", twenty, ten)
	}
}

// TestDecisionsAreThoseOfTheIntervals: what a verdict says follows from the interval beside it.
func TestDecisionsAreThoseOfTheIntervals(t *testing.T) {
	seen := map[proportion.Decision]int{}
	rapid.Check(t, func(t *rapid.T) {
		gate := proportion.Gate{Margin: rapid.Float64Range(0.001, 0.5).Draw(t, "margin"),
			Alpha: rapid.Float64Range(0.001, 0.5).Draw(t, "alpha"), Looks: []int{20, 60}}
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		pairs := draw(random, 70, rapid.Float64Range(-0.5, 0.5).Draw(t, "loss"), 0.5)
		v := gate.Decide(pairs)
		want := proportion.Undecided
		if v.Loss.High < gate.Margin {
			want = proportion.Passes
		} else if v.Loss.Low > 0 {
			want = proportion.Fails
		}
		seen[want]++
		polytest.Equal(t, v.Decision, want, "decision with a loss in %v and a margin of %v", v.Loss, gate.Margin)
		polytest.Equal(t, v.Table, proportion.Count(pairs[:v.Table.Pairs()]), "table")
		loss := v.Table.Tango(2 * v.Level)
		polytest.Equal(t, v.Loss, proportion.Interval{Low: -loss.High, High: -loss.Low}, "loss")
		if n := v.Table.Pairs(); n != 60 {
			polytest.Equal(t, n, 20, "pairs at the look")
			if want == proportion.Undecided {
				t.Errorf("undecided after %d pairs", n)
			}
		}
		for _, n := range []int{20, 65} { // a verdict stays, whatever comes after it
			if early := gate.Decide(pairs[:n]); early.Decision != proportion.Undecided {
				polytest.Equal(t, early, v, "verdict after %d pairs", n)
			}
		}
	})
	if len(seen) != 3 {
		t.Errorf("saw the decisions %v only", seen)
	}
}

// TestVerdictsOfPlainPairs: equal policies that differ nowhere pass as soon as that many pairs can show it, and a
// candidate that always fails does not.
func TestVerdictsOfPlainPairs(t *testing.T) {
	same, worse := make([]proportion.Pair, 500), make([]proportion.Pair, 500)
	for i := range same {
		same[i], worse[i] = proportion.Pair{Reference: i%2 == 0, Candidate: i%2 == 0}, proportion.Pair{Reference: true}
	}
	for _, c := range []struct {
		pairs []proportion.Pair
		want  proportion.Decision
		at    int
	}{
		{nil, proportion.Undecided, 0},
		{same[:49], proportion.Undecided, 0},
		{same[:199], proportion.Undecided, 100}, // levels of early looks are near 0
		{same, proportion.Passes, 200},
		{worse, proportion.Fails, 50},
	} {
		v := usual.Decide(c.pairs)
		polytest.Equal(t, v.Decision, c.want, "decision after %d pairs", len(c.pairs))
		polytest.Equal(t, v.Table.Pairs(), c.at, "pairs at the look, of %d", len(c.pairs))
	}
}

// TestOutcomesAreSumsOverAllRuns asks the gate for its verdict on each sequence of pairs that there is.
func TestOutcomesAreSumsOverAllRuns(t *testing.T) {
	gate := proportion.Gate{Margin: 0.4, Alpha: 0.3, Looks: []int{3, 6}}
	loss, discordance := 0.2, 0.6
	var want proportion.Outcomes
	var visit func(pairs []proportion.Pair, p float64)
	visit = func(pairs []proportion.Pair, p float64) {
		if len(pairs) < 6 {
			visit(append(pairs, proportion.Pair{}), p*(1-discordance))
			visit(append(pairs, proportion.Pair{Reference: true}), p*(discordance+loss)/2)
			visit(append(pairs, proportion.Pair{Candidate: true}), p*(discordance-loss)/2)
			return
		}
		v := gate.Decide(pairs)
		want.Pairs += p * float64(v.Table.Pairs())
		switch v.Decision {
		case proportion.Passes:
			want.Passes += p
		case proportion.Fails:
			want.Fails += p
		}
	}
	visit(make([]proportion.Pair, 0, 6), 1)
	got := gate.Outcomes(loss, discordance)
	near(t, got.Passes, want.Passes, 1e-12, "passes")
	near(t, got.Fails, want.Fails, 1e-12, "fails")
	near(t, got.Pairs, want.Pairs, 1e-11, "pairs")
	if want.Passes < 0.01 || want.Fails < 0.01 || want.Pairs > 5.99 {
		t.Errorf("%+v: one of the cases is missing", want)
	}
}

// TestErrorsOfTheGateLong has the figures in the comment of [proportion.Gate].
func TestErrorsOfTheGateLong(t *testing.T) {
	margins, discordances := []float64{0.05}, []float64{0.05, 0.2, 1}
	if polytest.Slow(t) {
		margins, discordances = []float64{0.005, 0.01, 0.02, 0.05, 0.1, 0.2}, nil
		for d := 0.005; d < 1.001; d *= 1.2 {
			discordances = append(discordances, d)
		}
		discordances = append(discordances, 0.5, 1)
	}
	for _, margin := range margins {
		gate := usual
		gate.Margin = margin
		for _, d := range discordances {
			most := 0.052
			if d > 0.5 {
				most = 0.055
			}
			if p := gate.Outcomes(0, d).Fails; p > most {
				t.Errorf("an equal candidate fails with %.4f at margin %v and discordance %.3f, want %v", p, margin, d, most)
			}
			if d < margin {
				continue
			}
			if p := gate.Outcomes(margin, d).Passes; p > most {
				t.Errorf("a loss of %v passes with probability %.4f at discordance %.3f, want %v", margin, p, d, most)
			}
		}
	}
}

// TestGateOfSyntheticPairsLong simulates pairs: equal policies, a loss at the margin, and one above it.
func TestGateOfSyntheticPairsLong(t *testing.T) {
	runs, _ := polytest.Cases(t, 10, 20, 10000)
	for i, loss := range []float64{0, 0.05, 0.1} {
		random := rand.New(rand.NewPCG(58, uint64(i)))
		var count [3]int
		for range runs {
			count[usual.Decide(draw(random, 500, loss, 0.2)).Decision]++
		}
		exact := usual.Outcomes(loss, 0.2)
		for decision, want := range []float64{1 - exact.Passes - exact.Fails, exact.Passes, exact.Fails} {
			n := float64(runs)
			near(t, float64(count[decision])/n, want, 4*math.Sqrt(want*(1-want)/n)+1/n, "loss %v: decision %d", loss, decision)
		}
	}
}

// draw draws pairs in which one policy alone succeeds with probability discordance.
func draw(random *rand.Rand, n int, loss, discordance float64) []proportion.Pair {
	pairs := make([]proportion.Pair, n)
	for i := range pairs {
		switch u := random.Float64(); {
		case u < (discordance+loss)/2:
			pairs[i].Reference = true
		case u < discordance:
			pairs[i].Candidate = true
		case u < (1+discordance)/2:
			pairs[i] = proportion.Pair{Reference: true, Candidate: true}
		}
	}
	return pairs
}

// TestTangoCovers sums over all tables of 50 pairs: in nearly alpha of them the true loss is outside of the interval.
func TestTangoCovers(t *testing.T) {
	for _, loss := range []float64{-0.1, 0, 0.05, 0.2} {
		mean, most, n := 0.0, 0.0, 0
		for discordance := math.Abs(loss) + 0.05; discordance < 1; discordance += 0.15 {
			missed := missed(50, loss, discordance, 0.1)
			mean, most, n = mean+missed, max(most, missed), n+1
		}
		if mean /= float64(n); math.Abs(mean-0.1) > 0.012 || most > 0.125 {
			t.Errorf("a loss of %v is missed in %.4f of tables, at most %.4f, want 0.1 and 0.125", loss, mean, most)
		}
	}
}

// missed is the probability that the interval of so many pairs does not have the loss in it.
func missed(n int, loss, discordance, alpha float64) (p float64) {
	gain := distuv.Binomial{N: float64(n), P: (discordance - loss) / 2}
	for gains := range n + 1 {
		rest := distuv.Binomial{N: float64(n - gains), P: (discordance + loss) / 2 / (1 - (discordance-loss)/2)}
		for losses := range n - gains + 1 {
			table := proportion.Paired{OnlyReference: losses, OnlyCandidate: gains, Neither: n - gains - losses}
			if !in(table.Tango(alpha), -loss) {
				p += gain.Prob(float64(gains)) * rest.Prob(float64(losses))
			}
		}
	}
	return p
}

// TestPairsNeededHaveTheirPower asks gates of one look at so many pairs.
func TestPairsNeededHaveTheirPower(t *testing.T) {
	for _, c := range []struct{ loss, discordance, margin, bound float64 }{
		{0, 0.2, 0.05, 0.05}, {0.02, 0.1, 0.1, 0.1}, {-0.05, 0.15, 0.05, 0.05}, // to pass
		{0.1, 0.2, 0.001, 0}, {0.1, 0.3, 0.001, 0}, {0.05, 0.15, 0.001, 0}, // to fail
	} {
		for _, power := range []float64{0.8, 0.9} {
			n := int(proportion.PairsNeeded(c.loss, c.discordance, c.bound, 0.05, power))
			got := proportion.Gate{Margin: c.margin, Alpha: 0.05, Looks: []int{n}}.Outcomes(c.loss, c.discordance)
			if c.bound > 0 {
				near(t, got.Passes, power, 0.025, "%+v passes with %d pairs", c, n)
			} else {
				near(t, got.Fails, power, 0.025, "%+v fails with %d pairs", c, n)
			}
		}
	}
	if n := proportion.PairsNeeded(0.1, 0.2, 0.1, 0.05, 0.9); !math.IsInf(n, 1) {
		t.Errorf("%v pairs tell a loss from itself", n)
	}
}
