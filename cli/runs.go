package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/polyrhythm-rl/polyrhythm/training/catalog"
)

func newRuns() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "runs [FOLDER]",
		Short: "List runs and datasets: task, steps, state, return, size, age",
		Example: "  train runs\n" +
			"  train runs --sort return",
		Long: "List the trainings, sweeps, exams, live runs and datasets in FOLDER, by default that of --runs, " +
			"and in the folders below it. The return is that of the last evaluation or, without one, of the last " +
			"iteration in which an episode ended. A run is running if a process of this machine has its folder " +
			"open, stopped if none has and it is not done, and damaged if something of it cannot be read: a warning says " +
			"what.",
		Args: atMostOneArgument("FOLDER"),
	}
	order := cmd.Flags().String("sort", catalog.Orders[0], "sort by `COLUMN`: "+strings.Join(catalog.Orders, ", "))
	complete(cmd, "sort", catalog.Orders...)
	format := addFormat(cmd, "table", "json")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := checkChoice("sort", *order, catalog.Orders...); err != nil {
			return err
		}
		folder := settingsOf(cmd).Runs
		if len(args) > 0 {
			folder = args[0]
		}
		if info, err := os.Stat(folder); err == nil && !info.IsDir() {
			return usagef("%s is a file, want a folder of runs", folder)
		}
		runs, err := catalog.List(folder)
		if errors.Is(err, fs.ErrNotExist) && len(args) == 0 {
			err = nil // a folder without runs is no error
		}
		if notThere(err) {
			return asUsage(err)
		}
		if err != nil {
			return err
		}
		if err := catalog.Sort(runs, *order); err != nil {
			return err
		}
		for _, r := range runs {
			if r.Problem != nil {
				printWarning(cmd, fmt.Sprintf("%s: %s", r.Path, oneLine(r.Problem)))
			}
		}
		return printAs(cmd, format, describeRuns(runs), func(w io.Writer, rows []runRow) { printRuns(w, folder, rows) })
	}
	return cmd
}

// runRow is a run as JSON.
type runRow struct {
	Path    string    `json:"path"`
	Kind    string    `json:"kind,omitempty"` // "": its folder cannot be read
	Task    string    `json:"task,omitempty"`
	Steps   int64     `json:"env_steps"`
	State   string    `json:"state,omitempty"`
	Return  *float64  `json:"mean_return"` // null: there is none
	Bytes   int64     `json:"bytes"`
	Changed time.Time `json:"changed"`
	Problem string    `json:"problem,omitempty"` // of a damaged run
}

func describeRuns(runs []catalog.Run) []runRow {
	rows := make([]runRow, len(runs))
	for i, r := range runs {
		rows[i] = runRow{r.Path, r.Kind, r.Task, r.Steps, r.State, nil, r.Bytes, r.Changed.UTC().Truncate(time.Second), ""}
		if r.Problem != nil {
			rows[i].Problem = oneLine(r.Problem)
		}
		if !math.IsNaN(r.Return) && !math.IsInf(r.Return, 0) {
			rows[i].Return = &r.Return
		}
	}
	return rows
}

func printRuns(w io.Writer, folder string, rows []runRow) {
	if len(rows) == 0 {
		fmt.Fprintf(w, "no runs in %s\n", folder)
		return
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "RUN\tKIND\tTASK\tSTEPS\tSTATE\tRETURN\tSIZE\tAGE")
	bytes := int64(0)
	for _, r := range rows {
		steps, mean := "-", "-"
		if r.Steps > 0 {
			steps = fmt.Sprint(r.Steps)
		}
		if r.Return != nil {
			mean = tenths(*r.Return)
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", r.Path, orDash(r.Kind), orDash(r.Task), steps, orDash(r.State),
			mean, megabytes(r.Bytes), age(time.Since(r.Changed)))
		bytes += r.Bytes
	}
	table.Flush()
	fmt.Fprintf(w, "%s, %s\n", count(len(rows), "run"), megabytes(bytes))
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

// megabytes writes a size with its unit, MB of 10^6 bytes.
func megabytes(bytes int64) string { return fmt.Sprintf("%.1f MB", float64(bytes)/1e6) }

// age writes how long ago something was, in the largest unit of which there is one.
func age(since time.Duration) string {
	for _, unit := range []struct {
		length time.Duration
		name   string
	}{{24 * time.Hour, "d"}, {time.Hour, "h"}, {time.Minute, "min"}} {
		if since >= unit.length {
			return fmt.Sprintf("%d %s", since/unit.length, unit.name)
		}
	}
	return fmt.Sprintf("%d s", max(since, 0)/time.Second)
}

func newRm() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rm RUN...",
		Short: "Remove runs and datasets, and say what that frees",
		Example: "  train rm --dry-run runs/quadruped-001\n" +
			"  train rm runs/quadruped-001 runs/walk",
		Long: "Remove the folders of runs or datasets with all that they wrote, and print what that frees. A file that no " +
			"run wrote is named and stays, and so does its folder. Nothing is removed if one of them is no run, is running, " +
			"is a symbolic link, or has something that is damaged or cannot be read; with --force only that stays which " +
			"nothing shows to be of a run.",
		Args:        atLeast(1, "RUN"),
		Annotations: map[string]string{removes: "true"},
	}
	dry := cmd.Flags().Bool("dry-run", false, "print what would be freed, and remove nothing")
	force := cmd.Flags().Bool("force", false, "also a run that is damaged, or of which something cannot be read")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		var all []catalog.Removal
		for _, path := range args {
			r, err := catalog.NewRemoval(path, *force)
			if err != nil {
				return asUsage(err)
			}
			all = append(all, r)
		}
		bytes := int64(0)
		verb := "removed"
		if *dry {
			verb = "would remove"
		}
		for _, r := range all {
			if !*dry {
				if err := r.Remove(); err != nil {
					return err
				}
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s %s, %s\n", verb, r.Path, megabytes(r.Frees))
			for _, path := range r.Keeps {
				fmt.Fprintf(cmd.OutOrStdout(), "kept %s: no run wrote it\n", path)
			}
			bytes += r.Frees
		}
		if len(all) > 1 {
			fmt.Fprintf(cmd.OutOrStdout(), "%s in all\n", megabytes(bytes))
		}
		return nil
	}
	return cmd
}
