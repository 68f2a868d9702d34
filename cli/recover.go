package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
	"github.com/polyrhythm-rl/polyrhythm/recorder/recovery"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

func newRecover() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "recover DATASET",
		Short:   "Recover the dataset of a killed run",
		Example: "  train recover runs/walk",
		Long: "Make the dataset that a killed run left in the folder DATASET, which may also be the run folder, " +
			"loadable. It then holds every acknowledged row; recovered.json lists what is missing. A whole dataset " +
			"stays as it is. A dataset that is being written, or has damage that a kill does not explain, is an error.",
		Args: oneArgument("DATASET"),
	}
	options := recovery.Options{}
	cmd.Flags().BoolVar(&options.Cut, "cut", false, "drop everything after the first damage, even intact rows")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		dir, err := rundir.DatasetPath(args[0])
		if err != nil {
			return err
		}
		r, err := recovery.Recover(dir, options)
		if err != nil {
			return err
		}
		if r == nil {
			fmt.Fprintf(cmd.OutOrStdout(), "%s is whole\n", dir)
		} else {
			printRecovery(cmd.OutOrStdout(), dir, r)
		}
		return nil
	}
	return cmd
}

// openDataset opens a dataset, or that of a run folder. That of a killed run is recovered first, with a note.
func openDataset(stderr io.Writer, path string) (*recorder.Dataset, error) {
	dir, err := rundir.DatasetPath(path)
	if err != nil {
		return nil, err
	}
	d, r, err := recovery.Open(dir)
	if r != nil && err == nil {
		fmt.Fprint(stderr, "note: the run that wrote this dataset was killed; it has been recovered\n")
		printRecovery(stderr, dir, r)
	}
	return d, err
}

func printRecovery(w io.Writer, dir string, r *format.Recovery) {
	fmt.Fprintf(w, "%s is recovered: %s, %d that lack rows\n", dir, count(r.Episodes, "whole episode"),
		len(r.Incomplete))
	for _, t := range r.Tables {
		fmt.Fprintf(w, "  %s: %d rows", t.Table, t.Rows)
		if t.Last != nil {
			fmt.Fprintf(w, ", up to %.3f s of episode %d", float64(t.Last.TimeNS)/1e9, t.Last.Episode)
		}
		if lost := t.Acknowledged - t.Rows; lost > 0 {
			fmt.Fprintf(w, "; %d acknowledged ones are lost: %s", lost, t.Damage)
		} else if t.Damage != "" {
			fmt.Fprintf(w, "; damage: %s", t.Damage)
		}
		fmt.Fprintln(w)
	}
}
