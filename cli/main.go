package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	_ "github.com/polyrhythm-rl/polyrhythm/internal/crash" // a crash inside C names its functions
)

// Main is the whole program train: it runs the command that os.Args names and ends
// the process. The tasks of the program's own are registered before it is called.
//
// The first SIGINT, SIGTERM or SIGHUP ends a command early and cleanly; see
// [Interrupted].
func Main() { executeMain(newTrain(filepath.Base(os.Args[0]))) }

// Bench is the whole program bench, as Main is train.
func Bench() { executeMain(newBench()) }

// Run runs the command of train that args name, without the program's name, and returns
// its exit code: [Done], [Failed], [Usage] or [Interrupted]. What the command has to
// say goes to stdout; progress, notes and the one line of an error go to stderr.
// Cancelling ctx ends the command early and cleanly.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	return execute(ctx, newTrain("train"), args, stdout, stderr)
}

// newTrain returns the whole command, called by the name of the program.
func newTrain(name string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   name,
		Short: "Train robots in many worlds on one exact clock",
		Long:  fmt.Sprintf("Train robots in many worlds on one exact clock. Without a command, %[1]s means %[1]s run.", name),
		Args:  cobra.NoArgs,
	}
	addRun(cmd)
	cmd.AddCommand(newRun(), newRollout(), newPlay(), newEval(), newReplay(), newInspect(), newRecover(), newExport(), newOrder(), newTimeline(), newBench())
	return cmd
}
