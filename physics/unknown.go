package physics

import (
	"fmt"

	"github.com/polyrhythm-rl/polyrhythm/internal/spell"
)

// UnknownError is the error for a name that is not among known: kind says what
// was looked for ("probe", "field"). It names the known one that is nearest in spelling.
func UnknownError(kind, name string, known []string) error {
	if len(known) == 0 {
		return fmt.Errorf("unknown %s %q: there are none", kind, name)
	}
	return fmt.Errorf("unknown %s %q: the nearest known one is %q", kind, name, spell.Nearest(name, known))
}
