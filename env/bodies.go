package env

import (
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// probeBodies finds the bodies of the model and, if they are to be readable, adds the probes of their poses to those
// of c.
func (e *Env) probeBodies(poses bool, c *sim.Config) {
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
	names := make([]string, len(e.made().bodies))
	for i, b := range e.bodies {
		names[i] = b.Name
	}
	return names
}

// PoseSize returns the number of values of the pose of one body: 7, position in m and quaternion w, x, y, z, or, of
// a scene of Box2D, 3: x, y in m and angle in rad. It is 0 if poses cannot be read.
func (e *Env) PoseSize() int {
	if e.made().poses == nil {
		return 0
	}
	return e.model.(physics.Bodied).PoseSize()
}

// Pose writes the poses of all bodies of a world to dst, PoseSize values for each of Bodies, and returns their
// timestamp in ns: that of the newest substep boundary up to the world's instant, at a decision point the instant
// itself. It panics where PoseSize is 0. It may be called from a callback of the world, otherwise not while Each
// runs.
func (e *Env) Pose(w *sim.World, dst []float64) (stampNS int64) {
	if e.made().poses == nil {
		panic("env: Pose of worlds without readable poses, want a model with bodies that move, opened with " +
			"OpenOptions.Poses; PoseSize is then above 0")
	}
	size, per := e.PoseSize(), len(e.bodies[0].Pose)
	for i := range e.bodies {
		pose := dst[i*size : (i+1)*size]
		for k := range per {
			values, ns := w.Probe(e.poses[i*per+k])
			pose = pose[copy(pose, values):]
			stampNS = ns
		}
	}
	return stampNS
}
