package cli

import "github.com/spf13/cobra"

func newConfig() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "config --config FILE",
		Short:   "Print a whole configuration, and the file that each value comes from",
		Example: "  train config --config robot.yaml --set training.gamma=0.98",
		Long: "Print the configuration that a file, the files that it extends, variables and flags make together. A " +
			"comment\nbehind a value names what has set it; a value without one is the default. Only the configuration " +
			"is checked,\nnot the model: see train check.",
		Args: withoutArguments,
	}
	var config configFlags
	config.Add(cmd)
	config.AddAlgorithm()
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		text, err := config.Explain()
		if err != nil {
			return err
		}
		_, err = cmd.OutOrStdout().Write(text)
		return err
	}
	return cmd
}
