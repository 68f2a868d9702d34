package env

import (
	"fmt"

	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/sim/runlog"
)

// Change queues a change of the clock, as [sim.Sim.Change] does, and logs it.
func (e *Env) Change(c runners.Change) error {
	return e.Intervene(runlog.Intervention{Effect: (*runlog.Change)(&c)})
}

// Skip makes the worlds skip control intervals, as [sim.Sim.Skip] does, and logs it. It returns an error if the run
// records a dataset, which cannot have gaps.
func (e *Env) Skip(s runners.Skip) error {
	return e.Intervene(runlog.Intervention{Effect: (*runlog.Skip)(&s)})
}

// Drive returns a driver that calls step for every block at each control step of one timeline for all worlds; see
// [Env.DriveAll].
func (e *Env) Drive(set runners.Settings, step func(w *sim.Worker, b *sim.Block) error) (*runners.Driver, error) {
	return e.DriveAll(set, func() error { return e.Each(step) })
}

// DriveAll returns a driver that calls step, which takes one control step of all worlds, at each control step of one
// timeline for all worlds. The call comes at the end of the control step, so the worlds are never ahead of the
// driver. If the control rate changes, worlds may adopt it at different steps; the timeline then has the longest
// control step of all worlds. When the driver skips time, so do the worlds. Runner 0 of the driver is the control
// runner, so Settings.MaxSteps counts control steps.
func (e *Env) DriveAll(set runners.Settings, step func() error) (*runners.Driver, error) {
	if set.Mode == runners.GameRealtime && e.made().writer != nil {
		return nil, fmt.Errorf("mode is %v, want %v or %v: a dataset cannot have gaps", set.Mode, runners.SimRealtime,
			runners.SimHighPerformance)
	}
	d := &driven{env: e, step: step, rate: e.made().sim.StepRate()}
	schedule, err := controlAlone(d.rate)
	if err != nil {
		return nil, err
	}
	return runners.NewDriver(schedule, d, set)
}

// controlAlone returns a schedule with the control runner only.
func controlAlone(rate runners.Rate) (*runners.Schedule, error) {
	return runners.Compile([]runners.Runner{{Name: "control", Rate: rate}}, nil)
}

// driven adapts an env to a driver.
type driven struct {
	env  *Env
	step func() error // steps all worlds
	rate runners.Rate // the control rate of the driver's schedule
}

func (d *driven) Instant(c *runners.Cursor) error {
	// At time 0 no control step has ended. After the last episode a frame may continue,
	// as far as the wall clock allows, without steps of the run.
	if c.NS() > 0 && d.env.Active() {
		return d.step()
	}
	return nil
}

func (d *driven) Control() runners.ID { return 0 }

func (d *driven) Follow(c *runners.Cursor) {
	rate := d.env.sim.StepRate()
	if rate == d.rate {
		return
	}
	schedule, err := controlAlone(rate)
	if err != nil {
		panic(err) // cannot happen: worlds run at this rate
	}
	d.rate = rate
	c.Continue(schedule)
}

func (d *driven) Skip(s runners.Skip) error { return d.env.Skip(s) }
