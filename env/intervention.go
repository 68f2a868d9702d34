package env

import (
	"errors"
	"fmt"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/sim/runlog"
)

// Intervene makes an intervention and logs it; a replay of the log makes it again. After an error nothing has changed
// and nothing is logged. It must not be called while Each runs.
func (e *Env) Intervene(i runlog.Intervention) error {
	err := e.made().affect(i.Effect)
	if err == nil {
		err = i.Check()
	}
	if err == nil && e.log != nil {
		e.log.Intervention(e.sim.Blocks()[0].N(), i)
	}
	return err
}

// affect does to the worlds what an effect says. Those of the other kinds are done by who steps the worlds: a replay
// has their outcome in its actions and restarts, and follows no wall clock.
func (e *Env) affect(effect runlog.Effect) error {
	switch effect := effect.(type) {
	case *runlog.Change:
		return e.sim.Change(runners.Change(*effect))
	case *runlog.Skip:
		if e.writer != nil {
			return errors.New("skip: a run that records a dataset cannot skip simulated time")
		}
		return e.sim.Skip(effect.Intervals)
	case *runlog.Push:
		return e.push(effect)
	case *runlog.Command:
		number, err := e.checkCommand(effect)
		if err == nil {
			e.sim.SetCommand(effect.World, number, effect.Values)
		}
		return err
	case *runlog.Label:
		return e.checkLabel(effect)
	}
	return nil
}

// CheckEffect returns the error that Intervene would return for a push, a command or a label, and nil for any other
// effect. It may be called on any goroutine at any time.
func (e *Env) CheckEffect(effect runlog.Effect) error {
	e.made()
	switch effect := effect.(type) {
	case *runlog.Push:
		return e.checkPush(effect)
	case *runlog.Command:
		_, err := e.checkCommand(effect)
		return err
	case *runlog.Label:
		return e.checkLabel(effect)
	}
	return nil
}

func (e *Env) checkLabel(label *runlog.Label) error {
	if label.Task == "" && label.Success == nil {
		return errors.New("label: neither task nor success is given, want one of them")
	}
	if err := recorder.CheckTask(label.Task); err != nil {
		return fmt.Errorf("label: %w", err)
	}
	if err := e.checkWorld(label.World); err != nil {
		return fmt.Errorf("label: %w", err)
	}
	return nil
}

// force is the force and torque of a push while they are part of a world's state.
type force struct {
	push          int       // in Env.pushes
	n             int64     // control steps of the world's block before the segment
	wrench        []float64 // N and N·m, in the state of the world
	before, after [6]float64
}

// maxPushes is how many pushes may act at once.
const maxPushes = 1024

// checkPush returns an error if a push is not possible.
func (e *Env) checkPush(p *runlog.Push) error {
	body := e.bodyOf(p)
	if body < 0 {
		return fmt.Errorf("push: %w", physics.UnknownError("body", p.Body, e.Bodies()))
	}
	if err := e.checkWorld(p.World); err != nil {
		return fmt.Errorf("push: %w", err)
	}
	for _, v := range slices.Concat(p.Force[:], p.Torque[:], p.Velocity[:]) {
		if v-v != 0 {
			return fmt.Errorf("push: a value is %v, want finite numbers", v)
		}
	}
	if p.Steps < 0 {
		return fmt.Errorf("push: steps is %d, want at least 0", p.Steps)
	}
	b := &e.bodies[body]
	if !forceless(p) && b.Wrench.Len == 0 {
		return fmt.Errorf("push: a force on %s, want a velocity: this engine has no other push", b.Name)
	}
	if p.Velocity != [3]float64{} && b.Velocity.Len == 0 {
		return fmt.Errorf("push: a velocity of %s, want a force: the body is held by joints", b.Name)
	}
	return nil
}

// push makes a push act from the next control step on, in place of an earlier one with its ID.
func (e *Env) push(p *runlog.Push) error {
	if err := e.checkPush(p); err != nil {
		return err
	}
	others := e.pushes
	if p.ID != "" {
		others = slices.DeleteFunc(slices.Clone(others), func(old runlog.Push) bool { return old.ID == p.ID })
	}
	if forceless(p) && p.Velocity == [3]float64{} {
		e.pushes = others
		return nil
	}
	if len(others) >= maxPushes {
		return fmt.Errorf("push: %d act already, want fewer than %d for another one", len(others), maxPushes)
	}
	e.pushes = append(others, *p)
	return nil
}

