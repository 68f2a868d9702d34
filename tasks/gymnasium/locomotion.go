package gymnasium

import (
	"math/rand/v2"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// locomotion is what the tasks have in common whose robot moves away from where it
// begins: the reset, the coordinates in the observation, and the speed of a step.
type locomotion struct {
	robot
	noise      float64 // scale of the reset noise
	velocities draw    // of the velocities at a reset; positions are drawn uniformly
	hidden     int     // positions left out of the observation
}

// draw adds random numbers of a scale: addUniform or addNormal.
type draw func(dst []float64, r *rand.Rand, scale float64)

// start is how a robot begins, and which of its coordinates are observed.
type start struct {
	noise      float64 // scale of the reset noise
	velocities draw
	place      int  // coordinates that say where the robot is: x, or x and y
	exclude    bool // whether these are left out of the observation
}

// of fills in l as [robot.of] does. The observation is that of the coordinates; a task
// may add to it.
func (l *locomotion) of(m physics.Model, name string, dt float64, nq, nv int, s start) *needs {
	n := l.robot.of(m, name, dt, nq, nv)
	n.noise(s.noise)
	l.noise, l.velocities = s.noise, s.velocities
	if s.exclude {
		l.hidden = s.place
	}
	l.spec.ObservationSize = l.qpos.Len - l.hidden + l.qvel.Len
	return n
}

// Reset adds noise to the positions and the velocities.
func (l *locomotion) Reset(w *sim.World) {
	r := w.Random(sim.ResetDraws)
	qpos, qvel := l.coordinates(w)
	addUniform(qpos, r, l.noise)
	l.velocities(qvel, r, l.noise)
}

// observe writes the positions, without where the robot is unless that is asked for, and
// the velocities. It returns both parts of dst, and the rest.
func (l *locomotion) observe(w *sim.World, dst []float64) (positions, velocities, rest []float64) {
	qpos, qvel := l.coordinates(w)
	n := copy(dst, qpos[l.hidden:])
	end := n + copy(dst[n:], qvel)
	return dst[:n], dst[n:end], dst[end:]
}

// speed returns the mean velocity along x and y over the step, in m/s, of what is at the
// place now and was at w.Memory() one control instant ago, and remembers the place.
func (l *locomotion) speed(w *sim.World, place []float64) (v [2]float64) {
	before, dt := w.Memory(), l.step(w)
	for i, now := range place {
		v[i] = (now - before[i]) / dt
		before[i] = now
	}
	return v
}
