package live

import (
	"time"

	"github.com/polyrhythm-rl/polyrhythm/runners"
)

// pace is how a run follows the wall clock.
type pace struct {
	clock        clock
	driver       *runners.Driver
	stepRequests []stepRequest // to take while paused
	timer        *time.Timer   // of sleep
}

// stepRequest is one request of a client for control steps.
type stepRequest struct {
	remaining int64
	done      chan<- int64 // gets the step n after the last one, and is closed if there is none; nil: nobody waits
}

// clock is a wall clock that runs at a factor of the real one and stands still during pauses. A driver that reads it
// sees no time pass during a pause, so it does not catch up afterwards. It belongs to the goroutine of Run.
type clock struct {
	real       runners.WallClock
	factor     float64
	paused     bool
	realAnchor time.Duration // real time of the last change of factor or paused
	anchor     time.Duration // time of this clock at the last change
}

// Now implements [runners.WallClock].
func (c *clock) Now() time.Duration {
	if c.paused {
		return c.anchor
	}
	return c.anchor + time.Duration(float64(c.real.Now()-c.realAnchor)*c.factor)
}

func (c *clock) set(paused bool, factor float64) {
	now := c.Now()
	c.realAnchor, c.anchor, c.paused, c.factor = c.real.Now(), now, paused, factor
}

// wall is the real time in which this clock advances by d.
func (c *clock) wall(d time.Duration) time.Duration { return time.Duration(float64(d) / c.factor) }
