// Package bounds checks settings against their bounds. Its errors are in one dialect,
// "gamma is 2, want 0 to 1", and begin with the setting's key, so that whoever holds
// the settings can put the place in front: "training." makes it "training.gamma is 2,
// want 0 to 1".
package bounds

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Check keeps the first problem that it meets. The zero value has met none.
type Check struct{ err error }

// Err is the first problem, nil if there is none.
func (c *Check) Err() error { return c.err }

// Fail notes a problem.
func (c *Check) Fail(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf(format, args...)
	}
}

// Part notes the problem, if there is one, of the settings that stand at a key.
func (c *Check) Part(key string, err error) {
	if err != nil {
		c.Fail("%s.%w", key, err)
	}
}

// Whole wants low ≤ got ≤ high; the largest int64 as high means no bound.
func (c *Check) Whole(key string, got, low, high int64) {
	switch {
	case got >= low && got <= high:
	case high == math.MaxInt64:
		c.Fail("%s is %d, want at least %d", key, got, low)
	default:
		c.Fail("%s is %d, want %d to %d", key, got, low, high)
	}
}

// Number wants low ≤ got ≤ high; the largest float64 as high means any finite number.
// It refuses NaN.
func (c *Check) Number(key string, got, low, high float64) {
	switch {
	case got >= low && got <= high:
	case high == math.MaxFloat64:
		c.Fail("%s is %v, want a finite number of at least %v", key, got, low)
	default:
		c.Fail("%s is %v, want %v to %v", key, got, low, high)
	}
}

// Above wants low < got ≤ high. It refuses NaN.
func (c *Check) Above(key string, got, low, high float64) {
	if !(got > low && got <= high) {
		c.Fail("%s is %v, want more than %v, at most %v", key, got, low, high)
	}
}

// Below wants low ≤ got < high. It refuses NaN.
func (c *Check) Below(key string, got, low, high float64) {
	if !(got >= low && got < high) {
		c.Fail("%s is %v, want at least %v, below %v", key, got, low, high)
	}
}

// Time wants low ≤ got ≤ high; the longest time as high means no bound.
func (c *Check) Time(key string, got, low, high time.Duration) {
	switch {
	case got >= low && got <= high:
	case high == math.MaxInt64:
		c.Fail("%s is %v, want at least %v", key, got, low)
	default:
		c.Fail("%s is %v, want %v to %v", key, got, low, high)
	}
}

// OneOf wants one of several words.
func (c *Check) OneOf(key, got string, known ...string) {
	if !slices.Contains(known, got) {
		c.Fail("%s is %s, want %s", key, strconv.Quote(got), Words(known, "or"))
	}
}

// Words lists words: "a", "a or b", "a, b or c".
func Words(words []string, conjunction string) string {
	n := len(words)
	if n < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:n-1], ", ") + " " + conjunction + " " + words[n-1]
}
