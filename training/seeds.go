package training

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/curve"
	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
)

// The names of the files in the folder of [TrainSeeds], beside the run folders seed-1,
// seed-2 and so on.
const (
	SeedsFile   = "seeds.json"  // a [SeedsPlan]
	TableFile   = "seeds.csv"   // the evaluation of each seed
	SummaryFile = "summary.csv" // their mean and spread
	SeedsCurve  = "seeds.png"   // the learning curves
)

// MaxSeeds is the most seeds of [TrainSeeds].
const MaxSeeds = 10_000

// SeedsPlan says which runs belong to a folder of [TrainSeeds].
type SeedsPlan struct {
	Seeds         int    `json:"seeds"`
	LogEvery      int64  `json:"log_every"`
	Configuration string `json:"configuration"` // YAML, with the first seed
}

// ReadSeeds reads the plan of a folder. The error is fs.ErrNotExist if it has none.
func ReadSeeds(folder string) (*SeedsPlan, error) {
	path := filepath.Join(folder, SeedsFile)
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	p := &SeedsPlan{}
	if err := json.Unmarshal(data, p); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if p.Seeds < 1 || p.Seeds > MaxSeeds || p.LogEvery < 0 {
		return nil, fmt.Errorf("%s: %d seeds and a log every %d steps, want 1 to %d and at least 0", path, p.Seeds, p.LogEvery, MaxSeeds)
	}
	return p, nil
}

// SeedsOptions are the options of [TrainSeeds].
type SeedsOptions struct {
	Seeds    int    // number of runs, 1 to MaxSeeds
	Folder   string // new or empty; "": the next runs/TASK-NNN
	LogEvery int64  // as in TrainOptions

	// Continue says that Folder is one of an earlier call that was stopped, with the same
	// configuration; Seeds and LogEvery are ignored.
	Continue bool

	// Progress, if it is not nil, is called as TrainOptions.Progress is, with sums over all
	// seeds; the mean return is that of the runs that go on. Calls do not overlap.
	Progress func(TrainProgress)

	// Warn, if it is not nil, is called with each warning of the task or the engine. Calls do
	// not overlap.
	Warn func(string)

	// Draw, if it is not nil, is called with the folder of each run as TrainOptions.Draw is.
	// Its calls may overlap.
	Draw func(folder string) error
}

// SeedsReport is the outcome of [TrainSeeds].
type SeedsReport struct {
	Folder  string
	Runs    []*Report // in the order of seeds; only those that are done
	Summary []Spread  // of the runs; nil if there are none
}

// Spread is the distribution of a quantity over seeds. The standard deviation divides by
// the number of seeds.
type Spread struct {
	Quantity                    string
	Mean, Std, Min, Max, Median float64
}

// TrainSeeds trains with opt.Seeds seeds, the configuration's and those after it, each in
// a run folder seed-K of its own. Runs share the workers: as many runs as there are workers
// go on at once, each with an equal number of workers, since a run gains less from a second
// worker than a second run does; on results this has no influence. Then the folder holds a
// table of the evaluations, their summary and a picture of the learning curves; these are
// also written after an error, which stops all runs, of the runs that are done. The report
// is nil if no run could begin.
func TrainSeeds(ctx context.Context, config *configs.Config, opt SeedsOptions) (*SeedsReport, error) {
	s := &seeds{config: config, opt: opt}
	if err := s.open(); err != nil {
		return nil, err
	}
	defer s.taken.Close()
	s.progress = make([]TrainProgress, s.opt.Seeds)
	reports, done := make([]*Report, s.opt.Seeds), make([]bool, s.opt.Seeds)
	workers := cmp.Or(config.Workers, env.Processors())
	atOnce := min(s.opt.Seeds, workers)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for i := range s.opt.Seeds {
		group.Go(func() (err error) {
			if err := ctx.Err(); err != nil {
				return err
			}
			reports[i], err = s.train(ctx, i, max(1, workers/atOnce))
			done[i] = err == nil
			return err
		})
	}
	err := group.Wait()
	if err != nil && !opt.Continue && !slices.ContainsFunc(reports, func(r *Report) bool { return r != nil }) {
		return nil, errors.Join(err, s.taken.Discard())
	}
	for i, report := range reports {
		if done[i] {
			s.report.Runs = append(s.report.Runs, report)
		}
	}
	return &s.report, errors.Join(err, s.write())
}

// seeds is one call of TrainSeeds.
type seeds struct {
	config *configs.Config
	opt    SeedsOptions
	taken  *Folder
	report SeedsReport

	mu       sync.Mutex      // held while Progress or Warn is called
	progress []TrainProgress // of each run
}

// open makes or retakes the folder.
func (s *seeds) open() (err error) {
	if s.opt.Continue {
		plan, err := ReadSeeds(s.opt.Folder)
		if err != nil {
			return err
		}
		if plan.Configuration != portable(s.config) {
			return usagef("the configuration differs from that of %s, want the same to continue; --out DIR begins other runs", s.opt.Folder)
		}
		s.opt.Seeds, s.opt.LogEvery = plan.Seeds, plan.LogEvery
		s.taken, err = RetakeFolder(s.opt.Folder)
		s.report.Folder = filepath.Clean(s.opt.Folder)
		return err
	}
	if s.opt.Seeds < 1 || s.opt.Seeds > MaxSeeds {
		return usagef("seeds is %d, want 1 to %d", s.opt.Seeds, MaxSeeds)
	}
	if s.config.Seed > math.MaxUint64-uint64(s.opt.Seeds) { // evaluations use the next one
		return usagef("seed is %d, want at most %d for %d seeds", s.config.Seed, uint64(math.MaxUint64)-uint64(s.opt.Seeds), s.opt.Seeds)
	}
	if s.taken, err = TakeFolder(s.opt.Folder, s.config.Task.Name); err != nil {
		return err
	}
	s.report.Folder = s.taken.path
	plan := SeedsPlan{Seeds: s.opt.Seeds, LogEvery: s.opt.LogEvery, Configuration: portable(s.config)}
	if err := disk.Replace(disk.OS{}, filepath.Join(s.taken.path, SeedsFile), true, disk.JSON(plan)); err != nil {
		return errors.Join(err, s.taken.Discard())
	}
	return nil
}

