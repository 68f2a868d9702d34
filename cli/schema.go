package cli

import (
	"github.com/spf13/cobra"

	"github.com/polyrhythm-rl/polyrhythm/configs"
)

func newSchema() *cobra.Command {
	return &cobra.Command{
		Use:     "schema",
		Short:   "Print a JSON Schema of configurations, for editors",
		Example: "  train schema > schema.json",
		Long: "Print a JSON Schema of configuration files, by which editors complete and check them. " +
			"They find it by a first line such as\n\n# yaml-language-server: $schema=schema.json",
		Args: withoutArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := cmd.OutOrStdout().Write(configs.Schema())
			return err
		},
	}
}
