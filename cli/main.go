package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	_ "github.com/polyrhythm-rl/polyrhythm/cli/internal/crash" // a crash inside C names its functions
)

// Main runs the program train: it executes the command that os.Args names and exits the process with [Done],
// [Failed], [Usage] or [Interrupted]. A program with tasks of its own registers them first.
//
// The first SIGINT, SIGTERM, SIGHUP, SIGUSR1 or SIGUSR2 ends the command early and cleanly.
func Main() { executeMain(newTrain(filepath.Base(os.Args[0]))) }

// Bench runs the program bench and exits the process, like [Main].
func Bench() { executeMain(newBench()) }

// Run runs the command of train that args name, without the program's name, and returns its exit code:
// [Done], [Failed], [Usage] or [Interrupted]. Results go to stdout; progress, notes and the error, in one
// line, go to stderr. Cancelling ctx ends the command early and cleanly.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	return execute(ctx, newTrain("train"), args, stdout, stderr)
}

func newTrain(name string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   name,
		Short: "Train robots in many worlds on one exact clock",
		Long: fmt.Sprintf("Train robots in many worlds on one exact clock. Without a command, %[1]s means %[1]s run.",
			name),
		Args: withoutArguments,
	}
	addRun(cmd)
	for _, group := range commandGroups {
		cmd.AddGroup(&cobra.Group{ID: group.title, Title: group.title + ":"})
		for _, sub := range group.commands() {
			sub.GroupID = group.title
			cmd.AddCommand(sub)
		}
	}
	return cmd
}

// commandGroups are the commands as the help lists them.
var commandGroups = []struct {
	title    string
	commands func() []*cobra.Command
}{
	{"Begin", func() []*cobra.Command {
		return []*cobra.Command{newDemo(), newTasks(), newFetch(), newNew(), newCheck(), newConfig(), newSchema(), newSettings()}
	}},
	{"Learn", func() []*cobra.Command {
		return []*cobra.Command{newRun(), newSweep(), newDistill(), newClone(), newActuator(), newEval(), newExam(), newVerify(),
			newReplay()}
	}},
	{"Look", func() []*cobra.Command {
		return []*cobra.Command{newPlay(), newRender(), newClip(), newRuns(), newCompare(), newRm()}
	}},
	{"Data", func() []*cobra.Command {
		return []*cobra.Command{newRollout(), newInspect(), newExport(), newLabel(), newMotion(), newRecover(),
			newRegenerate(), newExportPolicy(), newExportScene()}
	}},
	{"Live", func() []*cobra.Command { return []*cobra.Command{newServe(), newDecisions()} }},
	{"Clock and ground", func() []*cobra.Command {
		return []*cobra.Command{newOrder(), newTimeline(), newTerrain(), newBench()}
	}},
	{"Many machines", func() []*cobra.Command { return []*cobra.Command{newMerge()} }},
}
