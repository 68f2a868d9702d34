package live

import (
	"time"

	"github.com/polyrhythm-rl/polyrhythm/runners"
)

type pacing struct {
	clock  clock
	driver *runners.Driver
	steps  []steps     // to take while paused
	timer  *time.Timer // of sleep
}

// steps are what is left of one request.
type steps struct {
	left int64
	done chan<- int64 // gets the step n; nil: nobody waits
}

// clock is a wall clock that runs at a factor of the real one and stands still during pauses. A driver that reads it
// sees no time pass during a pause, so it does not catch up afterwards. It belongs to the goroutine of Run.
type clock struct {
	real   runners.WallClock
	factor float64
	paused bool
	from   time.Duration // real time of the last change
	at     time.Duration // time of this clock then
}

// Now implements [runners.WallClock].
func (c *clock) Now() time.Duration {
	if c.paused {
		return c.at
	}
	return c.at + time.Duration(float64(c.real.Now()-c.from)*c.factor)
}

func (c *clock) set(paused bool, factor float64) {
	at := c.Now()
	c.from, c.at, c.paused, c.factor = c.real.Now(), at, paused, factor
}

// wall is the real time in which this clock advances by d.
func (c *clock) wall(d time.Duration) time.Duration { return time.Duration(float64(d) / c.factor) }
