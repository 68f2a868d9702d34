package cli

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/spf13/cobra"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/training/rollouts"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

func newEval() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "eval RUN|CHECKPOINT",
		Short:   "Evaluate a trained policy",
		Example: "  train eval runs/quadruped-001 --episodes 20",
		Long: "Run episodes with a trained policy's most likely actions and print their statistics. The " +
			"configuration is that of the training; the seed is one higher, so the episodes differ from those of the " +
			"training.",
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
		checkpoint, config, err := flags.Trained(args[0])
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
		result, err := rollouts.Evaluate(cmd.Context(), config, checkpoint.Policy(), checkpoint.ControlSteps)
		if err != nil {
			return err
		}
		if text := rundir.ChangedModel(args[0], result.Model); text != "" {
			printWarning(cmd, text)
		}
		return printAs(cmd, format, result, printEvaluation)
	}
	return cmd
}

func printEvaluation(w io.Writer, r *rundir.Evaluation) {
	fmt.Fprintf(w, `%s, %s (seed %d)
  return  %s ± %s  (%s to %s)
  length  %.1f control steps
  ended   %d by the time limit, %d by the task, %d by a fault
`, r.Task, count(r.Episodes, "episode"), r.Seed, tenths(r.MeanReturn), tenths(r.StdReturn), tenths(r.MinReturn),
		tenths(r.MaxReturn), r.MeanLength, r.Truncated, r.Terminated, r.Faults)
	if r.FirstFault != "" {
		fmt.Fprintf(w, "  fault   first of %s\n", r.FirstFault)
	}
	if r.Time != "" {
		fmt.Fprintf(w, "  time    %s\n", r.Time)
	}
	for _, name := range slices.Sorted(maps.Keys(r.Infos)) {
		x, digits := r.Infos[name], "%.3f"
		if math.Abs(x) >= huge {
			digits = "%.4g"
		}
		fmt.Fprintf(w, "  mean %s  "+digits+"\n", name, x)
	}
}
