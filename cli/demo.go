package cli

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/polyrhythm-rl/polyrhythm/configs"
)

// newDemo returns the command play for the policies that the program has itself.
func newDemo() *cobra.Command {
	cmd := newPlay()
	cmd.Use = "demo [POLICY]"
	cmd.Short = "Watch and steer a robot that has learned already"
	cmd.Long = "Serve the page on which to watch and steer a trained policy that comes with the program, by default the " +
		"first one of --list. Every command that takes a RUN or a --policy also takes builtin:POLICY."
	cmd.Example = "  train demo\n  train demo lunarlander\n  train eval builtin:halfcheetah"
	list := cmd.Flags().Bool("list", false, "list the policies that come with the program, with --format json as JSON")
	cmd.ValidArgsFunction = func(*cobra.Command, []string, string) (names []string, _ cobra.ShellCompDirective) {
		for _, p := range configs.Policies() {
			names = append(names, p.Name+"\t"+p.About)
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
	cmd.Args = atMostOneArgument("POLICY")
	playRun := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if *list {
			format := cmd.Flags().Lookup("format").Value.String()
			return printAs(cmd, &format, describePolicies(), printPolicies)
		}
		name := configs.Policies()[0].Name
		if len(args) > 0 {
			name = args[0]
		}
		return playRun(cmd, []string{configs.Builtin + name})
	}
	return cmd
}

// policyRow is a policy that comes with the program, as JSON.
type policyRow struct {
	Name  string `json:"name"`
	About string `json:"about"`
}

func describePolicies() (rows []policyRow) {
	for _, p := range configs.Policies() {
		rows = append(rows, policyRow{p.Name, p.About})
	}
	return rows
}

func printPolicies(w io.Writer, rows []policyRow) {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, p := range rows {
		fmt.Fprintf(table, "%s\t%s\n", p.Name, p.About)
	}
	table.Flush()
}
