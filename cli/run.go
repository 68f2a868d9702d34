package cli

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/polyrhythm-rl/polyrhythm/cli/internal/settings"
	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/internal/errtree"
	"github.com/polyrhythm-rl/polyrhythm/training"
	"github.com/polyrhythm-rl/polyrhythm/training/catalog"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
	"github.com/polyrhythm-rl/polyrhythm/training/sweep"
)

func newRun() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "run --config FILE",
		Short: "Train a policy and record what happens",
		Example: "  train run --task quadruped\n" +
			"  train run --task HalfCheetah-v5 --algorithm sac\n" +
			"  train run --config robot.yaml --set training.steps=500000\n" +
			"  train run --resume runs/quadruped-001",
		Long: "Train a policy with PPO or SAC, record what happens, and evaluate the result. " +
			"The run folder then holds the configuration, metrics, a learning curve, checkpoints and the dataset.",
		Args: withoutArguments,
	}
	addRun(cmd)
	return cmd
}

func addRun(cmd *cobra.Command) {
	var config configFlags
	config.AddRun(cmd)
	config.AddAlgorithm()
	out := cmd.Flags().String("out", "", "write to the folder `DIR`, new or empty, instead of the next TASK-NNN in --runs")
	resume := cmd.Flags().String("resume", "",
		"continue the stopped run in the folder `RUN` as if it had never stopped, "+
			"or say that it is done; with --out, --set, --seed or --log-every, or from the file of a checkpoint, "+
			"begin a new run with its policy and new episodes")
	seeds := cmd.Flags().Int("seeds", 0, "train with `N` seeds, the configured and those after it, in folders "+
		"seed-K, and compare them")
	logEvery := addLogFlag(cmd)
	oneOf(cmd, "resume", "config", "task")
	oneOf(cmd, "resume", "seeds")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if cmd.Flags().Changed("seeds") {
			if *seeds < 1 || *seeds > sweep.MaxSeeds {
				return usagef("--seeds is %d, want 1 to %d", *seeds, sweep.MaxSeeds)
			}
			p := &sweep.Plan{SearchOptions: sweep.SearchOptions{Method: sweep.Grid}, Seeds: *seeds,
				Objective: sweep.Return, LogEvery: *logEvery}
			c, err := planConfig(p, &config)
			if err != nil {
				return err
			}
			return runSweep(cmd, c, p, sweep.Options{Folder: *out, Workers: c.Workers})
		}
		opt := training.TrainOptions{Folder: *out, LogEvery: *logEvery}
		if *resume != "" {
			return resumeRun(cmd, &config, *resume, opt)
		}
		c, err := config.Load()
		if err != nil {
			return err
		}
		return trainRun(cmd, c, opt)
	}
}

// resumeRun does what --resume asks for. It continues the stopped run in the folder, or the runs of several seeds,
// if no flag asks for another run, and else begins a new one with the folder's policy.
func resumeRun(cmd *cobra.Command, config *configFlags, resume string, opt training.TrainOptions) error {
	isAnother := anotherRun(cmd, config)
	switch plan, err := sweep.Read(resume); {
	case err != nil && !notThere(err):
		return err
	case err == nil && len(plan.Over) > 0:
		return usagef("%s holds a sweep, want train sweep --resume of it, or one of its runs", resume)
	case err == nil && isAnother:
		return usagef("%s holds the runs of several seeds, want --resume of it with no flag but --workers, or of one "+
			"of its runs", resume)
	case err == nil:
		c, err := config.Parse(resume, []byte(plan.Configuration))
		if err != nil {
			return err
		}
		return runSweep(cmd, c, plan, sweep.Options{Folder: resume, Continue: true, Workers: c.Workers})
	}
	var err error
	if !isAnother {
		if opt.Continue, err = training.ReadState(resume); err != nil && !notThere(err) {
			return err
		}
		if opt.Continue == nil {
			report, err := rundir.ReadReport(resume)
			if err == nil && report.Status == rundir.StatusDone && report.Evaluation != nil {
				printRunReport(cmd.OutOrStdout(), report)
				fmt.Fprintln(cmd.OutOrStdout(), "it is done; --resume with --out DIR begins another run with its "+
					"policy")
				return nil
			}
			if info, failed := os.Stat(resume); failed == nil && info.IsDir() {
				if _, err := rundir.ReadCheckpoint(resume); err != nil {
					return err
				}
				return usagef("%s has no %s, with which a stopped run goes on; --resume %s --out DIR begins a new run with its "+
					"policy and new episodes", resume, rundir.StateFile, resume)
			}
		}
	}
	var configuration string
	if opt.Continue != nil {
		configuration = opt.Continue.Configuration()
	} else if opt.From, err = rundir.ReadCheckpoint(resume); err == nil {
		configuration = opt.From.User
	} else {
		return err
	}
	c, err := config.Parse(resume, []byte(configuration))
	if err != nil {
		return err
	}
	return trainRun(cmd, c, opt)
}

