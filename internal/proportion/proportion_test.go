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

// anyTable draws tables of 1 to 400 pairs, of which many have cells that are 0.
func anyTable(t *rapid.T) proportion.Paired {
	cell := rapid.OneOf(rapid.Just(0), rapid.IntRange(0, 100))
	p := proportion.Paired{Both: cell.Draw(t, "both"), OnlyReference: cell.Draw(t, "losses"),
		OnlyCandidate: cell.Draw(t, "gains"), Neither: cell.Draw(t, "neither")}
	if p.Pairs() == 0 {
		p.Both = 1
	}
	return p
}

func anyAlpha(t *rapid.T) float64 { return rapid.Float64Range(1e-12, 0.999).Draw(t, "alpha") }

func TestTangoProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, alpha := anyTable(t), anyAlpha(t)
		got := p.Tango(alpha)
		if d := p.Difference(); !(-1 <= got.Low && got.Low <= d && d <= got.High && got.High <= 1) {
			t.Errorf("%v of %+v, want it in [-1, 1] and %v in it", got, p, d)
		}
		swapped := p
		swapped.OnlyReference, swapped.OnlyCandidate = p.OnlyCandidate, p.OnlyReference
		swapped.Both, swapped.Neither = p.Neither, p.Both
		mirrored := proportion.Interval{Low: -got.High, High: -got.Low}
		polytest.Equal(t, swapped.Tango(alpha), mirrored, "Tango of swapped %+v", p)
		polytest.Equal(t, swapped.McNemar(), p.McNemar(), "McNemar of swapped %+v", p)
		if wider := p.Tango(alpha / 2); wider.Low > got.Low || wider.High < got.High {
			t.Errorf("%v of %+v at half the alpha, want it around %v", wider, p, got)
		}
		if p.Neither > 0 {
			better := p
			better.Neither, better.OnlyCandidate = p.Neither-1, p.OnlyCandidate+1
			const rounding = 1e-14
			if more := better.Tango(alpha); more.Low < got.Low-rounding || more.High < got.High-rounding {
				t.Errorf("%v of %+v, want no bound below %v of %+v", more, better, got, p)
			}
		}
	})
}

func TestIntervalsOfARateProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		trials := rapid.IntRange(1, 3000).Draw(t, "trials")
		successes, alpha := rapid.IntRange(0, trials).Draw(t, "successes"), anyAlpha(t)
		for name, of := range map[string]func(int, int, float64) proportion.Interval{
			"Wilson": proportion.Wilson, "Sequence": proportion.Sequence} {
			got, rate := of(successes, trials, alpha), float64(successes)/float64(trials)
			const rounding = 1e-15
			if !(0 <= got.Low && got.Low <= rate+rounding && rate <= got.High+rounding && got.High <= 1) {
				t.Errorf("%s: %v of %d/%d, want it in [0, 1] and the rate in it", name, got, successes, trials)
			}
			failures := of(trials-successes, trials, alpha)
			near(t, failures.Low, 1-got.High, 1e-15, "%s of failures", name)
			near(t, failures.High, 1-got.Low, 1e-15, "%s of failures", name)
			if successes < trials {
				if more := of(successes+1, trials, alpha); more.Low < got.Low || more.High < got.High {
					t.Errorf("%s: %v of a success more than %d/%d, want no bound below %v", name, more, successes, trials, got)
				}
			}
		}
	})
}

// TestNothingKnown: without trials, pairs or a level, an interval excludes nothing.
func TestNothingKnown(t *testing.T) {
	polytest.Equal(t, proportion.Wilson(0, 0, 0.05), proportion.Interval{High: 1}, "Wilson")
	polytest.Equal(t, proportion.Sequence(0, 0, 0.05), proportion.Interval{High: 1}, "Sequence")
	all := proportion.Interval{Low: -1, High: 1}
	polytest.Equal(t, proportion.Paired{}.Tango(0.05), all, "Tango")
	polytest.Equal(t, proportion.Paired{Both: 3, OnlyReference: 5}.Tango(0), all, "Tango at 0")
	polytest.Equal(t, proportion.Paired{Both: 9}.McNemar(), 1, "McNemar without discordant pairs")
	polytest.Equal(t, len(proportion.Holm(nil)), 0, "Holm of nothing")
	polytest.Equal(t, len(proportion.Spend(nil, 0.05)), 0, "Spend without looks")
}

// TestHolmControlsItsError: of 20 hypotheses that are all true, with p-values that are uniform, one is rejected in no
// more runs than alpha.
func TestHolmControlsItsError(t *testing.T) {
	random, rejected, runs := rand.New(rand.NewPCG(1, 2)), 0, 10000
	for range runs {
		p := make([]float64, 20)
		for i := range p {
			p[i] = random.Float64()
		}
		for _, adjusted := range proportion.Holm(p) {
			if adjusted <= 0.05 {
				rejected++
				break
			}
		}
	}
	if most := 0.05*float64(runs) + 3*math.Sqrt(0.05*0.95*float64(runs)); float64(rejected) > most {
		t.Errorf("a true hypothesis was rejected in %d of %d runs, want at most %.0f", rejected, runs, most)
	}
}

// TestWilsonCovers sums the binomial distribution: on average over rates, 95 % of the intervals have the rate in them.
func TestWilsonCovers(t *testing.T) {
	for _, trials := range []int{10, 50, 500} {
		mean, least, rates := 0.0, 1.0, 199
		for i := 1; i <= rates; i++ {
			rate, covered := float64(i)/200, 0.0
			for successes := range trials + 1 {
				if in(proportion.Wilson(successes, trials, 0.05), rate) {
					covered += distuv.Binomial{N: float64(trials), P: rate}.Prob(float64(successes))
				}
			}
			mean, least = mean+covered/float64(rates), min(least, covered)
		}
		if math.Abs(mean-0.95) > 0.007 || least < 0.83 {
			t.Errorf("%d trials: %.4f of rates are covered, and %.4f of one, want 0.95 and least 0.83", trials, mean, least)
		}
	}
}

// TestSequenceCoversAtAllTimesLong follows the distribution of successes from trial to trial, of the runs in which each
// interval up to there has the rate in it.
func TestSequenceCoversAtAllTimesLong(t *testing.T) {
	trials, _ := polytest.Cases(t, 50, 100, 1000)
	for _, alpha := range []float64{0.05, 0.3} {
		intervals := make([][]proportion.Interval, trials+1)
		for n := range intervals {
			for s := range n + 1 {
				intervals[n] = append(intervals[n], proportion.Sequence(s, n, alpha))
			}
		}
		for _, rate := range []float64{0.01, 0.2, 0.5, 0.77, 0.999} {
			alive := []float64{1}
			for n := 1; n <= trials; n++ {
				next := make([]float64, n+1)
				for s, p := range alive {
					next[s] += p * (1 - rate)
					next[s+1] += p * rate
				}
				for s := range next {
					if !in(intervals[n][s], rate) {
						next[s] = 0
					}
				}
				alive = next
			}
			covered := sum(alive)
			if covered < 1-alpha {
				t.Errorf("%d intervals at %v have the rate %v in them in %.4f of runs, want at least %v", trials, alpha,
					rate, covered, 1-alpha)
			}
			if trials == 1000 && rate == 0.5 && covered > 1-alpha/4 {
				t.Errorf("%d intervals at %v have the rate %v in them in %.4f of runs: they are far too wide", trials, alpha,
					rate, covered)
			}
		}
	}
}

func in(i proportion.Interval, value float64) bool { return i.Low <= value && value <= i.High }

func sum(values []float64) (total float64) {
	for _, v := range values {
		total += v
	}
	return total
}
