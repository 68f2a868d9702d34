package terms

import (
	"math/rand/v2"

	"github.com/polyrhythm-rl/polyrhythm/internal/bounds"
)

func eventTerms() []Term {
	return []Term{
		event("reset_root_state_uniform", resetRootStateUniform, rootStateParameters{}),
	}
}

type rootStateParameters struct {
	// Pose holds ranges that are added to the start pose: x, y, z in m, roll, pitch, yaw in
	// rad.
	Pose axesParameters `yaml:"pose_range"`
	// Velocity holds ranges that are added to the start velocity: x, y, z in m/s, roll,
	// pitch, yaw in rad/s, along the axes of the world.
	Velocity axesParameters `yaml:"velocity_range"`
}

type axesParameters struct {
	// X is the range along x.
	X Range `yaml:"x"`
	// Y is the range along y.
	Y Range `yaml:"y"`
	// Z is the range along z.
	Z Range `yaml:"z"`
	// Roll is the range about x.
	Roll Range `yaml:"roll"`
	// Pitch is the range about y.
	Pitch Range `yaml:"pitch"`
	// Yaw is the range about z.
	Yaw Range `yaml:"yaw"`
}

func (a *axesParameters) check(c *bounds.Check, key string) {
	for _, r := range []struct {
		key string
		of  Range
	}{{"x", a.X}, {"y", a.Y}, {"z", a.Z}, {"roll", a.Roll}, {"pitch", a.Pitch}, {"yaw", a.Yaw}} {
		r.of.check(c, key+"."+r.key)
	}
}

// draw draws a value for each axis.
func (a *axesParameters) draw(r *rand.Rand) (linear, angular [3]float64) {
	for i, within := range []Range{a.X, a.Y, a.Z} {
		linear[i] = uniform(r, within)
	}
	for i, within := range []Range{a.Roll, a.Pitch, a.Yaw} {
		angular[i] = uniform(r, within)
	}
	return linear, angular
}

// Check implements the check of parameters.
func (p *rootStateParameters) Check(c *bounds.Check) {
	p.Pose.check(c, "pose_range")
	p.Velocity.check(c, "velocity_range")
}

// resetRootStateUniform moves the base away from its start pose and gives it a velocity:
// the position is that of the start plus a draw, the orientation that of the start and
// then a drawn roll, pitch and yaw in the base's frame, as in both peers.
func resetRootStateUniform(b *Binder, p *rootStateParameters) EventFunc {
	pose, motion := b.Base("")
	return func(v *View, r *rand.Rand) {
		at, u := pose.In(v.State()), motion.In(v.State())
		move, turn := p.Pose.draw(r)
		linear, angular := p.Velocity.draw(r)
		for i := range 3 {
			at[i] += move[i]
			u[i] += linear[i]
		}
		q := product([4]float64(at[3:7]), fromRollPitchYaw(turn[0], turn[1], turn[2]))
		copy(at[3:], q[:])
		var local [3]float64
		intoFrame(local[:], normalized(q[:]), angular[:])
		for i := range 3 {
			u[3+i] += local[i]
		}
	}
}
