package sweep

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/training"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// Each seed has the run that it has alone, and the tables say what the runs reached.
func TestSeeds(t *testing.T) {
	plan := smallPlan(t, SearchOptions{Method: Grid})
	plan.Seeds = 3
	folder, alone := filepath.Join(t.TempDir(), "seeds"), filepath.Join(t.TempDir(), "alone")
	report := polytest.Must(Run(t.Context(), plan, Options{Folder: folder}))(t)
	c := polytest.Must(configs.Parse("seed", []byte(plan.Configuration), []string{"seed=8"}, nil))(t)
	polytest.Must(training.Train(t.Context(), c, training.TrainOptions{Folder: alone, LogEvery: 1}))(t)
	all := filesOf(t, folder)
	polytest.SameFiles(t, "seed 8", filesOf(t, filepath.Join(folder, "seed-8")), filesOf(t, alone))
	lines := polytest.Must(csv.NewReader(strings.NewReader(all[SeedsFile])).ReadAll())(t)
	if len(lines) != 4 {
		t.Fatalf("%d lines, want 4", len(lines))
	}
	sum := 0.0
	for i, line := range lines[1:] {
		v, err := strconv.ParseFloat(line[2], 64)
		if err != nil || line[0] != strconv.Itoa(7+i) || v != report.Runs[i].Evaluation.MeanReturn {
			t.Errorf("line %q, %v; want seed %d and %v", line, err, 7+i, report.Runs[i].Evaluation.MeanReturn)
		}
		sum += v
	}
	if mean := report.Summary[0].Mean; math.Abs(mean-sum/3) > 1e-12 {
		t.Errorf("mean %v, want %v", mean, sum/3)
	}
	if all[SummaryFile] == "" || all[CurvesFile] == "" || all[TableFile] != "" || all[BestFile] != "" {
		t.Errorf("the summary has %d bytes and the curves %d, want some, and no files of trials", len(all[SummaryFile]),
			len(all[CurvesFile]))
	}
}

// A run that fails stops all others, and the tables have those that are done.
func TestFailedSeedStopsAll(t *testing.T) {
	plan := smallPlan(t, SearchOptions{Method: Grid})
	plan.Seeds = 3
	folder := t.TempDir()
	polytest.NoError(t, os.Mkdir(filepath.Join(folder, "seed-8"), 0o777))
	polytest.NoError(t, os.WriteFile(filepath.Join(folder, "seed-8", rundir.StateFile), nil, 0o666))
	polytest.NoError(t, (&sweep{plan: plan, report: Report{Folder: folder}}).writeState())
	report, err := Run(t.Context(), plan, Options{Folder: folder, Parallel: 1, Continue: true})
	polytest.ErrorContains(t, err, "seed 8: ")
	if len(report.Runs) != 1 || report.Runs[0].Seed != 7 {
		t.Errorf("%d runs are done, want that of seed 7", len(report.Runs))
	}
}

func TestSpread(t *testing.T) {
	got := spreadOf("x", []float64{4, 1, 3, 2})
	if want := (Spread{"x", 2.5, math.Sqrt(1.25), 1, 4, 2.5, 2.5, got.InterquartileMeanLow,
		got.InterquartileMeanHigh}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := spreadOf("x", []float64{5, 1, 9}); got.Median != 5 {
		t.Errorf("median %v, want 5", got.Median)
	}
	for _, c := range []struct {
		values []float64
		want   float64
	}{
		{[]float64{7}, 7},
		{[]float64{100, 3, 1, 2}, 2.5},                // without the least and the most
		{[]float64{1, 2, 4, 8, 1000}, 4.6},            // three quarters of 2 and 8, all of 4
		{[]float64{-900, 1, 2, 3, 4, 5, 6, 900}, 3.5}, // without two on each side
	} {
		if got := spreadOf("x", c.values).InterquartileMean; math.Abs(got-c.want) > 1e-12 {
			t.Errorf("interquartile mean of %v: %v, want %v", c.values, got, c.want)
		}
	}
}

// The interval of the interquartile mean is that of all resamples that there are, of which the bootstrap draws some.
func TestBootstrap(t *testing.T) {
	for _, values := range [][]float64{{7}, {5, -3}, {100, 3, 1, 2}, {1, 2, 4, 8, 1000}, {12, -900, 2.5, 3, 4, 5}} {
		n := len(values)
		total := int(math.Pow(float64(n), float64(n)))
		all := make([]float64, 0, total)
		sample := make([]float64, n)
		for code := range total {
			for i := range sample {
				sample[i] = values[code%n]
				code /= n
			}
			all = append(all, plainInterquartileMean(sample))
		}
		got := spreadOf("x", values)
		// The part of the resamples below an end, and at most as large, must have the wanted part between them.
		const tolerance = 0.004 // six standard deviations of what 50,000 draws estimate
		for part, end := range map[float64]float64{0.025: got.InterquartileMeanLow, 0.975: got.InterquartileMeanHigh} {
			below, most, margin := 0.0, 0.0, 1e-9*math.Abs(end)
			for _, v := range all {
				if v < end-margin {
					below += 1 / float64(total)
				}
				if v <= end+margin {
					most += 1 / float64(total)
				}
			}
			if below > part+tolerance || most < part-tolerance {
				t.Errorf("%v: %v of the resamples are below %v and %v at most that, want %v", values, below, end, most, part)
			}
		}
		reversed := slices.Clone(values)
		slices.Reverse(reversed)
		if again := spreadOf("x", reversed); again != got {
			t.Errorf("%v: %+v, in another order %+v", values, got, again)
		}
	}
}

// plainInterquartileMean repeats each value four times and takes the mean of the middle half.
func plainInterquartileMean(values []float64) (mean float64) {
	var all []float64
	for _, v := range values {
		all = append(all, v, v, v, v)
	}
	slices.Sort(all)
	n := len(values)
	for _, v := range all[n : 3*n] {
		mean += v / float64(2*n)
	}
	return mean
}
