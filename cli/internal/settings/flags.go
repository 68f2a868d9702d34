package settings

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/pflag"
)

// KeyFlag is the type of a flag that sets a key of a configuration. A setting counts only where the configuration
// leaves its key open.
const KeyFlag = "func"

// AddFlags adds the flags that all commands have. Other settings have flags in some commands, or none.
func AddFlags(flags *pflag.FlagSet) {
	d := Defaults
	flags.String("runs", d.Runs, "put new runs into the folder `DIR`, and list those in it")
	flags.BoolP("quiet", "q", d.Quiet, "print no progress, only results, warnings and errors")
	flags.Bool("verbose", d.Verbose, "say first which settings are not the defaults, and where they come from")
	flags.String("colour", d.Colour, "colour errors and warnings `WHEN`: "+strings.Join(Colours, ", "))
	flags.String("theme", d.Theme, "draw curves in the theme `NAME`: "+strings.Join(Themes, ", "))
	flags.String("kernels", d.Kernels, "compute with OpenBLAS's kernels `NAME`, such as Haswell, which changes bits; by "+
		"default those of this processor")
	flags.Int64("memory-mb", d.MemoryMB, "refuse what takes more memory than `MIB`; 0 for what the machine has")
}

// Fill gives the flags of a command that are not given, and that have the name of a setting, the values of files and
// variables. It leaves out those of type [KeyFlag].
func (s *Settings) Fill(flags *pflag.FlagSet) (err error) {
	for _, one := range s.All {
		flag := flags.Lookup(FlagOf(one.Key))
		if flag == nil || flag.Changed || flag.Value.Type() == KeyFlag || one.Value == Defaults.get(one.Key) {
			continue
		}
		if failed := flag.Value.Set(fmt.Sprint(one.Value)); failed != nil {
			err = cmp.Or(err, one.wrap(fmt.Errorf("%s: %w", one.Key, failed)))
		}
	}
	return err
}
