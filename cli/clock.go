package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/runners"
)

// newOrder prints the execution order of a configuration.
func newOrder() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "order --config FILE",
		Short: "Print the order in which bindings run when all of them fire",
		Args:  cobra.NoArgs,
	}
	var config configFlags
	config.Add(cmd)
	format := addFormat(cmd, "table", "json")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		plan, err := planOf(&config)
		if err != nil {
			return err
		}
		if format.String() == "json" {
			return printOrderJSON(cmd.OutOrStdout(), plan)
		}
		return printOrder(cmd.OutOrStdout(), plan)
	}
	return cmd
}

// newTimeline prints what happens when.
func newTimeline() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "timeline (--config FILE | --runner NAME=RATE ...) --until TIME",
		Short: "Print the instants of the clock and what runs at each",
		Args:  cobra.NoArgs,
	}
	var config configFlags
	config.Add(cmd)
	named := cmd.Flags().StringArray("runner", nil, "use the runners given by `NAME=RATE`, without bindings, instead of a configuration; may be repeated")
	until := cmd.Flags().Duration("until", 200*time.Millisecond, "stop after this `TIME`, such as 200ms")
	format := addFormat(cmd, "table", "json", "trace")
	cmd.MarkFlagsMutuallyExclusive("runner", "config")
	cmd.MarkFlagsMutuallyExclusive("runner", "task")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if *until < 0 {
			return usagef("--until: want a time of at least 0, got %v", *until)
		}
		var schedule *runners.Schedule
		if len(*named) > 0 {
			var err error
			if schedule, err = scheduleOfRunners(*named); err != nil {
				return err
			}
		} else {
			plan, err := planOf(&config)
			if err != nil {
				return err
			}
			schedule = plan.Schedule()
		}
		switch out := cmd.OutOrStdout(); format.String() {
		case "json":
			return printTimelineJSON(out, schedule, until.Nanoseconds())
		case "trace":
			return runners.WriteTrace(out, schedule, until.Nanoseconds())
		default:
			return printTimeline(out, schedule, until.Nanoseconds())
		}
	}
	return cmd
}

// planOf resolves the clock of a configuration.
func planOf(config *configFlags) (*env.Plan, error) {
	c, err := config.Load()
	if err != nil {
		return nil, err
	}
	return env.NewPlan(c)
}

// scheduleOfRunners compiles the values of --runner flags.
func scheduleOfRunners(flags []string) (*runners.Schedule, error) {
	var runs []runners.Runner
	for _, f := range flags {
		name, text, ok := strings.Cut(f, "=")
		if !ok {
			return nil, usagef("--runner %s: want NAME=RATE, such as Robot=50", f)
		}
		rate, err := runners.ParseRate(text)
		if err != nil {
			return nil, usagef("--runner %s: %w", f, err)
		}
		runs = append(runs, runners.Runner{Name: name, Rate: rate})
	}
	schedule, err := runners.Compile(runs, nil)
	return schedule, asUsage(err)
}

func printOrder(w io.Writer, p *env.Plan) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "PHASE\tPRIORITY\tNAME\tRUNNER\tRATE\tENABLED\tMEASURES")
	for _, e := range p.Schedule().Order() {
		// a sync point has a beat instead of a runner, and comes last in its phase
		priority, runner, rate := fmt.Sprint(e.Priority), e.Runner, e.Rate+" Hz"
		if e.Beat {
			priority, runner, rate = "last", "-", e.Rate
		}
		measures := ""
		if sources, model := p.Measures(e.Index); sources != nil {
			if n := len(sources); n > 2 {
				sources = []string{sources[0], "…", sources[n-1]}
			}
			measures = "\t" + strings.Join(sources, " ") + ": " + model
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%t%s\n", e.Phase, priority, e.Name, runner, rate, e.Enabled, measures)
	}
	return t.Flush()
}

// printOrderJSON prints one object per line.
func printOrderJSON(w io.Writer, p *env.Plan) error {
	enc := json.NewEncoder(w)
	for _, e := range p.Schedule().Order() {
		sources, model := p.Measures(e.Index)
		if err := enc.Encode(struct {
			Name     string        `json:"name"`
			Runner   string        `json:"runner"`
			Rate     string        `json:"rate"`
			Phase    runners.Phase `json:"phase"`
			Priority int           `json:"priority"`
			Enabled  bool          `json:"enabled"`
			Sources  []string      `json:"sources,omitempty"` // of a sensor channel
			Model    string        `json:"model,omitempty"`   // likewise: what it does to the truth
		}{e.Name, e.Runner, e.Rate, e.Phase, e.Priority, e.Enabled, sources, model}); err != nil {
			return err
		}
	}
	return nil
}

func printTimeline(w io.Writer, s *runners.Schedule, untilNS int64) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "TIME (ns)\tBEAT\tRUNNERS (step in ns)\tCALLS")
	err := runners.Timeline(s, untilNS, func(at runners.Instant) error {
		beat := ""
		if at.Sync {
			beat = "*"
		}
		var fired, calls []string
		for _, r := range at.Runners {
			fired = append(fired, fmt.Sprintf("%s (%d)", r, at.DTs[r]))
		}
		for _, c := range at.Calls {
			calls = append(calls, c.Name)
		}
		_, err := fmt.Fprintf(t, "%d\t%s\t%s\t%s\n", at.NS, beat, strings.Join(fired, ", "), strings.Join(calls, ", "))
		return err
	})
	if err != nil {
		return err
	}
	return t.Flush()
}

// printTimelineJSON prints one object per line.
func printTimelineJSON(w io.Writer, s *runners.Schedule, untilNS int64) error {
	enc := json.NewEncoder(w)
	return runners.Timeline(s, untilNS, func(at runners.Instant) error { return enc.Encode(at) })
}
