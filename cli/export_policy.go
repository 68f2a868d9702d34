package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/recorder/export"
	"github.com/polyrhythm-rl/polyrhythm/training"
)

func newExportPolicy() *cobra.Command {
	formats := training.PolicyFormats()
	var help strings.Builder
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = f.Name
		fmt.Fprintf(&help, "\n  %-8s %s", f.Name, f.What)
	}
	cmd := &cobra.Command{
		Use:     "export-policy RUN|CHECKPOINT --to FORMAT --out FILE",
		Short:   "Write a trained policy for other programs",
		Example: "  train export-policy runs/quadruped-001 --to onnx --out walk.onnx",
		Long: "Write a trained policy, as train eval acts by it, to a file of another format:\n" + help.String() +
			"\n\nThe scaling of observations and the bounds of actions are part of it. FILE appears when all is " +
			"written.",
		Args: oneArgument("RUN or checkpoint"),
	}
	formatName := cmd.Flags().String("to", "", "write `FORMAT`")
	complete(cmd, "to", names...)
	out := cmd.Flags().String("out", "", "write to `FILE`")
	force := cmd.Flags().Bool("force", false, "replace FILE if it is there")
	licence := addCard(cmd, "beside FILE")
	var flags configFlags
	flags.AddSet(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := checkChoice("to", *formatName, names...); err != nil {
			return err
		}
		format := formats[slices.Index(names, *formatName)]
		if err := checkOut(*out, "file", "FILE"); err != nil {
			return err
		}
		if err := checkNew("out", *out, *force); err != nil {
			return err
		}
		readme := ""
		if licence.card {
			readme = filepath.Join(filepath.Dir(*out), export.CardFile)
			if _, err := os.Lstat(readme); err == nil {
				return usagef("--card: %s is there, want a folder without one", readme)
			}
		}
		checkpoint, config, err := flags.Trained(args[0])
		if err != nil {
			return err
		}
		size, err := onDisk(cmd.Context(), func() (int64, error) {
			size, err := training.ExportPolicy(cmd.Context(), config, checkpoint, format, *out)
			if err != nil || readme == "" {
				return size, err
			}
			card, err := training.PolicyCard(config, checkpoint, format, *out, licence.id)
			if err == nil {
				err = disk.Replace(disk.OS{}, readme, true, disk.Bytes(card))
			}
			return size, err
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

// cardFlags say whether a card for Hugging Face's Hub is written.
type cardFlags struct {
	card bool
	id   string // identifier of the licence
}

var licenceID = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]*$`)

// addCard gives a command the flags --card, of a README.md in a place, and --licence.
func addCard(cmd *cobra.Command, place string) *cardFlags {
	f := &cardFlags{}
	cmd.Flags().BoolVar(&f.card, "card", false,
		"write the card of a repository on Hugging Face's Hub, "+export.CardFile+", "+place)
	cmd.Flags().StringVar(&f.id, "licence", "unknown",
		"with --card, the licence is `ID` of the Hub, such as apache-2.0")
	requires(cmd, "card", "licence")
	addCheck(cmd, func(cmd *cobra.Command) error {
		if !licenceID.MatchString(f.id) {
			return usagef("--licence is %q, want an identifier of the Hub, such as apache-2.0", f.id)
		}
		return nil
	})
	return f
}
