package runners

import (
	"slices"
	"testing"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// firstReading remembers what a clock first showed.
type firstReading struct {
	WallClock
	origin time.Duration
	read   bool
}

func (c *firstReading) Now() time.Duration {
	now := c.WallClock.Now()
	if !c.read {
		c.origin, c.read = now, true
	}
	return now
}

// TestSimRealtimeOnTheSystemClockLong drives the quadruped's clock for a second of real
// time, or 20 with POLYTEST_SLOW=1: no instant is early, none is missing, and how
// late they are is logged.
func TestSimRealtimeOnTheSystemClockLong(t *testing.T) {
	t.Parallel()
	length := 20 * time.Second
	if !polytest.Slow(t) {
		length = time.Second
	}
	runners, bindings := quadruped()
	s := mustCompile(t, runners, bindings)
	clock := &firstReading{WallClock: NewSystemClock()}
	expect := s.Start()
	late := make([]time.Duration, 0, int(520*length.Seconds())+1)
	var d *Driver
	to := &callLog{limit: 1, instant: func(c *Cursor) error {
		if *c != expect {
			t.Fatalf("at %d ns, want %d", c.NS(), expect.NS())
		}
		expect.Next()
		// wall time that was dropped makes the simulation later by as much
		lateness := clock.Now() - clock.origin - d.Total().Dropped - time.Duration(c.NS())
		if lateness < 0 {
			t.Fatalf("the instant at %d ns is early by %v", c.NS(), -lateness)
		}
		late = append(late, lateness)
		return nil
	}}
	d = mustDriver(t, s, to, Settings{Clock: clock})
	for mustFrame(t, d); clock.Now()-clock.origin < length; mustFrame(t, d) {
		time.Sleep(d.Wait())
	}
	mustFrame(t, d)
	total := d.Total()
	if total.Delta+total.Dropped < length || d.current.NS() < int64(total.Delta-total.Dropped-DefaultMaxBacklog) {
		t.Errorf("%v of wall time and %v dropped led to %d ns", total.Delta, total.Dropped, d.current.NS())
	}
	slices.Sort(late)
	rank := func(part float64) time.Duration { return late[int(part*float64(len(late)-1))] }
	t.Logf("%d instants in %v, none early; late by %v (median), %v (99 %%), %v (at most); %v of wall time dropped",
		len(late), length, rank(0.5), rank(0.99), rank(1), total.Dropped)
}
