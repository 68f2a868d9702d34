package training

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// stopCase is a training of which the values of a metric decide the end.
type stopCase struct {
	sets        []string
	metric      string
	consecutive int
	minimise    bool // chosen by choose
}

func (c stopCase) config(t *testing.T, more ...string) *configs.Config {
	return parse(t, "HalfCheetah-v5", slices.Concat([]string{"worlds=4", "block_size=2", "workers=2", "max_steps=24",
		"training.steps=960", "training.hidden=[8]", "training.segment=16", "training.minibatch=32", "training.epochs=2",
		"evaluation={episodes: 1, every: 100}", "recording.enabled=false"}, c.sets, more)...)
}

// stop are the settings that end it.
func (c stopCase) stop(value float64) string {
	return fmt.Sprintf("training.stop={metric: %s, value: %v, minimise: %v, consecutive: %d}", c.metric, value, c.minimise,
		c.consecutive)
}

// values returns the environment steps and the values of the metric in the folder of a run, NaN where a cell is empty.
func (c stopCase) values(t *testing.T, folder string) (steps []int64, values []float64) {
	t.Helper()
	file := rundir.MetricsFile
	name, evaluation := strings.CutPrefix(c.metric, "evaluation/")
	if evaluation {
		file = rundir.EvaluationsFile
	}
	lines, column := readTable(t, folder, file)
	for _, line := range lines[1:] {
		value := math.NaN()
		if cell := line[column[name]]; cell != "" {
			value = must(strconv.ParseFloat(cell, 64))(t)
		}
		steps = append(steps, must(strconv.ParseInt(line[column["env_steps"]], 10, 64))(t))
		values = append(values, value)
	}
	return steps, values
}

// choose chooses the direction and a value such that the training ends by itself in the middle, and returns after how
// many steps that is.
func (c *stopCase) choose(t *testing.T, folder string) (value float64, steps int64) {
	t.Helper()
	all, values := c.values(t, folder)
	for _, c.minimise = range []bool{false, true} {
		for _, value := range values {
			if i := c.end(values, value); i > 0 && i < len(values)-1 {
				return value, all[i]
			}
		}
	}
	t.Fatalf("no value of %s ends the training in the middle: %v", c.metric, values)
	return 0, 0
}

// end returns the index at which a value ends a training; -1: never.
func (c *stopCase) end(values []float64, value float64) int {
	in := 0
	for i, v := range values {
		switch {
		case math.IsNaN(v):
		case c.minimise && v <= value, !c.minimise && v >= value:
			if in++; in == c.consecutive {
				return i
			}
		default:
			in = 0
		}
	}
	return -1
}

var stopCases = map[string]stopCase{
	"iterations":  {metric: "mean_return", consecutive: 2},
	"evaluations": {metric: "evaluation/mean_return", consecutive: 2},
	"one info":    {metric: "evaluation/info/reward_ctrl", consecutive: 1},
	"sac": {sets: []string{"training.algorithm=sac", "training.sac={segment: 16, random_steps: 64, minibatch: 16, " +
		"replay: 500, update_ratio: 0.1}"}, metric: "info/reward_forward", consecutive: 2},
}

// A training ends when its metric has reached the value so many times in a row, with the files that the longer one had
// then; so do one that is interrupted again and again, and one in parts.
func TestTrainingEndsEarly(t *testing.T) {
	for name, c := range stopCases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			whole := filepath.Join(t.TempDir(), "whole")
			must(Train(t.Context(), c.config(t), TrainOptions{Folder: whole, LogEvery: 1}))(t)
			value, steps := c.choose(t, whole)

			short := TrainOptions{Folder: filepath.Join(t.TempDir(), "short"), LogEvery: 1}
			report := must(Train(t.Context(), c.config(t, c.stop(value)), short))(t)
			if report.Status != rundir.StatusDone || report.EnvSteps != steps || report.Evaluation == nil ||
				report.Digests == nil {
				t.Errorf("%+v, want a training that is done after %d steps", report, steps)
			}
			_, values := c.values(t, short.Folder)
			want := rundir.Stopped{Metric: c.metric, Value: values[len(values)-1], Consecutive: c.consecutive}
			if report.Stopped == nil || *report.Stopped != want {
				t.Errorf("stopped by %+v, want %+v", report.Stopped, want)
			}
			metrics := func(folder string) []byte {
				return must(os.ReadFile(filepath.Join(folder, rundir.MetricsFile)))(t)
			}
			if got := metrics(short.Folder); len(got) == 0 || !bytes.HasPrefix(metrics(whole), got) {
				t.Error("the metrics are not those of the longer training")
			}
			must(Replay(t.Context(), short.Folder, ReplayOptions{Workers: 1}))(t)
			if v := must(Verify(t.Context(), c.config(t, c.stop(value)), report, nil, func(string) {}))(t); v.Differs != "" {
				t.Errorf("verify: %s", v.Differs)
			}

			opt := TrainOptions{Folder: filepath.Join(t.TempDir(), "run"), LogEvery: 1}
			stops := 0
			for looks := int64(60); ; looks = 60 + looks%131 {
				again, err := TrainOrResume(newCountdown(t, looks), c.config(t, c.stop(value)), opt)
				if err == nil {
					if again.Stopped == nil || *again.Stopped != want || again.EnvSteps != steps {
						t.Errorf("interrupted, it is stopped by %+v after %d steps", again.Stopped, again.EnvSteps)
					}
					break
				}
				if stops++; !errors.Is(err, context.Canceled) || stops > 100 {
					t.Fatalf("stop %d: %v", stops, err)
				}
			}
			if stops < 2 {
				t.Errorf("%d interruptions, want some", stops)
			}
			files := filesOf(t, short.Folder)
			polytest.SameFiles(t, "interrupted", polytest.WithoutStops(filesOf(t, opt.Folder), files), files)

			if name == "sac" {
				return
			}
			parts := filepath.Join(t.TempDir(), "parts")
			inPieces := inParts(t, c.config(t, c.stop(value)), TrainOptions{Folder: parts}, nil, "", 0, 2)
			if inPieces.Stopped == nil || *inPieces.Stopped != want {
				t.Errorf("in parts it is stopped by %+v", inPieces.Stopped)
			}
			sameFiles(t, short.Folder, parts, rundir.LatestFile, rundir.MetricsFile, rundir.ConfigFile)
		})
	}
}

// What the end cannot depend on is refused before anything is written, with the nearest name.
func TestEarlyEndIsRefused(t *testing.T) {
	c := stopCase{}
	for set, want := range map[string]string{
		"training.stop={metric: mean_retrun, value: 1}":            `training.stop.metric: no metric "mean_retrun"; did you mean mean_return?`,
		"training.stop={metric: info/reward_crtl, value: 1}":       "did you mean info/reward_ctrl?",
		"training.stop={metric: evaluation/mean_retrun, value: 1}": "did you mean evaluation/mean_return?",
		"training.stop={metric: temperature, value: 1}":            `no metric "temperature"`, // it is SAC's
	} {
		config := c.config(t, set)
		folder := filepath.Join(t.TempDir(), "run")
		usageError(t, errOf(Train(t.Context(), config, TrainOptions{Folder: folder})), want)
		usageError(t, Check(t.Context(), config), want)
		if _, err := os.Stat(folder); err == nil {
			t.Errorf("%s: a folder is left behind", set)
		}
	}
	never := c.config(t, "training.stop={metric: evaluation/mean_return, value: 1}", "evaluation.every=0")
	usageError(t, Check(t.Context(), never), "evaluation.every is 0, want evaluations on the way")
}
