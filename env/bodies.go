package env

import (
	"fmt"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// watchBodies finds the bodies of the model and, if they are to be readable, adds the probes of their poses to those
// of c.
func (l *Live) watchBodies(poses bool, c *sim.Config) {
	model, ok := l.env.model.(physics.Bodied)
	if !ok {
		return
	}
	l.bodies = model.Bodies()
	if !poses {
		return
	}
	first := len(c.Task.Spec().Probes)
	for _, b := range l.bodies {
		for _, source := range b.Pose {
			l.poses = append(l.poses, first+len(c.Probes))
			c.Probes = append(c.Probes, source)
		}
	}
}

// Bodies returns the names of the bodies that can move.
func (l *Live) Bodies() []string {
	names := make([]string, len(l.bodies))
	for i, b := range l.bodies {
		names[i] = b.Name
	}
	return names
}

// PoseSize returns the number of values of the pose of one body: 7, position in m and quaternion w, x, y, z, or, of
// a scene of Box2D, 3: x, y in m and angle in rad. It is 0 if poses cannot be read.
func (l *Live) PoseSize() int {
	if l.poses == nil {
		return 0
	}
	return l.env.model.(physics.Bodied).PoseSize()
}

// Pose writes the poses of all bodies of a world to dst, PoseSize values for each of Bodies, and returns their
// timestamp in ns: that of the newest substep boundary up to the world's instant, at a decision point the instant
// itself. It panics where PoseSize is 0. It may be called from a callback of the world, otherwise not while Each
// runs.
func (l *Live) Pose(w *sim.World, dst []float64) (stampNS int64) {
	if l.poses == nil {
		panic("env: Pose of worlds without readable poses, want a model with bodies that move, opened with " +
			"OpenOptions.Poses; PoseSize is then above 0")
	}
	size, per := l.PoseSize(), len(l.bodies[0].Pose)
	for i := range l.bodies {
		at := 0
		for k := range per {
			values, ns := w.Probe(l.poses[i*per+k])
			at += copy(dst[i*size+at:(i+1)*size], values)
			stampNS = ns
		}
	}
	return stampNS
}

// acting is a force that is part of a world's state while Each runs, N.
type acting struct {
	n             int64 // of the world's block, before
	push          int   // in pushes
	wrench        []float64
	before, after [6]float64
}

// maxPushes is how many pushes may act at once.
const maxPushes = 1024

// checkPush returns an error if a push is not possible.
func (l *Live) checkPush(p *Push) error {
	body := l.bodyOf(p)
	if body < 0 {
		return fmt.Errorf("push: %w", physics.UnknownError("body", p.Body, l.Bodies()))
	}
	if err := l.checkWorld(p.World); err != nil {
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
	b := &l.bodies[body]
	if !p.forceless() && b.Wrench.Len == 0 {
		return fmt.Errorf("push: a force on %s, want a velocity: this engine has no other push", b.Name)
	}
	if p.Velocity != [3]float64{} && b.Velocity.Len == 0 {
		return fmt.Errorf("push: a velocity of %s, want a force: the body is held by joints", b.Name)
	}
	return nil
}

// push makes a push act from the next control step on, in place of an earlier one with its ID.
func (l *Live) push(p *Push) error {
	if err := l.checkPush(p); err != nil {
		return err
	}
	others := l.pushes
	if p.ID != "" {
		others = slices.DeleteFunc(slices.Clone(others), func(old Push) bool { return old.ID == p.ID })
	}
	if p.forceless() && p.Velocity == [3]float64{} {
		l.pushes = others
		return nil
	}
	if len(others) >= maxPushes {
		return fmt.Errorf("push: %d act already, want fewer than %d for another one", len(others), maxPushes)
	}
	l.pushes = append(others, *p)
	return nil
}

// bodyOf returns the number of the body of a push, -1 for one that is not there.
func (l *Live) bodyOf(p *Push) int {
	return slices.IndexFunc(l.bodies, func(b physics.Body) bool { return b.Name == p.Body })
}

func (p *Push) forceless() bool { return p.Force == [3]float64{} && p.Torque == [3]float64{} }

// beginPushes makes the pushes part of the worlds' states: forces until endPushes, velocities for good.
func (l *Live) beginPushes() {
	for k := range l.pushes {
		p := &l.pushes[k]
		body := &l.bodies[l.bodyOf(p)]
		b, i := l.blockOf(p.World)
		row := b.State(i)
		velocity := body.Velocity.In(row)
		for k := range velocity {
			velocity[k] += p.Velocity[k]
		}
		p.Velocity = [3]float64{}
		if p.forceless() {
			continue
		}
		u := acting{n: b.N(), push: k, wrench: body.Wrench.In(row)}
		copy(u.before[:], u.wrench)
		for k := range 3 {
			u.wrench[k] += p.Force[k]
			u.wrench[3+k] += p.Torque[k]
		}
		copy(u.after[:], u.wrench)
		l.acting = append(l.acting, u)
	}
}

// endPushes takes the forces away, last first, where nothing else has changed them: an event of the task might have,
// or the beginning of an episode. It forgets the pushes that are over.
func (l *Live) endPushes() {
	for k := len(l.acting) - 1; k >= 0; k-- {
		u := &l.acting[k]
		if [6]float64(u.wrench) == u.after {
			copy(u.wrench, u.before[:])
		}
		p := &l.pushes[u.push]
		b, _ := l.blockOf(p.World)
		if p.Steps = max(1, p.Steps) - (b.N() - u.n); p.Steps <= 0 {
			p.Force, p.Torque = [3]float64{}, [3]float64{}
		}
	}
	l.acting = l.acting[:0]
	l.pushes = slices.DeleteFunc(l.pushes, func(p Push) bool { return p.forceless() })
}

// endPushesOf ends the pushes of the worlds whose value in mask is true; the first is of the world from.
func (l *Live) endPushesOf(from int, mask []bool) {
	l.pushes = slices.DeleteFunc(l.pushes, func(p Push) bool {
		i := p.World - from
		return i >= 0 && i < len(mask) && mask[i]
	})
}

// checkWorld returns an error unless the env holds a world.
func (l *Live) checkWorld(world int) error {
	if s := l.env.sim.Slice(); world < s.From || world >= s.To {
		return fmt.Errorf("world is %d, want %d to %d", world, s.From, s.To-1)
	}
	return nil
}

// blockOf returns the block of a world and its index there.
func (l *Live) blockOf(world int) (*sim.Block, int) {
	blocks := l.env.sim.Blocks()
	i := slices.IndexFunc(blocks, func(b *sim.Block) bool { return world < b.First()+b.Len() })
	return blocks[i], world - blocks[i].First()
}

// checkCommand finds a command and checks its values.
func (l *Live) checkCommand(c *Command) (number int, err error) {
	specs := l.env.sim.Commands()
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
	if err := l.checkWorld(c.World); err != nil {
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

// command sets a command.
func (l *Live) command(c *Command) error {
	number, err := l.checkCommand(c)
	if err == nil {
		l.env.sim.SetCommand(c.World, number, c.Values)
	}
	return err
}
