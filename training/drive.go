package training

import (
	"context"
	"fmt"
	"slices"
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
}

// paceOf is the pace of a configuration. Where hurry is set the wall clock is
// left out, and all else is as it would be.
func paceOf(set runners.Settings, hurry bool) pace {
	p := pace{set, 1}
	if set.Mode == runners.SimHighPerformance {
		p.segment = driveSegment
	}
	if hurry {
		p.settings.Mode = runners.SimHighPerformance
	}
	return p
}

// wantMode refuses the modes that a command cannot do with.
func wantMode(t runners.Settings, what string, modes ...runners.Mode) error {
	if slices.Contains(modes, t.Mode) {
		return nil
	}
	return usagef("time.mode: %s wants %v, got %s", what, modes, t.Mode)
}

// drive steps worlds until the run is over, or ctx is cancelled, and
// calls after now and then. It returns what the driver did, if there was one.
func drive(ctx context.Context, e *env.Env, p pace, step stepper, after func()) (runners.Frame, error) {
	if p.segment > 1 {
		return runners.Frame{}, driveFast(ctx, e, p.segment, step, after)
	}
	driver, err := e.Drive(p.settings, step)
	if err != nil {
		return runners.Frame{}, err
	}
	for e.Active() {
		if _, err := driver.Frame(); err != nil {
			return driver.Total(), err
		}
		after()
		select {
		case <-ctx.Done():
			return driver.Total(), ctx.Err()
		case <-time.After(driver.Wait()):
		}
	}
	return driver.Total(), nil
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

// aboutTime says in one line how a run kept up with the wall clock.
func aboutTime(f runners.Frame) string {
	return fmt.Sprintf("%v of wall time followed, %v dropped, %d control intervals skipped in %d jumps",
		f.Delta.Round(time.Millisecond), f.Dropped.Round(time.Millisecond), f.Skipped, f.Skips)
}
