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

// driveSegment is the number of control steps in a segment without a wall clock. The order of rows depends on it.
const driveSegment = 64

type pace struct {
	settings runners.Settings
	segment  int // control steps at a time; 1: with a driver

	// With a driver:
	fps   float64                              // frames a second of the wall clock; 0: one whenever a step is due
	until int64                                // the end of the run, in ns of the timeline; 0: none
	frame func(*runners.Driver, runners.Frame) // called after each frame, if not nil
	sleep func(context.Context, time.Duration) // nil: the function sleep
}

// paceOf returns the pace of a configuration.
func paceOf(set runners.Settings) pace {
	p := pace{settings: set, segment: 1}
	if set.Mode == runners.SimHighPerformance {
		p.segment = driveSegment
	}
	return p
}

// wantMode returns an error, which ends in why, unless mode is one of modes.
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

// drive steps worlds until the run is over or ctx is cancelled, and calls after behind
// each segment or frame. It returns the totals of the driver, if there was one.
func drive(ctx context.Context, e *env.Env, p pace, step actor, after func()) (runners.Frame, error) {
	if p.segment > 1 { // blocks wait for each other after each segment rather than each step
		for e.Active() {
			err := ctx.Err()
			if err == nil {
				err = stepAll(ctx, e, e.SegmentSteps(p.segment), step)
			}
			if err != nil {
				return runners.Frame{}, err
			}
			after()
		}
		return runners.Frame{}, nil
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

// untilNextFrame returns how long to sleep before the next frame. begun is when the last
// frame should have begun; it becomes when the next one should.
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

func stepAll(ctx context.Context, e *env.Env, steps int, step actor) error {
	return e.Each(func(w *sim.Worker, b *sim.Block) error {
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
}

// AboutTime describes the totals of a driver in one line: how the run kept up with the wall clock.
func AboutTime(f runners.Frame) string {
	return fmt.Sprintf("%v of wall time followed, %v dropped, %d control intervals skipped in %d jumps",
		f.Delta.Round(time.Millisecond), f.Dropped.Round(time.Millisecond), f.Skipped, f.Skips)
}
