package gymnasium

import (
	"math"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// Gymnasium's own controllers earn the same on both: the means of the returns differ by less than 3 % of what counts
// as solved. Episode for episode both begin over the same ground with the same push, and the lander's engines shake
// alike, so the differences are paired.
//
// Box2D 2.4 and 2.3 part ways at contacts and at the joints' limits, so single episodes differ, and the walker gets
// further on 2.4: for the walker the test is that the difference is the one that was measured. For the others it is
// two one-sided t-tests at 5 % each (Schuirmann, 1987); with few episodes it could hardly ever pass, so it then only
// looks for a difference of more than five standard errors, which chance does not make on a processor that rounds
// differently. POLYTEST_CASES=500 and more asks for the test of equivalence; docs/evidence/parity.md has its figures.
func TestReturnsAreGymnasiumsLong(t *testing.T) {
	polytest.OnlySlow(t)
	const few = 40
	for _, variant := range []struct {
		name, task, arguments string
		solved                float64 // Gymnasium's reward threshold
		newer, error          float64 // what the newer Box2D adds to the mean return, and its standard error
	}{
		{"LunarLander-v3", "LunarLander-v3", `{}`, 200, 0, 0},
		{"LunarLander-v3, continuous", "LunarLander-v3", `{"continuous": true}`, 200, 0, 0},
		{"LunarLander-v3, wind", "LunarLander-v3", `{"enable_wind": true}`, 200, 0, 0},
		{"BipedalWalker-v3", "BipedalWalker-v3", `{}`, 300, 15.1, 3.4},
		{"BipedalWalkerHardcore-v3", "BipedalWalkerHardcore-v3", `{}`, 300, 0, 0},
	} {
		t.Run(variant.name, func(t *testing.T) {
			n, asked := polytest.Cases(t, few/4, few/4, few)
			var theirs []box2dEpisode
			gymnasiumEpisodes(t, variant.task, variant.arguments, n, "heuristic", "returns", func(_ int, e *box2dEpisode) {
				theirs = append(theirs, *e)
			})
			task, m, controller := carried(t, variant.task, variant.arguments, theirs)
			ours := play(t, m, task, n, controller)
			a, b, d := make([]float64, n), make([]float64, n), make([]float64, n)
			lengths, ended := [2]float64{}, [2]int{}
			for i := range n {
				a[i], b[i] = ours[i].Return, float64(theirs[i].Return)
				d[i] = a[i] - b[i]
				lengths[0] += float64(ours[i].Steps) / float64(n)
				lengths[1] += float64(theirs[i].Length) / float64(n)
				if ours[i].Terminated {
					ended[0]++
				}
				if theirs[i].Terminated {
					ended[1]++
				}
			}
			meanA, sdA := moments(a)
			meanB, sdB := moments(b)
			mean, sd := moments(d)
			se := sd / math.Sqrt(float64(n))
			margin := 0.03 * variant.solved
			reach := margin/se - oneSided
			power := max(0, 2*normal(reach)-1)
			t.Logf("n %d: ours %.1f ± %.1f, theirs %.1f ± %.1f; length %.0f and %.0f, terminated %d and %d",
				n, meanA, sdA, meanB, sdB, lengths[0], lengths[1], ended[0], ended[1])
			t.Logf("difference %+.2f, standard error %.2f, margin %.0f, power %.2f, 90 %% interval %+.2f to %+.2f",
				mean, se, margin, power, mean-oneSided*se, mean+oneSided*se)
			if !asked || variant.newer != 0 {
				if math.Abs(mean-variant.newer) > farOff*math.Hypot(se, variant.error) {
					t.Errorf("the returns differ by %.1f on average, want %.1f; the standard errors are %.1f and %.1f",
						mean, variant.newer, se, variant.error)
				}
				return
			}
			if math.Abs(mean)+oneSided*se >= margin {
				t.Errorf("the mean returns are not shown to be within %.1f of each other: "+
					"they differ by %.2f with a standard error of %.2f", margin, mean, se)
			}
		})
	}
}

// farOff is how many standard errors apart two means are not by chance.
const farOff = 5

// oneSided is the 95 % quantile of the normal distribution.
const oneSided = 1.645

// normal is its distribution function.
func normal(x float64) float64 { return 0.5 * math.Erfc(-x/math.Sqrt2) }

func moments(x []float64) (mean, sd float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		sd += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(sd / float64(len(x)-1))
}

// walkerController begins with no action, as Gymnasium's demonstration does.
func walkerController() func(action, observation []float32) {
	heuristic, first := newWalkerHeuristic(), true
	return func(action, observation []float32) {
		if first {
			first = false
			clear(action)
			return
		}
		heuristic.act(action, observation)
	}
}
