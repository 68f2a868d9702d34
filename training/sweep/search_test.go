package sweep

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func mustSearch(t *testing.T, o SearchOptions, texts ...string) Search {
	t.Helper()
	s, err := NewSearch(rangesOf(t, texts...), o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func rangesOf(t *testing.T, texts ...string) []Range {
	t.Helper()
	var over []Range
	for i, text := range texts {
		r, err := ParseRange("key"+strconv.Itoa(i), text)
		if err != nil {
			t.Fatal(err)
		}
		over = append(over, r)
	}
	return over
}

// numbers returns the values of a job.
func numbers(t *testing.T, job Job) []float64 {
	t.Helper()
	var x []float64
	for _, v := range job.Values {
		n, err := strconv.ParseFloat(v, 64)
		if err != nil {
			t.Fatal(err)
		}
		x = append(x, n)
	}
	return x
}

// minimise runs a search on a function, and returns the trials in order, the least value
// and the sum of all parts that were trained anew.
func minimise(t *testing.T, s Search, f func(x []float64) float64) (trials [][]string, least, trained float64) {
	t.Helper()
	least = math.Inf(1)
	parts := map[int]float64{}
	var losses []float64
	for {
		jobs := s.Next(losses)
		if len(jobs) == 0 {
			break
		}
		losses = losses[:0:0]
		for _, job := range jobs {
			if job.Trial > len(trials) || job.Part <= parts[job.Trial] || job.Part > 1 {
				t.Fatalf("trial %d of %d is asked for up to %v, after %v", job.Trial, len(trials), job.Part, parts[job.Trial])
			}
			if job.Trial == len(trials) {
				trials = append(trials, job.Values)
			}
			trained += job.Part - parts[job.Trial]
			parts[job.Trial] = job.Part
			v := f(numbers(t, job))
			losses = append(losses, v)
			least = min(least, v)
		}
	}
	n, amount := s.Size()
	if n != len(trials) || math.Abs(amount-trained) > 1e-9 {
		t.Errorf("%d trials that amount to %v, want %d and %v as announced", len(trials), trained, n, amount)
	}
	return trials, least, trained
}

// A grid has each combination once.
func TestGridIsComplete(t *testing.T) {
	trials, _, _ := minimise(t, mustSearch(t, SearchOptions{Method: Grid}, "0..1/3", "int:1..4", "7,8"), func([]float64) float64 { return 0 })
	seen := map[string]bool{}
	for _, values := range trials {
		seen[strings.Join(values, " ")] = true
	}
	for _, a := range []string{"0", "0.5", "1"} {
		for _, b := range []string{"1", "2", "3", "4"} {
			for _, c := range []string{"7", "8"} {
				if !seen[a+" "+b+" "+c] {
					t.Errorf("%s %s %s is missing", a, b, c)
				}
			}
		}
	}
	if len(trials) != 24 || len(seen) != 24 {
		t.Errorf("%d trials, of which %d differ, want 24", len(trials), len(seen))
	}
	if want := []string{"0", "1", "8"}; !slices.Equal(trials[1], want) {
		t.Errorf("the second trial is %q, want %q: the last key varies fastest", trials[1], want)
	}
}

// The points fill the square more evenly than chance: their star discrepancy is less than
// that of random points. In each direction the first b^k are evenly spread to the last.
func TestHaltonIsUniform(t *testing.T) {
	const n = 64
	ranges := []string{"0..1", "0..1"}
	for seed := range uint64(5) {
		trials, _, _ := minimise(t, mustSearch(t, SearchOptions{Method: Halton, Trials: n, Seed: seed}, ranges...), func([]float64) float64 { return 0 })
		var points, chance [][2]float64
		random := rand.New(rand.NewPCG(seed, 0))
		for _, values := range trials {
			x := numbers(t, Job{Values: values})
			points = append(points, [2]float64{x[0], x[1]})
			chance = append(chance, [2]float64{random.Float64(), random.Float64()})
		}
		if ours, theirs := starDiscrepancy(points), starDiscrepancy(chance); ours > 0.08 || ours > 0.7*theirs {
			t.Errorf("seed %d: a discrepancy of %.3f, by chance %.3f", seed, ours, theirs)
		}
		for axis, count := range []int{64, 27} { // powers of the bases 2 and 3
			cells := make([]int, count)
			for _, p := range points[:count] {
				cells[min(int(p[axis]*float64(count)), count-1)]++
			}
			if slices.Max(cells) != 1 {
				t.Errorf("seed %d, axis %d: %v points in %d equal parts, want one each", seed, axis, cells, count)
			}
		}
	}
}

// starDiscrepancy returns the largest distance of the share of points in a box with a
// corner in the origin from its area, over the boxes that the points span.
func starDiscrepancy(points [][2]float64) float64 {
	worst := 0.0
	for _, a := range points {
		for _, b := range points {
			open, closed := 0.0, 0.0
			for _, p := range points {
				if p[0] < a[0] && p[1] < b[1] {
					open++
				}
				if p[0] <= a[0] && p[1] <= b[1] {
					closed++
				}
			}
			n, area := float64(len(points)), a[0]*b[1]
			worst = max(worst, math.Abs(open/n-area), math.Abs(closed/n-area))
		}
	}
	return worst
}

// More trials begin with the same ones, another seed gives others, and the same seed the
// same.
func TestHaltonIsDeterministic(t *testing.T) {
	zero := func([]float64) float64 { return 0 }
	ranges := []string{"0..1", "log:1e-4..1", "int:1..50", "1,2,3"}
	few, _, _ := minimise(t, mustSearch(t, SearchOptions{Method: Halton, Trials: 10, Seed: 3}, ranges...), zero)
	many, _, _ := minimise(t, mustSearch(t, SearchOptions{Method: Halton, Trials: 100, Seed: 3}, ranges...), zero)
	other, _, _ := minimise(t, mustSearch(t, SearchOptions{Method: Halton, Trials: 10, Seed: 4}, ranges...), zero)
	same := 0
	for i := range few {
		if !slices.Equal(few[i], many[i]) {
			t.Errorf("trial %d is %q of 10 and %q of 100", i, few[i], many[i])
		}
		if slices.Equal(few[i], other[i]) {
			same++
		}
	}
	if same > 1 {
		t.Errorf("%d trials are the same with another seed", same)
	}
}

// CMA-ES gets near the optimum of a skewed quadratic by orders of magnitude in a few
// generations, in the inside and at an edge, whatever the scale of the values. The median
// over seeds counts, as single ones may be lucky.
func TestCMAESFindsTheOptimum(t *testing.T) {
	for _, c := range []struct {
		name   string
		ranges []string
		trials int
		within float64 // of the least loss
		f      func(x []float64) float64
	}{
		{"one range", []string{"-3..5"}, 40, 1e-3, func(x []float64) float64 { return (x[0] - 1.7) * (x[0] - 1.7) }},
		{"skewed", []string{"0..1", "0..1", "0..1"}, 210, 1e-3, func(x []float64) float64 {
			a, b, c := x[0]-0.2, x[1]-0.6, x[2]-0.4
			return a*a + 10*(b-a)*(b-a) + 30*c*c
		}},
		{"logarithms", []string{"log:1e-5..1e-1", "0.9..1"}, 150, 1e-3, func(x []float64) float64 {
			a, b := math.Log10(x[0]/3e-4), 50*(x[1]-0.97)
			return a*a + b*b
		}},
		{"at an edge", []string{"0..1", "0..1"}, 150, 1e-3, func(x []float64) float64 { return x[0] + (x[1]-0.3)*(x[1]-0.3) }},
		{"long", []string{"0..1", "0..1", "0..1"}, 700, 1e-9, func(x []float64) float64 {
			a, b, c := x[0]-0.2, x[1]-0.6, x[2]-0.4
			return a*a + 10*(b-a)*(b-a) + 30*c*c
		}},
		{"five", []string{"0..1", "0..1", "0..1", "0..1", "0..1"}, 320, 1e-3, func(x []float64) float64 {
			sum := 0.0
			for i, v := range x {
				d := v - 0.2 - 0.1*float64(i)
				sum += d * d * float64(1+3*i)
			}
			return sum
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var least, chance []float64
			for seed := range uint64(9) {
				_, v, _ := minimise(t, mustSearch(t, SearchOptions{Method: CMAES, Trials: c.trials, Seed: seed}, c.ranges...), c.f)
				least = append(least, v)
				_, v, _ = minimise(t, mustSearch(t, SearchOptions{Method: Halton, Trials: c.trials, Seed: seed}, c.ranges...), c.f)
				chance = append(chance, v)
			}
			slices.Sort(least)
			slices.Sort(chance)
			if least[4] > c.within || len(c.ranges) > 1 && least[4] > chance[4]/10 {
				t.Errorf("a median loss of %.2g, want at most %v and a tenth of Halton's, which is %.2g", least[4], c.within, chance[4])
			}
		})
	}
}

// Trials that fail, even all of one generation, do not stop it; whole numbers and lists
// count as ordered; the same seed gives the same trials.
func TestCMAESBearsFailures(t *testing.T) {
	f := func(x []float64) float64 {
		if x[0] > 6 {
			return math.Inf(1)
		}
		return math.Abs(x[0]-5) + math.Abs(x[1]-30)/10
	}
	ranges := []string{"int:1..100", "10,20,30,40"}
	o := SearchOptions{Method: CMAES, Trials: 120, Seed: 2, Population: 8}
	trials, least, _ := minimise(t, mustSearch(t, o, ranges...), f)
	if least != 0 {
		t.Errorf("a loss of %v, want 0", least)
	}
	if again, _, _ := minimise(t, mustSearch(t, o, ranges...), f); !reflect.DeepEqual(again, trials) {
		t.Error("the same seed gives other trials")
	}
	o.Seed++
	if other, _, _ := minimise(t, mustSearch(t, o, ranges...), f); reflect.DeepEqual(other, trials) {
		t.Error("another seed gives the same trials")
	}
	minimise(t, mustSearch(t, SearchOptions{Method: CMAES, Trials: 50}, "0..1", "0..1"), func([]float64) float64 { return math.Inf(1) })
	minimise(t, mustSearch(t, SearchOptions{Method: CMAES, Trials: 50}, "0..1", "0..1"), func([]float64) float64 { return 3 })
}

func TestMirrored(t *testing.T) {
	for x, want := range map[float64]float64{0: 0, 0.25: 0.25, 1: 1, 1.25: 0.75, 2: 0, 2.25: 0.25, -0.25: 0.25, -1.25: 0.75, 100.5: 0.5} {
		if got := mirrored(x); math.Abs(got-want) > 1e-12 {
			t.Errorf("%v is the image of %v, want %v", x, got, want)
		}
	}
}

// The rungs are those of table 1 of the paper on Hyperband, whose largest training is of
// 81 units, and the best of a rung are those that go on.
func TestHalvingHasThePapersCounts(t *testing.T) {
	type rung struct {
		trials int
		units  float64
	}
	for _, c := range []struct {
		trials, rungs, eta int
		want               []rung
	}{
		{81, 5, 3, []rung{{81, 1}, {27, 3}, {9, 9}, {3, 27}, {1, 81}}},
		{81, 0, 0, []rung{{81, 1}, {27, 3}, {9, 9}, {3, 27}, {1, 81}}},
		{27, 4, 3, []rung{{27, 3}, {9, 9}, {3, 27}, {1, 81}}},
		{9, 3, 3, []rung{{9, 9}, {3, 27}, {1, 81}}},
		{6, 2, 3, []rung{{6, 27}, {2, 81}}},
		{5, 1, 3, []rung{{5, 81}}},
		{7, 0, 2, []rung{{7, 81. / 4}, {3, 81. / 2}, {1, 81}}},
		{1, 0, 2, []rung{{1, 81}}},
	} {
		s := mustSearch(t, SearchOptions{Method: Halving, Trials: c.trials, Rungs: c.rungs, Eta: c.eta, Seed: 1}, "0..1", "0..1")
		loss := func(j Job) float64 { x := numbers(t, j); return math.Abs(x[0] - 0.3) }
		var got []rung
		var losses []float64
		var before []Job
		for {
			jobs := s.Next(losses)
			if len(jobs) == 0 {
				break
			}
			got = append(got, rung{len(jobs), math.Round(81*jobs[0].Part*1e6) / 1e6})
			worst := 0.0
			goes := map[int]bool{}
			losses = nil
			for _, j := range jobs {
				goes[j.Trial] = true
				losses = append(losses, loss(j))
				worst = max(worst, loss(j))
			}
			for _, j := range before {
				if !goes[j.Trial] && loss(j) < worst {
					t.Errorf("%d trials: one with a loss of %v stays behind one with %v", c.trials, loss(j), worst)
				}
			}
			before = jobs
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%d trials in %d rungs: %v, want %v", c.trials, c.rungs, got, c.want)
		}
		minimise(t, mustSearch(t, SearchOptions{Method: Halving, Trials: c.trials, Rungs: c.rungs, Eta: c.eta, Seed: 1}, "0..1", "0..1"),
			func(x []float64) float64 { return x[0] })
	}
}

// Failed trials do not go on, even where too few others are left.
func TestHalvingStopsFailures(t *testing.T) {
	s := mustSearch(t, SearchOptions{Method: Halving, Trials: 9}, "0..1")
	inf := math.Inf(1)
	s.Next(nil)
	jobs := s.Next([]float64{inf, 3, inf, inf, 2, inf, inf, inf, inf})
	if len(jobs) != 2 || jobs[0].Trial != 1 || jobs[1].Trial != 4 || jobs[0].Part != 1./3 {
		t.Errorf("%+v go on, want trials 1 and 4", jobs)
	}
	if jobs := s.Next([]float64{inf, inf}); len(jobs) != 0 {
		t.Errorf("%+v go on, want none", jobs)
	}
}

func TestSearchRefuses(t *testing.T) {
	for want, o := range map[string]SearchOptions{
		`method is "random", want one of [grid halton cma-es halving]`:      {Method: "random", Trials: 1},
		"trials is 0, want 1 to 10000 for the method halton":                {Method: Halton},
		"trials is 10001, want 1 to 10000 for the method halton":            {Method: Halton, Trials: 10001},
		"the grid has more than 5 trials":                                   {Method: Grid, Trials: 5},
		"trials is -1, want 0 to 10000":                                     {Method: Grid, Trials: -1},
		"population is 3, want 4 to 10000, or 0 for the default":            {Method: CMAES, Trials: 9, Population: 3},
		"eta is 1, want 2 to 10000, or 0 for 3":                             {Method: Halving, Trials: 9, Eta: 1},
		"rungs is 4, want at most 3 for 9 trials of which one in 3 goes on": {Method: Halving, Trials: 9, Rungs: 4},
		"rungs is -1, want at most 3":                                       {Method: Halving, Trials: 9, Rungs: -1},
		"population is 4, want none: the method is halton":                  {Method: Halton, Trials: 4, Population: 4},
		"eta is 3 and rungs is 0, want none: the method is grid":            {Method: Grid, Eta: 3},
	} {
		if _, err := NewSearch(rangesOf(t, "1,2,3", "int:1..2"), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", o, err, want)
		}
	}
	if _, err := NewSearch(nil, SearchOptions{Method: Grid}); err == nil {
		t.Error("no range is accepted")
	}
	if _, err := NewSearch(rangesOf(t, "0..1"), SearchOptions{Method: Grid}); err == nil || !strings.Contains(err.Error(), "such as 0..1/5") {
		t.Errorf("a grid of a range: %v", err)
	}
}
