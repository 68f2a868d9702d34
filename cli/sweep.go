package cli

import (
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/training/sweep"
)

func newSweep() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "sweep --config FILE --over KEY=VALUES --trials N",
		Short:   "Train with many values of some keys and find the best",
		Example: "  train sweep --task HalfCheetah-v5 --over training.learning_rate=log:1e-4..1e-3 --trials 8",
		Long: "Train with many values of some keys of the configuration, any that --set takes, and find the best. " +
			"VALUES are A..B (evenly), log:A..B (their logarithms evenly), int:A..B or log-int:A..B (whole numbers), " +
			"with /N for a grid of N values, or a list A,B,C. Each trial is a run folder trial-NNN; the table is " +
			"sweep.csv, the picture sweep.png, the best configuration best.yaml.",
		Args: withoutArguments,
	}
	var config configFlags
	config.AddRun(cmd)
	config.AddAlgorithm()
	flags := cmd.Flags()
	p := sweep.Default()
	file := flags.String("sweep", "", "read the sweep from `FILE`, a YAML file with the keys over, method, trials "+
		"and so on; flags override it")
	ranges := flags.StringArray("over", nil, "sweep over `KEY=VALUES`; may be repeated")
	flags.StringVar(&p.Method, "method", p.Method, "choose values by `METHOD`: "+strings.Join(sweep.Methods, ", "))
	complete(cmd, "method", sweep.Methods...)
	flags.IntVar(&p.Trials, "trials", 0, "train `N` trials; of a grid, at most N")
	flags.IntVar(&p.Eta, "eta", 0, "of halving: one in `N` trials goes on to the next rung; 0 for 3")
	flags.IntVar(&p.Rungs, "rungs", 0, "of halving: `N` rungs; 0 for as many as the trials last for")
	flags.IntVar(&p.Seeds, "seeds", p.Seeds, "train each trial with `K` seeds, the configured and those after it, "+
		"and take the mean")
	flags.StringVar(&p.Objective, "objective", p.Objective,
		"compare trials by `WHAT` of the final evaluation: return, length (mean of the episodes) or info/NAME")
	flags.BoolVar(&p.Minimise, "minimise", false, "the least objective is best, not the greatest")
	logEvery := addLogFlag(cmd)
	var opt sweep.Options
	flags.StringVar(&opt.Folder, "out", "", "write to the folder `DIR`, new or empty, instead of the next "+
		"sweep-TASK-NNN in --runs")
	flags.IntVar(&opt.Parallel, "parallel", 0, "train `P` runs at once, which share the workers; 0 for as many as "+
		"there are workers")
	resume := flags.String("resume", "", "continue the stopped sweep in the folder `DIR`; only --parallel and "+
		"--workers may be given with it")
	cmd.RunE = func(cmd *cobra.Command, _ []string) (err error) {
		if opt.Parallel < 0 || opt.Parallel > maxParallel {
			return usagef("--parallel is %d, want 0 to %d", opt.Parallel, maxParallel)
		}
		var c *configs.Config
		if *resume != "" {
			opt.Folder, opt.Continue = *resume, true
			if p, err = resumedSweep(cmd, &config, *resume); err == nil {
				c, err = config.Parse(*resume, []byte(p.Configuration))
			}
		} else {
			if *file != "" {
				err = sweepFile(cmd, p, *file)
			}
			p.LogEvery = *logEvery
			if err == nil {
				c, err = newPlan(p, &config, *ranges)
			}
		}
		if err != nil {
			return err
		}
		opt.Workers = c.Workers
		return runSweep(cmd, c, p, opt)
	}
	return cmd
}

const maxParallel = 1024

// resumedSweep reads the plan of a sweep that is to go on.
func resumedSweep(cmd *cobra.Command, config *configFlags, folder string) (*sweep.Plan, error) {
	if err := onlyWith(cmd, "resume", "parallel", "workers", "set", "cpuprofile"); err != nil {
		return nil, err
	}
	if config.hasChanges() {
		return nil, usagef("--resume and --set are given, want no flags beside --resume but --parallel and --workers")
	}
	if err := checkFolders("a sweep", folder); err != nil {
		return nil, err
	}
	return sweep.Read(folder)
}

// sweepFile sets what a file says in the plan, unless a flag says something else.
func sweepFile(cmd *cobra.Command, p *sweep.Plan, path string) error {
	f, err := sweep.ReadFile(path)
	if err != nil {
		return err
	}
	texts := map[string]string{}
	cmd.Flags().Visit(func(f *pflag.Flag) { texts[f.Name] = f.Value.String() })
	*p = *f
	for _, name := range []string{"method", "trials", "eta", "rungs", "seeds", "objective", "minimise"} {
		if text, ok := texts[name]; ok {
			err = errors.Join(err, cmd.Flags().Set(name, text))
		}
	}
	return err
}

