package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/polyrhythm-rl/polyrhythm/training/rollouts"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

func newMerge() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "merge SLICE... --out DIR",
		Short:   "Make the dataset of a run from its slices",
		Example: "  train merge runs/slice-1 runs/slice-2 --out runs/whole",
		Long: "Make the dataset of a run from those of its slices, in any order, which train rollout --slice or the " +
			"collectors of a training have recorded. It has the bytes that one process writes, the labels of the " +
			"slices, and the pictures of cameras that train render --into has added to all slices. The slices must " +
			"be of one run and have each of its worlds once. DIR must be new or empty; it appears when all is written.",
		Args: atLeast(1, "SLICE"),
	}
	out := cmd.Flags().String("out", "", "write to the folder `DIR`")
	opt := rollouts.MergeOptions{}
	cmd.Flags().BoolVar(&opt.Mixed, "mixed", false, "accept slices from different processors and OpenBLAS kernels, "+
		"whose bits no one machine would have")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := checkOut(*out, "folder", "DIR"); err != nil {
			return err
		}
		if err := checkFolders("a slice", args...); err != nil {
			return err
		}
		start := time.Now()
		merged, err := work(cmd, "merging", func(bar *progress) (rollouts.Merged, error) {
			opt.Progress = bar.count("row")
			return rollouts.Merge(cmd.Context(), args, *out, opt)
		})
		if err != nil {
			return err
		}
		notes := ""
		if merged.Faults > 0 {
			notes = fmt.Sprintf("; a fault ended %d of them", merged.Faults)
		}
		if merged.NoLog != "" {
			notes += "; without " + rundir.LogFile + ", since " + merged.NoLog
		}
		if len(merged.Cameras) > 0 {
			notes += "; with the pictures of " + strings.Join(merged.Cameras, ", ")
		}
		if len(merged.NoCameras) > 0 {
			notes += "; without those of " + strings.Join(merged.NoCameras, ", ") + ", which not all slices have alike"
		}
		fmt.Fprintf(cmd.OutOrStdout(), "%s of %s from %s in %s: %s, %d bytes, %.0f MB/s%s\n",
			count(merged.Episodes, "episode"), merged.Task, count(len(args), "slice"), *out, count(merged.Rows, "row"),
			merged.Bytes, float64(merged.Bytes)/1e6/time.Since(start).Seconds(), notes)
		return nil
	}
	return cmd
}
