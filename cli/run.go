package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"slices"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/training"
	"github.com/polyrhythm-rl/polyrhythm/training/sweep"
)

// newRun returns the command that trains a policy.
func newRun() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "run --config FILE",
		Short: "Train a policy and record what happens",
		Long: "Train a policy with PPO, record what happens, and evaluate the result. " +
			"The run folder then holds the configuration, metrics, a learning curve, checkpoints and the dataset.",
		Args: cobra.NoArgs,
	}
	addRun(cmd)
	return cmd
}

// addRun gives cmd the flags and the action of run.
func addRun(cmd *cobra.Command) {
	var config configFlags
	config.AddRun(cmd)
	out := cmd.Flags().String("out", "", "write to the folder `DIR`, new or empty, instead of the next runs/TASK-NNN")
	resume := cmd.Flags().String("resume", "", "continue the stopped run in the folder `RUN` as if it had never stopped; with --out, --set, --seed or --log-every, or from a checkpoint or a finished run, begin a new run with its policy and new episodes")
	seeds := cmd.Flags().Int("seeds", 0, "train with `N` seeds, the configured and those after it, in folders seed-K, and compare them")
	every := addLogFlag(cmd)
	oneOf(cmd, "resume", "config", "task")
	oneOf(cmd, "resume", "seeds")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := checkLogFlag(*every); err != nil {
			return err
		}
		if cmd.Flags().Changed("seeds") {
			if *seeds < 1 || *seeds > training.MaxSeeds {
				return usagef("--seeds is %d, want 1 to %d", *seeds, training.MaxSeeds)
			}
			c, err := config.Load()
			if err != nil {
				return err
			}
			return trainSeeds(cmd, c, training.SeedsOptions{Seeds: *seeds, Folder: *out, LogEvery: *every})
		}
		if plan, err := training.ReadSeeds(*resume); *resume != "" && err == nil {
			if anotherRun(cmd, &config) {
				return usagef("%s holds the runs of several seeds, want --resume of it with no flag but --workers, or of one of its runs", *resume)
			}
			c, err := config.Parse(*resume, []byte(plan.Configuration))
			if err != nil {
				return err
			}
			return trainSeeds(cmd, c, training.SeedsOptions{Folder: *resume, Continue: true})
		} else if *resume != "" && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
			return err
		}
		if _, err := sweep.Read(*resume); *resume != "" && err == nil {
			return usagef("%s holds a sweep, want train sweep --resume of it, or one of its runs", *resume)
		}
		opt := training.TrainOptions{Folder: *out, LogEvery: *every}
		var c *configs.Config
		var err error
		if *resume != "" {
			c, err = resumeRun(cmd, &config, *resume, &opt)
		} else {
			c, err = config.Load()
		}
		if err != nil {
			return err
		}
		return trainRun(cmd, c, opt)
	}
}

// resumeRun sets what --resume asks for in opt, and returns the configuration: the
// stopped run in the folder itself if it can be continued and no flag asks for another
// run, else a new one that begins with its checkpoint.
func resumeRun(cmd *cobra.Command, config *configFlags, resume string, opt *training.TrainOptions) (*configs.Config, error) {
	if !anotherRun(cmd, config) {
		point, err := training.ReadPoint(resume)
		switch {
		case err == nil:
			opt.Continue = point
			return config.Parse(resume, []byte(point.Configuration()))
		case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR):
			return nil, err
		}
	}
	var err error
	if opt.From, err = training.ReadCheckpoint(resume); err != nil {
		return nil, err
	}
	return config.Parse(resume, []byte(opt.From.User))
}

// anotherRun reports whether the flags beside --resume ask for a new run.
func anotherRun(cmd *cobra.Command, config *configFlags) bool {
	return cmd.Flags().Changed("out") || cmd.Flags().Changed("log-every") ||
		slices.ContainsFunc(config.sets, func(set string) bool { return !strings.HasPrefix(set, "workers=") })
}

