package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/render"
	"github.com/polyrhythm-rl/polyrhythm/training/policies"
	"github.com/polyrhythm-rl/polyrhythm/training/rollouts"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

func newEval() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "eval RUN|CHECKPOINT|--config FILE",
		Short: "Evaluate a policy",
		Example: "  train eval runs/quadruped-001 --episodes 20\n" +
			"  train eval runs/quadruped-001 --episodes 200 --worst 5 --out runs/worst\n" +
			"  train eval --task HalfCheetah-v5 --policy theirs.onnx",
		Long: "Run episodes with a trained policy's most likely actions and print their statistics. The " +
			"configuration is that of the training; the seed is one higher, so the episodes differ from those of the " +
			"training. With --config or --task instead, evaluate --policy, such as that of another program, under that " +
			"configuration and its seed. With --worst, the episodes with the least returns are run again and recorded: DIR is " +
			"then the folder of a dataset that has rows of them alone, with each term of the reward, and a clip of each one's last seconds. " +
			"train regenerate makes it again.",
		Args: atMostOneArgument("RUN or checkpoint"),
	}
	episodes := cmd.Flags().Int("episodes", 0, "run `N` episodes; 0 for as many as configured")
	seed := cmd.Flags().Uint64("seed", 0, "use the seed `N` instead of the one after the training's")
	worst := cmd.Flags().Int("worst", 0, "record and draw the `K` episodes with the least returns, in the folder of --out")
	out := cmd.Flags().String("out", "", "with --worst, write to the folder `DIR`, new or empty")
	requires(cmd, "worst", "out")
	requires(cmd, "out", "worst")
	var flags configFlags
	flags.Add(cmd)
	policyName := addPolicy(cmd)
	flags.Alias("workers", "workers", "step worlds on `N` threads; 0 for one per CPU")
	format := addFormat(cmd, "table", "json")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if *episodes < 0 || *episodes > configs.MaxEpisodes {
			return usagef("--episodes is %d, want 0 to %d", *episodes, int64(configs.MaxEpisodes))
		}
		policy, config, err := flags.evaluated(cmd, args, *policyName)
		if err != nil {
			return err
		}
		if *episodes > 0 {
			config.Evaluation.Episodes = *episodes
		}
		if cmd.Flags().Changed("seed") {
			config.Seed = *seed
		}
		if cmd.Flags().Changed("worst") {
			if n := config.Evaluation.Episodes; *worst < 1 || *worst > n {
				return usagef("--worst is %d, want 1 to %d, the number of episodes", *worst, n)
			}
			result, err := evaluateWorst(cmd, config, policy, *worst, *out)
			if err != nil {
				return err
			}
			return printAs(cmd, format, result, printWorst)
		}
		result, err := rollouts.EvaluatePolicy(cmd.Context(), config, policy)
		if err != nil {
			return err
		}
		warnOfModel(cmd, policy, result)
		return printAs(cmd, format, result, printEvaluation)
	}
	return cmd
}

// evaluated returns the policy of a run, with its configuration and the seed after its own, or else that of a name, with
// the configuration that the flags choose.
func (f *configFlags) evaluated(cmd *cobra.Command, args []string, name string) (*policies.Policy, *configs.Config, error) {
	if len(args) == 0 {
		if f.file == "" && f.task == "" {
			return nil, nil, usagef("no run and no configuration given, want RUN, --config FILE or --task NAME")
		}
		config, err := f.Load()
		if err != nil {
			return nil, nil, err
		}
		policy, err := policies.Open(name)
		return policy, config, err
	}
	if err := f.withoutOwn(cmd, args[0]); err != nil {
		return nil, nil, err
	}
	checkpoint, config, err := f.Trained(args[0])
	if err != nil {
		return nil, nil, err
	}
	config.Seed++
	return policies.Of(checkpoint), config, nil
}

func warnOfModel(cmd *cobra.Command, policy *policies.Policy, result *rundir.Evaluation) {
	if policy.Checkpoint() == nil {
		return
	}
	if text := rundir.ChangedModel(policy.Name(), result.Model); text != "" {
		printWarning(cmd, text)
	}
}

// worstReport is the result of train eval --worst.
type worstReport struct {
	*rundir.Evaluation
	Worst  []worstEpisode `json:"worst"`
	Folder string         `json:"folder"`
}

// worstEpisode is an episode that was recorded and drawn.
type worstEpisode struct {
	rundir.Episode
	Clip string `json:"clip,omitempty"` // path of the file; "": it could not be drawn
}

// evaluateWorst evaluates a policy, and records and draws the episodes with the least returns.
func evaluateWorst(cmd *cobra.Command, c *configs.Config, policy *policies.Policy, k int, out string) (r worstReport, err error) {
	list, err := work(cmd, "recording", func(bar *progress) (list []rundir.Episode, err error) {
		r.Evaluation, list, err = rollouts.EvaluateWorst(cmd.Context(), c, policy, rollouts.WorstOptions{
			Count: k, Folder: out, Warn: bar.Warn,
			Progress: func(done, total, episodes int64) { bar.Update(done, total, count(episodes, "episode")) },
		})
		return list, err
	})
	if err != nil {
		return r, err
	}
	warnOfModel(cmd, policy, r.Evaluation)
	r.Folder = out
	for _, e := range list {
		r.Worst = append(r.Worst, worstEpisode{e, filepath.Join(out, rundir.EpisodeClip(e.Number))})
	}
	_, err = work(cmd, "drawing", func(bar *progress) (any, error) { return nil, drawEpisodes(cmd.Context(), out, r.Worst, bar) })
	if err != nil && cmd.Context().Err() == nil {
		printWarning(cmd, "no clip of each of these episodes: "+oneLine(err))
		err = nil
		for i := range r.Worst {
			if _, missing := os.Stat(r.Worst[i].Clip); missing != nil {
				r.Worst[i].Clip = ""
			}
		}
	}
	return r, err
}

// drawEpisodes draws the last seconds of episodes of a dataset.
func drawEpisodes(ctx context.Context, folder string, list []worstEpisode, bar *progress) (err error) {
	d, err := recorder.Open(folder)
	if err != nil {
		return err
	}
	m, err := rollouts.DrawableOf(ctx, d)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	for i, one := range list {
		e, err := render.ReadEpisode(ctx, d, one.Number, nil)
		if err != nil {
			return err
		}
		opt := clipOptions()
		opt.From = max(0, e.Length-clipSeconds*1e9)
		opt.Progress = func(done, total int64) {
			bar.Update(int64(i)*total+done, int64(len(list))*total, fmt.Sprintf("episode %d", one.Number))
		}
		if err := render.Write(ctx, m, e, opt, one.Clip); err != nil {
			return err
		}
	}
	return nil
}

func printWorst(w io.Writer, r worstReport) {
	printEvaluation(w, r.Evaluation)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "EPISODE\tRETURN\tSTEPS\tENDED BY\tCLIP")
	for _, e := range r.Worst {
		how := "the time limit"
		switch {
		case e.Fault:
			how = "a fault"
		case e.Terminated:
			how = "the task"
		}
		fmt.Fprintf(table, "%d\t%s\t%d\t%s\t%s\n", e.Number, tenths(e.Return), e.Steps, how, orDash(e.Clip))
	}
	table.Flush()
	fmt.Fprintf(w, "their rows are in %s, which train regenerate makes again\n", r.Folder)
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
