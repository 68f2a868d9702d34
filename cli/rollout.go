package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/training/policies"
	"github.com/polyrhythm-rl/polyrhythm/training/rollouts"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

func newRollout() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "rollout --config FILE (--episodes N | --seconds S) --out DIR",
		Short:   "Record episodes of a policy as a dataset",
		Example: "  train rollout --task quadruped --policy runs/quadruped-001 --episodes 16 --out runs/walk",
		Args:    withoutArguments,
	}
	var config configFlags
	config.AddRun(cmd)
	policy := addPolicy(cmd)
	episodes := cmd.Flags().Int64("episodes", 0, "record `N` episodes")
	seconds := cmd.Flags().String("seconds", "", "record `S` seconds of simulated time of each world, rounded up to "+
		"a control step; the last episodes are cut off there")
	out := cmd.Flags().String("out", "", "write the dataset to the folder `DIR`")
	slice := cmd.Flags().String("slice", "", "record only the worlds `FROM:TO` of the run, from block to block, for "+
		"train merge")
	trace := cmd.Flags().String("trace", "", "write a trace of the first world, by the wall clock, to `FILE`, for a "+
		"timeline viewer")
	logEvery := addLogFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		c, err := config.Load()
		if err != nil {
			return err
		}
		opt := rollouts.RolloutOptions{Episodes: *episodes, Folder: *out, LogEvery: *logEvery, TraceFile: *trace}
		switch {
		case *seconds == "" && !cmd.Flags().Changed("episodes"):
			return usagef("no end given, want --episodes N or --seconds S")
		case *seconds == "" && *episodes < 1:
			return usagef("--episodes is %d, want at least 1", *episodes)
		}
		if err := checkOut(*out, "folder", "DIR"); err != nil {
			return err
		}
		if *trace != "" {
			if err := checkFile("trace", *trace); err != nil {
				return err
			}
		}
		if *seconds != "" {
			if opt.Seconds, err = runners.ParseSeconds(*seconds); err != nil {
				return usagef("--%w", err)
			}
		}
		if cmd.Flags().Changed("slice") {
			if opt.Slice, err = env.ParseSlice(*slice); err != nil {
				return usagef("--%w", err)
			}
		}
		if opt.Policy, err = policies.Open(*policy); err != nil {
			return err
		}
		return rollout(cmd, c, opt)
	}
	oneOf(cmd, "episodes", "seconds")
	return cmd
}

func rollout(cmd *cobra.Command, c *configs.Config, opt rollouts.RolloutOptions) error {
	done, err := work(cmd, "recording", func(bar *progress) (rundir.Recorded, error) {
		opt.Warn = bar.Warn
		opt.Progress = func(done, total, episodes int64) { bar.Update(done, total, count(episodes, "episode")) }
		return rollouts.Rollout(cmd.Context(), c, opt)
	})
	if err != nil {
		return err
	}
	noun := "episode"
	if opt.Seconds != nil {
		noun = "whole episode" // episodes that were cut are not counted
	}
	faults := ""
	if done.Faults > 0 {
		faults = fmt.Sprintf("; a fault ended %d of them", done.Faults)
	}
	slice := ""
	if !opt.Slice.IsAll() {
		slice = fmt.Sprintf(", worlds %v of %d,", opt.Slice, c.Worlds)
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s of %s%s recorded in %s%s\n", count(done.Episodes, noun), c.Task.Name, slice,
		opt.Folder, faults)
	return nil
}

func addPolicy(cmd *cobra.Command) *string {
	return cmd.Flags().String("policy", policies.Random,
		"act by `POLICY`: random, zero, a checkpoint or run folder, a script FILE.csv of actions, or a model FILE.onnx of "+
			"another program")
}