// planConfig reads the configuration of a plan, which has it without the number of workers.
func planConfig(p *sweep.Plan, config *configFlags) (*configs.Config, error) {
	c, err := config.Load()
	if err == nil {
		clone := *c
		clone.Workers = 0
		p.Configuration = string(clone.YAML())
	}
	return c, err
}

// parseRange parses a value of the flag --over or --axis.
func parseRange(flag, text string) (sweep.Range, error) {
	key, values, ok := strings.Cut(text, "=")
	if !ok {
		return sweep.Range{}, usagef("--%s is %q, want KEY=VALUES, such as training.gamma=0.98,0.99 or "+
			"training.learning_rate=log:1e-4..1e-2", flag, text)
	}
	r, err := sweep.ParseRange(key, values)
	if err != nil {
		return r, usagef("--%s: %w", flag, err)
	}
	return r, nil
}

// newPlan completes a plan by the configuration and the ranges.
func newPlan(p *sweep.Plan, config *configFlags, ranges []string) (*configs.Config, error) {
	c, err := planConfig(p, config)
	if err != nil {
		return nil, err
	}
	fileRanges := len(p.Over)
	for _, o := range ranges {
		r, err := parseRange("over", o)
		if err != nil {
			return nil, err
		}
		if i := slices.IndexFunc(p.Over, func(other sweep.Range) bool { return other.Key == r.Key }); i >= 0 &&
			i < fileRanges {
			p.Over[i] = r // the flag replaces the file's range
			continue
		}
		p.Over = append(p.Over, r)
	}
	if len(p.Over) == 0 {
		return nil, usagef("no key to sweep given, want --over KEY=VALUES or a file with over")
	}
	return c, nil
}

func runSweep(cmd *cobra.Command, c *configs.Config, p *sweep.Plan, opt sweep.Options) error {
	stderr, alone := cmd.ErrOrStderr(), len(p.Over) == 0
	bar := showProgress(cmd, "training "+c.Task.Name)
	opt.Warn = bar.Warn
	s := settingsOf(cmd)
	opt.Runs, opt.NoEvents = s.Runs, !s.TensorBoard
	if alone {
		opt.Draw = func(folder string) error {
			return makeClip(cmd, bar.LogWriter(), c, folder, func(int64, int64) {}) // several runs may draw at once
		}
	}
	const unit = 1e6 // units of the bar for a training
	opt.Progress = func(q sweep.Progress) {
		status := fmt.Sprintf("%d of %s", q.Trials, count(q.All, "trial"))
		if alone {
			status = fmt.Sprintf("%d of %s", q.Runs, count(p.Seeds, "seed"))
		}
		if q.Best != nil && !alone {
			status += fmt.Sprintf("  best %.4g in trial %d", q.Best.Mean, q.Best.Number)
		}
		bar.Update(int64(q.Done*unit), int64(q.Total*unit), status)
	}
	report, err := onDisk(cmd.Context(), func() (*sweep.Report, error) { return sweep.Run(cmd.Context(), p, opt) })
	bar.Close()
	switch {
	case err != nil && report != nil:
		done := count(len(report.Trials), "trial")
		if alone {
			done = count(len(report.Runs), "whole run")
		}
		fmt.Fprintf(stderr, "stopped after %s; %s --resume %s goes on\n", done, cmd.CommandPath(), report.Folder)
		return err
	case err != nil:
		return err
	case alone:
		printSeeds(cmd.OutOrStdout(), c.Task.Name, report)
	default:
		printSweep(cmd.OutOrStdout(), p, report)
	}
	return nil
}

func printSweep(w io.Writer, p *sweep.Plan, r *sweep.Report) {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(table, "trial\t%s\t±\tsteps\t", p.Objective)
	for _, o := range p.Over {
		fmt.Fprintf(table, "%s\t", o.Key)
	}
	fmt.Fprintln(table)
	var failed *sweep.Trial // the first trial that failed
	for _, t := range p.Sorted(r.Trials) {
		if t.State == sweep.Failed && failed == nil {
			failed = t
		}
		mean, spread := "failed", "-"
		if t.State != sweep.Failed {
			mean = fmt.Sprintf("%.4g", t.Mean)
		}
		if !math.IsNaN(t.Spread) {
			spread = fmt.Sprintf("%.3g", t.Spread)
		}
		fmt.Fprintf(table, "%d\t%s\t%s\t%d\t%s\t\n", t.Number, mean, spread, t.EnvSteps, strings.Join(t.Values, "\t"))
	}
	table.Flush()
	last := "all trials failed\n"
	if r.Best != nil {
		last = fmt.Sprintf("best: trial %d; %s is its configuration\n", r.Best.Number,
			filepath.Join(r.Folder, sweep.BestFile))
	}
	if failed != nil {
		last = fmt.Sprintf("trial %d failed: %s\n", failed.Number, shorten(failed.Error)) + last
	}
	fmt.Fprintf(w, "%sall files are in %s\n", last, r.Folder)
}
