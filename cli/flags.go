package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/polyrhythm-rl/polyrhythm/cli/internal/settings"
	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/decode"
	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// configFlags are the flags that choose and change a configuration. The zero value is ready for Add or AddSet.
type configFlags struct {
	cmd       *cobra.Command
	file      string
	task      string
	algorithm string
	sets      []string
	// defaults, each key=value, are the command's own; they replace those of package configs.
	defaults []string
}

// Add gives a command the flags --config, --task and --set.
func (f *configFlags) Add(cmd *cobra.Command) {
	f.AddSet(cmd)
	cmd.Flags().StringVarP(&f.file, "config", "c", "", "read the configuration from `FILE`; - for standard input")
	cmd.Flags().StringVar(&f.task, "task", "", "use the built-in configuration of the task `NAME` instead of a file")
	oneOf(cmd, "config", "task")
	_ = cmd.RegisterFlagCompletionFunc("task", func(*cobra.Command, []string, string) ([]string,
		cobra.ShellCompDirective) {
		return env.TaskNames(), cobra.ShellCompDirectiveNoFileComp
	})
}

// AddRun gives a command the flags of Add, --seed and --workers.
func (f *configFlags) AddRun(cmd *cobra.Command) {
	f.Add(cmd)
	f.Alias("seed", "seed", "use the seed `N`")
	f.Alias("workers", "workers", "step worlds on `N` threads; 0 for one per CPU")
}

// AddAlgorithm gives a command that trains the flag --algorithm, beside those of Add.
func (f *configFlags) AddAlgorithm() {
	flags := f.cmd.Flags()
	flags.StringVar(&f.algorithm, "algorithm", "", "use the configuration that the task has for the algorithm `NAME`, "+
		"such as sac, with --task")
	addCheck(f.cmd, func(*cobra.Command) error {
		if flags.Changed("algorithm") && !flags.Changed("task") {
			return usagef("--algorithm is given without --task, want both, or --set training.algorithm=NAME")
		}
		return nil
	})
	_ = f.cmd.RegisterFlagCompletionFunc("algorithm", func(*cobra.Command, []string, string) ([]string,
		cobra.ShellCompDirective) {
		known, _ := env.PresetAlgorithms(f.task) // none without a task
		return known, cobra.ShellCompDirectiveNoFileComp
	})
}

// AddSet gives a command the flag --set alone, for use with Parse.
func (f *configFlags) AddSet(cmd *cobra.Command) {
	f.cmd = cmd
	f.alias("set", "", "set a configuration value, `KEY=VALUE`; may be repeated")
	_ = cmd.RegisterFlagCompletionFunc("set", func(*cobra.Command, []string, string) ([]string,
		cobra.ShellCompDirective) {
		return f.completeKeys(), cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
	})
}

var plainKey = regexp.MustCompile(`^\w[\w-]*(\.\w[\w-]*)*$`)

// completeKeys returns the keys that a configuration can have, and those of the entries that the one has which the flags
// name so far, each with a "=".
func (f *configFlags) completeKeys() (keys []string) {
	c := configs.Default()
	if f.file != "-" && (f.file != "" || f.task != "") {
		f.sets = nil // the last key is not complete yet
		if named, err := f.Load(); err == nil {
			c = *named
		}
	}
	settings, err := parseSettings(c.YAML())
	if err != nil {
		return nil
	}
	for _, key := range decode.Leaves(reflect.TypeFor[configs.Config]()) {
		settings[key] = ""
	}
	for key := range settings {
		if plainKey.MatchString(key) { // other keys have regular expressions in place of names
			keys = append(keys, key+"=")
		}
	}
	slices.Sort(keys)
	return keys
}

// Alias gives the command the flag --name, which means --set key=VALUE.
func (f *configFlags) Alias(name, key, usage string) { f.alias(name, key+"=", usage) }

func (f *configFlags) alias(name, prefix, usage string) {
	f.cmd.Flags().Var(&keyFlag{sets: &f.sets, prefix: prefix}, name, usage)
}

// keyFlag is the value of a flag that sets a key of the configuration.
type keyFlag struct {
	sets         *[]string
	prefix, text string
}

func (k *keyFlag) Set(text string) error {
	*k.sets = append(*k.sets, k.prefix+text)
	k.text = text
	return nil
}

func (k *keyFlag) String() string { return k.text }

