package cli

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/internal/decode"
	"github.com/polyrhythm-rl/polyrhythm/internal/spell"
)

// flagError words the error of a flag like an error of the configuration.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "" {
		return usagef("%w%s", err, flagHint(cmd, unknown.GetSpecifiedName()))
	}
	var invalid *pflag.InvalidValueError
	if !errors.As(err, &invalid) {
		return asUsage(err)
	}
	flag := invalid.GetFlag()
	if errors.Is(err, decode.ErrLeadingZero) {
		return usagef("--%s is %s, %w", flag.Name, invalid.GetValue(), decode.ErrLeadingZero)
	}
	want, known := map[string]string{
		"int": "a whole number", "int64": "a whole number", "uint64": "a whole number of at least 0",
		"float64": "a number", "duration": "a time with its unit, such as 200ms", "bool": "true or false",
	}[flag.Value.Type()]
	if !known { // a flag of a type of this package: its error says what is wanted
		return usagef("--%s is %q, %w", flag.Name, invalid.GetValue(), invalid.Unwrap())
	}
	return usagef("--%s is %q, want %s", flag.Name, invalid.GetValue(), want)
}

// decimal is the value of a flag that is a whole number. pflag takes 010 for 8.
type decimal struct{ pflag.Value }

func (d decimal) Set(text string) error {
	if decode.LeadingZero(text) {
		return decode.ErrLeadingZero
	}
	return d.Value.Set(text)
}

// outputPath is the value of a flag that names what is written. Standard output is no file or folder, and a folder with
// the name "-" is hard to get rid of.
type outputPath struct{ pflag.Value }

func (o outputPath) Set(text string) error {
	if text == "-" {
		return errDash
	}
	return o.Value.Set(text)
}

var errDash = errors.New("want a path; ./- has that name")

// refuseValues makes the flags of a command and of those below it refuse whole numbers with a leading zero, and "-" for
// what is written.
func refuseValues(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(flag *pflag.Flag) {
		if flag.Name == "out" || flag.Name == "into" {
			flag.Value = outputPath{flag.Value}
		}
		if kind := strings.TrimPrefix(flag.Value.Type(), "u"); strings.HasPrefix(kind, "int") {
			flag.Value = decimal{flag.Value}
		}
	})
	for _, sub := range cmd.Commands() {
		refuseValues(sub)
	}
}

// withoutArguments accepts none, in a command without subcommands.
func withoutArguments(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("%s given, want none", count(len(args), "argument"))
	}
	return nil
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

// atMostOneArgument is like oneArgument, but also accepts none.
func atMostOneArgument(name string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) > 1 {
			return usagef("%d arguments given, want at most one, the %s", len(args), name)
		}
		return nil
	}
}

// atLeast accepts that many arguments or more; name is what the usage line calls one of them.
func atLeast(least int, name string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch given := len(args); {
		case given >= least:
			return nil
		case given == 0:
			return usagef("no %s given, want at least %d", name, least)
		default:
			return usagef("%d %s given, want at least %d", given, name, least)
		}
	}
}