// train trains seed i, or reads the report of its run if that is done.
func (s *seeds) train(ctx context.Context, i, workers int) (*Report, error) {
	c, seed := *s.config, s.config.Seed+uint64(i)
	c.Seed, c.Workers = seed, workers
	opt := TrainOptions{Folder: s.run(seed), LogEvery: s.opt.LogEvery, Draw: s.opt.Draw}
	opt.Progress = func(p TrainProgress) { s.show(i, p) }
	if s.opt.Warn != nil {
		opt.Warn = func(text string) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.opt.Warn(text)
		}
	}
	train := Train
	if s.opt.Continue {
		train = TrainAgain
	}
	report, err := train(ctx, &c, opt)
	if err != nil {
		err = fmt.Errorf("seed %d: %w", seed, err)
	} else {
		s.show(i, TrainProgress{EnvSteps: report.EnvSteps, Total: report.EnvSteps}) // it may have been done before
	}
	return report, err
}

// show reports that run i has come to p.
func (s *seeds) show(i int, p TrainProgress) {
	if s.opt.Progress == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.progress[i] = p
	all, running := TrainProgress{Total: int64(len(s.progress)) * p.Total}, 0
	for _, p := range s.progress {
		all.EnvSteps += min(p.EnvSteps, p.Total)
		if p.EnvSteps >= p.Total {
			continue // done, or not begun
		}
		all.StepsPerS += p.StepsPerS
		if !math.IsNaN(p.MeanReturn) {
			all.MeanReturn += p.MeanReturn
			running++
		}
	}
	all.MeanReturn /= float64(running) // NaN if none is
	s.opt.Progress(all)
}

// run returns the folder of a seed's run.
func (s *seeds) run(seed uint64) string {
	return filepath.Join(s.report.Folder, fmt.Sprintf("seed-%d", seed))
}

// write writes the table, the summary and the picture of the runs that are done.
func (s *seeds) write() error {
	if len(s.report.Runs) == 0 {
		return nil
	}
	table := [][]string{{"seed", "env_steps", "mean_return", "std_return", "min_return", "max_return", "mean_length", "episodes"}}
	var returns, lengths []float64
	for _, r := range s.report.Runs {
		e := r.Evaluation
		row := []string{strconv.FormatUint(r.Seed, 10), strconv.FormatInt(r.EnvSteps, 10)}
		for _, v := range []float64{e.MeanReturn, e.StdReturn, e.MinReturn, e.MaxReturn, e.MeanLength} {
			row = append(row, decimal(v))
		}
		table = append(table, append(row, strconv.Itoa(e.Episodes)))
		returns, lengths = append(returns, e.MeanReturn), append(lengths, e.MeanLength)
	}
	s.report.Summary = []Spread{spreadOf("mean_return", returns), spreadOf("mean_length", lengths)}
	summary := [][]string{{"quantity", "seeds", "mean", "std", "min", "max", "median"}}
	for _, q := range s.report.Summary {
		row := []string{q.Quantity, strconv.Itoa(len(returns))}
		for _, v := range []float64{q.Mean, q.Std, q.Min, q.Max, q.Median} {
			row = append(row, decimal(v))
		}
		summary = append(summary, row)
	}
	return errors.Join(s.writeTable(TableFile, table), s.writeTable(SummaryFile, summary), s.draw())
}

func decimal(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

func (s *seeds) writeTable(name string, rows [][]string) error {
	return disk.Replace(disk.OS{}, filepath.Join(s.report.Folder, name), false, func(w io.Writer) error {
		return csv.NewWriter(w).WriteAll(rows)
	})
}

// draw draws the learning curves, if an episode has ended in any.
func (s *seeds) draw() error {
	var curves [][]curve.Point
	ended := false
	for _, r := range s.report.Runs {
		path := filepath.Join(r.Folder, MetricsFile)
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		points, err := readCurve(bytes.NewReader(data))
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		curves = append(curves, points)
		ended = ended || slices.ContainsFunc(points, func(p curve.Point) bool { return !math.IsNaN(p.Return) })
	}
	if !ended {
		return nil
	}
	return disk.Replace(disk.OS{}, filepath.Join(s.report.Folder, SeedsCurve), false, func(w io.Writer) error {
		return curve.WriteSeedsPNG(w, s.config.Task.Name, curves)
	})
}

// spreadOf returns the distribution of at least one value.
func spreadOf(quantity string, values []float64) Spread {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	s := Spread{Quantity: quantity, Min: sorted[0], Max: sorted[n-1], Median: (sorted[(n-1)/2] + sorted[n/2]) / 2}
	for _, v := range sorted {
		s.Mean += v / float64(n)
	}
	for _, v := range sorted {
		s.Std += (v - s.Mean) * (v - s.Mean) / float64(n)
	}
	s.Std = math.Sqrt(s.Std)
	return s
}
