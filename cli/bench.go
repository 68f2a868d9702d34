package cli

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/polyrhythm-rl/polyrhythm/cli/internal/throughput"
	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/training/policies"
)

// predicted are the numbers of workers that --fit predicts for.
var predicted = []int{1, 2, 16, 64, 128}

// benchFlags are the flags of bench.
type benchFlags struct {
	config                             configFlags
	seconds                            float64
	policy, format                     *string
	ranges                             []string
	costs, peers                       bool
	compare, history, label, plot, fit string
}

func newBench() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bench (--config FILE | --task NAME | --fit FILE)",
		Short: "Measure steps per second, and the ratio to a bare C loop",
		Example: "  train bench --task quadruped\n" +
			"  train bench --task HalfCheetah-v5 --worlds 64 --over workers=1,2",
		Long: "Measure environment and physics steps per second with random actions, runners and recording on as " +
			"configured. Short rounds alternate with rounds of a bare C loop, which takes the same physics steps " +
			"from the same resets under the same controls on the same number of threads; medians are reported.",
		Args: withoutArguments,
	}
	var f benchFlags
	f.config.Add(cmd)
	f.config.Alias("worlds", "worlds", "step `N` worlds")
	f.config.Alias("workers", "workers", "step worlds on `N` threads; 0 for one per CPU")
	f.policy = addPolicy(cmd)
	flags := cmd.Flags()
	flags.Float64Var(&f.seconds, "seconds", 10, "measure each configuration for about `S` seconds, and with --peers "+
		"each contender of each script")
	flags.StringArrayVar(&f.ranges, "over", nil, "measure a line for each of the values `KEY=VALUES`, such as "+
		"worlds=16,64,256 or workers=1,2; may be repeated, for all combinations")
	flags.BoolVar(&f.costs, "costs", false,
		"measure what the parts cost instead: rounds with the control runner alone, "+
			"without sensors, without recording, with one table, with all tables, and with --policy alternate")
	flags.StringVar(&f.compare, "compare", "", "compare with the last result in `FILE`, which --format json printed")
	flags.StringVar(&f.history, "history", "", "add the result to `FILE`, as a line of JSON")
	flags.StringVar(&f.label, "label", "", "note `TEXT` in the result, such as a commit")
	flags.StringVar(&f.plot, "plot", "", "draw the lines of --over to the picture `FILE`.png")
	flags.StringVar(&f.fit, "fit", "", "measure nothing, but fit a model of the rate to the last result in `FILE` and "+
		"predict that of more workers")
	flags.BoolVar(&f.peers, "peers", false, "measure from Python beside EnvPool, Gymnasium and MuJoCo's batches, then "+
		"learning beside Stable-Baselines3, CleanRL's loop and rl_tools, in a checkout after cmake --workflow "+
		"--preset peers")
	f.format = addFormat(cmd, "table", "json")
	cmd.MarkFlagsMutuallyExclusive("costs", "over", "fit", "peers")
	for _, name := range []string{"compare", "history", "plot"} {
		cmd.MarkFlagsMutuallyExclusive("costs", "fit", "peers", name)
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return f.run(cmd) }
	return cmd
}

func (f *benchFlags) run(cmd *cobra.Command) error {
	if !(f.seconds > 0 && f.seconds <= 86400) {
		return usagef("--seconds is %v, want more than 0, at most 86400", f.seconds)
	}
	if f.peers {
		return f.measurePeers(cmd)
	}
	if f.fit != "" {
		r, err := throughput.Read(f.fit)
		if err != nil {
			return asUsage(err)
		}
		m, err := throughput.Fit(r, predicted...)
		if err != nil {
			return usagef("%s: %w", f.fit, err)
		}
		return printAs(cmd, f.format, m, printModel)
	}
	cfgs, keys, values, err := f.load()
	if err != nil {
		return err
	}
	opt := throughput.Options{Duration: time.Duration(f.seconds * float64(time.Second)), Policy: *f.policy}
	if *f.policy != policies.Random {
		opt.Act = func(e *env.Env, c *configs.Config) (throughput.Actor, error) {
			p, err := policies.Open(*f.policy)
			if err != nil {
				return nil, err
			}
			return p.In(e, c)
		}
	}
	if f.costs {
		title := "measuring the parts of " + cfgs[0].Task.Name
		r, err := work(cmd, title, func(bar *progress) (*throughput.Costs, error) {
			opt.Progress = bar.share
			return throughput.MeasureCosts(cmd.Context(), cfgs[0], opt)
		})
		if err != nil {
			return err
		}
		return printAs(cmd, f.format, r, printCosts)
	}
	old, err := f.check(cfgs, opt)
	if err != nil {
		return err
	}
	r, err := work(cmd, "measuring "+cfgs[0].Task.Name, func(bar *progress) (*throughput.Report, error) {
		opt.Progress = bar.share
		return throughput.Measure(cmd.Context(), cfgs, opt)
	})
	if err != nil {
		return err
	}
	r.Label, r.SweepKeys = f.label, keys
	for i, l := range r.Lines {
		l.Values = values[i]
	}
	err = printAs(cmd, f.format, r, printMeasured)
	if old != nil && *f.format == "table" {
		printChanges(cmd.OutOrStdout(), r.ChangesSince(old), f.compare, old)
	}
	if err == nil && f.plot != "" {
		err = r.Draw(f.plot)
	}
	if err == nil && f.history != "" {
		err = r.Append(f.history)
	}
	return err
}

