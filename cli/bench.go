package cli

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/polyrhythm-rl/polyrhythm/cli/internal/throughput"
	"github.com/polyrhythm-rl/polyrhythm/configs"
)

func newBench() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bench (--config FILE | --task NAME)",
		Short: "Measure steps per second, and the ratio to a bare C loop",
		Long: "Measure environment and physics steps per second with random actions, runners and recording on as " +
			"configured. Short rounds alternate with rounds of a bare C loop, which takes the same physics steps from the " +
			"same resets under the same controls on the same number of threads; medians are reported.",
		Args: cobra.NoArgs,
	}
	var config configFlags
	config.Add(cmd)
	config.Alias("worlds", "worlds", "step `N` worlds")
	config.Alias("workers", "workers", "step worlds on `N` threads; 0 for one per CPU")
	seconds := cmd.Flags().Float64("seconds", 10, "measure for about `S` seconds")
	recordingCost := cmd.Flags().Bool("recording-cost", false,
		"measure the cost of recording instead: rounds without it alternate with rounds of one table and of all tables")
	format := addFormat(cmd, "table", "json")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if !(*seconds > 0 && *seconds <= 86400) {
			return usagef("--seconds is %v, want more than 0, at most 86400", *seconds)
		}
		c, err := config.Load()
		if err != nil {
			return err
		}
		duration := time.Duration(*seconds * float64(time.Second))
		if *recordingCost {
			what := "measuring the recording of " + c.Task.Name
			r, err := work(cmd, what, func(bar *progress) (*throughput.Recording, error) {
				return throughput.MeasureRecording(cmd.Context(), c, duration, bar.share)
			})
			if err != nil {
				return err
			}
			return printAs(cmd, format, r, printRecording)
		}
		if c.Autoreset != configs.SameStep {
			return usagef("autoreset is %s, want %s: the bare loop supports no other", c.Autoreset, configs.SameStep)
		}
		if len(c.Changes) > 0 {
			return usagef("changes are given, want none: the bare loop supports no change of the clock")
		}
		r, err := work(cmd, "measuring "+c.Task.Name, func(bar *progress) (*throughput.Result, error) {
			return throughput.Measure(cmd.Context(), c, duration, bar.share)
		})
		if err != nil {
			return err
		}
		return printAs(cmd, format, r, printResult)
	}
	return cmd
}

func printRecording(w io.Writer, r *throughput.Recording) {
	fmt.Fprintf(w, "%s: %s, %s, compression %s, %s of %s in segments of %d\n",
		r.Task, count(r.Worlds, "world"), count(r.Workers, "worker"), r.Compression, count(r.Rounds, "round"),
		count(r.StepsPerRound, "step"), r.SegmentSteps)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "recorded\tsteps/s\tof those without\tquartiles\tby CPU time\tMB/s\tbytes a row\t")
	for _, c := range r.Costs {
		var rows []string
		for _, b := range c.BytesPerRow {
			rows = append(rows, fmt.Sprintf("%.0f", b))
		}
		fmt.Fprintf(t, "%s\t%.0f\t%.3f\t%.3f, %.3f\t%.3f\t%.1f\t%s\t\n", cmp.Or(strings.Join(c.Tables, ", "), "nothing"),
			c.EnvStepsPerS, c.Ratio, c.RatioLow, c.RatioHigh, c.CPURatio, c.BytesPerS/1e6, strings.Join(rows, ", "))
	}
	t.Flush()
}

func printResult(w io.Writer, r *throughput.Result) {
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
`, r.Task, count(r.Worlds, "world"), count(r.Workers, "worker"), recording, count(r.Rounds, "round"),
		count(r.StepsPerRound, "step"),
		r.EnvStepsPerS, r.PhysicsStepsPerS, r.RawPhysicsStepsPerS, same,
		r.RatioToRaw, r.RatioLow, r.RatioHigh, r.CPURatio, r.AllocsPerStep)
}
