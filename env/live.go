package env

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// Intervention is something done to the worlds from outside, between two segments. A run
// log keeps it as a note, and a replay does it again. At most one of Change, Skip, Push
// and Command is set; if none is, the note says only who gave the actions or began the
// episodes that follow in the log, or what happened to a decision.
type Intervention struct {
	Intent  *Intent         `json:"intent,omitempty"` // the request that caused it, if one did
	Change  *runners.Change `json:"change,omitempty"`
	Skip    *runners.Skip   `json:"skip,omitempty"`
	Push    *Push           `json:"push,omitempty"`
	Command *Command        `json:"command,omitempty"`

	Decision *Decision `json:"decision,omitempty"` // to which it belongs, if to one
}

// Intent says which request of a client caused an intervention.
type Intent struct {
	Number int64  `json:"number"` // its place in the order of all requests, from 1
	Client string `json:"client"`
	Kind   string `json:"kind"`
	World  int    `json:"world,omitempty"`
	Note   string `json:"note,omitempty"` // such as the speed that was wanted
}

// Push acts on a body of a world: a force and a torque at its centre of mass for the next
// control step, and a velocity that is added to its own at once. All are along the axes of
// the world.
type Push struct {
	World    int        `json:"world"`
	Body     string     `json:"body"`
	Force    [3]float64 `json:"force"`    // N
	Torque   [3]float64 `json:"torque"`   // N·m
	Velocity [3]float64 `json:"velocity"` // m/s
}

// Command sets a command of the task in a world, see [sim.CommandTask].
type Command struct {
	World  int       `json:"world"`
	Name   string    `json:"name"`
	Values []float64 `json:"values"` // nil: the task goes on choosing by itself
}

func (i *Intervention) text() string {
	text, err := json.Marshal(i)
	if err != nil {
		panic(err) // cannot happen: plain data, checked to be finite
	}
	return string(text)
}

// Change queues a change of the clock, as [sim.Sim.Change] does, and logs it.
func (e *Env) Change(c runners.Change) error { return e.Intervene(Intervention{Change: &c}) }

// Skip makes the worlds skip control intervals, as [sim.Sim.Skip] does, and logs it. It
// returns an error if the run records a dataset, which cannot have gaps.
func (e *Env) Skip(s runners.Skip) error { return e.Intervene(Intervention{Skip: &s}) }

// Intervene makes an intervention and logs it. After an error nothing has changed and
// nothing is logged. It must not be called while Each runs.
func (e *Env) Intervene(i Intervention) error {
	if err := e.intervene(&i); err != nil {
		return err
	}
	if e.log != nil {
		e.log.Note(e.sim.Blocks()[0].N(), i.text())
	}
	return nil
}

func (e *Env) intervene(i *Intervention) error {
	switch {
	case i.Change != nil:
		return e.sim.Change(*i.Change)
	case i.Skip != nil:
		if e.writer != nil {
			return errors.New("skip: a run that records a dataset cannot skip simulated time")
		}
		return e.sim.Skip(i.Skip.Intervals)
	case i.Push != nil:
		return e.push(i.Push)
	case i.Command != nil:
		return e.command(i.Command)
	}
	return nil
}

// repeat repeats the intervention in a note of a log.
func (e *Env) repeat(text string) (i Intervention, err error) {
	if err := json.Unmarshal([]byte(text), &i); err != nil {
		return i, fmt.Errorf("note %q of the run log: %w", text, err)
	}
	if i == (Intervention{}) {
		return i, fmt.Errorf("note of the run log is %q, want an intent, a change, a skip, a push, a command or a decision", text)
	}
	return i, e.Intervene(i)
}

// Drive returns a driver that calls step for every block at each control step of one
// timeline for all worlds; see [Env.DriveAll].
func (e *Env) Drive(set runners.Settings, step func(w *sim.Worker, b *sim.Block) error) (*runners.Driver, error) {
	return e.DriveAll(set, func() error { return e.Each(step) })
}

// DriveAll returns a driver that calls step, which takes one control step of all worlds,
// at each control step of one timeline for all worlds. The call comes at the end of the
// control step, so the worlds are never ahead of the driver. If the control rate
// changes, worlds may adopt it at different steps; the timeline then has the longest
// control step of all worlds. When the driver skips time, so do the worlds. Runner 0 of
// the driver is the control runner, so Settings.MaxSteps counts control steps.
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

// Follow implements [runners.Follower].
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