// measurePeers runs the scripts of the checkout that the program was built in, which print their tables.
func (f *benchFlags) measurePeers(cmd *cobra.Command) error {
	if f.config.task == "" {
		return usagef("--peers without --task, want a task of Gymnasium that the peers have, such as HalfCheetah-v5")
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	build := filepath.Dir(filepath.Dir(program))
	python, root := filepath.Join(build, "venv-peers", "bin", "python"), filepath.Dir(build)
	if _, err := os.Stat(python); err != nil {
		return usagef("--peers: %w; want a checkout after cmake --workflow --preset peers", err)
	}
	scripts, program := filepath.Join(root, "python", "benchmarks"), filepath.Join(build, "bin", "train")
	for _, script := range []struct {
		name   string
		rounds int
		args   []string
	}{{"throughput.py", 21, nil}, {"learning.py", 7, []string{"--train", program}}} {
		args := append([]string{filepath.Join(scripts, script.name), "--task", f.config.task,
			"--rounds", fmt.Sprint(script.rounds), "--seconds", fmt.Sprint(f.seconds / float64(script.rounds))},
			script.args...)
		if script.name == "throughput.py" {
			for _, set := range f.config.sets { // --worlds and --workers add to these
				key, value, _ := strings.Cut(set, "=")
				if key != "worlds" && key != "workers" {
					return usagef("--peers with --set %s, want no other than worlds and workers, which peers have too",
						set)
				}
				args = append(args, "--"+key, value)
			}
		}
		if *f.format == "json" {
			args = append(args, "--json")
		}
		c := exec.CommandContext(cmd.Context(), python, args...)
		c.Stdout, c.Stderr, c.WaitDelay = cmd.OutOrStdout(), cmd.ErrOrStderr(), time.Second
		c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
		if err := c.Run(); err != nil {
			return fmt.Errorf("%s: %w", script.name, err)
		}
	}
	return nil
}

// load returns the configurations to measure, and the keys and values of --over.
func (f *benchFlags) load() (cfgs []*configs.Config, keys []string, values [][]string, err error) {
	values = [][]string{nil}
	for _, o := range f.ranges {
		r, err := parseRange("over", o)
		if err != nil {
			return nil, nil, nil, err
		}
		grid, err := r.Grid()
		if err != nil {
			return nil, nil, nil, usagef("--over: %w", err)
		}
		var all [][]string
		for _, combination := range values {
			for _, v := range grid {
				all = append(all, append(slices.Clone(combination), v))
			}
		}
		keys, values = append(keys, r.Key), all
	}
	sets := f.config.sets
	for _, line := range values {
		f.config.sets = slices.Clone(sets)
		for i, v := range line {
			f.config.sets = append(f.config.sets, keys[i]+"="+v)
		}
		c, err := f.config.Load()
		switch {
		case err != nil:
			return nil, nil, nil, err
		case f.costs:
		case c.Autoreset != sim.SameStep:
			err = usagef("autoreset is %s, want %s: the bare loop supports no other", c.Autoreset, sim.SameStep)
		case len(c.Changes) > 0:
			err = usagef("changes are given, want none: the bare loop supports no change of the clock")
		}
		if err != nil {
			return nil, nil, nil, err
		}
		cfgs = append(cfgs, c)
	}
	return cfgs, keys, values, nil
}

// check checks the files that the result will be written to or compared with, and returns the latter.
func (f *benchFlags) check(cfgs []*configs.Config, opt throughput.Options) (old *throughput.Report, err error) {
	if f.plot != "" {
		if err := checkFile("plot", f.plot, ".png"); err != nil {
			return nil, err
		}
		if len(f.ranges) == 0 {
			return nil, usagef("--plot is given and --over is not, want both")
		}
	}
	if f.history != "" {
		if err := checkFile("history", f.history); err != nil {
			return nil, err
		}
		if info, err := os.Stat(f.history); err == nil && info.Size() > 0 {
			if _, err := throughput.Read(f.history); err != nil {
				return nil, usagef("--history: %w", err)
			}
		}
	}
	if f.compare != "" {
		if old, err = throughput.Read(f.compare); err != nil {
			return nil, usagef("--compare: %w", err)
		}
		if err = old.Comparable(cfgs, opt); err != nil {
			return nil, usagef("--compare: %s: %w", f.compare, err)
		}
	}
	return old, nil
}

func printCosts(w io.Writer, r *throughput.Costs) {
	fmt.Fprintf(w, "%s, compression %s, %s of %s in segments of %d\n", r.Name(), r.Compression,
		count(r.Rounds, "round"), count(r.StepsPerRound, "step"), r.SegmentSteps)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\tsteps/s\tof those without recording\tquartiles\tby CPU time\tMB/s\tbytes a row\t")
	for _, c := range r.Costs {
		var rows []string
		for _, b := range c.BytesPerRow {
			rows = append(rows, fmt.Sprintf("%.0f", b))
		}
		fmt.Fprintf(t, "%s\t%.0f\t%.3f\t%.3f, %.3f\t%.3f\t%.1f\t%s\t\n", c.Name,
			c.EnvStepsPerS, c.Ratio, c.RatioLow, c.RatioHigh, c.CPURatio, c.BytesPerS/1e6, strings.Join(rows, ", "))
	}
	t.Flush()
	for _, name := range r.Unavailable {
		fmt.Fprintf(w, "%s: the task does not allow it\n", name)
	}
}

func printMeasured(w io.Writer, r *throughput.Report) {
	if len(r.Lines) == 1 {
		printLine(w, r.Lines[0])
		return
	}
	l := r.Lines[0]
	fmt.Fprintf(w, "%s on %s of %s; %s that take turns\n", l.Task, count(r.Processors, "processor"), r.Processor,
		count(l.Rounds, "round"))
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "%s\tsteps/s\tquartiles\tratio to C\tquartiles\tKiB a world\tfirst step\t\n",
		strings.Join(r.SweepKeys, "\t"))
	for _, l := range r.Lines {
		same := ""
		if !l.SameState {
			same = " other states than C"
		}
		fmt.Fprintf(t, "%s\t%.0f\t%.0f, %.0f\t%.3f\t%.3f, %.3f\t%.1f\t%.3f s\t%s\n", strings.Join(l.Values, "\t"),
			l.EnvStepsPerS, l.EnvStepsLow, l.EnvStepsHigh, l.RatioToRaw, l.RatioLow, l.RatioHigh, l.BytesPerWorld/1024,
			l.FirstStepS, same)
	}
	t.Flush()
}

