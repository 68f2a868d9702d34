package sweep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"golang.org/x/sync/errgroup"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/errtree"
	"github.com/polyrhythm-rl/polyrhythm/training"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// Options are the options of [Run] that have no influence on the results.
type Options struct {
	Folder   string // new or empty; "": the next sweep-TASK-NNN in Runs, without ranges TASK-NNN
	Runs     string // folder of new runs; "": [rundir.Parent]
	NoEvents bool   // as of [training.TrainOptions]
	Continue bool   // Folder is that of an earlier call with the same plan, which was stopped
	Parallel int    // runs that train at once; 0: Workers
	Workers  int    // threads of all runs together; 0: one per CPU

	// These may be nil. Their calls do not overlap, except for those of Draw.
	Progress func(Progress)            // called before the first run and after each iteration of each
	Warn     func(string)              // called with each warning of a task or an engine, once
	Draw     func(folder string) error // called for each run as that of training.TrainOptions
}

// Progress is the progress of a sweep.
type Progress struct {
	Done, Total float64 // whole trainings, of all seeds
	Trials, All int     // trials that are over, and all
	Runs        int     // that are over
	Best        *Trial  // so far; nil: none
}

// Report is the outcome of [Run].
type Report struct {
	Folder string
	Trials []*Trial // that are over, by number
	Best   *Trial   // nil: all failed, or none is over

	// Of a plan without ranges: the runs that are done, by seed, and their spread.
	Runs    []*rundir.Report
	Summary []Spread
}

// Run executes a plan: it trains each trial, and writes a table, a picture and the configuration of the best trial,
// also after an error. A trial that diverges, whose configuration turns out to be impossible, or in whose evaluation
// a fault happens is a result too, worse than all others. Of a plan without ranges it writes instead a table of the
// evaluations, their summary and a picture of the learning curves, and an error of one run stops all. If ctx is
// cancelled, Run stops and returns its error. The report is nil if the sweep could not begin.
func Run(ctx context.Context, plan *Plan, opt Options) (*Report, error) {
	if err := plan.Check(ctx); err != nil {
		return nil, err
	}
	opt.Workers = cmp.Or(opt.Workers, env.Processors())
	opt.Parallel = cmp.Or(opt.Parallel, opt.Workers)
	s := &sweep{plan: plan, opt: opt, results: map[runKey]result{}, reached: map[runKey]float64{},
		warned: map[string]bool{}}
	defer func() { s.taken.Close() }()
	if err := s.open(); err != nil {
		return nil, err
	}
	err := s.search(ctx)
	var written error
	switch {
	case plan.alone():
		written = s.writeSeeds()
	case len(s.report.Trials) > 0:
		written = errors.Join(s.writeTables(), s.draw())
	}
	if errtree.Only(err, context.Canceled) {
		return &s.report, errors.Join(err, written)
	}
	return &s.report, cmp.Or(err, written) // after an error, such as of a full disk, that of the tables says no more
}

type sweep struct {
	plan   *Plan
	opt    Options
	taken  *rundir.Folder
	trials int     // how many there will be
	total  float64 // whole trainings

	mu      sync.Mutex // guards what follows, and calls of opt's functions
	report  Report
	known   []*Trial // that have been asked for
	results map[runKey]result
	reached map[runKey]float64 // by trial and seed: the part that is trained
	warned  map[string]bool
}

// open makes the folder and its state, or reads the state of an earlier call.
func (s *sweep) open() (err error) {
	if s.opt.Continue {
		if s.taken, err = rundir.LockFolder(s.opt.Folder); err != nil {
			return err
		}
		s.report.Folder = s.taken.Path()
		before, err := readState(s.report.Folder)
		if err != nil {
			return err
		}
		for _, r := range before.Runs {
			s.results[r.runKey] = r
		}
		return nil
	}
	name := "sweep-" + s.plan.config.Task.Name
	if s.plan.alone() {
		name = s.plan.config.Task.Name
	}
	if s.opt.Folder != "" {
		s.taken, err = rundir.CreateFolder(s.opt.Folder)
	} else {
		s.taken, err = rundir.CreateNext(s.opt.Runs, name)
	}
	if err != nil {
		return err
	}
	s.report.Folder = s.taken.Path()
	if err = s.writeState(); err != nil {
		err = errors.Join(err, s.taken.Discard())
	}
	return err
}

func (s *sweep) search(ctx context.Context) error {
	search, err := s.plan.search()
	if err != nil {
		return err
	}
	s.trials, s.total = search.Size()
	s.total *= float64(s.plan.Seeds)
	s.opt.Parallel = min(s.opt.Parallel, s.trials*s.plan.Seeds)
	var losses []float64
	for rung := 1; ; rung++ {
		jobs := search.Next(losses)
		if len(jobs) == 0 {
			return nil
		}
		if err := s.do(ctx, s.tasks(rung, jobs)); err != nil {
			return err
		}
		losses = make([]float64, len(jobs))
		for i, job := range jobs {
			losses[i] = s.plan.loss(s.known[job.Trial])
		}
	}
}

type task struct {
	runKey
	part   float64         // up to which it is to be trained
	config *configs.Config // of the trial, with the seed; nil: it is impossible
	err    error           // then: why
}

