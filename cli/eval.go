package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/spf13/cobra"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/rl"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// newEval evaluates a trained policy.
func newEval() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "eval RUN|CHECKPOINT",
		Short: "Run episodes with a trained policy and sum them up",
		Long: "Run episodes with a trained policy's most likely actions and sum them up. " +
			"The configuration is that of the training; the seed is the next one, so that no episode was trained on.",
		Args: cobra.ExactArgs(1),
	}
	episodes := cmd.Flags().Int("episodes", 0, "run `N` episodes; 0 for as many as configured")
	seed := cmd.Flags().Uint64("seed", 0, "use the seed `N` instead of the one after the training's")
	var flags configFlags
	flags.AddSet(cmd)
	flags.Alias("workers", "workers", "step worlds on `N` threads; 0 for one per CPU")
	format := addFormat(cmd, "table", "json")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if *episodes < 0 {
			return usagef("--episodes: want at least 0, got %d", *episodes)
		}
		checkpoint, err := readCheckpoint(args[0])
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
		result, err := evaluate(cmd.Context(), config, checkpoint.Policy())
		if err != nil {
			return err
		}
		if format.String() == "json" {
			return json.NewEncoder(cmd.OutOrStdout()).Encode(result)
		}
		return result.print(cmd.OutOrStdout())
	}
	return cmd
}

// evaluation sums up episodes. Lengths are in control steps.
type evaluation struct {
	Task       string  `json:"task"`
	Seed       uint64  `json:"seed"`
	Episodes   int     `json:"episodes"`
	MeanReturn float64 `json:"mean_return"`
	StdReturn  float64 `json:"std_return"`
	MinReturn  float64 `json:"min_return"`
	MaxReturn  float64 `json:"max_return"`
	MeanLength float64 `json:"mean_length"`
	Terminated int     `json:"terminated"` // ended by the task's own rules
	Truncated  int     `json:"truncated"`  // by the time limit
	Faults     int     `json:"faults"`
	Mode       string  `json:"mode"`           // of time
	Time       string  `json:"time,omitempty"` // how the wall clock was followed, if it was

	// Infos are quantities of the task's own, by name: means over episodes of
	// the means over their control steps.
	Infos map[string]float64 `json:"infos"`
}

// evaluate runs the configured number of episodes with a policy, in new worlds
// and without recording.
func evaluate(ctx context.Context, config *configs.Config, policy *rl.Policy) (_ *evaluation, err error) {
	c := *config
	c.Worlds = min(c.Worlds, c.Evaluation.Episodes)
	if c.Autoreset == configs.Disabled {
		return nil, usagef("autoreset: evaluation wants %s or %s, got %s", configs.SameStep, configs.NextStep, c.Autoreset)
	}
	seen := newResults(c.Evaluation.Episodes)
	e, err := env.Open(&c, env.Options{Episodes: int64(c.Evaluation.Episodes), Observers: []sim.Observer{seen}})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	if err := policyFits(policy, e.Sim().Spec()); err != nil {
		return nil, err
	}
	act := actBy(policy, e.Sim())
	p, err := paceOf(c.Time, false)
	if err != nil {
		return nil, err
	}
	step := func(w *sim.Worker, b *sim.Block) error {
		if err := act(w, b); err != nil {
			return err
		}
		return b.Step(w)
	}
	frames, err := drive(ctx, e, p, step, func() {})
	if err != nil {
		return nil, err
	}
	result := sumUp(seen.episodes)
	result.Task, result.Seed, result.Mode = c.Task.Name, c.Seed, c.Time.Mode
	if p.segment == 1 {
		result.Time = aboutTime(frames)
	}
	result.Infos = map[string]float64{}
	for i, name := range e.Sim().Spec().InfoNames {
		result.Infos[name] = seen.info(i)
	}
	return result, nil
}

// sumUp needs at least one episode.
func sumUp(episodes []episode) *evaluation {
	r := &evaluation{Episodes: len(episodes), MinReturn: math.Inf(1), MaxReturn: math.Inf(-1)}
	n := float64(len(episodes))
	for _, e := range episodes {
		r.MeanReturn += e.sum / n
		r.MeanLength += float64(e.steps) / n
		r.MinReturn = min(r.MinReturn, e.sum)
		r.MaxReturn = max(r.MaxReturn, e.sum)
		switch {
		case e.fault:
			r.Faults++
		case e.terminated:
			r.Terminated++
		case e.truncated:
			r.Truncated++
		}
	}
	var squares float64
	for _, e := range episodes {
		squares += (e.sum - r.MeanReturn) * (e.sum - r.MeanReturn)
	}
	r.StdReturn = math.Sqrt(squares / n)
	return r
}

func (r *evaluation) print(w io.Writer) error {
	if _, err := fmt.Fprintf(w, "%s, %d episodes (seed %d)\n  return  %.1f ± %.1f  (%.1f to %.1f)\n  length  %.1f control steps\n  ended   %d by the time limit, %d by the task, %d by a fault\n",
		r.Task, r.Episodes, r.Seed, r.MeanReturn, r.StdReturn, r.MinReturn, r.MaxReturn, r.MeanLength, r.Truncated, r.Terminated, r.Faults); err != nil {
		return err
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