func printChanges(w io.Writer, changes []throughput.Change, path string, old *throughput.Report) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "times that of %s\tsteps/s\tratio to C\n", strings.TrimSpace(path+" "+old.Label))
	for _, c := range changes {
		fmt.Fprintf(t, "%s\t%.3f (%.3f to %.3f)\t%.3f (%.3f to %.3f)\n", c.Line, c.Rate, c.RateLow, c.RateHigh, c.Ratio,
			c.RatioLow, c.RatioHigh)
	}
	t.Flush()
}

func printModel(w io.Writer, m *throughput.RateModel) {
	fmt.Fprintf(w, "%s, fitted to %d lines, with errors of at most %.1f %%\n", m.Task, m.Lines, 100*m.Residual)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, term := range m.Terms {
		fmt.Fprintf(t, "  %s\t%.3f µs\t± %.3f\n", term.Name, term.Seconds*1e6, term.Error*1e6)
	}
	t.Flush()
	for _, name := range m.Missing {
		fmt.Fprintf(w, "  %s: the lines do not tell\n", name)
	}
	fmt.Fprintf(w, "predicted for blocks of %d, whole blocks for each worker\n", m.BlockSize)
	for _, p := range m.Predictions {
		fmt.Fprintf(w, "  %3d workers  %10.0f to %.0f environment steps/s\n", p.Workers, p.Low, p.High)
	}
	if p := m.Predictions[0]; p.Most > 0 {
		fmt.Fprintf(w, "  the dataset's writer takes %.3f µs a row, and no more than %.0f steps/s\n",
			m.Writer*1e6, p.Most)
	}
}

func printLine(w io.Writer, r *throughput.Line) {
	recording, same := "off", "the same states, bit for bit"
	if r.Recording {
		recording = "on"
	}
	if !r.SameState {
		same = "other states: the figures do not compare"
	}
	if len(r.WithoutEvents) > 0 {
		fmt.Fprintf(w, "left out of both loops, since the bare one cannot repeat them: the events %s\n",
			strings.Join(r.WithoutEvents, ", "))
	}
	fmt.Fprintf(w, `%s: %s, %s, recording %s, %s of %s
  environment steps/s  %10.0f
  physics steps/s      %10.0f
  bare C loop          %10.0f  physics steps/s, ending in %s
  ratio                %10.3f  (quartiles %.3f, %.3f; of processor time %.3f)
  allocations          %10.3f  per step of a block
  memory               %10.1f  KiB a world, its share of the model included
  first step           %10.3f  s after worlds were being opened
  clock                %10.1f  instants a step of %.0f ns, %.2f %% of it
`, r.Task, count(r.Worlds, "world"), count(r.Workers, "worker"), recording, count(r.Rounds, "round"),
		count(r.StepsPerRound, "step"),
		r.EnvStepsPerS, r.PhysicsStepsPerS, r.RawPhysicsStepsPerS, same,
		r.RatioToRaw, r.RatioLow, r.RatioHigh, r.CPURatio, r.AllocsPerStep,
		r.BytesPerWorld/1024, r.FirstStepS, r.InstantsPerStep, r.NSPerInstant,
		100*r.InstantsPerStep*r.NSPerInstant*1e-9*r.EnvStepsPerS/float64(r.Workers))
}
