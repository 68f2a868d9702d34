package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/polyrhythm-rl/polyrhythm/cli/internal/settings"
	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
	"github.com/polyrhythm-rl/polyrhythm/recorder/inspect"
	"github.com/polyrhythm-rl/polyrhythm/recorder/plot"
)

// defaultWindow is how much of an episode is drawn: two and a half beats of the quadruped's clock.
const defaultWindow = 250 * time.Millisecond

func newInspect() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "inspect DATASET",
		Short: "Summarise a dataset and check it, or draw an episode",
		Example: "  train inspect runs/walk\n" +
			"  train inspect runs/walk --plot episode.png",
		Long: "Read the dataset in the folder DATASET, which may also be a run folder, and print its tables, " +
			"columns, rates, episodes and statistics. What the format promises is checked: checksums, timestamps " +
			"without gaps, sync points, stamps that are never in the future, returns. Exit code 1 means that a check " +
			"failed. The dataset of a killed run is recovered first. With --plot an episode is drawn instead: every " +
			"sample at its time, the rows of each rate, and the sync points.",
		Args: oneArgument("DATASET"),
	}
	output := addFormat(cmd, "table", "json")
	var drawing plot.Options
	picturePath := cmd.Flags().String("plot", "", "draw an episode to `FILE.png`")
	force := cmd.Flags().Bool("force", false, "replace FILE.png if it is there")
	cmd.Flags().Int64Var(&drawing.Episode, "episode", 0, "draw episode `N` of the run")
	cmd.Flags().DurationVar(&drawing.From, "from", 0,
		"draw from `TIME` after the beginning of the episode, such as 1.5s")
	cmd.Flags().DurationVar(&drawing.Until, "until", 0, "draw until `TIME`; 0 for 250ms after --from")
	cmd.Flags().StringSliceVar(&drawing.Columns, "columns", nil,
		"draw these `COLUMNS`, by default all with stamps except the observation and the pose")
	requires(cmd, "plot", "episode", "from", "until", "columns", "force")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if *picturePath != "" {
			if err := checkNew("plot", *picturePath, *force, ".png"); err != nil {
				return err
			}
		}
		if drawing.Until == 0 {
			drawing.Until = drawing.From + defaultWindow
		}
		if drawing.From < 0 || drawing.Until <= drawing.From {
			return usagef("--from is %v and --until %v, want --from at least 0 and --until later", drawing.From,
				drawing.Until)
		}
		d, err := openDataset(cmd.ErrOrStderr(), args[0])
		if err != nil {
			return err
		}
		// A configuration that cannot be read counts as one without changes.
		c, err := configs.Parse("the dataset's configuration", []byte(d.Metadata.Configuration), nil, nil)
		drawing.ClockChanges = err == nil && len(c.Changes) > 0
		if *picturePath != "" {
			drawing.Dark = settingsOf(cmd).Theme == settings.Dark
			_, err := onDisk(cmd.Context(), func() (any, error) {
				return nil, disk.Replace(disk.OS{}, *picturePath, false, func(w io.Writer) error {
					return plot.WritePNG(cmd.Context(), w, d, drawing)
				})
			})
			if errors.Is(err, plot.ErrOptions) {
				err = asUsage(err)
			}
			return err
		}
		bar := showProgress(cmd, "inspecting")
		report, err := inspect.Dataset(cmd.Context(), d,
			inspect.Options{ClockChanges: drawing.ClockChanges, Progress: bar.count("row")})
		bar.Close()
		if err != nil {
			return err
		}
		return cmp.Or(printAs(cmd, output, report, printReport), broken(report))
	}
	return cmd
}

// broken returns an error that lists the failed checks of a report; nil if none failed.
func broken(r *inspect.Report) error {
	var failed []string
	for _, c := range r.Checks {
		if c.Failed > 0 {
			failed = append(failed, fmt.Sprintf("%s %s: %s", c.Table, c.Name, c.First))
		}
	}
	if len(failed) == 0 {
		return nil
	}
	return fmt.Errorf("%d of %d checks failed; %s", len(failed), len(r.Checks), strings.Join(failed, "; "))
}