// notThere reports whether an error is about a path at which nothing is, since a folder in it is missing or a file, too.
func notThere(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// checkThere returns an error unless there is something at each of the paths.
func checkThere(paths ...string) error {
	for _, path := range paths {
		if _, err := os.Stat(path); err != nil {
			return asUsage(err)
		}
	}
	return nil
}

// checkFolders returns an error unless each of the paths is a folder; wanted says of what.
func checkFolders(wanted string, paths ...string) error {
	for _, path := range paths {
		switch info, err := os.Stat(path); {
		case err != nil:
			return asUsage(err)
		case !info.IsDir():
			return usagef("%s is a file, want the folder of %s", path, wanted)
		}
	}
	return nil
}

// checkChoice returns an error about a flag unless its value is one of some choices.
func checkChoice(flag, value string, choices ...string) error {
	if !slices.Contains(choices, value) {
		return usagef("--%s is %q, want one of %s", flag, value, strings.Join(choices, ", "))
	}
	return nil
}

// checkOut returns an error unless --out is given; kind is what it names, such as a folder, and name is its value in the
// help.
func checkOut(out, kind, name string) error {
	if out == "" {
		return usagef("no %s given, want --out %s", kind, name)
	}
	return nil
}

// checkFile returns an error about a flag unless path is a file, or a new one in an existing folder. Its name must have
// one of the endings, if any are given.
func checkFile(flag, path string, endings ...string) error {
	if len(endings) > 0 && !slices.Contains(endings, kindOf(path)) {
		return usagef("--%s is %q, want a name that ends in %s", flag, path, strings.Join(endings, " or "))
	}
	if info, err := os.Stat(filepath.Dir(path)); err != nil || !info.IsDir() {
		return usagef("--%s: %s is in a folder that does not exist, want one that does", flag, path)
	}
	switch info, err := os.Stat(path); {
	case err != nil || info.Mode().IsRegular():
		return nil
	case info.IsDir():
		return usagef("--%s: %s is a folder, want a file", flag, path)
	default: // a file would replace a pipe or device
		return usagef("--%s: %s is a device or a pipe, want a file", flag, path)
	}
}

// checkNew is checkFile for a file that is not replaced without --force.
func checkNew(flag, path string, force bool, endings ...string) error {
	if err := checkFile(flag, path, endings...); err != nil {
		return err
	}
	switch _, err := os.Lstat(path); {
	case err == nil && !force:
		return usagef("--%s: %s is there already, want another name, or --force to replace it", flag, path)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return usagef("--%s: %w", flag, err)
	}
	return nil
}

// addCheck makes cmd call a check of its flags first, after those of earlier calls.
func addCheck(cmd *cobra.Command, check func(*cobra.Command) error) {
	previous := cmd.PreRunE
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		if previous != nil {
			if err := previous(cmd, args); err != nil {
				return err
			}
		}
		return check(cmd)
	}
}

// oneOf makes cmd fail where more than one of the named flags is given.
func oneOf(cmd *cobra.Command, names ...string) {
	addCheck(cmd, func(cmd *cobra.Command) error {
		var flags []string
		for _, name := range names {
			if cmd.Flags().Changed(name) {
				flags = append(flags, "--"+name)
			}
		}
		if len(flags) > 1 {
			return usagef("%s are given, want one of them", strings.Join(flags, " and "))
		}
		return nil
	})
}

// requires makes cmd fail where one of the named flags is given without the flag other.
func requires(cmd *cobra.Command, other string, names ...string) {
	addCheck(cmd, func(cmd *cobra.Command) error {
		for _, name := range names {
			if cmd.Flags().Changed(name) && !cmd.Flags().Changed(other) {
				return usagef("--%s is given without --%s, want both", name, other)
			}
		}
		return nil
	})
}

// noArguments refuses arguments, which a command with subcommands takes for one of them.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var known []string
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() && sub.Annotations[removes] == "" {
			known = append(known, sub.Name())
		}
	}
	return usagef("unknown command %q for %q%s", args[0], cmd.CommandPath(), didYouMean(args[0], "", known))
}

// removes is the annotation of a command that removes what a user has. A slip must not lead to it: it is never suggested.
const removes = "removes"

// didYouMean ends the error of a word that is not known with the known one that can be meant, after a prefix; "" if none
// can. A word can also be the beginning of a longer one.
func didYouMean(word, prefix string, known []string) string {
	meant := spell.Meant(word, known)
	if meant == "" {
		begun := slices.IndexFunc(known, func(name string) bool { return strings.HasPrefix(name, strings.ToLower(word)) })
		if word == "" || begun < 0 {
			return ""
		}
		meant = known[begun]
	}
	return "; did you mean " + prefix + meant + "?"
}

// flagHint ends the error of a flag that a command does not have: with one of its flags, or with the key of the
// configuration that has the name, here or in another program.
func flagHint(cmd *cobra.Command, name string) string {
	if cmd.Flags().Lookup("set") != nil {
		key := spell.Translate(strings.ReplaceAll(name, "-", "_"))
		for _, known := range decode.Leaves(reflect.TypeFor[configs.Config]()) {
			if known == key || strings.HasSuffix(known, "."+key) {
				return "; did you mean --set " + known + "=VALUE?"
			}
		}
	}
	var known []string
	cmd.Flags().VisitAll(func(flag *pflag.Flag) {
		if !flag.Hidden {
			known = append(known, flag.Name)
		}
	})
	return didYouMean(name, "--", known)
}

// newHelp returns the command help. Unlike cobra's own, it fails for an unknown command.
func newHelp(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [command]",
		Short: "Help about any command",
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, rest, err := root.Find(args)
			if err := cmp.Or(err, noArguments(cmd, rest)); err != nil {
				return err
			}
			cmd.InitDefaultHelpFlag()
			return cmd.Help()
		},
	}
}
