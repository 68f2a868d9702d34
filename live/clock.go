package live

import (
	"time"

	"github.com/polyrhythm-rl/polyrhythm/runners"
)

// clock is a wall clock that runs at a factor of the real one and stands still during
// pauses. A driver that reads it sees no time pass during a pause, so it does not catch up
// afterwards. It belongs to the goroutine of Run.
type clock struct {
	real   runners.Clock
	factor float64
	paused bool
	from   time.Duration // real time of the last change
	at     time.Duration // time of this clock then
}

// Now implements [runners.Clock].
func (c *clock) Now() time.Duration {
	if c.paused {
		return c.at
	}
	return c.at + time.Duration(float64(c.real.Now()-c.from)*c.factor)
}

// set changes the pace from now on.
func (c *clock) set(paused bool, factor float64) {
	at := c.Now()
	c.from, c.at, c.paused, c.factor = c.real.Now(), at, paused, factor
}

// wall is the real time in which this clock advances by d.
func (c *clock) wall(d time.Duration) time.Duration { return time.Duration(float64(d) / c.factor) }
