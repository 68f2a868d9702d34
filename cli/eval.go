package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/training"
)

// newEval returns the command that evaluates a trained policy.
func newEval() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "eval RUN|CHECKPOINT",
		Short: "Evaluate a trained policy",
		Long: "Run episodes with a trained policy's most likely actions and print their statistics. " +
			"The configuration is that of the training; the seed is one higher, so the episodes differ from those of the training.",
		Args: oneArgument("RUN or checkpoint"),
	}
	episodes := cmd.Flags().Int("episodes", 0, "run `N` episodes; 0 for as many as configured")
	seed := cmd.Flags().Uint64("seed", 0, "use the seed `N` instead of the one after the training's")
	var flags configFlags
	flags.AddSet(cmd)
	flags.Alias("workers", "workers", "step worlds on `N` threads; 0 for one per CPU")
	format := addFormat(cmd, "table", "json")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if *episodes < 0 || *episodes > configs.MaxEpisodes {
			return usagef("--episodes is %d, want 0 to %d", *episodes, int64(configs.MaxEpisodes))
		}
		checkpoint, err := training.ReadCheckpoint(args[0])
		if err != nil {
			return err
		}
		config, err := flags.Parse(args[0], []byte(checkpoint.User))
		if err != nil {
			return err
		}
		if *episodes > 0 {
			config.Evaluation.Episodes = *episodes
		}
		config.Seed++
		if cmd.Flags().Changed("seed") {
			config.Seed = *seed
		}
		result, err := training.Evaluate(cmd.Context(), config, checkpoint.Policy(), checkpoint.ControlSteps)
		if err != nil {
			return err
		}
		if text := training.ChangedModel(args[0], result.Model); text != "" {
			printWarning(cmd.ErrOrStderr(), text)
		}
		if format.String() == "json" {
			return json.NewEncoder(cmd.OutOrStdout()).Encode(result)
		}
		return printEvaluation(cmd.OutOrStdout(), result)
	}
	return cmd
}

func printEvaluation(w io.Writer, r *training.Evaluation) error {
	if _, err := fmt.Fprintf(w, "%s, %s (seed %d)\n  return  %.1f ± %.1f  (%.1f to %.1f)\n  length  %.1f control steps\n  ended   %d by the time limit, %d by the task, %d by a fault\n",
		r.Task, count(r.Episodes, "episode"), r.Seed, r.MeanReturn, r.StdReturn, r.MinReturn, r.MaxReturn, r.MeanLength, r.Truncated, r.Terminated, r.Faults); err != nil {
		return err
	}
	if r.FirstFault != "" {
		if _, err := fmt.Fprintf(w, "  fault   first of %s\n", r.FirstFault); err != nil {
			return err
		}
	}
	if r.Time != "" {
		if _, err := fmt.Fprintf(w, "  time    %s\n", r.Time); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.Infos)) {
		if _, err := fmt.Fprintf(w, "  mean %s  %.3f\n", name, r.Infos[name]); err != nil {
			return err
		}
	}
	return nil
}
