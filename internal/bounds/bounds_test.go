package bounds

import (
	"errors"
	"math"
	"testing"
	"time"
)

func TestMessages(t *testing.T) {
	for want, check := range map[string]func(c *Check){
		"": func(c *Check) {
			c.Whole("a", 3, 3, 3)
			c.Number("a", 0, 0, 1)
			c.OneOf("a",
				"x", "x")
		},
		"a is 3, want 1 to 2":                 func(c *Check) { c.Whole("a", 3, 1, 2); c.Whole("b", 3, 1, 2) },
		"a is 0, want at least 1":             func(c *Check) { c.Whole("a", 0, 1, math.MaxInt64) },
		"a is NaN, want 0 to 1":               func(c *Check) { c.Number("a", math.NaN(), 0, 1) },
		"a is 0, want more than 0, at most 1": func(c *Check) { c.Above("a", 0, 0, 1) },
		"a is 1, want at least 0, below 1":    func(c *Check) { c.Below("a", 1, 0, 1) },
		"a is +Inf, want a finite number of at least 0": func(c *Check) {
			c.Number("a", math.Inf(1), 0, math.MaxFloat64)
		},
		"a is -1ms, want 0s to 10s":   func(c *Check) { c.Time("a", -time.Millisecond, 0, 10*time.Second) },
		`a is "z", want v, w or x`:    func(c *Check) { c.OneOf("a", "z", "v", "w", "x") },
		"list[1].b is 3, want 1 to 2": func(c *Check) { c.Part("list[1]", errors.New("b is 3, want 1 to 2")) },
		"the first counts": func(c *Check) {
			c.Part("x",
				nil)
			c.Fail("the first counts")
			c.Fail("the second does not")
		},
	} {
		var c Check
		check(&c)
		got := ""
		if err := c.Err(); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