// tasks returns the runs of the jobs of a rung, trial by trial, that have no result yet.
func (s *sweep) tasks(rung int, jobs []Job) (tasks []task) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, job := range jobs {
		if job.Trial == len(s.known) {
			s.known = append(s.known, &Trial{Number: job.Trial + 1, Values: job.Values})
		}
		trial := s.known[job.Trial]
		trial.asked, trial.part = rung, job.Part
		config, err := s.plan.trialConfig(job.Values)
		first := s.plan.config.Seed
		if err == nil {
			trial.config, first = config, config.Seed
		}
		trial.Seeds = nil
		for k := range uint64(s.plan.Seeds) {
			t := task{runKey: runKey{rung, trial.Number, first + k}, part: job.Part, err: err}
			trial.Seeds = append(trial.Seeds, t.Seed)
			if err == nil {
				c := *config
				c.Seed = t.Seed
				t.config = &c
			}
			if _, done := s.results[t.runKey]; done {
				s.reached[runKey{0, t.Trial, t.Seed}] = t.part
				continue
			}
			tasks = append(tasks, t)
		}
	}
	s.update()
	s.show()
	return tasks
}

// do does tasks, opt.Parallel at once. It begins none after an error. Of a run that is interrupted, or ended by the error
// of another one, that does not hide what else went wrong.
func (s *sweep) do(ctx context.Context, tasks []task) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(s.opt.Parallel)
	failed := make([]error, len(tasks))
	for i, t := range tasks {
		group.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			r, err := s.run(ctx, t)
			if err == nil {
				err = s.keep(t, r)
			}
			if !errtree.Only(err, context.Canceled) {
				failed[i] = err
			}
			return err
		})
	}
	err := group.Wait()
	return cmp.Or(errors.Join(failed...), err)
}

func (s *sweep) folder(t task) string {
	trial, seed := fmt.Sprintf("trial-%03d", t.Trial), fmt.Sprintf("seed-%d", t.Seed)
	switch {
	case s.plan.alone():
		trial = ""
	case s.plan.Seeds == 1:
		seed = ""
	}
	return filepath.Join(s.report.Folder, trial, seed)
}

// run trains and evaluates. An error ends the sweep; what concerns the trial alone is a result.
func (s *sweep) run(ctx context.Context, t task) (result, error) {
	r := result{runKey: t.runKey}
	if t.err != nil {
		r.Error = t.err.Error()
		return r, nil
	}
	opt := training.TrainOptions{Folder: s.folder(t), LogEvery: s.plan.LogEvery, NoEvents: s.opt.NoEvents,
		Warn: s.warn, Draw: s.opt.Draw,
		Progress: func(p training.TrainProgress) { s.progress(t, p) }}
	if t.part < 1 {
		opt.Until = s.plan.budget(t.config, t.part)
	}
	t.config.Workers = max(s.opt.Workers/s.opt.Parallel, 1)
	_, statErr := os.Stat(filepath.Join(opt.Folder, rundir.StateFile))
	report, err := training.TrainOrResume(ctx, t.config, opt)
	if err != nil {
		if s.plan.alone() {
			return r, fmt.Errorf("seed %d: %w", t.Seed, err)
		}
		reported := report != nil
		impossible := errors.As(err, new(env.ConfigError)) && errors.Is(statErr, fs.ErrNotExist)
		if ctx.Err() != nil || errors.As(err, new(syscall.Errno)) || !reported && !impossible {
			return r, fmt.Errorf("trial %d, seed %d: %w", t.Trial, t.Seed, err)
		}
		r.Error = err.Error()
		if reported {
			r.EnvSteps = report.EnvSteps
		}
		return r, nil
	}
	e := report.Evaluation
	r.EnvSteps, r.Faults = report.EnvSteps, e.Faults
	value, spread := s.plan.value(e)
	switch {
	case e.Faults > 0:
		r.Error = fmt.Sprintf("a fault ended %d of the %d episodes of the evaluation", e.Faults, e.Episodes)
	case math.IsNaN(value) || math.IsInf(value, 0):
		r.Error = fmt.Sprintf("%s is %v, want a finite number", s.plan.Objective, value)
	default:
		r.Value, r.Spread = value, spread
	}
	return r, nil
}

// keep keeps a result, and the table as it then is.
func (s *sweep) keep(t task, r result) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.results[t.runKey] = r
	if err := s.writeState(); err != nil {
		return err
	}
	s.reached[runKey{0, t.Trial, t.Seed}] = t.part
	s.update()
	s.show()
	if s.plan.alone() {
		return nil
	}
	return s.writeTables()
}

func (s *sweep) warn(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.opt.Warn != nil && !s.warned[text] {
		s.warned[text] = true
		s.opt.Warn(text)
	}
}

func (s *sweep) progress(t task, p training.TrainProgress) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reached[runKey{0, t.Trial, t.Seed}] = min(float64(p.EnvSteps)/float64(p.Total), t.part)
	s.show()
}

// show calls opt.Progress. The caller holds s.mu.
func (s *sweep) show() {
	if s.opt.Progress == nil {
		return
	}
	p := Progress{Total: s.total, Trials: len(s.report.Trials), All: s.trials, Runs: len(s.results), Best: s.report.Best}
	for _, t := range s.known {
		for _, seed := range t.Seeds {
			p.Done += s.reached[runKey{0, t.Number, seed}]
		}
	}
	s.opt.Progress(p)
}
