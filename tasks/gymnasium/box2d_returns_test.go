package gymnasium

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
)

// Gymnasium's own controllers earn the same on both: the means of the returns
// differ by less than 3 % of what counts as solved. Episode for episode both begin
// over the same ground with the same push, and the lander's engines shake alike, so
// the differences are paired.
//
// Box2D 2.4 and 2.3 part ways at contacts and at the joints' limits, so single
// episodes differ, and the walker gets further on 2.4. How much further is known from
// testdata/box2d_versions.cpp, which has nothing of ours; for the walker the test is
// that the difference is that one, and TestWalkerReturnsAreBox2Ds compares with the
// same Box2D. For the others it is two one-sided t-tests at 5 % each (Schuirmann, 1987);
// with few episodes it could hardly ever pass, so it then only looks for a
// difference of more than five standard errors, which chance does not make on a
// processor that rounds differently. POLYTEST_BOX2D_EPISODES=500 and more asks
// for the test of equivalence; docs/parity.md has its figures.
func TestReturnsAreGymnasiums(t *testing.T) {
	const few = 40
	for _, variant := range []struct {
		name, task, arguments string
		solved                float64 // Gymnasium's reward threshold
		version, error        float64 // what the newer Box2D adds to the mean return, and its standard error
		play                  func(t *testing.T, starts []box2dEpisode) outcomes
	}{
		{"LunarLander-v3", "LunarLander-v3", `{}`, 200, 0, 0, func(t *testing.T, starts []box2dEpisode) outcomes {
			return playLander(t, DefaultLunarLanderOptions(), starts)
		}},
		{"LunarLander-v3, continuous", "LunarLander-v3", `{"continuous": true}`, 200, 0, 0, func(t *testing.T, starts []box2dEpisode) outcomes {
			opt := DefaultLunarLanderOptions()
			opt.Continuous = true
			return playLander(t, opt, starts)
		}},
		{"LunarLander-v3, wind", "LunarLander-v3", `{"enable_wind": true}`, 200, 0, 0, func(t *testing.T, starts []box2dEpisode) outcomes {
			opt := DefaultLunarLanderOptions()
			opt.EnableWind = true
			return playLander(t, opt, starts)
		}},
		{"BipedalWalker-v3", "BipedalWalker-v3", `{}`, 300, 11.4, 2.3, func(t *testing.T, starts []box2dEpisode) outcomes {
			return playWalker(t, BipedalWalkerOptions{}, starts)
		}},
		{"BipedalWalkerHardcore-v3", "BipedalWalkerHardcore-v3", `{}`, 300, 0, 0, func(t *testing.T, starts []box2dEpisode) outcomes {
			return playWalker(t, BipedalWalkerOptions{Hardcore: true}, starts)
		}},
	} {
		t.Run(variant.name, func(t *testing.T) {
			n, asked := episodesFor(t, few)
			var theirs []box2dEpisode
			gymnasiumEpisodes(t, variant.task, variant.arguments, n, "heuristic", "returns", func(_ int, e *box2dEpisode) {
				theirs = append(theirs, *e)
			})
			ours := variant.play(t, theirs)
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
			if !asked || variant.version != 0 {
				if math.Abs(mean-variant.version) > farOff*math.Hypot(se, variant.error) {
					t.Errorf("the returns differ by %.1f on average, want %.1f; the standard errors are %.1f and %.1f",
						mean, variant.version, se, variant.error)
				}
				return
			}
			if math.Abs(mean)+oneSided*se >= margin {
				t.Errorf("the mean returns are not shown to be within %.1f of each other: they differ by %.2f with a standard error of %.2f", margin, mean, se)
			}
		})
	}
}

// On the same Box2D, a plain program that has the walker and its controller earns
// the same as our worlds, over ground of the same distribution.
func TestWalkerReturnsAreBox2Ds(t *testing.T) {
	const few = 100
	n, asked := episodesFor(t, few)
	program := filepath.Join(t.TempDir(), "walker")
	build := exec.Command(cmp.Or(os.Getenv("CXX"), "g++"), "-O2", "-o", program, "testdata/box2d_versions.cpp", "-lbox2d")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	out, err := exec.Command(program, strconv.Itoa(n)).Output()
	if err != nil {
		t.Fatal(err)
	}
	var plain, plainSD, plainSE float64
	var episodes int
	if _, err := fmt.Sscanf(string(out), "%d episodes: return %f, deviation %f, standard error %f,", &episodes, &plain, &plainSD, &plainSE); err != nil || episodes != n {
		t.Fatalf("the program says %q: %v", out, err)
	}
	task, m := newWalker(t, BipedalWalkerOptions{})
	returns := make([]float64, n)
	for i, e := range play(t, m, task, n, walkerController) {
		returns[i] = e.Return
	}
	mean, sd := moments(returns)
	se := math.Hypot(sd/math.Sqrt(float64(n)), plainSE)
	const margin = 0.03 * 300
	t.Logf("n %d: ours %.1f ± %.1f, the program's %.1f ± %.1f; difference %+.2f, standard error %.2f, margin %.0f, power %.2f",
		n, mean, sd, plain, plainSD, mean-plain, se, margin, max(0, 2*normal(margin/se-oneSided)-1))
	switch difference := math.Abs(mean - plain); {
	case !asked && difference > farOff*se:
		t.Errorf("the mean returns differ by %.1f standard errors", difference/se)
	case asked && difference+oneSided*se >= margin:
		t.Errorf("the mean returns are not shown to be within %.1f of each other", margin)
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

func playLander(t *testing.T, opt LunarLanderOptions, starts []box2dEpisode) outcomes {
	task, m := newLander(t, opt)
	carried := carriedLander{task, make([]landerStart, len(starts))}
	for i := range starts {
		carried.episodes[i] = startOfLander(&starts[i])
	}
	return play(t, m, carried, len(starts), func() func(action, observation []float32) {
		return func(action, observation []float32) { landerHeuristic(action, observation, opt.Continuous) }
	})
}

func playWalker(t *testing.T, opt BipedalWalkerOptions, starts []box2dEpisode) outcomes {
	task, m := newWalker(t, opt)
	carried := carriedWalker{task, make([]walkerStart, len(starts))}
	for i := range starts {
		carried.episodes[i] = startOfWalker(t, &starts[i], opt.Hardcore)
	}
	return play(t, m, carried, len(starts), walkerController)
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
