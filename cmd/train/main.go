// Command train trains policies, makes datasets, evaluates policies, and shows the
// clock that all of them run by. See train --help.
package main

import (
	"github.com/spf13/cobra"

	"github.com/polyrhythm-rl/polyrhythm/cmd/internal/cli"
	_ "github.com/polyrhythm-rl/polyrhythm/cmd/internal/crash"
)

func main() { cli.Main(newTrain()) }

// newTrain returns the whole command.
func newTrain() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "train",
		Short: "Train robots in many worlds on one exact clock",
		Long:  "Train robots in many worlds on one exact clock. Without a command, train means train run.",
		Args:  cobra.NoArgs,
	}
	addRun(cmd)
	cmd.AddCommand(newRun(), newRollout(), newEval(), newReplay(), newInspect(), newRecover(), newExport(), newOrder(), newTimeline())
	return cmd
}
