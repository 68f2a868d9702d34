package training

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/rl"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/runs"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// Metrics have a column for each info of the task: the mean over the episodes that ended
// in an iteration, empty where none did.
func TestMetricsHaveInfos(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "run")
	c := parse(t, "HalfCheetah-v5", "worlds=2", "max_steps=30", "training.hidden=[4]", "training.segment=20",
		"training.steps=160",
		"evaluation.episodes=1", "recording.enabled=false", "training.stagger_episodes=false")
	must(Train(t.Context(), c, TrainOptions{Folder: folder}))(t)
	lines, column := readTable(t, folder, rundir.MetricsFile)
	forward, ok := column["info/reward_forward"]
	control, also := column["info/reward_ctrl"]
	if !ok || !also {
		t.Fatalf("columns %q, want those of the infos", lines[0])
	}
	none := 0
	for _, line := range lines[1:] {
		if line[column["episodes"]] == "0" {
			none++
			if line[forward] != "" || line[control] != "" {
				t.Errorf("infos %q and %q of an iteration in which no episode ended, want none", line[forward], line[control])
			}
			continue
		}
		values := make([]float64, len(line))
		for i, cell := range line {
			if cell == "" { // the run has no such quantity
				continue
			}
			values[i] = must(strconv.ParseFloat(cell, 64))(t)
		}
		// The task's reward is the sum of these two.
		if sum := (values[forward] +
			values[control]) * values[column["mean_length"]]; math.Abs(sum-values[column["mean_return"]]) > 1e-9 {
			t.Errorf("infos amount to a return of %v, want %v", sum, values[column["mean_return"]])
		}
	}
	if none == 0 || none == len(lines)-1 {
		t.Errorf("%d of %d iterations without an episode's end, want some", none, len(lines)-1)
	}
	must(os.Stat(filepath.Join(folder, rundir.EventsFile)))(t)
}

func TestTensorBoardCanBeSwitchedOff(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "run")
	c := parse(t, "HalfCheetah-v5", "worlds=1", "max_steps=10", "training.hidden=[4]", "training.segment=10",
		"training.steps=10",
		"evaluation.episodes=1", "recording.enabled=false", "training.tensorboard=false")
	must(Train(t.Context(), c, TrainOptions{Folder: folder}))(t)
	if _, err := os.Stat(filepath.Join(folder, rundir.EventsFile)); err == nil {
		t.Error("there are events, want none")
	}
}

// Means are of the episodes since the last call.
func TestResultsMeans(t *testing.T) {
	r := runs.NewResults(2, math.MaxInt64)
	r.Worlds[0].Add(sim.Episode{Steps: 2, InfoSum: []float64{4, 1}})
	r.Worlds[1].Add(sim.Episode{Steps: 1, InfoSum: []float64{6, 1}})
	polytest.EqualSlices(t, r.Means(2), []float64{4, 0.75}, "means")
	if got := r.Means(2); !math.IsNaN(got[0]) || !math.IsNaN(got[1]) || len(got) != 2 {
		t.Errorf("means %v of no episode, want NaN", got)
	}
	r.Worlds[0].Add(sim.Episode{Steps: 1, InfoSum: []float64{1, 2}})
	polytest.EqualSlices(t, r.Means(2), []float64{1, 2}, "means")
}

// Each iteration's metrics are told once, as they are in the file, and a training that is stopped then has done no more.
func TestMetricsAreTold(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "run")
	ctx, cancel := context.WithCancel(t.Context())
	var told []map[string]float64
	opt := TrainOptions{Folder: folder, Metrics: func(m map[string]float64) {
		if told = append(told, m); len(told) == 3 {
			cancel()
		}
	}}
	config := pointConfig(t, "recording.enabled=false", "evaluation.every=0")
	report, err := Train(ctx, config, opt)
	if !errors.Is(err, context.Canceled) || report.Status != rundir.StatusInterrupted {
		t.Fatalf("%v, %v", report, err)
	}
	if opt.Continue, err = ReadState(folder); err != nil {
		t.Fatal(err)
	}
	must(Train(t.Context(), config, opt))(t)
	lines, _ := readTable(t, folder, rundir.MetricsFile)
	if len(told) != len(lines)-1 || len(told) < 4 {
		t.Fatalf("%d iterations were told, the file has %d", len(told), len(lines)-1)
	}
	for i, row := range lines[1:] {
		for k, name := range lines[0] {
			if v, has := told[i][name]; !has || row[k] != rl.Decimal(v) {
				t.Errorf("iteration %d: %s is %v, %v, the file has %q", i+1, name, v, has, row[k])
			}
		}
		if len(told[i]) != len(row) {
			t.Errorf("iteration %d: %d values, want %d", i+1, len(told[i]), len(row))
		}
	}
}
