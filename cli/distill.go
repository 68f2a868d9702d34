package cli

import (
	"github.com/spf13/cobra"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/training"
)

func newDistill() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "distill TEACHER [--config FILE]",
		Short: "Train a policy to do what another one would do",
		Long: "Train a policy, the student, from the policy of TEACHER, a run folder or a checkpoint: the student acts, and " +
			"learns what the teacher would have done (DAgger). It may observe less, or worse, than the teacher, which reads " +
			"the group teacher of the observation, or what the student reads where there is none. The configuration is the " +
			"student's, by default the one that the teacher was trained with. The run folder is that of train run, which " +
			"continues it with --resume, and learns on by PPO with --resume RUN --set training.algorithm=ppo --set " +
			"training.steps=N.",
		Args: oneArgument("TEACHER"),
	}
	config := configFlags{}
	config.AddRun(cmd)
	out := cmd.Flags().String("out", "", "write to the folder `DIR`, new or empty, instead of the next runs/TASK-NNN")
	every := addLogFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		config.sets = append(config.sets, "training.algorithm=distill")
		opt := training.TrainOptions{Folder: *out, LogEvery: *every}
		var err error
		if opt.Teacher, err = training.ReadCheckpoint(args[0]); err != nil {
			return err
		}
		load := config.Load
		if config.file == "" && config.task == "" {
			load = func() (*configs.Config, error) { return config.Parse(args[0], []byte(opt.Teacher.User)) }
		}
		c, err := load()
		if err != nil {
			return err
		}
		return trainRun(cmd, c, opt)
	}
	return cmd
}
