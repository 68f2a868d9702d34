package cli

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/polyrhythm-rl/polyrhythm/training/sweep"
)

// newSweep returns the command that trains with many values of some keys.
func newSweep() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "sweep --config FILE --over KEY=VALUES --trials N",
		Short: "Train with many values of some keys and find the best",
		Long: "Train with many values of some keys of the configuration, any that --set takes, and find the best. " +
			"VALUES are A..B (evenly), log:A..B (their logarithms evenly), int:A..B or log-int:A..B (whole numbers), " +
			"with /N for a grid of N values, or a list A,B,C. " +
			"Each trial is a run folder trial-NNN; the table is sweep.csv, the picture sweep.png, the best configuration best.yaml.",
		Args: cobra.NoArgs,
	}
	var config configFlags
	config.AddRun(cmd)
	flags := cmd.Flags()
	p := sweep.Default()
	file := flags.String("sweep", "", "read the sweep from `FILE`, a YAML file with the keys over, method, trials and so on; flags override it")
	over := flags.StringArray("over", nil, "sweep over `KEY=VALUES`; may be repeated")
	flags.StringVar(&p.Search.Method, "method", p.Search.Method, "choose values by `METHOD`: "+strings.Join(sweep.Methods, ", "))
	flags.IntVar(&p.Search.Trials, "trials", 0, "train `N` trials; of a grid, at most N")
	flags.IntVar(&p.Search.Population, "population", 0, "trials in each generation of cma-es; 0 for 4 + 3 ln(number of keys)")
	flags.IntVar(&p.Search.Eta, "eta", 0, "of halving: one in `N` trials goes on to the next rung; 0 for 3")
	flags.IntVar(&p.Search.Rungs, "rungs", 0, "of halving: the number of rungs; 0 for as many as the trials last for")
	flags.IntVar(&p.Seeds, "seeds", p.Seeds, "train each trial with `K` seeds, the configured and those after it, and take the mean")
	flags.StringVar(&p.Objective, "objective", p.Objective, "compare trials by `WHAT` of the final evaluation: return, length (mean of the episodes) or info/NAME")
	flags.BoolVar(&p.Minimise, "minimise", false, "the least objective is best, not the greatest")
	every := addLogFlag(cmd)
	var opt sweep.Options
	flags.StringVar(&opt.Folder, "out", "", "write to the folder `DIR`, new or empty, instead of the next runs/sweep-TASK-NNN")
	flags.IntVar(&opt.Parallel, "parallel", 0, "train `P` runs at once, which share the workers; 0 for as many as there are workers")
	resume := flags.String("resume", "", "continue the stopped sweep in the folder `DIR`; only --parallel and --workers may be given with it")
	cmd.RunE = func(cmd *cobra.Command, _ []string) (err error) {
		if opt.Parallel < 0 || opt.Parallel > maxParallel {
			return usagef("--parallel is %d, want 0 to %d", opt.Parallel, maxParallel)
		}
		if *resume != "" {
			opt.Folder, opt.Continue = *resume, true
			if p, err = resumedSweep(cmd, &config, *resume); err == nil {
				opt.Workers, err = config.workers()
			}
		} else {
			p.LogEvery = *every
			if *file != "" {
				err = sweepFile(cmd, p, *file)
			}
			if err == nil {
				opt.Workers, err = newPlan(p, &config, *over)
			}
		}
		if err != nil {
			return err
		}
		return runSweep(cmd, p, opt)
	}
	return cmd
}

// maxParallel is the most runs at once.
const maxParallel = 1024

// resumedSweep reads the plan of a sweep that is to go on.
func resumedSweep(cmd *cobra.Command, config *configFlags, folder string) (*sweep.Plan, error) {
	for _, name := range []string{"config", "task", "sweep", "over", "method", "trials", "population", "eta", "rungs", "seeds", "objective", "minimise", "log-every", "out", "seed"} {
		if cmd.Flags().Changed(name) {
			return nil, usagef("--resume and --%s are given, want no flags beside --resume but --parallel and --workers", name)
		}
	}
	if slices.ContainsFunc(config.sets, func(set string) bool { return !strings.HasPrefix(set, "workers=") }) {
		return nil, usagef("--resume and --set are given, want no flags beside --resume but --parallel and --workers")
	}
	return sweep.Read(folder)
}

