package training

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
)

func seedsConfig(t *testing.T, more ...string) *configs.Config {
	return parse(t, "HalfCheetah-v5", append([]string{"worlds=2", "workers=1", "max_steps=20", "seed=7", "training.segment=16",
		"training.steps=160", "training.hidden=[4]", "evaluation.episodes=2", "recording={batch_rows: 50, sync: none}"}, more...)...)
}

// Each seed has the run that it has alone, and the tables say what the runs reached.
func TestSeeds(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "seeds")
	report, err := TrainSeeds(t.Context(), seedsConfig(t), SeedsOptions{Seeds: 3, Folder: folder, LogEvery: 1})
	if err != nil {
		t.Fatal(err)
	}
	alone := filepath.Join(t.TempDir(), "alone")
	if _, err := Train(t.Context(), seedsConfig(t, "seed=8"), TrainOptions{Folder: alone, LogEvery: 1}); err != nil {
		t.Fatal(err)
	}
	wantSameFiles(t, "seed 8", filesOf(t, filepath.Join(folder, "seed-8")), filesOf(t, alone))

	f, err := os.Open(filepath.Join(folder, TableFile))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil || len(lines) != 4 {
		t.Fatalf("%d lines, %v; want 4", len(lines), err)
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
	for _, name := range []string{SummaryFile, SeedsCurve} {
		if info, err := os.Stat(filepath.Join(folder, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Seeds that are interrupted, in any run, continue to the files of those that never were.
func TestInterruptedSeedsContinue(t *testing.T) {
	whole := filepath.Join(t.TempDir(), "whole")
	if _, err := TrainSeeds(t.Context(), seedsConfig(t), SeedsOptions{Seeds: 2, Folder: whole, LogEvery: 2}); err != nil {
		t.Fatal(err)
	}
	want := filesOfSeeds(t, whole)
	for _, workers := range []string{"workers=1", "workers=2"} { // one run after the other, both at once
		for _, calls := range []int{1, 3, 6, 9} {
			continueSeeds(t, workers, calls, want)
		}
	}
}

// filesOfSeeds returns the files of all runs that do not hold the time or the machine.
func filesOfSeeds(t *testing.T, folder string) map[string]string {
	t.Helper()
	all := filesOf(t, folder)
	maps.DeleteFunc(all, func(name, _ string) bool {
		return slices.Contains([]string{ReportFile, ConfigFile, EventsFile}, filepath.Base(name))
	})
	return all
}

// continueSeeds interrupts two seeds when they report progress for the calls-th time,
// continues them, and compares the files.
func continueSeeds(t *testing.T, workers string, calls int, want map[string]string) {
	folder := filepath.Join(t.TempDir(), "seeds")
	ctx, cancel := context.WithCancel(t.Context())
	count, last := 0, int64(0)
	progress := func(p TrainProgress) {
		if count++; count == calls {
			cancel()
		}
		if p.EnvSteps < last || p.EnvSteps > p.Total || p.Total != 320 {
			t.Errorf("progress from %d to %d of %d, want 320 in the end", last, p.EnvSteps, p.Total)
		}
		last = p.EnvSteps
	}
	_, err := TrainSeeds(ctx, seedsConfig(t, workers), SeedsOptions{Seeds: 2, Folder: folder, LogEvery: 2, Progress: progress})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("cancelled in call %d: %v", calls, err)
	}
	report, err := TrainSeeds(t.Context(), seedsConfig(t, "workers=2"), SeedsOptions{Folder: folder, Continue: true})
	if err != nil || len(report.Runs) != 2 {
		t.Fatalf("cancelled in call %d: %v", calls, err)
	}
	got := filesOfSeeds(t, folder)
	wantSameFiles(t, fmt.Sprintf("%s, cancelled in call %d", workers, calls), got, want)
}

func TestSeedsRefuse(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "seeds")
	for want, run := range map[string]func() error{
		"seeds is 0, want 1 to 10000": func() error {
			_, err := TrainSeeds(t.Context(), seedsConfig(t), SeedsOptions{Folder: folder})
			return err
		},
		"seed is 18446744073709551615, want at most 18446744073709551613 for 2 seeds": func() error {
			_, err := TrainSeeds(t.Context(), seedsConfig(t, "seed=18446744073709551615"), SeedsOptions{Folder: folder, Seeds: 2})
			return err
		},
		"training.hidden[0] is 0": func() error {
			c := seedsConfig(t)
			c.Training.Hidden = []int{0}
			_, err := TrainSeeds(t.Context(), c, SeedsOptions{Folder: folder, Seeds: 2})
			return err
		},
	} {
		if err := run(); err == nil || !strings.Contains(err.Error(), want) || !errors.As(err, new(env.ConfigError)) {
			t.Errorf("error %v, want one of usage with %q", err, want)
		}
		if _, err := os.Stat(folder); err == nil {
			t.Errorf("%s: the folder is left behind", want)
		}
	}
}

func TestSpread(t *testing.T) {
	got := spreadOf("x", []float64{4, 1, 3, 2})
	if want := (Spread{"x", 2.5, math.Sqrt(1.25), 1, 4, 2.5}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := spreadOf("x", []float64{5, 1, 9}); got.Median != 5 {
		t.Errorf("median %v, want 5", got.Median)
	}
}
