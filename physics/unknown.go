package physics

import (
	"fmt"

	"github.com/agnivade/levenshtein"
)

// UnknownError is the error for a name that is not among known: kind says what
// was looked for ("probe", "field"). It names the known one that takes the
// fewest edits to reach, the first such in the order of known.
func UnknownError(kind, name string, known []string) error {
	if len(known) == 0 {
		return fmt.Errorf("unknown %s %q: there are none", kind, name)
	}
	nearest, best := known[0], levenshtein.ComputeDistance(name, known[0])
	for _, k := range known[1:] {
		if d := levenshtein.ComputeDistance(name, k); d < best {
			nearest, best = k, d
		}
	}
	return fmt.Errorf("unknown %s %q: the nearest known one is %q", kind, name, nearest)
}
