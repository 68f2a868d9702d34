package cli

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
)

// configFlags are the flags that choose and change a configuration. The zero value is
// ready for Add or AddSet.
type configFlags struct {
	cmd  *cobra.Command
	file string
	task string
	sets []string
	// defaults, each key=value, are the command's own; they replace those of package
	// configs.
	defaults []string
}

// Add gives a command the flags --config, --task and --set.
func (f *configFlags) Add(cmd *cobra.Command) {
	f.AddSet(cmd)
	cmd.Flags().StringVarP(&f.file, "config", "c", "", "read the configuration from `FILE`")
	cmd.Flags().StringVar(&f.task, "task", "", "use the built-in configuration of the task `NAME` instead of a file")
	oneOf(cmd, "config", "task")
}

// AddRun gives a command the flags of Add, --seed and --workers.
func (f *configFlags) AddRun(cmd *cobra.Command) {
	f.Add(cmd)
	f.Alias("seed", "seed", "use the seed `N`")
	f.Alias("workers", "workers", "step worlds on `N` threads; 0 for one per CPU")
}

// AddSet gives a command the flag --set alone, for use with Parse.
func (f *configFlags) AddSet(cmd *cobra.Command) {
	f.cmd = cmd
	cmd.Flags().Var(&setFlag{f, ""}, "set", "set a configuration value, `KEY=VALUE`; may be repeated")
}

// Alias gives the command the flag --name, which means --set key=VALUE.
func (f *configFlags) Alias(name, key, usage string) {
	f.cmd.Flags().Var(&setFlag{f, key + "="}, name, usage)
}

// Load reads the configuration: the file, then environment variables, then flags in the
// order given. Its errors count as usage.
func (f *configFlags) Load() (*configs.Config, error) {
	switch {
	case f.file != "":
		c, err := configs.Load(f.file, f.sets, os.Environ(), f.defaults...)
		return c, asUsage(err)
	case f.task != "":
		name, data, err := env.Preset(f.task)
		if err != nil {
			return nil, asUsage(err)
		}
		return f.Parse(name, data)
	}
	return nil, usagef("no configuration given, want --config FILE or --task NAME")
}

// Parse is Load for contents that are already read; errors call them path.
func (f *configFlags) Parse(path string, data []byte) (*configs.Config, error) {
	c, err := configs.Parse(path, data, f.sets, os.Environ(), f.defaults...)
	return c, asUsage(err)
}

// setFlag is --set or, with a prefix KEY=, an alias of it. All of a command append to
// one list, in the order given.
type setFlag struct {
	flags  *configFlags
	prefix string
}

func (s *setFlag) Set(value string) error {
	s.flags.sets = append(s.flags.sets, s.prefix+value)
	return nil
}

func (s *setFlag) Type() string   { return "value" }
func (s *setFlag) String() string { return "" }

// choice is the value of --format: one of a few words.
type choice struct {
	value   string
	choices []string
}

// addFormat gives a command the flag --format, by default the first choice.
func addFormat(cmd *cobra.Command, choices ...string) *choice {
	f := &choice{choices[0], choices}
	usage := "print as `FORMAT`: " + choices[0]
	for _, c := range choices[1:] {
		usage += ", " + c
	}
	cmd.Flags().Var(f, "format", usage)
	return f
}

// Set implements [pflag.Value].
func (f *choice) Set(value string) error {
	if !slices.Contains(f.choices, value) {
		return fmt.Errorf("want one of %v", f.choices)
	}
	f.value = value
	return nil
}

// Type implements [pflag.Value].
func (f *choice) Type() string { return "format" }

// String implements [pflag.Value].
func (f *choice) String() string { return f.value }

// workers returns the number of threads that --workers or --set workers asks for; 0: one
// per CPU.
func (f *configFlags) workers() (int, error) {
	n := 0
	for _, set := range f.sets {
		if text, ok := strings.CutPrefix(set, "workers="); ok {
			v, err := strconv.Atoi(text)
			if err != nil || v < 0 || v > configs.MaxWorkers {
				return 0, usagef("--workers is %q, want a whole number of 0 to %d", text, configs.MaxWorkers)
			}
			n = v
		}
	}
	return n, nil
}
