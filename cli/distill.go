package cli

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/recorder/demonstrations"
	"github.com/polyrhythm-rl/polyrhythm/training"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

func newClone() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "clone DATASET [--config FILE]",
		Short:   "Train a policy to do what was recorded",
		Example: "  train clone runs/walk --out runs/clone",
		Long: "Train a policy from the dataset in the folder DATASET, which may also be a run folder, to do in each " +
			"observation what was done (behaviour cloning). It learns from the table control, or from a dataset of " +
			"LeRobot v3, but for every tenth episode, with which it is compared. The configuration says what is " +
			"observed and how the policy looks, by default that of the dataset; training.steps is the number of rows " +
			"to take, each of them once in an epoch. With --set training.algorithm=td3bc it learns to do better than " +
			"what was done, from its rewards (TD3+BC). The run folder is that of train run, which continues it with " +
			"--resume, and learns on by PPO with --resume RUN --set training.algorithm=ppo --set training.steps=N.",
		Args: oneArgument("DATASET"),
	}
	var config configFlags
	config.AddRun(cmd)
	out := cmd.Flags().String("out", "", "write to the folder `DIR`, new or empty, instead of the next TASK-NNN in --runs")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		config.sets = append(config.sets, "recording.enabled=false")
		dir := args[0]
		if err := checkFolders("a dataset", dir); err != nil {
			return err
		}
		if _, err := rundir.DatasetPath(dir); err == nil { // a dataset of this program, which may need a recovery
			d, err := openDataset(cmd.ErrOrStderr(), dir)
			if err != nil {
				return err
			}
			dir = d.Dir()
		}
		d, err := demonstrations.Open(dir)
		if err != nil {
			return asUsage(err)
		}
		load := config.Load // Load wants a configuration
		if d.Configuration != "" {
			load = func() (*configs.Config, error) { return config.orOf(dir, d.Configuration) }
		}
		c, err := load()
		if err == nil && !c.Training.Algorithm.Offline() { // another algorithm that is set is refused
			config.sets = slices.Insert(config.sets, 0, "training.algorithm=clone")
			c, err = load()
		}
		if err != nil {
			return err
		}
		return trainRun(cmd, c, training.TrainOptions{Folder: *out, Dataset: dir})
	}
	return cmd
}

// orOf loads the configuration that the flags name, or else a text, which errors call path.
func (f *configFlags) orOf(path, text string) (*configs.Config, error) {
	if f.file == "" && f.task == "" {
		return f.Parse(path, []byte(text))
	}
	return f.Load()
}

func newDistill() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "distill TEACHER [--config FILE]",
		Short:   "Train a policy to do what another one would do",
		Example: "  train distill runs/quadruped-001 --out runs/student",
		Long: "Train a policy, the student, from the policy of TEACHER, a run folder or a checkpoint: the student " +
			"acts, and learns what the teacher would have done (DAgger). It may observe less, or worse, than the " +
			"teacher, which reads the group teacher of the observation, or what the student reads where there is " +
			"none. The configuration is the student's, by default the one that the teacher was trained with. The run " +
			"folder is that of train run, which continues it with --resume, and learns on by PPO with --resume RUN " +
			"--set training.algorithm=ppo --set training.steps=N.",
		Args: oneArgument("TEACHER"),
	}
	var config configFlags
	config.AddRun(cmd)
	out := cmd.Flags().String("out", "", "write to the folder `DIR`, new or empty, instead of the next TASK-NNN in --runs")
	logEvery := addLogFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		// another algorithm that is set is refused
		config.sets = slices.Insert(config.sets, 0, "training.algorithm=distill")
		opt := training.TrainOptions{Folder: *out, LogEvery: *logEvery}
		var err error
		if opt.Teacher, err = rundir.ReadCheckpoint(args[0]); err != nil {
			return err
		}
		c, err := config.orOf(args[0], opt.Teacher.User)
		if err != nil {
			return err
		}
		return trainRun(cmd, c, opt)
	}
	return cmd
}
