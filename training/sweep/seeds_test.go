package sweep

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
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
	if want := (Spread{"x", 2.5, math.Sqrt(1.25), 1, 4, 2.5, 2.5}); got != want {
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
