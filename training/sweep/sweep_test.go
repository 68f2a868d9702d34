package sweep

import (
	"context"
	"encoding/csv"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/training"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// smallPlan returns a sweep of trainings that take a moment each.
func smallPlan(t *testing.T, o SearchOptions, over ...[2]string) *Plan {
	t.Helper()
	name, data, err := configs.Preset("HalfCheetah-v5")
	polytest.NoError(t, err)
	c, err := configs.Parse(name, data, []string{"worlds=2", "max_steps=20", "seed=7", "training.segment=16",
		"training.steps=288", "training.epochs=2", "training.hidden=[4]", "evaluation.episodes=2",
		"recording={enabled: false, sync: none}"}, nil)
	polytest.NoError(t, err)
	p := Default()
	p.Configuration, p.SearchOptions = string(c.YAML()), o
	for _, pair := range over {
		p.Over = append(p.Over, polytest.Must(ParseRange(pair[0], pair[1]))(t))
	}
	return p
}

var (
	rates  = [2]string{"training.learning_rate", "log:1e-4..1e-2/3"}
	gammas = [2]string{"training.gamma", "0.9,0.99"}
	epochs = [2]string{"training.epochs", "int:1..3"}
)

// filesOf returns the files of a sweep that do not hold the time or the number of workers.
func filesOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	return polytest.Files(t, dir, rundir.ReportFile, rundir.ConfigFile, rundir.EventsFile, rundir.StateFile)
}

// Each method gives the same files for any number of runs at once. The table has each
// trial, and the best configuration trains to what the table says.
func TestSweepsForAnyParallelism(t *testing.T) {
	for _, c := range []struct {
		plan   *Plan
		trials int
	}{
		{smallPlan(t, SearchOptions{Method: Grid}, rates, gammas), 6},
		{smallPlan(t, SearchOptions{Method: Halton, Trials: 5}, rates, gammas, epochs), 5},
		{smallPlan(t, SearchOptions{Method: Halving, Trials: 9}, rates, epochs), 9},
	} {
		t.Run(c.plan.Method, func(t *testing.T) {
			if c.plan.Method == Halton {
				c.plan.Seeds, c.plan.Objective, c.plan.Minimise = 2, "info/reward_ctrl", true
			}
			folder := filepath.Join(t.TempDir(), "one")
			report := polytest.Must(Run(t.Context(), c.plan, Options{Folder: folder, Parallel: 1, Workers: 2}))(t)
			want := filesOf(t, folder)
			other := filepath.Join(t.TempDir(), "three")
			var last Progress
			opt := Options{Folder: other, Parallel: 3, Workers: 3, Progress: func(p Progress) {
				if p.Done < last.Done || p.Trials < last.Trials || p.Done > p.Total+1e-9 {
					t.Errorf("the progress is %+v after %+v", p, last)
				}
				last = p
			}}
			polytest.NoError(t, polytest.Err(Run(t.Context(), c.plan, opt)))
			if math.Abs(last.Done-last.Total) > 1e-9 || last.Trials != c.trials || last.All != c.trials || last.Best == nil {
				t.Errorf("the progress ends with %+v, want %d trials, all done", last, c.trials)
			}
			polytest.SameFiles(t, "three at once", filesOf(t, other), want)
			for _, name := range []string{TableFile, PictureFile, BestFile, StateFile} {
				if want[name] == "" {
					t.Errorf("%s is missing", name)
				}
			}
			checkTable(t, c.plan, report, want[TableFile], c.trials)
			checkBest(t, c.plan, report)
		})
	}
}

