package sweep

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

func mustSearch(t *testing.T, o SearchOptions, texts ...string) *Search {
	t.Helper()
	return polytest.Must(NewSearch(rangesOf(t, texts...), o))(t)
}

func rangesOf(t *testing.T, texts ...string) []Range {
	t.Helper()
	var over []Range
	for i, text := range texts {
		over = append(over, polytest.Must(ParseRange("key"+strconv.Itoa(i), text))(t))
	}
	return over
}

// numbers returns the values of a job.
func numbers(t *testing.T, job Job) []float64 {
	t.Helper()
	var x []float64
	for _, v := range job.Values {
		x = append(x, polytest.Must(strconv.ParseFloat(v, 64))(t))
	}
	return x
}

// minimise runs a search on a function, and returns the trials in order, the least value
// and the sum of all parts that were trained anew.
func minimise(t *testing.T, s *Search, f func(x []float64) float64) (trials [][]string, least, trained float64) {
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
	trials, _, _ := minimise(t, mustSearch(t, SearchOptions{Method: Grid}, "0..1/3", "int:1..4", "7,8"),
		func([]float64) float64 { return 0 })
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

// The points fill the square: in each direction the first b^k are evenly spread to the last.
func TestHaltonIsUniform(t *testing.T) {
	for seed := range uint64(5) {
		trials, _, _ := minimise(t, mustSearch(t, SearchOptions{Method: Halton, Trials: 64, Seed: seed}, "0..1", "0..1"),
			func([]float64) float64 { return 0 })
		for axis, count := range []int{64, 27} { // powers of the bases 2 and 3
			cells := make([]int, count)
			for _, values := range trials[:count] {
				cells[min(int(numbers(t, Job{Values: values})[axis]*float64(count)), count-1)]++
			}
			if slices.Max(cells) != 1 {
				t.Errorf("seed %d, axis %d: %v points in %d equal parts, want one each", seed, axis, cells, count)
			}
		}
	}
}

// More trials begin with the same ones, another seed gives others, and the same seed the same.
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
		s := mustSearch(t, SearchOptions{Method: Halving, Trials: c.trials, Rungs: c.rungs, Eta: c.eta, Seed: 1}, "0..1",
			"0..1")
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
		polytest.EqualSlices(t, got, c.want, "%d trials in %d rungs", c.trials, c.rungs)
		minimise(t, mustSearch(t, SearchOptions{Method: Halving, Trials: c.trials, Rungs: c.rungs, Eta: c.eta, Seed: 1},
			"0..1", "0..1"),
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
		`method is "random", want one of grid, halton, halving`:             {Method: "random", Trials: 1},
		"trials is 0, want 1 to 10000 for the method halton":                {Method: Halton},
		"trials is 10001, want 1 to 10000 for the method halton":            {Method: Halton, Trials: 10001},
		"the grid has more than 5 trials":                                   {Method: Grid, Trials: 5},
		"trials is -1, want 0 to 10000":                                     {Method: Grid, Trials: -1},
		"eta is 1, want 2 to 10000, or 0 for 3":                             {Method: Halving, Trials: 9, Eta: 1},
		"rungs is 4, want at most 3 for 9 trials of which one in 3 goes on": {Method: Halving, Trials: 9, Rungs: 4},
		"rungs is -1, want at most 3":                                       {Method: Halving, Trials: 9, Rungs: -1},
		"eta and rungs are options of the method halving, which is not":     {Method: Grid, Eta: 3},
	} {
		if _, err := NewSearch(rangesOf(t, "1,2,3", "int:1..2"), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", o, err, want)
		}
	}
	if _, err := NewSearch(nil, SearchOptions{Method: Halton, Trials: 1}); err == nil {
		t.Error("no range is accepted")
	}
	if _, err := NewSearch(rangesOf(t, "0..1"), SearchOptions{Method: Grid}); err == nil ||
		!strings.Contains(err.Error(), "such as 0..1/5") {
		t.Errorf("a grid of a range: %v", err)
	}
}
