package terms

import (
	"fmt"
	"math"
	"regexp"

	"github.com/polyrhythm-rl/polyrhythm/internal/bounds"
)

// Range is a lowest and a highest value, both included.
type Range [2]float64

// check reports a range whose ends are not finite or in the wrong order.
func (r Range) check(c *bounds.Check, key string) {
	if !(r[0] <= r[1]) || math.IsInf(r[0], 0) || math.IsInf(r[1], 0) {
		c.Fail("%s is [%v, %v], want two finite numbers, the lower first", key, r[0], r[1])
	}
}

// PerJoint is a number, or a mapping of patterns of joint names to numbers: a joint has
// the number of the one pattern that matches it.
type PerJoint any

// Patterns are regular expressions, each of which must match the whole name of at least
// one object. They select the objects that any of them matches, in the order of the model.
type Patterns []string

// checker is implemented by parameters with bounds that do not depend on the model.
type checker interface{ Check(c *bounds.Check) }

// pattern compiles a regular expression that matches whole names.
func pattern(text string) (*regexp.Regexp, error) {
	const most = 512
	if len(text) > most {
		return nil, fmt.Errorf("it has %d characters, want at most %d", len(text), most)
	}
	if _, err := regexp.Compile(text); err != nil { // "a)|(b" must not pass
		return nil, err
	}
	return regexp.Compile("^(?:" + text + ")$")
}