// checkTable compares the table with the report and with the evaluations of all runs.
func checkTable(t *testing.T, p *Plan, report *Report, table string, trials int) {
	t.Helper()
	lines, err := csv.NewReader(strings.NewReader(table)).ReadAll()
	if err != nil || len(lines) != 1+trials || len(report.Trials) != trials {
		t.Fatalf("%d lines, %v, and %d trials; want one for each of %d trials", len(lines)-1, err, len(report.Trials), trials)
	}
	column := slices.Index(lines[0], "objective")
	best := math.Inf(1)
	for i, trial := range report.Trials {
		mean, err := strconv.ParseFloat(lines[1+i][column], 64)
		if err != nil || mean != trial.Mean {
			t.Errorf("trial %d: %q in the table, want %v", trial.Number, lines[1+i][column], trial.Mean)
		}
		sum := 0.0
		for k := range p.Seeds {
			folder := filepath.Join(report.Folder, "trial-00"+strconv.Itoa(trial.Number))
			if p.Seeds > 1 {
				folder = filepath.Join(folder, "seed-"+strconv.Itoa(7+k))
			}
			run := polytest.Must(rundir.ReadReport(folder))(t)
			if run.EnvSteps != trial.EnvSteps || run.Seed != uint64(7+k) {
				t.Errorf("trial %d: %d steps with seed %d, want %d", trial.Number, run.EnvSteps, run.Seed, trial.EnvSteps)
			}
			if p.Objective == Return {
				sum += run.Evaluation.MeanReturn
			} else {
				sum += run.Evaluation.Infos["reward_ctrl"]
			}
		}
		if math.Abs(sum/float64(p.Seeds)-trial.Mean) > 1e-12 {
			t.Errorf("trial %d: a mean of %v, want %v", trial.Number, trial.Mean, sum/float64(p.Seeds))
		}
		if trial.State == Trained {
			best = min(best, p.loss(trial))
		}
	}
	if p.loss(report.Best) != best {
		t.Errorf("the best trial has %v, want %v", report.Best.Mean, best)
	}
}

// checkBest trains with the best configuration, and compares all files with those of the
// trial, which may have paused on the way.
func checkBest(t *testing.T, p *Plan, report *Report) {
	t.Helper()
	c := polytest.Must(configs.Load(filepath.Join(report.Folder, BestFile), nil, nil))(t)
	again := filepath.Join(t.TempDir(), "again")
	polytest.NoError(t, polytest.Err(training.Train(t.Context(), c,
		training.TrainOptions{Folder: again, LogEvery: p.LogEvery})))
	folder := filepath.Join(report.Folder, "trial-00"+strconv.Itoa(report.Best.Number))
	if p.Seeds > 1 {
		folder = filepath.Join(folder, "seed-7")
	}
	want := filesOf(t, again)
	polytest.SameFiles(t, "the best trial", polytest.WithoutStops(filesOf(t, folder), want), want)
	if _, err := training.Replay(t.Context(), folder, training.ReplayOptions{}); err != nil {
		t.Errorf("the best trial cannot be replayed: %v", err)
	}
}

