package env

import (
	"fmt"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// watchBodies finds the bodies of the model and, if they are to be readable, adds the
// probes of their poses to those of c.
func (e *Env) watchBodies(poses bool, c *sim.Config) {
	model, ok := e.model.(physics.Bodied)
	if !ok {
		return
	}
	e.bodies = model.Bodies()
	if !poses {
		return
	}
	first := len(c.Task.Spec().Probes)
	for _, b := range e.bodies {
		for _, source := range b.Pose {
			e.poses = append(e.poses, first+len(c.Probes))
			c.Probes = append(c.Probes, source)
		}
	}
}

// Bodies returns the names of the bodies that can move.
func (e *Env) Bodies() []string {
	names := make([]string, len(e.bodies))
	for i, b := range e.bodies {
		names[i] = b.Name
	}
	return names
}

// PoseSize returns the number of values of the pose of one body: 7, position in m and
// quaternion w, x, y, z, or, of a scene of Box2D, 3: x, y in m and angle in rad. It is 0
// if poses cannot be read.
func (e *Env) PoseSize() int {
	if e.poses == nil {
		return 0
	}
	return e.model.(physics.Bodied).PoseSize()
}

// Pose writes the poses of all bodies of a world to dst, PoseSize values for each of
// Bodies, and returns their timestamp in ns: that of the newest substep boundary up to the
// world's instant, at a decision point the instant itself, however far physics has run
// ahead. The worlds must have been opened with OpenOptions.Poses. Pose may be called from a
// callback of the world, otherwise not while Each runs.
func (e *Env) Pose(w *sim.World, dst []float64) (stampNS int64) {
	size, per := e.PoseSize(), len(e.bodies[0].Pose)
	for i := range e.bodies {
		at := 0
		for k := range per {
			values, ns := w.Probe(e.poses[i*per+k])
			at += copy(dst[i*size+at:(i+1)*size], values)
			stampNS = ns
		}
	}
	return stampNS
}

// pushed is a push that ends with the control step n.
type pushed struct {
	n             int64
	block, world  int // world in its block
	wrench        physics.Span
	before, after [6]float64
}

// checkPush returns the number of the body of a push, and an error if the push is not
// possible.
func (e *Env) checkPush(p *Push) (body int, err error) {
	body = slices.IndexFunc(e.bodies, func(b physics.Body) bool { return b.Name == p.Body })
	if body < 0 {
		return 0, fmt.Errorf("push: %w", physics.UnknownError("body", p.Body, e.Bodies()))
	}
	if err := e.checkWorld(p.World); err != nil {
		return 0, fmt.Errorf("push: %w", err)
	}
	if err := checkFinite("push", p.Force[:], p.Torque[:], p.Velocity[:]); err != nil {
		return 0, err
	}
	b := &e.bodies[body]
	if (p.Force != [3]float64{} || p.Torque != [3]float64{}) && b.Wrench.Len == 0 {
		return 0, fmt.Errorf("push: a force on %s, want a velocity: this engine has no other push", b.Name)
	}
	if p.Velocity != [3]float64{} && b.Velocity.Len == 0 {
		return 0, fmt.Errorf("push: a velocity of %s, want a force: the body is held by joints", b.Name)
	}
	return body, nil
}

// push pushes a body. The force is part of the state for one control step only.
func (e *Env) push(p *Push) error {
	body, err := e.checkPush(p)
	if err != nil {
		return err
	}
	b, i := e.blockOf(p.World)
	row := b.State(i)
	velocity := e.bodies[body].Velocity.In(row)
	for k := range velocity {
		velocity[k] += p.Velocity[k]
	}
	if p.Force == [3]float64{} && p.Torque == [3]float64{} {
		return nil
	}
	u := pushed{n: b.N(), block: b.Index(), world: i, wrench: e.bodies[body].Wrench}
	wrench := u.wrench.In(row)
	copy(u.before[:], wrench)
	for k := range 3 {
		wrench[k] += p.Force[k]
		wrench[3+k] += p.Torque[k]
	}
	copy(u.after[:], wrench)
	e.pushed = append(e.pushed, u)
	return nil
}

// Pushing reports whether a force acts in the next control step.
func (e *Env) Pushing() bool { return len(e.pushed) > 0 }

// endPushes takes away the forces whose control step is over, last first, where nothing
// else has changed them: an event of the task might have, or the beginning of an episode.
func (e *Env) endPushes() {
	for k := len(e.pushed) - 1; k >= 0; k-- {
		u := &e.pushed[k]
		b := e.sim.Blocks()[u.block]
		if b.N() == u.n {
			continue // only a restart
		}
		if wrench := u.wrench.In(b.State(u.world)); [6]float64(wrench) == u.after {
			copy(wrench, u.before[:])
		}
	}
	e.pushed = slices.DeleteFunc(e.pushed, func(u pushed) bool { return e.sim.Blocks()[u.block].N() > u.n })
}

// checkWorld returns an error unless the env holds a world.
func (e *Env) checkWorld(world int) error {
	if s := e.Slice(); world < s.From || world >= s.To {
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

// CheckIntervention returns the error that Intervene would return for a push or a command,
// without making it. Unlike other methods it may be called on any goroutine.
func (e *Env) CheckIntervention(i Intervention) error {
	switch {
	case i.Push != nil:
		_, err := e.checkPush(i.Push)
		return err
	case i.Command != nil:
		_, err := e.checkCommand(i.Command)
		return err
	}
	return nil
}

func checkFinite(what string, lists ...[]float64) error {
	for _, list := range lists {
		for _, v := range list {
			if v-v != 0 {
				return fmt.Errorf("%s: a value is %v, want finite numbers", what, v)
			}
		}
	}
	return nil
}

// checkCommand finds a command and checks its values.
func (e *Env) checkCommand(c *Command) (number int, err error) {
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
		return 0, fmt.Errorf("command %s: %d values, want %d: %v", c.Name, len(c.Values), len(s.ValueNames), s.ValueNames)
	}
	for i, v := range c.Values {
		if !(v >= s.Low[i] && v <= s.High[i]) {
			return 0, fmt.Errorf("command %s: %s is %v, want %v to %v", c.Name, s.ValueNames[i], v, s.Low[i], s.High[i])
		}
	}
	return number, nil
}

// command sets a command.
func (e *Env) command(c *Command) error {
	number, err := e.checkCommand(c)
	if err == nil {
		e.sim.SetCommand(c.World, number, c.Values)
	}
	return err
}