// sweepFile sets what a file says in the plan, unless a flag says something else.
func sweepFile(cmd *cobra.Command, p *sweep.Plan, path string) error {
	f, err := sweep.ReadFile(path)
	if err != nil {
		return err
	}
	for name, set := range map[string]func(){
		"method":     func() { p.Search.Method = f.Search.Method },
		"trials":     func() { p.Search.Trials = f.Search.Trials },
		"population": func() { p.Search.Population = f.Search.Population },
		"eta":        func() { p.Search.Eta = f.Search.Eta },
		"rungs":      func() { p.Search.Rungs = f.Search.Rungs },
		"seeds":      func() { p.Seeds = f.Seeds },
		"objective":  func() { p.Objective = f.Objective },
		"minimise":   func() { p.Minimise = f.Minimise },
	} {
		if !cmd.Flags().Changed(name) {
			set()
		}
	}
	p.Over = f.Over
	return nil
}

// newPlan completes a plan by the configuration and the ranges. It also returns the
// configured number of workers, which is no part of a plan.
func newPlan(p *sweep.Plan, config *configFlags, over []string) (workers int, err error) {
	if err := checkLogFlag(p.LogEvery); err != nil {
		return 0, err
	}
	c, err := config.Load()
	if err != nil {
		return 0, err
	}
	workers, c.Workers = c.Workers, 0
	p.Configuration = string(c.YAML())
	filed := len(p.Over)
	for _, o := range over {
		key, text, ok := strings.Cut(o, "=")
		if !ok {
			return 0, usagef("--over is %q, want KEY=VALUES, such as training.gamma=0.98,0.99 or training.learning_rate=log:1e-4..1e-2", o)
		}
		r, err := sweep.ParseRange(key, text)
		if err != nil {
			return 0, usagef("--over: %w", err)
		}
		if i := slices.IndexFunc(p.Over, func(other sweep.Range) bool { return other.Key == key }); i >= 0 && i < filed {
			p.Over[i] = r // in place of what the file says
			continue
		}
		p.Over = append(p.Over, r)
	}
	if len(p.Over) == 0 {
		return 0, usagef("no key to sweep given, want --over KEY=VALUES or a file with over")
	}
	return workers, nil
}

// runSweep runs a sweep, shows progress and prints its table.
func runSweep(cmd *cobra.Command, p *sweep.Plan, opt sweep.Options) error {
	stderr := cmd.ErrOrStderr()
	var bar *progress
	opt.Warn = func(text string) {
		bar.Close()
		bar = nil // the next progress has another one, below the warning
		printWarning(stderr, text)
	}
	const unit = 1e6 // of a training, in the units of the bar
	opt.Progress = func(q sweep.Progress) {
		done := int64(q.Done * unit)
		if bar == nil {
			bar = newProgress(stderr, "sweep", max(int64(q.Total*unit), 1))
			bar.begun = min(done, bar.total-1)
			return
		}
		status := fmt.Sprintf("%d of %s", q.Trials, count(q.All, "trial"))
		if q.Best != nil {
			status += fmt.Sprintf("  best %.4g in trial %d", q.Best.Mean, q.Best.Number)
		}
		bar.Update(done, status)
	}
	var report *sweep.Report
	err := onDisk(cmd.Context(), func() (err error) {
		report, err = sweep.Run(cmd.Context(), p, opt)
		return err
	})
	bar.Close()
	if err != nil {
		if report != nil {
			fmt.Fprintf(stderr, "stopped after %s; train sweep --resume %s goes on\n", count(len(report.Trials), "trial"), report.Folder)
		}
		return err
	}
	return printSweep(cmd.OutOrStdout(), p, report)
}

// printSweep prints the trials from the best to the worst.
func printSweep(w io.Writer, p *sweep.Plan, r *sweep.Report) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(table, "trial\t%s\t±\tsteps\t", p.Objective)
	for _, o := range p.Over {
		fmt.Fprintf(table, "%s\t", o.Key)
	}
	fmt.Fprintln(table)
	var failed *sweep.Trial // the first
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
	if err := table.Flush(); err != nil {
		return err
	}
	last := "all trials failed\n"
	if r.Best != nil {
		last = fmt.Sprintf("best: trial %d; %s is its configuration\n", r.Best.Number, filepath.Join(r.Folder, sweep.BestFile))
	}
	if failed != nil {
		last = fmt.Sprintf("trial %d failed: %s\n", failed.Number, shortened(failed.Error)) + last
	}
	_, err := fmt.Fprintf(w, "%sall files are in %s\n", last, r.Folder)
	return err
}