// trainRun trains a policy, shows progress and prints the report.
func trainRun(cmd *cobra.Command, c *configs.Config, opt training.TrainOptions) error {
	stderr := cmd.ErrOrStderr()
	bar := trainingBar{stderr: stderr, name: "training " + c.Task.Name}
	opt.Warn, opt.Progress = bar.Warn, bar.Update
	opt.Draw = func(folder string) error {
		bar.Close()
		return makeClip(cmd, c, folder)
	}
	var report *training.Report
	err := onDisk(cmd.Context(), func() (err error) {
		report, err = training.Train(cmd.Context(), c, opt)
		return err
	})
	bar.Close()
	if report != nil && report.Status == training.StatusInterrupted {
		fmt.Fprintf(stderr, "stopped after %s; all files are in %s\n", count(report.EnvSteps, "step"), report.Folder)
	}
	if err != nil {
		return err
	}
	return printRunReport(cmd.OutOrStdout(), report)
}

// trainingBar shows the progress of a training, from its first Update on, and warnings
// above it.
type trainingBar struct {
	stderr io.Writer
	name   string
	bar    *progress // nil before the first Update
}

func (b *trainingBar) Warn(text string) { printWarning(b.bar.Above(b.stderr), text) }

func (b *trainingBar) Update(p training.TrainProgress) {
	if b.bar == nil {
		b.bar = newProgress(b.stderr, b.name, p.Total)
		b.bar.begun = min(p.EnvSteps, p.Total-1)
		return
	}
	last := "-"
	if !math.IsNaN(p.MeanReturn) {
		last = fmt.Sprintf("%.1f", p.MeanReturn)
	}
	b.bar.Update(p.EnvSteps, fmt.Sprintf("%.0f steps/s  return %s", p.StepsPerS, last))
}

func (b *trainingBar) Close() { b.bar.Close() }

// trainSeeds trains with several seeds, shows progress and prints their table.
func trainSeeds(cmd *cobra.Command, c *configs.Config, opt training.SeedsOptions) error {
	stderr := cmd.ErrOrStderr()
	bar := trainingBar{stderr: stderr, name: "training " + c.Task.Name}
	opt.Warn, opt.Progress = bar.Warn, bar.Update
	opt.Draw = func(folder string) error { return makeClip(cmd, c, folder) }
	var report *training.SeedsReport
	err := onDisk(cmd.Context(), func() (err error) {
		report, err = training.TrainSeeds(cmd.Context(), c, opt)
		return err
	})
	bar.Close()
	if report != nil && err != nil {
		fmt.Fprintf(stderr, "stopped after %s; all files are in %s\n", count(len(report.Runs), "whole run"), report.Folder)
	}
	if err != nil {
		return err
	}
	return printSeeds(cmd.OutOrStdout(), c.Task.Name, report)
}

func printSeeds(w io.Writer, task string, r *training.SeedsReport) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(table, "seed\treturn\t±\tlowest\thighest\tlength\t\n")
	for _, run := range r.Runs {
		e := run.Evaluation
		fmt.Fprintf(table, "%d\t%.1f\t%.1f\t%.1f\t%.1f\t%.1f\t\n", run.Seed, e.MeanReturn, e.StdReturn, e.MinReturn, e.MaxReturn, e.MeanLength)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	q := r.Summary[0]
	_, err := fmt.Fprintf(w, "%s, %s: return %.1f ± %.1f (%.1f to %.1f, median %.1f)\nall files are in %s\n",
		task, count(len(r.Runs), "seed"), q.Mean, q.Std, q.Min, q.Max, q.Median, r.Folder)
	return err
}

// printWarning prints a warning of a task or an engine.
func printWarning(stderr io.Writer, text string) { fmt.Fprintln(stderr, "warning:", text) }

func printRunReport(w io.Writer, r *training.Report) error {
	wall := time.Duration(r.WallSeconds * float64(time.Second)).Round(time.Second)
	if _, err := fmt.Fprintf(w, "%s: %s in %v (%.0f steps/s), %s, %s, %s\n",
		r.Task, count(r.EnvSteps, "environment step"), wall, r.StepsPerS, count(r.Worlds, "world"), count(r.Workers, "worker"), count(r.Faults, "fault")); err != nil {
		return err
	}
	if err := printEvaluation(w, r.Evaluation); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "all files are in %s\n", r.Folder)
	return err
}

// addLogFlag gives a command the flag --log-every.
func addLogFlag(cmd *cobra.Command) *int64 {
	return cmd.Flags().Int64("log-every", 1, "log a state for train replay every `N` control steps; 0 for no log")
}

func checkLogFlag(every int64) error {
	if every < 0 {
		return usagef("--log-every is %d, want at least 0", every)
	}
	return nil
}