// anotherRun reports whether the flags beside --resume ask for a new run.
func anotherRun(cmd *cobra.Command, config *configFlags) bool {
	return cmd.Flags().Changed("out") || cmd.Flags().Changed("log-every") || config.hasChanges()
}

func trainRun(cmd *cobra.Command, c *configs.Config, opt training.TrainOptions) error {
	stderr, s := cmd.ErrOrStderr(), settingsOf(cmd)
	opt.Runs, opt.NoEvents = s.Runs, !s.TensorBoard
	unit := "step"
	if c.Training.Algorithm.Offline() {
		unit = "row"
	}
	report, err := work(cmd, "training "+c.Task.Name, func(bar *progress) (*rundir.Report, error) {
		opt.Warn = bar.Warn
		opt.Progress = func(t training.TrainProgress) {
			last := "-"
			if !math.IsNaN(t.MeanReturn) {
				last = tenths(t.MeanReturn)
			}
			bar.Update(t.EnvSteps, t.Total, fmt.Sprintf("%.0f %ss/s  return %s", t.StepsPerS, unit, last))
		}
		opt.Draw = func(folder string) error {
			bar.Close()
			frames := showProgress(cmd, "drawing")
			defer frames.Close()
			return makeClip(cmd, stderr, c, folder, frames.count("frame"))
		}
		return training.Train(cmd.Context(), c, opt)
	})
	if report != nil && report.Status == rundir.StatusInterrupted && errtree.Only(err, context.Canceled) {
		fmt.Fprintf(stderr, "stopped after %s; all files are in %s\n", count(report.EnvSteps, unit), report.Folder)
	}
	if err != nil {
		return err
	}
	printRunReport(cmd.OutOrStdout(), report)
	return nil
}

// printSeeds prints the runs of several seeds, and their spread.
func printSeeds(w io.Writer, task string, r *sweep.Report) {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(table, "seed\treturn\t±\tlowest\thighest\tlength\t\n")
	for _, run := range r.Runs {
		e := run.Evaluation
		fmt.Fprintf(table, "%d\t%s\t%s\t%s\t%s\t%.1f\t\n", run.Seed,
			tenths(e.MeanReturn), tenths(e.StdReturn), tenths(e.MinReturn), tenths(e.MaxReturn), e.MeanLength)
	}
	table.Flush()
	q := r.Summary[0]
	fmt.Fprintf(w, "%s, %s: return %s ± %s (%s to %s, median %s)\nall files are in %s\n", task,
		count(len(r.Runs), "seed"),
		tenths(q.Mean), tenths(q.Std), tenths(q.Min), tenths(q.Max), tenths(q.Median), r.Folder)
}

func printWarning(cmd *cobra.Command, text string) {
	fmt.Fprintln(cmd.ErrOrStderr(), paint(coloured(cmd), yellow, "warning:"), text)
}

func printRunReport(w io.Writer, r *rundir.Report) {
	wall := time.Duration(r.WallSeconds * float64(time.Second)).Round(time.Second)
	taken, unit := "environment step", "step"
	if r.Cloned != nil {
		taken, unit = "row", "row"
	}
	fmt.Fprintf(w, "%s: %s in %v (%.0f %ss/s), %s, %s, %s\n",
		r.Task, count(r.EnvSteps, taken), wall, r.StepsPerS, unit, count(r.Worlds, "world"), count(r.Workers, "worker"), count(r.Faults, "fault"))
	if c := r.Cloned; c != nil {
		held := "and none were held out: of a dataset every tenth episode is"
		if c.HeldOut > 0 {
			held = fmt.Sprintf("%.4g on %d that were held out", c.HeldOutError, c.HeldOut)
		}
		fmt.Fprintf(w, "  error   %.4g on %s, %s\n", c.Error, count(int64(c.Rows), "row"), held)
	}
	if s := r.Stopped; s != nil {
		fmt.Fprintf(w, "  stopped by training.stop: %s was %.4g, and had reached its value %s in a row\n", s.Metric, s.Value,
			count(s.Consecutive, "time"))
	}
	printEvaluation(w, r.Evaluation)
	fmt.Fprintf(w, "all files are in %s%s\n", r.Folder, sizes(r.Folder))
}

// sizes says how much is in a run's folder, and how much of it are recorded rows; "" if that cannot be read.
func sizes(folder string) string {
	run, err := catalog.Open(folder)
	if err != nil {
		return ""
	}
	text := ": " + megabytes(run.Bytes)
	if run.Recorded > 0 {
		text += fmt.Sprintf(", of which %s are recorded rows", megabytes(run.Recorded))
	}
	return text
}

func addLogFlag(cmd *cobra.Command) *int64 {
	return cmd.Flags().Int64("log-every", settings.Defaults.LogEvery,
		"log a state for train replay every `N` control steps; 0 for no log")
}
