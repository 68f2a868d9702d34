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
// each control instant of one run-wide timeline. A control step is taken when
// the driver has reached its end, so the worlds are never ahead of the wall clock
// where the driver is not. When the driver jumps, the worlds skip.
func (e *Env) Drive(set runners.Settings, step func(w *sim.Worker, b *sim.Block) error) (*runners.Driver, error) {
	return runners.NewDriver(e.plan.Schedule, &driven{env: e, step: step}, set)
}

// driven shows the worlds of an env to a driver.
type driven struct {
	env     *Env
	step    func(w *sim.Worker, b *sim.Block) error
	version int // of the clock that the driver follows
}

func (d *driven) Instant(c *runners.Cursor) error {
	if !c.Fired().Has(d.Control()) {
		return nil
	}
	// At time 0 no control step has ended. A frame may go on after the last episode,
	// how far depends on the wall clock, so that is no step of the run.
	if c.NS() > 0 && d.env.Active() {
		if err := d.env.Each(d.step); err != nil {
			return err
		}
	}
	// The decision point of the next step.
	d.version = d.env.sim.Follow(c, d.version, d.env.sim.Blocks()[0].N())
	return nil
}

func (d *driven) Control() runners.ID { return d.env.sim.ControlRunner(d.version) }

func (d *driven) Skip(s runners.Skip) error { return d.env.Skip(s) }
