package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/polyrhythm-rl/polyrhythm/training/rollouts"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

func newRegenerate() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "regenerate RECIPE --out DIR",
		Short:   "Make a recorded dataset again, byte for byte",
		Example: "  train regenerate dataset.recipe --out runs/again",
		Long: "Make the dataset of a rollout again from its recipe, the file RECIPE or the one in the folder RECIPE, " +
			"which train rollout writes when it is done, and compare the digests of its tables. It prints that " +
			"they are identical, or which table differs first, and where. A recipe has the configuration, the " +
			"seed, the versions and a small policy; a larger policy is beside it, as " + rundir.DriverFile +
			". Files of models are found where they were. Other versions and kinds of processor are refused, since " +
			"they make other bytes. The same command goes on where it was interrupted. Exit code 0 means identical.",
		Args: oneArgument("RECIPE"),
	}
	out := cmd.Flags().String("out", "", "write the dataset to the folder `DIR`, new or empty, or go on in it")
	policy := cmd.Flags().String("policy", "", "the policy, if it is not in the recipe nor beside it, is in `FILE`")
	workers := cmd.Flags().Int("workers", 0, "step worlds on `N` threads; 0 for one per CPU")
	force := cmd.Flags().Bool("force", false, "also with other versions, processors or models; the bytes may differ")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := checkOut(*out, "folder", "DIR"); err != nil {
			return err
		}
		if err := checkThere(args...); err != nil {
			return err
		}
		done, err := work(cmd, "recording again", func(bar *progress) (rollouts.Regenerated, error) {
			return rollouts.Regenerate(cmd.Context(), args[0], rollouts.RegenerateOptions{
				Folder: *out, Policy: *policy, Workers: *workers, Force: *force, Note: bar.Warn,
				Progress: func(done, total, episodes int64) { bar.Update(done, total, count(episodes, "episode")) },
			})
		})
		if err != nil {
			return err
		}
		if done.Differs != "" {
			return errors.New("the dataset is not that of the recipe: " + done.Differs)
		}
		fmt.Fprintf(cmd.OutOrStdout(), "identical, %s of %s, %s of %d bytes in %s\n", count(done.Episodes, "episode"),
			done.Task, count(int64(done.Tables), "table"), done.Bytes, *out)
		return nil
	}
	return cmd
}
