package training

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// driveSegment is the number of control steps between two hand-overs to the
// dataset's writer where no wall clock is followed. It is part of what decides
// the order of rows.
const driveSegment = 64

// stepper takes one control step of a block.
type stepper func(*sim.Worker, *sim.Block) error

// pace says how drive goes about it.
type pace struct {
	settings runners.Settings
	segment  int // control steps at a time; 1 follows the driver

	// Of a driver that is followed:
	fps   float64                              // frames a second of the wall clock; 0: one whenever a step is due
	until int64                                // ns of its timeline at which the run is over; 0: never
	frame func(*runners.Driver, runners.Frame) // called after each frame, if not nil
	sleep func(context.Context, time.Duration) // nil for that of the machine
}

// paceOf is the pace of a configuration. Where hurry is set the wall clock is
// left out, and all else is as it would be.
func paceOf(set runners.Settings, hurry bool) pace {
	p := pace{settings: set, segment: 1}
	if set.Mode == runners.SimHighPerformance {
		p.segment = driveSegment
	}
	if hurry {
		p.settings.Mode = runners.SimHighPerformance
	}
	return p
}

// wantMode refuses the modes that a command cannot do with.
func wantMode(mode runners.Mode, why string, modes ...runners.Mode) error {
	if slices.Contains(modes, mode) {
		return nil
	}
	names := make([]string, len(modes))
	for i, m := range modes {
		names[i] = m.String()
	}
	return usagef("time.mode is %s, want %s: %s", mode, strings.Join(names, " or "), why)
}

// drive steps worlds until the run is over, or ctx is cancelled, and
// calls after now and then. It returns what the driver did, if there was one.
func drive(ctx context.Context, e *env.Env, p pace, step stepper, after func()) (runners.Frame, error) {
	if p.segment > 1 {
		return runners.Frame{}, driveFast(ctx, e, p.segment, step, after)
	}
	if p.settings.Clock == nil {
		p.settings.Clock = runners.NewSystemClock()
	}
	if p.sleep == nil {
		p.sleep = sleep
	}
	driver, err := e.Drive(p.settings, step)
	if err != nil {
		return runners.Frame{}, err
	}
	running := func() bool { return e.Active() && (p.until == 0 || driver.NS() < p.until) }
	for begun := time.Duration(0); running(); {
		f, err := driver.Frame()
		if err != nil {
			return driver.Total(), err
		}
		after()
		if p.frame != nil {
			p.frame(driver, f)
		}
		if p.settings.Mode != runners.SimHighPerformance && running() {
			p.sleep(ctx, p.untilNextFrame(driver, &begun))
		}
		if err := ctx.Err(); err != nil {
			return driver.Total(), err
		}
	}
	return driver.Total(), nil
}

// untilNextFrame is how long to sleep before the next frame, and puts when it should
// begin in begun.
func (p *pace) untilNextFrame(d *runners.Driver, begun *time.Duration) time.Duration {
	if p.fps == 0 {
		return d.Wait()
	}
	now := p.settings.Clock.Now()
	*begun = max(*begun+time.Duration(float64(time.Second)/p.fps), now)
	return *begun - now
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// driveFast is drive without a driver: blocks need not wait for each other at
// every step.
func driveFast(ctx context.Context, e *env.Env, segment int, step stepper, after func()) error {
	for e.Active() {
		if err := ctx.Err(); err != nil {
			return err
		}
		steps := e.SegmentSteps(segment)
		err := e.Each(func(w *sim.Worker, b *sim.Block) error {
			for range steps {
				if err := ctx.Err(); err != nil {
					return err
				}
				if err := step(w, b); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		after()
	}
	return nil
}

// AboutTime says in one line how a run kept up with the wall clock.
func AboutTime(f runners.Frame) string {
	return fmt.Sprintf("%v of wall time followed, %v dropped, %d control intervals skipped in %d jumps",
		f.Delta.Round(time.Millisecond), f.Dropped.Round(time.Millisecond), f.Skipped, f.Skips)
}
