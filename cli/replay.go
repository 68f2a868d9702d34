package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/polyrhythm-rl/polyrhythm/training"
)

func newReplay() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "replay RUN",
		Short:   "Execute a run again and compare it with its log, bit for bit",
		Example: "  train replay runs/quadruped-001",
		Long: "Execute a run again from its log, run.log in the folder RUN, and compare the states of all worlds. " +
			"It prints that they are identical, or the first control step and world that differ, and the part of the " +
			"state. Of a training it also compares metrics.csv, config.yaml and the checkpoints. " +
			"Nothing is written, unless --record DIR wants what is executed as a dataset: of a live run, for " +
			"example, which records none, or of a rollout whose dataset is gone. " +
			"Exit code 0 means identical; 1 means that the run diverged or that its log is damaged.",
		Args: oneArgument("RUN"),
	}
	workers := cmd.Flags().Int("workers", 0, "step worlds on `N` threads; 0 for one per CPU")
	record := cmd.Flags().String("record", "", "record what is executed to the folder `DIR`, as a dataset")
	sets := cmd.Flags().StringArray("set", nil, "with --record, set a value of recording, `KEY=VALUE`, such as "+
		"recording.tables=[capture,control]; may be repeated")
	requires(cmd, "record", "set")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := checkFolders("a live run", args...); err != nil {
			return err
		}
		stderr := cmd.ErrOrStderr()
		bar := showProgress(cmd, "replaying")
		done, err := training.Replay(cmd.Context(), args[0], training.ReplayOptions{
			Workers: *workers, Dataset: *record, Recording: *sets,
			Note: func(text string) { fmt.Fprintln(stderr, "note:", text) },
			Progress: func(task string, done, total int64) {
				bar.name = "replaying " + task
				bar.Update(done, total, "identical so far")
			},
		})
		bar.Close()
		if err != nil {
			return err
		}
		files := ""
		if done.Files > 0 {
			files = fmt.Sprintf(", and %s of the run", count(done.Files, "file"))
		}
		suffix := ""
		if done.After > 0 {
			suffix = fmt.Sprintf("; %s after the last logged state were not compared",
				count(done.After, "control step"))
		}
		fmt.Fprintf(cmd.OutOrStdout(), "identical, %s of %s%s%s\n", count(done.Steps, "step"),
			count(done.Worlds, "world"), files, suffix)
		if *record != "" {
			same := ""
			if done.Tables > 0 {
				same = fmt.Sprintf(", %s with the bytes that the run recorded", count(int64(done.Tables), "table"))
			}
			fmt.Fprintf(cmd.OutOrStdout(), "recorded in %s%s\n", *record, same)
		}
		return nil
	}
	return cmd
}
