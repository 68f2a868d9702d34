package physics

import (
	"fmt"

	"github.com/polyrhythm-rl/polyrhythm/internal/spell"
)

// UnknownError is the error for a name that is not among known: kind says what was looked for ("probe", "field"). It
// names the known one that can be meant by its spelling, else all, or the first of many.
func UnknownError(kind, name string, known []string) error {
	if len(known) == 0 {
		return fmt.Errorf("unknown %s %q: there are none", kind, name)
	}
	if meant := spell.Meant(name, known); meant != "" {
		return fmt.Errorf("unknown %s %q: the nearest known one is %q", kind, name, meant)
	}
	return fmt.Errorf("unknown %s %q%s", kind, name, spell.Hint(name, known))
}