// bodyOf returns the number of the body of a push, -1 for one that is not there.
func (e *Env) bodyOf(p *runlog.Push) int {
	return slices.IndexFunc(e.bodies, func(b physics.Body) bool { return b.Name == p.Body })
}

// forceless reports whether a push has neither a force nor a torque, or none any more.
func forceless(p *runlog.Push) bool { return p.Force == [3]float64{} && p.Torque == [3]float64{} }

// beginPushes makes the pushes part of the worlds' states: forces until endPushes, velocities for good.
func (e *Env) beginPushes() {
	for k := range e.pushes {
		p := &e.pushes[k]
		body := &e.bodies[e.bodyOf(p)]
		b, i := e.blockOf(p.World)
		row := b.State(i)
		velocity := body.Velocity.In(row)
		for k := range velocity {
			velocity[k] += p.Velocity[k]
		}
		p.Velocity = [3]float64{}
		if forceless(p) {
			continue
		}
		f := force{push: k, n: b.N(), wrench: body.Wrench.In(row)}
		copy(f.before[:], f.wrench)
		for k := range 3 {
			f.wrench[k] += p.Force[k]
			f.wrench[3+k] += p.Torque[k]
		}
		copy(f.after[:], f.wrench)
		e.forces = append(e.forces, f)
	}
}

// endPushes takes the forces away, last first, where nothing else has changed them: an event of the task might have,
// or the beginning of an episode. It forgets the pushes that are over.
func (e *Env) endPushes() {
	for k := len(e.forces) - 1; k >= 0; k-- {
		f := &e.forces[k]
		if [6]float64(f.wrench) == f.after {
			copy(f.wrench, f.before[:])
		}
		p := &e.pushes[f.push]
		b, _ := e.blockOf(p.World)
		if p.Steps = max(1, p.Steps) - (b.N() - f.n); p.Steps <= 0 {
			p.Force, p.Torque = [3]float64{}, [3]float64{}
		}
	}
	e.forces = e.forces[:0]
	e.pushes = slices.DeleteFunc(e.pushes, func(p runlog.Push) bool { return forceless(&p) })
}

// cancelPushes ends the pushes of the worlds whose value in mask is true; the first value is of the world first.
func (e *Env) cancelPushes(first int, mask []bool) {
	e.pushes = slices.DeleteFunc(e.pushes, func(p runlog.Push) bool {
		i := p.World - first
		return i >= 0 && i < len(mask) && mask[i]
	})
}

// checkWorld returns an error unless the env holds a world.
func (e *Env) checkWorld(world int) error {
	if s := e.sim.Slice(); world < s.From || world >= s.To {
		return fmt.Errorf("world is %d, want %d to %d", world, s.From, s.To-1)
	}
	return nil
}

// blockOf returns the block of a world and its index there.
func (e *Env) blockOf(world int) (*sim.Block, int) {
	blocks := e.sim.Blocks()
	i := slices.IndexFunc(blocks, func(b *sim.Block) bool { return world < b.First()+b.Len() })
	return blocks[i], world - blocks[i].First()
}

// checkCommand finds a command and checks its values.
func (e *Env) checkCommand(c *runlog.Command) (number int, err error) {
	specs := e.sim.Commands()
	if len(specs) == 0 {
		return 0, fmt.Errorf("command %q: the task has no commands", c.Name)
	}
	names := make([]string, len(specs))
	for i, s := range specs {
		names[i] = s.Name
	}
	number = slices.Index(names, c.Name)
	if number < 0 {
		return 0, physics.UnknownError("command", c.Name, names)
	}
	if err := e.checkWorld(c.World); err != nil {
		return 0, fmt.Errorf("command %s: %w", c.Name, err)
	}
	if c.Values == nil {
		return number, nil
	}
	s := &specs[number]
	if len(c.Values) != len(s.ValueNames) {
		return 0, fmt.Errorf("command %s: %d values, want %d: %v", c.Name, len(c.Values),
			len(s.ValueNames), s.ValueNames)
	}
	for i, v := range c.Values {
		if !(v >= s.Low[i] && v <= s.High[i]) {
			return 0, fmt.Errorf("command %s: %s is %v, want %v to %v", c.Name, s.ValueNames[i], v, s.Low[i], s.High[i])
		}
	}
	return number, nil
}