func (*keyFlag) Type() string { return settings.KeyFlag }

// Load reads the configuration: the file, then environment variables, then flags in the
// order given. Its errors count as usage.
func (f *configFlags) Load() (*configs.Config, error) {
	path, data, err := f.source()
	if err != nil {
		return nil, err
	}
	return f.Parse(path, data)
}

// Explain is Load that returns the text of the configuration with the layer of each value.
func (f *configFlags) Explain() ([]byte, error) {
	path, data, err := f.source()
	if err != nil {
		return nil, err
	}
	text, err := configs.Explain(path, data, f.sets, os.Environ(), f.defaults...)
	return text, asUsage(err)
}

// source returns the contents of the file that the flags name, and what errors call it.
func (f *configFlags) source() (path string, data []byte, err error) {
	switch {
	case f.file == "-":
		data, err = disk.ReadAll(f.cmd.InOrStdin(), standardInput, configs.MaxFile)
		return standardInput, data, asUsage(err)
	case f.file != "":
		if data, err = configs.ReadInput(f.file); err != nil {
			err = asUsage(fmt.Errorf("configuration: %w", err))
		}
		return f.file, data, err
	case f.task != "":
		path, data, err = env.AlgorithmPreset(f.task, f.algorithm)
		return path, data, asUsage(err)
	}
	return "", nil, usagef("no configuration given, want --config FILE or --task NAME")
}

// standardInput is what errors call a configuration that was read from there.
const standardInput = "standard input"

// Parse is Load for contents that are already read; errors call them path.
func (f *configFlags) Parse(path string, data []byte) (*configs.Config, error) {
	c, err := configs.Parse(path, data, f.sets, os.Environ(), f.defaults...)
	return f.loaded(path, c, err)
}

// Trained reads a checkpoint, or that of a run folder, and the configuration that it was trained with.
func (f *configFlags) Trained(path string) (*rundir.Checkpoint, *configs.Config, error) {
	checkpoint, err := rundir.ReadCheckpoint(path)
	if err != nil {
		return nil, nil, err
	}
	c, err := f.Parse(path, []byte(checkpoint.User))
	return checkpoint, c, err
}

// locateKey is the key, in a command's context, of what names in an error the layer of its configuration.
type locateKey struct{}

// loaded returns what Load and Parse do. Later errors in the configuration are located, too. The settings say how many
// workers there are where the configuration leaves that open.
func (f *configFlags) loaded(path string, c *configs.Config, err error) (*configs.Config, error) {
	if err != nil {
		return nil, asUsage(err)
	}
	c.Workers = cmp.Or(c.Workers, settingsOf(f.cmd).Workers)
	locate := func(err error) error { return configs.Locate(err, path, f.sets, os.Environ()) }
	f.cmd.SetContext(context.WithValue(f.cmd.Context(), locateKey{}, locate))
	return c, nil
}

// addFormat gives a command the flag --format, by default the first choice.
func addFormat(cmd *cobra.Command, choices ...string) *string {
	format := &choiceFlag{choices[0], choices}
	cmd.Flags().Var(format, "format", "print as `FORMAT`: "+strings.Join(choices, ", "))
	complete(cmd, "format", choices...)
	return &format.value
}

// choiceFlag is the value of a flag that is one of some choices.
type choiceFlag struct {
	value   string
	choices []string
}

func (c *choiceFlag) Set(value string) error {
	if !slices.Contains(c.choices, value) {
		return fmt.Errorf("want one of %s", strings.Join(c.choices, ", "))
	}
	c.value = value
	return nil
}

func (c *choiceFlag) String() string { return c.value }

func (*choiceFlag) Type() string { return "choice" }

// complete lets a shell complete the value of a flag of a command from some choices.
func complete(cmd *cobra.Command, flag string, choices ...string) {
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(choices, cobra.ShellCompDirectiveNoFileComp))
}

// printAs prints a result as JSON or, by default, by text. Errors of writing are left to execute.
func printAs[T any](cmd *cobra.Command, format *string, result T, text func(io.Writer, T)) error {
	if *format == "json" {
		return json.NewEncoder(cmd.OutOrStdout()).Encode(result)
	}
	text(cmd.OutOrStdout(), result)
	return nil
}

func (f *configFlags) hasChanges() bool {
	return slices.ContainsFunc(f.sets, func(set string) bool { return !strings.HasPrefix(set, "workers=") })
}
