package cli

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/polyrhythm-rl/polyrhythm/training/serving"
)

func newDecisions() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "decisions RUN",
		Short:   "Say what clients of a live run decided, and why",
		Example: "  train decisions runs/live",
		Long: "Print the events of the decisions in the log of the live run in the folder RUN, in order: when " +
			"each was asked, what was replied and why, and what became of it. --id prints those of one decision, " +
			"--json with what it was based on.",
		Args: oneArgument("RUN"),
	}
	id := cmd.Flags().String("id", "", "print the decision `ID` only, such as 0/3/Planner/2000000000")
	asJSON := cmd.Flags().Bool("json", false, "print a JSON object a line, with the perception, the reply and its commands")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := checkFolders("a live run", args...); err != nil {
			return err
		}
		out := cmd.OutOrStdout()
		lines := json.NewEncoder(out)
		found := false
		err := serving.Decisions(args[0], *id, func(d serving.DecisionRecord) error {
			found = true
			if *asJSON {
				return lines.Encode(d)
			}
			text := d.Reason
			if d.Reply != nil && text != "" {
				text += "; "
			}
			_, err := fmt.Fprintf(out, "step %-8d %-9s %s  %s  %s%s\n", d.N, d.Event, d.ID, d.Client, text, d.Reply)
			return err
		})
		if err == nil && !found && *id != "" {
			return usagef("--id is %q, want a decision of the run", *id)
		}
		return err
	}
	return cmd
}
