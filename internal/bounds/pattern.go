package bounds

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/internal/spell"
)

// Pattern compiles a regular expression that matches whole names.
func Pattern(text string) (*regexp.Regexp, error) {
	const most = 512
	if len(text) > most {
		return nil, fmt.Errorf("it has %d characters, want at most %d", len(text), most)
	}
	if _, err := regexp.Compile(text); err != nil { // "a)|(b" must not pass
		return nil, err
	}
	return regexp.Compile("^(?:" + text + ")$")
}

// Matches returns the indices of the names of things of a kind that a pattern matches, at least one; "" is no name. The
// error goes on from a key.
func Matches(kind, pattern string, names []string) (list []int, err error) {
	re, err := Pattern(pattern)
	if err != nil {
		return nil, fmt.Errorf(" is %q, want a regular expression: %w", pattern, err)
	}
	for i, name := range names {
		if name != "" && re.MatchString(name) {
			list = append(list, i)
		}
	}
	if list == nil {
		var known []string
		for _, name := range names {
			if name != "" && !slices.Contains(known, name) {
				known = append(known, name)
			}
		}
		return nil, fmt.Errorf(": no %s matches %q%s", kind, pattern, spell.Hint(pattern, known))
	}
	return list, nil
}
