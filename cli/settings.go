package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"syscall"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/vbauerster/mpb/v8/cwriter"

	"github.com/polyrhythm-rl/polyrhythm/cli/internal/settings"
	"github.com/polyrhythm-rl/polyrhythm/internal/decode"
)

func newSettings() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "settings",
		Short: "Print the settings of the programs, and where each comes from",
		Example: "  train settings\n" +
			"  train settings --format json",
		Long: "Print the settings of the programs, such as the folder of runs, with their values. Each comes from a " +
			"flag, a variable, the file of the project, " + settings.ProjectFile + " in the working folder, the file of the user, " +
			"~/.config/polyrhythm/config.yaml, or is the default.",
		Args: withoutArguments,
	}
	format := addFormat(cmd, "table", "json")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		s := settingsOf(cmd)
		return printAs(cmd, format, settingsReport{s.All, s.Files}, printSettings)
	}
	return cmd
}

// settingsReport is the result of train settings.
type settingsReport struct {
	Settings []settings.Setting   `json:"settings"`
	Files    []settings.Candidate `json:"files"` // the lowest layer first; none: none are read
}

func printSettings(w io.Writer, r settingsReport) {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "SETTING\tVALUE\tFROM")
	for _, s := range r.Settings {
		fmt.Fprintf(table, "%s\t%s\t%s\n", s.Key, orDash(decode.Printable(fmt.Sprint(s.Value))), decode.Printable(s.String()))
	}
	table.Flush()
	for _, f := range r.Files {
		state := ""
		if !f.Read {
			state = ", which is not found"
		}
		fmt.Fprintf(w, "%s: %s%s\n", f.Layer, decode.Printable(f.Path), state)
	}
	if len(r.Files) == 0 {
		fmt.Fprintf(w, "no files are read (%s)\n", settings.FilesVariable)
	}
}

// settingsKey is the key of the settings in the context of a command.
type settingsKey struct{}

// settingsOf returns the settings of a command, the defaults where it does not run.
func settingsOf(cmd *cobra.Command) *settings.Settings {
	if ctx := cmd.Context(); ctx != nil {
		if s, ok := ctx.Value(settingsKey{}).(*settings.Settings); ok {
			return s
		}
	}
	return settings.New()
}

// addSettings gives all commands the flags that they share.
func addSettings(root *cobra.Command) {
	settings.AddFlags(root.PersistentFlags())
	for name, choices := range map[string][]string{"colour": settings.Colours, "theme": settings.Themes} {
		complete(root, name, choices...)
	}
	_ = root.MarkPersistentFlagDirname("runs")
}

// useSettings finds the settings of a command that is about to run, and lets them take effect until undo is called.
func useSettings(cmd *cobra.Command) (undo func(), err error) {
	undo = func() {}
	if isHelp(cmd) {
		return undo, nil
	}
	s, err := settings.Load(cmd.Flags())
	if err != nil {
		return undo, asUsage(err)
	}
	cmd.SetContext(context.WithValue(cmd.Context(), settingsKey{}, s))
	if err := s.Fill(cmd.Flags()); err != nil {
		return undo, asUsage(err)
	}
	restart, _ := cmd.Context().Value(againKey{}).(func([]string) error)
	if undo, err = s.Apply(restart); err != nil {
		return undo, asUsage(err)
	}
	for _, one := range s.All {
		if s.Verbose && one.From != settings.Default {
			fmt.Fprintf(cmd.ErrOrStderr(), "setting %s=%s from the %s\n", one.Key, decode.Printable(fmt.Sprint(one.Value)),
				decode.Printable(one.String()))
		}
	}
	return undo, nil
}

// isHelp reports whether a command explains or completes others, which it does without settings, wrong ones too.
func isHelp(cmd *cobra.Command) bool {
	for ; cmd.HasParent(); cmd = cmd.Parent() {
		if name := cmd.Name(); name == "help" || name == "completion" {
			return true
		}
	}
	return false
}

// againKey is the key, in a command's context, of what begins its program again with other variables.
type againKey struct{}

// again begins this program again, in the same process, with these variables. It returns only with an error.
func again(environ []string) error {
	program, err := os.Executable()
	if err == nil {
		err = syscall.Exec(program, os.Args, environ)
	}
	if err != nil {
		return fmt.Errorf("cannot begin again with other kernels: %w", err)
	}
	return nil // never
}

// ANSI's codes of colours.
const (
	red    = 31
	yellow = 33
)

// paint returns a text in a colour.
func paint(coloured bool, colour int, text string) string {
	if !coloured {
		return text
	}
	return fmt.Sprintf("\x1b[%dm%s\x1b[0m", colour, text)
}

// coloured says whether errors and warnings of a command have colours.
func coloured(cmd *cobra.Command) bool {
	switch settingsOf(cmd).Colour {
	case "always":
		return true
	case "never":
		return false
	}
	f, ok := cmd.ErrOrStderr().(*os.File)
	return ok && cwriter.IsTerminal(int(f.Fd())) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}
