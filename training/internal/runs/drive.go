package runs

import (
	"context"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/training/policies"
)

// DriveSegment is the number of control steps in a segment without a wall clock. The order of rows depends on it.
const DriveSegment = 64

// Pace is how [Drive] steps worlds: in segments, or by the wall clock.
type Pace struct {
	Settings runners.Settings
	Segment  int // control steps at a time; 1: with a driver

	// With a driver:
	FPS   float64                              // frames a second of the wall clock; 0: one whenever a step is due
	Until int64                                // the end of the run, in ns of the timeline; 0: none
	Frame func(*runners.Driver, runners.Frame) // called after each frame, if not nil
	Sleep func(context.Context, time.Duration) // nil: the function sleep
}

// NewPace returns the pace of a configuration.
func NewPace(set runners.Settings) Pace {
	p := Pace{Settings: set, Segment: 1}
	if set.Mode == runners.SimHighPerformance {
		p.Segment = DriveSegment
	}
	return p
}

// Drive steps worlds until the run is over or ctx is cancelled, and calls after behind
// each segment or frame. It returns the totals of the driver, if there was one.
func Drive(ctx context.Context, e *env.Env, p Pace, step policies.Actor, after func()) (runners.Frame, error) {
	if p.Segment > 1 { // blocks wait for each other after each segment rather than each step
		for e.Active() {
			err := ctx.Err()
			if err == nil {
				err = StepAll(ctx, e, e.SegmentSteps(p.Segment), step)
			}
			if err != nil {
				return runners.Frame{}, err
			}
			after()
		}
		return runners.Frame{}, nil
	}
	if p.Settings.Clock == nil {
		p.Settings.Clock = runners.NewSystemClock()
	}
	if p.Sleep == nil {
		p.Sleep = sleep
	}
	driver, err := e.Drive(p.Settings, step)
	if err != nil {
		return runners.Frame{}, err
	}
	running := func() bool { return e.Active() && (p.Until == 0 || driver.NS() < p.Until) }
	for frameTime := time.Duration(0); running(); {
		f, err := driver.Frame()
		if err != nil {
			return driver.Total(), err
		}
		after()
		if p.Frame != nil {
			p.Frame(driver, f)
		}
		if p.Settings.Mode != runners.SimHighPerformance && running() {
			p.Sleep(ctx, p.UntilNextFrame(driver, &frameTime))
		}
		if err := ctx.Err(); err != nil {
			return driver.Total(), err
		}
	}
	return driver.Total(), nil
}

// UntilNextFrame returns how long to sleep before the next frame. begun is when the last
// frame should have begun; it becomes when the next one should.
func (p *Pace) UntilNextFrame(d *runners.Driver, begun *time.Duration) time.Duration {
	if p.FPS == 0 {
		return d.Wait()
	}
	now := p.Settings.Clock.Now()
	*begun = max(*begun+time.Duration(float64(time.Second)/p.FPS), now)
	return *begun - now
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// StepAll takes so many control steps in all worlds, and ends early when ctx is cancelled.
func StepAll(ctx context.Context, e *env.Env, steps int, step policies.Actor) error {
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