func printReport(out io.Writer, r *inspect.Report) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	m := &r.Metadata
	if m.Task != "" {
		printRun(w, m)
	}
	if r.Recovery != nil {
		fmt.Fprintf(w, "recovered from a killed run: %s, %d that lack rows\n",
			count(r.Recovery.Episodes, "whole episode"), len(r.Recovery.Incomplete))
	}
	if e := r.Episodes; e != nil {
		fmt.Fprintf(w, "episodes  %d: %d ended by the time limit, %d by the task, %d by a fault, %d by the end of "+
			"the run\n", e.Count, e.Truncated, e.Terminated, e.Faults, e.Cut)
		if e.Count > 0 {
			fmt.Fprintf(w, "length    %s\nreturn    %s\n", spread(e.LengthS, " s"), spread(e.Return, ""))
		}
	}
	for i := range r.Tables {
		printTable(w, &r.Tables[i])
	}
	fmt.Fprint(w, "\nchecks\n")
	for _, c := range r.Checks {
		verdict, more := "ok", ""
		switch {
		case c.Failed > 0:
			verdict, more = "FAILED", fmt.Sprintf(" (%d of %d; first: %s)", c.Failed, c.Examined, c.First)
		case c.Skipped != "":
			verdict, more = "skipped", " ("+c.Skipped+")"
		}
		fmt.Fprintf(w, "  %s\t%s\t%s\t%s%s\n", verdict, c.Table, c.Name, c.Promise, more)
	}
	w.Flush()
}

func printRun(w io.Writer, m *format.Metadata) {
	fmt.Fprintf(w, "%s, seed %d\n", m.Task, m.Seed)
	var clock []string
	for _, runner := range m.Runners {
		clock = append(clock, fmt.Sprintf("%s %s Hz", runner.Name, runner.Rate))
	}
	fmt.Fprintf(w, "clock     %s; beat %s\n", strings.Join(clock, ", "), hertz(m.Beat))
	var versions []string
	for _, name := range slices.Sorted(maps.Keys(m.Versions)) {
		versions = append(versions, strings.TrimSpace(name+" "+m.Versions[name]))
	}
	fmt.Fprintf(w, "made by   %s\n", strings.Join(versions, ", "))
}

func printTable(w io.Writer, t *inspect.Table) {
	fmt.Fprintf(w, "\ntable %s: %s in %s", t.Name, count(t.Rows, "row"), count(t.Batches, "batch"))
	if t.Rate != "" {
		fmt.Fprintf(w, ", %s", hertz(t.Rate))
	}
	if t.Step != nil {
		fmt.Fprintf(w, ", a row every %s, %d missing", milliseconds(t.Step), t.Missing)
	}
	fmt.Fprint(w, "\n  column\ttype\tunit\trate\tnulls\tmin\tmean\tmax\tstd\tage\n")
	for _, c := range t.Columns {
		if strings.HasSuffix(c.Name, "_stamp_ns") {
			continue // the column age shows these
		}
		rate, age := c.Rate, ""
		if rate != "" {
			rate = hertz(rate)
		}
		if c.Age != nil {
			age = milliseconds(c.Age)
		}
		fmt.Fprintf(w, "  %s\t%s\t%s\t%s\t%d\t", c.Name, c.Type, c.Unit, rate, c.Nulls)
		if s := c.All; s.Count > 0 {
			fmt.Fprintf(w, "%.4g\t%.4g\t%.4g\t%.4g\t%s", s.Min, s.Mean, s.Max, s.Std, age)
		} else {
			fmt.Fprintf(w, "\t\t\t\t%s", age)
		}
		if n := c.All.NotFinite; n > 0 {
			fmt.Fprintf(w, "\t%d not finite", n)
		}
		fmt.Fprintln(w)
	}
	for _, c := range t.Columns {
		printSegments(w, &c)
	}
}

// printSegments prints what a segmentation shows, the first of many.
func printSegments(w io.Writer, c *inspect.Column) {
	const most = 16
	var list []string
	for _, s := range c.Segments[:min(most, len(c.Segments))] {
		list = append(list, fmt.Sprintf("%d %s", s.Value, s))
	}
	if n := len(c.Segments) - most; n > 0 {
		list = append(list, fmt.Sprintf("and %d more", n))
	}
	if list != nil {
		fmt.Fprintf(w, "  values of %s: %s\n", c.Name, strings.Join(list, ", "))
	}
}

// hertz adds the unit to a rate. A period, such as 20ms, has its own.
func hertz(rate string) string {
	if strings.HasSuffix(rate, "s") {
		return rate
	}
	return rate + " Hz"
}

func milliseconds(r *inspect.Interval) string {
	if r.Min == r.Max {
		return fmt.Sprint(time.Duration(r.Min))
	}
	return fmt.Sprintf("%v–%v", time.Duration(r.Min), time.Duration(r.Max))
}

func spread(s inspect.Statistics, unit string) string {
	return fmt.Sprintf("%.4g ± %.4g%s (%.4g to %.4g)", s.Mean, s.Std, unit, s.Min, s.Max)
}
