package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/polyrhythm-rl/polyrhythm/training"
)

func newExportPolicy() *cobra.Command {
	formats := training.PolicyFormats()
	var about strings.Builder
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = f.Name
		fmt.Fprintf(&about, "\n  %-8s %s", f.Name, f.What)
	}
	cmd := &cobra.Command{
		Use:   "export-policy RUN|CHECKPOINT --to FORMAT --out FILE",
		Short: "Write a trained policy for other programs",
		Long: "Write a trained policy, as train eval acts by it, to a file of another format:\n" + about.String() +
			"\n\nThe scaling of observations and the bounds of actions are part of it. FILE appears when all is written.",
		Args: oneArgument("RUN or checkpoint"),
	}
	to := cmd.Flags().String("to", "", "write `FORMAT`")
	out := cmd.Flags().String("out", "", "write to `FILE`")
	var flags configFlags
	flags.AddSet(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		var format *training.PolicyFormat
		for i, f := range formats {
			if f.Name == *to {
				format = &formats[i]
			}
		}
		switch {
		case format == nil:
			return usagef("--to is %q, want %s", *to, strings.Join(names, " or "))
		case *out == "":
			return usagef("no file given, want --out FILE")
		}
		if err := checkFile(*out); err != nil {
			return usagef("--out: %w", err)
		}
		checkpoint, config, err := flags.Trained(args[0])
		if err != nil {
			return err
		}
		size, err := onDisk(cmd.Context(), func() (int64, error) {
			return training.ExportPolicy(cmd.Context(), config, checkpoint, *format, *out)
		})
		if err != nil {
			return err
		}
		fmt.Fprintf(cmd.OutOrStdout(), "the policy of %s after %s is in %s: %d bytes\n",
			config.Task.Name, count(checkpoint.EnvSteps, "step"), *out, size)
		return nil
	}
	return cmd
}
