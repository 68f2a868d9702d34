package env

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// outside is what a run log says happened from outside between two segments: one
// of the two.
type outside struct {
	Change *runners.Change `json:"change,omitempty"`
	Skip   *runners.Skip   `json:"skip,omitempty"`
}

func (o outside) text() string {
	text, err := json.Marshal(o)
	if err != nil {
		panic(err) // plain data
	}
	return string(text)
}

// Change queues a change of the clock, as [sim.Sim.Change] does, and logs it.
func (e *Env) Change(c runners.Change) error {
	if err := e.sim.Change(c); err != nil {
		return err
	}
	e.note(outside{Change: &c})
	return nil
}

// Skip jumps the worlds over control intervals, as [sim.Sim.Skip] does, and logs
// it. A dataset cannot have gaps.
func (e *Env) Skip(s runners.Skip) error {
	if e.writer != nil {
		return errors.New("skip: a run that records a dataset cannot skip simulated time")
	}
	if err := e.sim.Skip(s.Intervals); err != nil {
		return err
	}
	e.note(outside{Skip: &s})
	return nil
}

func (e *Env) note(o outside) {
	if e.log != nil {
		e.log.Note(e.sim.Blocks()[0].N(), o.text())
	}
}

// again does what a log says happened from outside.
func (e *Env) again(text string) error {
	var o outside
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		return fmt.Errorf("note %q of the run log: %w", text, err)
	}
	switch {
	case o.Change != nil:
		return e.Change(*o.Change)
	case o.Skip != nil:
		return e.Skip(*o.Skip)
	}
	return fmt.Errorf("note %q of the run log: neither a change nor a skip", text)
}

// Drive returns a driver that lets step take one control step of every block at
// each boundary of one run-wide timeline; see [Env.DriveAll].
func (e *Env) Drive(set runners.Settings, step func(w *sim.Worker, b *sim.Block) error) (*runners.Driver, error) {
	return e.DriveAll(set, func() error { return e.Each(step) })
}

// DriveAll returns a driver that lets step take one control step of all worlds at
// each boundary of one run-wide timeline. A control step is taken when the driver
// has reached its end, so the worlds are never ahead of the wall clock where the
// driver is not. Its length is that of the world whose step is the longest: worlds
// whose control rate changes may do so at different steps. When the driver jumps,
// the worlds skip. The driver's runner 0 is the control runner, so
// Settings.MaxSteps counts control steps.
func (e *Env) DriveAll(set runners.Settings, step func() error) (*runners.Driver, error) {
	if set.Mode == runners.GameRealtime && e.writer != nil {
		return nil, fmt.Errorf("mode is %v, want %v or %v: a dataset cannot have gaps", set.Mode, runners.SimRealtime, runners.SimHighPerformance)
	}
	d := &driven{env: e, step: step, rate: e.sim.StepRate()}
	schedule, err := controlAlone(d.rate)
	if err != nil {
		return nil, err
	}
	return runners.NewDriver(schedule, d, set)
}

// controlAlone is a timeline of control steps and nothing else.
func controlAlone(rate runners.Rate) (*runners.Schedule, error) {
	return runners.Compile([]runners.Runner{{Name: "control", Rate: rate}}, nil)
}

// driven shows the worlds of an env to a driver.
type driven struct {
	env  *Env
	step func() error // of all worlds
	rate runners.Rate // that the driver follows
}

func (d *driven) Instant(c *runners.Cursor) error {
	// At time 0 no control step has ended. A frame may go on after the last episode,
	// how far depends on the wall clock, so that is no step of the run.
	if c.NS() > 0 && d.env.Active() {
		return d.step()
	}
	return nil
}

func (d *driven) Control() runners.ID { return 0 }

// Follow implements [runners.Follower].
func (d *driven) Follow(c *runners.Cursor) {
	rate := d.env.sim.StepRate()
	if rate == d.rate {
		return
	}
	schedule, err := controlAlone(rate)
	if err != nil {
		panic(err) // a rate that worlds have
	}
	d.rate = rate
	c.Continue(schedule)
}

func (d *driven) Skip(s runners.Skip) error { return d.env.Skip(s) }