// A sweep that is interrupted anywhere, and more than once, ends with the files of one that
// never was, and trains no run twice that was done.
func TestInterruptedSweepsContinue(t *testing.T) {
	for plan, more := range map[*Plan]int{
		smallPlan(t, SearchOptions{Method: Halving, Trials: 6, Eta: 2}, rates, epochs): 20,
		smallPlan(t, SearchOptions{Method: Grid}):                                      2, // of seeds alone
	} {
		t.Run(plan.Method, func(t *testing.T) {
			plan.Seeds = 2
			whole := filepath.Join(t.TempDir(), "whole")
			polytest.NoError(t, polytest.Err(Run(t.Context(), plan, Options{Folder: whole})))
			want := filesOf(t, whole)
			folder := filepath.Join(t.TempDir(), "sweep")
			stops := 0
			for calls := 3; ; calls += more {
				done := len(finished(t, folder))
				plan := polytest.Must(planIn(folder, plan))(t)
				ctx, cancel := context.WithCancel(t.Context())
				left := calls
				opt := Options{Folder: folder, Continue: exists(folder), Parallel: 2, Workers: 2, Progress: func(Progress) {
					if left--; left == 0 {
						cancel()
					}
				}}
				_, err := Run(ctx, plan, opt)
				if err == nil {
					break
				}
				if !errors.Is(err, context.Canceled) {
					t.Fatal(err)
				}
				stops++
				if now := len(finished(t, folder)); now < done {
					t.Errorf("%d runs are done, before it were %d", now, done)
				}
			}
			if stops < 3 {
				t.Errorf("it was stopped %d times, want at least 3", stops)
			}
			polytest.SameFiles(t, "interrupted", polytest.WithoutStops(filesOf(t, folder), want), want)
			before := modified(t, folder)
			polytest.NoError(t, polytest.Err(Run(t.Context(), plan, Options{Folder: folder, Continue: true})))
			polytest.EqualSlices(t, modified(t, folder), before, "runs that were done are trained again")
			polytest.SameFiles(t, "done, and continued", polytest.WithoutStops(filesOf(t, folder), want), want)
		})
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// planIn returns the plan of the sweep in a folder, or the given one if there is none.
func planIn(folder string, p *Plan) (*Plan, error) {
	if !exists(folder) {
		return p, nil
	}
	return Read(folder)
}

// finished returns the results in a folder.
func finished(t *testing.T, folder string) []result {
	t.Helper()
	if !exists(folder) {
		return nil
	}
	return polytest.Must(readState(folder))(t).Runs
}

// modified returns when the reports of all runs were written.
func modified(t *testing.T, folder string) (times []string) {
	t.Helper()
	reports := polytest.Must(filepath.Glob(filepath.Join(folder, "trial-*", "seed-*", rundir.ReportFile)))(t)
	reports = append(reports, polytest.Must(filepath.Glob(filepath.Join(folder, "seed-*", rundir.ReportFile)))(t)...)
	if len(reports) == 0 {
		t.Fatal("no reports")
	}
	for _, path := range reports {
		info := polytest.Must(os.Stat(path))(t)
		times = append(times, path+info.ModTime().String())
	}
	return times
}

// A trial whose rewards are not finite is a result, the worst, and the sweep goes on.
func TestFailedTrialsAreResults(t *testing.T) {
	p := smallPlan(t, SearchOptions{Method: Grid}, [2]string{"task.options.forward_reward_weight", "1,1e308,2"})
	folder := filepath.Join(t.TempDir(), "sweep")
	report := polytest.Must(Run(t.Context(), p, Options{Folder: folder}))(t)
	failed := report.Trials[1]
	if failed.State != Failed || failed.Error == "" || !math.IsNaN(failed.Mean) || !math.IsInf(p.loss(failed), 1) {
		t.Errorf("the trial is %+v, want a failed one", failed)
	}
	if sorted := p.Sorted(report.Trials); sorted[2] != failed || report.Best == nil || report.Best == failed {
		t.Errorf("the best is %+v and the last is trial %d, want trial 2 to be the last", report.Best, sorted[2].Number)
	}
	table, err := os.ReadFile(filepath.Join(folder, TableFile))
	if err != nil || !strings.Contains(string(table), "\n2,failed,1e308,,,,,1,") {
		t.Errorf("the table is %q, %v; want trial 2 without values", table, err)
	}
	{
		p.Over[0].values = []string{"1e308", "1.1e308"}
		report, err := Run(t.Context(), p, Options{Folder: filepath.Join(t.TempDir(), "all")})
		if err != nil || report.Best != nil || len(report.Trials) != 2 {
			t.Errorf("all fail: %+v, %v", report, err)
		}
	}
}

// What cannot be swept is refused before anything is trained, with the key, what was given and what is wanted.
func TestSweepRefuses(t *testing.T) {
	halton := SearchOptions{Method: Halton, Trials: 3}
	for _, c := range []struct {
		key, text, want string
		change          func(*Plan)
	}{
		{key: "training.gama", text: "0..1", want: "training.gama: unknown key; did you mean training.gamma?"},
		{key: "training.gamma", text: "0.9..1.1", want: "training.gamma is swept over 0.9..1.1, but with 1.1: " +
			"training.gamma is 1.1, want 0 to 1"},
		{key: "training.epochs", text: "1..5", want: "training.epochs is 2.52786, want a whole number"},
		{key: "training.epochs", text: "int:0..5", want: "training.epochs is 0, want 1 to"},
		{key: "training.schedule", text: "constant,linaer", want: `but with linaer: training.schedule is "linaer", want`},
		{key: "training.hidden", text: "[4],4", want: "but with 4: training.hidden is 4, want a list"},
		{key: "runners.Robbot.rate", text: "10,20", want: "runners.Robbot: unknown name; did you mean runners.Robot?"},
		{key: "runners.Robot.rate", text: "20,0", want: "runners.Robot.rate is swept over 20,0, but with 0: "},
		{key: "task.options.forward", text: "1,2", want: "but with 1: task.options.forward: unknown"},
		{key: "training.symmetry", text: "{weight: 1},{weight: 1, observation: {negate: [99]}, action: {negate: [0]}}",
			want: "but with {action: {negate: [0]}, observation: {negate: [99]}, weight: 1}: "},
		{key: "task.name", text: "HalfCheetah-v5,Hopper-v9", want: "but with Hopper-v9: "},
		{key: "workers", text: "1,2", want: "workers is swept, want another key"},
		{key: "training.gamma", text: "0.9,1", want: "seeds is 0, want 1 to 10000", change: func(p *Plan) { p.Seeds = 0 }},
		{key: "training.gamma", text: "0.9,1", want: "seed is 18446744073709551615, want at most 18446744073709551613",
			change: func(p *Plan) {
				p.Seeds, p.Configuration = 2, strings.Replace(p.Configuration, "seed: 7", "seed: 18446744073709551615", 1)
			}},
		{key: "seed", text: "1,2", want: "seed is swept and there are 2 seeds", change: func(p *Plan) { p.Seeds = 2 }},
		{key: "training", text: "{gamma: 0.9},{gamma: 1}", want: "training and training.gamma are swept",
			change: func(p *Plan) { p.Over = append(p.Over, polytest.Must(ParseRange("training.gamma", "0..1"))(t)) }},
		{key: "training.gamma", text: "0.9,1", want: "training.gamma is given twice",
			change: func(p *Plan) { p.Over = append(p.Over, p.Over[0]) }},
		{key: "training.gamma", text: "0.9,1", want: `the objective is "speed", want return, length or info/NAME`,
			change: func(p *Plan) { p.Objective = "speed" }},
		{key: "training.gamma", text: "0.9,1", want: `the objective is "info/speed", but the infos of HalfCheetah-v5 are `,
			change: func(p *Plan) { p.Objective = "info/speed" }},
		{key: "training.steps", text: "100,200", want: "training.steps is swept, want another key",
			change: func(p *Plan) { p.Method = Halving }},
		{key: "training.gamma", text: "0.9,1", want: "trial 1 trains 4 steps in the first rung, want at least those of " +
			"one rollout, 32", change: func(p *Plan) { p.SearchOptions = SearchOptions{Method: Halving, Trials: 100} }},
		{key: "training.gamma", text: "0.9,1", want: "trials is 0, want 1 to 10000", change: func(p *Plan) { p.Trials = 0 }},
		{key: "training.gamma", text: "0.9,1", want: "time.mode is ", change: func(p *Plan) {
			p.Configuration = strings.Replace(p.Configuration, "mode: sim_high_performance", "mode: game_realtime", 1)
		}},
	} {
		p := smallPlan(t, halton, [2]string{c.key, c.text})
		if c.change != nil {
			c.change(p)
		}
		folder := filepath.Join(t.TempDir(), "sweep")
		_, err := Run(t.Context(), p, Options{Folder: folder})
		if err == nil || !strings.Contains(err.Error(), c.want) || !errors.As(err, new(env.ConfigError)) {
			t.Errorf("%s over %s: %v, want one of usage with %q", c.key, c.text, err, c.want)
		}
		if exists(folder) {
			t.Errorf("%s over %s: a folder is left behind", c.key, c.text)
		}
	}
}

// A state that is damaged, or none, is refused.
func TestReadRefuses(t *testing.T) {
	folder := t.TempDir()
	for text, want := range map[string]string{
		"":   "damaged",
		"{}": "it has no plan",
		"[1": "damaged",
		`{"plan": {"over": [["training.gamma", "x"]]}}`: "1 values are given",
	} {
		polytest.NoError(t, os.WriteFile(filepath.Join(folder, StateFile), []byte(text), 0o666))
		if _, err := Read(folder); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	if _, err := Read(t.TempDir()); !errors.Is(err, fs.ErrNotExist) || !errors.As(err, new(env.ConfigError)) {
		t.Errorf("no state: %v", err)
	}
}

// A file has the keys in its order and lists as YAML writes them.
func TestReadFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sweep.yaml")
	read := func(text string) (*Plan, error) {
		polytest.NoError(t, os.WriteFile(path, []byte(text), 0o666))
		return ReadFile(path)
	}
	p, err := read(`
method: halving
trials: 9
eta: 2
minimise: true
objective: length
over:
  training.learning_rate: log:1e-4..1e-2
  training.activation: [tanh, "elu"]
  training.hidden:
    - [8, 8] # small
    - [64]
  task.name: ["a, b", c]
`)
	polytest.NoError(t, err)
	if s := p.SearchOptions; s != (SearchOptions{Method: Halving, Trials: 9, Eta: 2}) || p.Objective != Length ||
		!p.Minimise || p.Seeds != 1 || len(p.Over) != 4 {
		t.Fatalf("%+v", p)
	}
	for i, want := range [][]string{{"log:1e-4..1e-2", "0.0001", "0.01"}, {"", "tanh", "elu"}, {"", "[8, 8]", "[64]"},
		{"", `"a, b"`, "c"}} {
		r := p.Over[i]
		if low, high := r.At(0), r.At(1); want[0] != "" && r.Text != want[0] ||
			strings.Trim(low, `'"`) != strings.Trim(want[1], `'"`) || high != want[2] {
			t.Errorf("range %d is %q from %s to %s, want %q", i, r.Text, low, high, want)
		}
	}
	for text, want := range map[string]string{
		"mehtod: grid":                     "mehtod: unknown key; did you mean method?",
		"trials: many":                     `trials is "many", want a whole number`,
		"over: [1]":                        "over is a list of 1, want a mapping",
		"over: {training.gamma: {a: 1}}":   "over.training.gamma is a mapping, want a range or a list of values",
		"over: {training.gamma: 0.9}":      `over.training.gamma is "0.9": 1 values are given`,
		"over: {a: [1, 2], a: [3, 4]}":     `"a" already defined`,
		"over: {training.gamma: [0.9, [1]": "sweep.yaml: ",
		"a: 1\n---\nb: 2":                  "want one YAML document",
		strings.Repeat("#", 1<<20+1):       "is more than 1048576 bytes, want at most that",
	} {
		if _, err := read(text); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") ||
			!errors.As(err, new(env.ConfigError)) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// A trial that training.stop ends is done, also in halving, and its later rungs have its result.
func TestTrialsThatEndEarly(t *testing.T) {
	plan := smallPlan(t, SearchOptions{Method: Halving, Trials: 3}, rates)
	plan.Configuration = strings.Replace(plan.Configuration, "\ntraining:\n",
		"\ntraining:\n  stop: {metric: entropy, value: -1000}\n", 1)
	folder := filepath.Join(t.TempDir(), "sweep")
	report := polytest.Must(Run(t.Context(), plan, Options{Folder: folder, Workers: 2}))(t)
	if len(report.Trials) != 3 || report.Best == nil {
		t.Fatalf("%d trials, the best is %v", len(report.Trials), report.Best)
	}
	for _, trial := range report.Trials {
		run := polytest.Must(rundir.ReadReport(filepath.Join(folder, "trial-00"+strconv.Itoa(trial.Number))))(t)
		if trial.Error != "" || run.Status != rundir.StatusDone || run.EnvSteps != 2*2*16 || run.Stopped == nil {
			t.Errorf("trial %d: %q, %s after %d steps, stopped by %v; want it done after 64", trial.Number, trial.Error,
				run.Status, run.EnvSteps, run.Stopped)
		}
	}
}
