package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// flagError words the error of a flag like an error of the configuration.
func flagError(_ *cobra.Command, err error) error {
	var invalid *pflag.InvalidValueError
	if !errors.As(err, &invalid) {
		return asUsage(err)
	}
	flag := invalid.GetFlag()
	want := ""
	switch flag.Value.Type() {
	case "int", "int64":
		want = "a whole number"
	case "uint64":
		want = "a whole number of at least 0"
	case "float64":
		want = "a number"
	case "duration":
		want = "a time with its unit, such as 200ms"
	case "bool":
		want = "true or false"
	default: // a type of this package: its error says what is wanted
		return usagef("--%s is %q, %w", flag.Name, invalid.GetValue(), invalid.Unwrap())
	}
	return usagef("--%s is %q, want %s", flag.Name, invalid.GetValue(), want)
}

// oneArgument accepts exactly one argument; name is what the usage line calls it.
func oneArgument(name string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch len(args) {
		case 0:
			return usagef("no %s given, want one", name)
		case 1:
			return nil
		}
		return usagef("%d arguments given, want one, the %s", len(args), name)
	}
}

// oneOf makes cmd fail where more than one of the named flags is given.
func oneOf(cmd *cobra.Command, names ...string) {
	before := cmd.PreRunE
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		if before != nil {
			if err := before(cmd, args); err != nil {
				return err
			}
		}
		var given []string
		for _, name := range names {
			if cmd.Flags().Changed(name) {
				given = append(given, "--"+name)
			}
		}
		if len(given) > 1 {
			return usagef("%s are given, want one of them", strings.Join(given, " and "))
		}
		return nil
	}
}

// newHelp returns the command help. Unlike cobra's own, it fails for an unknown command.
func newHelp(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [command]",
		Short: "Help about any command",
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return usagef("unknown command %q, want one of %s", strings.Join(args, " "), strings.Join(commandNames(root), ", "))
			}
			cmd.InitDefaultHelpFlag()
			return cmd.Help()
		},
	}
}

// commandNames returns the names of the commands of root, sorted.
func commandNames(root *cobra.Command) []string {
	var names []string
	for _, cmd := range root.Commands() {
		if cmd.IsAvailableCommand() {
			names = append(names, cmd.Name())
		}
	}
	slices.Sort(names)
	return names
}

// hintAt ends an error message with where to find the usage of a command.
func hintAt(cmd *cobra.Command) string { return fmt.Sprintf(" (see %s --help)", cmd.CommandPath()) }
