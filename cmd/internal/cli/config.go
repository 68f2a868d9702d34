package cli

import (
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/polyrhythm-rl/polyrhythm/configs"
)

// ConfigFlags choose a configuration. The zero value is ready for Add.
type ConfigFlags struct {
	cmd  *cobra.Command
	file string
	task string
	sets []string
}

// Add gives a command the flags --config, --task and --set.
func (f *ConfigFlags) Add(cmd *cobra.Command) {
	f.cmd = cmd
	cmd.Flags().StringVarP(&f.file, "config", "c", "", "read the configuration from `FILE`")
	cmd.Flags().StringVar(&f.task, "task", "", "use the built-in configuration of the task `NAME` instead of a file")
	cmd.Flags().StringArrayVar(&f.sets, "set", nil, "set a configuration value, `KEY=VALUE`; may be repeated")
	cmd.MarkFlagsMutuallyExclusive("config", "task")
}

// Alias gives the command a flag of its own for a configuration key.
func (f *ConfigFlags) Alias(name, key, usage string) {
	f.cmd.Flags().Var(&alias{f, key}, name, usage)
}

// Given reports whether a configuration was named.
func (f *ConfigFlags) Given() bool { return f.file != "" || f.task != "" }

// Load reads the configuration: file, then variables, then flags in the order
// given. Errors count as usage.
func (f *ConfigFlags) Load() (*configs.Config, error) {
	var c *configs.Config
	var err error
	switch {
	case f.file != "":
		c, err = configs.Load(f.file, f.sets, os.Environ())
	case f.task != "":
		var name string
		var data []byte
		if name, data, err = configs.Preset(f.task); err == nil {
			c, err = configs.Parse(name, data, f.sets, os.Environ())
		}
	default:
		err = fmt.Errorf("no configuration; want --config FILE or --task NAME")
	}
	return c, AsUsage(err)
}

// alias is a flag that stands for --set key=value.
type alias struct {
	flags *ConfigFlags
	key   string
}

func (a *alias) Set(value string) error {
	a.flags.sets = append(a.flags.sets, a.key+"="+value)
	return nil
}

func (a *alias) Type() string   { return "N" }
func (a *alias) String() string { return "" }

// Format is the flag --format: one of a few words.
type Format struct {
	value   string
	choices []string
}

// AddFormat gives a command the flag --format, by default the first choice.
func AddFormat(cmd *cobra.Command, choices ...string) *Format {
	f := &Format{choices[0], choices}
	usage := "print as `FORMAT`: " + choices[0]
	for _, c := range choices[1:] {
		usage += ", " + c
	}
	cmd.Flags().Var(f, "format", usage)
	return f
}

// Set accepts one of the choices.
func (f *Format) Set(value string) error {
	if !slices.Contains(f.choices, value) {
		return fmt.Errorf("want one of %v", f.choices)
	}
	f.value = value
	return nil
}

// Type names the flag's value.
func (f *Format) Type() string { return "format" }

// String returns the choice.
func (f *Format) String() string { return f.value }
