package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/runners"
)

func newOrder() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "order --config FILE",
		Short:   "Print the order in which bindings run",
		Example: "  train order --task quadruped",
		Args:    withoutArguments,
	}
	var config configFlags
	config.Add(cmd)
	format := addFormat(cmd, "table", "json")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		plan, err := planOf(&config)
		if err != nil {
			return err
		}
		if *format == "json" {
			return printOrderJSON(cmd.OutOrStdout(), plan)
		}
		printOrder(cmd.OutOrStdout(), plan)
		return nil
	}
	return cmd
}

func newTimeline() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "timeline (--config FILE | --runner NAME=RATE ...) --until TIME",
		Short: "Print the instants of the clock and what runs at each",
		Example: "  train timeline --runner Robot=50 --runner Capture=30 --until 100ms\n" +
			"  train timeline --task quadruped --until 100ms",
		Args: withoutArguments,
	}
	var config configFlags
	config.Add(cmd)
	runnerFlags := cmd.Flags().StringArray("runner", nil,
		"use this runner, `NAME=RATE`, without bindings, instead of a configuration; may be repeated")
	until := cmd.Flags().Duration("until", 200*time.Millisecond, "stop after this `TIME`, such as 200ms")
	format := addFormat(cmd, "table", "json", "trace")
	oneOf(cmd, "runner", "config", "task")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if *until < 0 {
			return usagef("--until is %v, want at least 0", *until)
		}
		var clock *runners.Clock
		if len(*runnerFlags) > 0 {
			schedule, err := scheduleOfRunners(*runnerFlags)
			if err != nil {
				return err
			}
			clock = runners.NewClock(schedule)
		} else {
			p, err := planOf(&config)
			if err != nil {
				return err
			}
			clock = p.Clock()
		}
		// The output may be long: it is streamed, and Ctrl-C ends it.
		out := bufio.NewWriter(&interruptible{cmd.Context(), cmd.OutOrStdout()})
		var err error
		switch *format {
		case "json":
			encode := json.NewEncoder(out).Encode
			err = clock.Timeline(until.Nanoseconds(), func(instant runners.Instant) error { return encode(instant) })
		case "trace":
			err = clock.WriteTrace(out, until.Nanoseconds())
		default:
			err = printTimeline(out, clock, until.Nanoseconds())
		}
		if err != nil {
			return err
		}
		return out.Flush()
	}
	return cmd
}

// interruptible is a writer that fails once its context is cancelled.
type interruptible struct {
	ctx context.Context
	io.Writer
}

func (w *interruptible) Write(p []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.Writer.Write(p)
}

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
			return nil, usagef("--runner is %q, want NAME=RATE, such as Robot=50", f)
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

func printOrder(w io.Writer, p *env.Plan) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "PHASE\tPRIORITY\tNAME\tRUNNER\tRATE\tENABLED\tMEASURES")
	for _, e := range p.Schedule().Order() {
		// a sync point has no runner: it fires at each beat, last in its phase
		priority, runner, rate := fmt.Sprint(e.Priority), e.Runner, e.RateText()+" Hz"
		if e.Beat {
			priority, runner, rate = "last", "-", e.RateText()
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
	t.Flush()
}

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
			Sources  []string      `json:"sources,omitempty"` // sources of a sensor channel
			Model    string        `json:"model,omitempty"`   // sensor model of a sensor channel
		}{e.Name, e.Runner, e.RateText(), e.Phase, e.Priority, e.Enabled, sources, model}); err != nil {
			return err
		}
	}
	return nil
}

// printTimeline prints a line an instant. It streams, so columns are as wide as any schedule of the clock wants.
func printTimeline(w io.Writer, c *runners.Clock, untilNS int64) error {
	timeColumn, runnersColumn := "TIME (ns)", "RUNNERS (step in ns)"
	times, fired, changes := max(len(timeColumn), len(fmt.Sprint(untilNS))), len(runnersColumn), 0
	for version := range len(c.Changes()) + 1 {
		var all []string
		for _, r := range c.Schedule(version).Runners() {
			if !r.Rate.IsZero() && !r.Disabled { // a runner of rate zero was removed
				// steps have one of two lengths, which alternate
				longest := max(r.Rate.DT(0), r.Rate.DT(r.Rate.Num()-1))
				all = append(all, runnerText(r.Name, longest))
			}
		}
		fired = max(fired, utf8.RuneCountInString(strings.Join(all, ", ")))
	}
	if n := len(c.Changes()); n > 0 {
		changes = len("CHANGES")
	}
	line := func(time, beat, runners, change, calls string) error {
		if changes == 0 {
			change = ""
		} else {
			change = fmt.Sprintf("%-*s  ", changes, change)
		}
		_, err := fmt.Fprintf(w, "%-*s  %-4s  %-*s  %s%s\n", times, time, beat, fired, runners, change, calls)
		return err
	}
	if err := line(timeColumn, "BEAT", runnersColumn, "CHANGES", "CALLS"); err != nil {
		return err
	}
	return c.Timeline(untilNS, func(instant runners.Instant) error {
		beat, change := "", ""
		if instant.Sync {
			beat = "*"
		}
		for _, n := range instant.Changes {
			change = strings.TrimPrefix(fmt.Sprintf("%s, n=%d", change, n), ", ")
		}
		var fired, calls []string
		for _, r := range instant.Runners {
			fired = append(fired, runnerText(r, instant.DTs[r]))
		}
		for _, c := range instant.Calls {
			calls = append(calls, c.Name)
		}
		return line(fmt.Sprint(instant.NS), beat, strings.Join(fired, ", "), change, strings.Join(calls, ", "))
	})
}

// runnerText formats a runner that fires, with the length of its step.
func runnerText(name string, stepNS int64) string { return fmt.Sprintf("%s (%d)", name, stepNS) }
