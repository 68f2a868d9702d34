// Package bounds checks settings against their bounds. Its errors have one form, "gamma is 2, want 0 to 1", and begin
// with the key of the setting, so that a caller can put the path in front: "training.gamma is 2, want 0 to 1".
package bounds

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Check collects the first problem that its methods find. The zero value is ready to
// use. One goroutine at a time may use it.
type Check struct{ err error }

// Err returns the first problem, nil if there is none.
func (c *Check) Err() error { return c.err }

// Fail reports a problem, formatted as by fmt.Errorf.
func (c *Check) Fail(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf(format, args...)
	}
}

// Part reports err, unless it is nil, as a problem of the settings below key.
func (c *Check) Part(key string, err error) {
	if err != nil {
		c.Fail("%s.%w", key, err)
	}
}

// checkRange checks that low ≤ got ≤ high, where most as high means no bound.
func checkRange[T cmp.Ordered](c *Check, key string, got, low, high, most T, least string) {
	switch {
	case got >= low && got <= high:
	case high == most:
		c.Fail("%s is %v, want %s %v", key, got, least, low)
	default:
		c.Fail("%s is %v, want %v to %v", key, got, low, high)
	}
}

// Whole checks that low ≤ got ≤ high; math.MaxInt64 as high means no bound.
func (c *Check) Whole(key string, got, low, high int64) {
	checkRange(c, key, got, low, high, math.MaxInt64, "at least")
}

// Number checks that low ≤ got ≤ high; math.MaxFloat64 as high means any finite number. NaN is a problem.
func (c *Check) Number(key string, got, low, high float64) {
	checkRange(c, key, got, low, high, math.MaxFloat64, "a finite number of at least")
}

// Time checks that low ≤ got ≤ high; math.MaxInt64 as high means no bound.
func (c *Check) Time(key string, got, low, high time.Duration) {
	checkRange(c, key, got, low, high, math.MaxInt64, "at least")
}

// Above checks that low < got ≤ high. NaN is a problem.
func (c *Check) Above(key string, got, low, high float64) {
	if !(got > low && got <= high) {
		c.Fail("%s is %v, want more than %v, at most %v", key, got, low, high)
	}
}

// Below checks that low ≤ got < high. NaN is a problem.
func (c *Check) Below(key string, got, low, high float64) {
	if !(got >= low && got < high) {
		c.Fail("%s is %v, want at least %v, below %v", key, got, low, high)
	}
}

// OneOf checks that got is among known.
func (c *Check) OneOf(key, got string, known ...string) {
	if !slices.Contains(known, got) {
		c.Fail("%s is %s, want %s", key, strconv.Quote(got), Words(known, "or"))
	}
}

// Words joins words with commas and a conjunction, such as "or": "a", "a or b", "a, b or c".
func Words(words []string, conjunction string) string {
	n := len(words)
	if n < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:n-1], ", ") + " " + conjunction + " " + words[n-1]
}
