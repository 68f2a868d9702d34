package sweep

import (
	"math"
	"math/rand/v2"
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

func TestSearchRefuses(t *testing.T) {
	for want, o := range map[string]SearchOptions{
		`method is "random", want one of [grid halton]`:          {Method: "random", Trials: 1},
		"trials is 0, want 1 to 10000 for the method halton":     {Method: Halton},
		"trials is 10001, want 1 to 10000 for the method halton": {Method: Halton, Trials: 10001},
		"the grid has more than 5 trials":                        {Method: Grid, Trials: 5},
		"trials is -1, want 0 to 10000":                          {Method: Grid, Trials: -1},
		"population is 4, want none: the method is halton":       {Method: Halton, Trials: 4, Population: 4},
		"eta is 3 and rungs is 0, want none: the method is grid": {Method: Grid, Eta: 3},
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
