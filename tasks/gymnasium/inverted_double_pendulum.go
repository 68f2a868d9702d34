package gymnasium

import (
	"fmt"
	"math"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// InvertedDoublePendulumOptions are the constructor arguments of Gymnasium's task,
// by the same names. Frame skip and model file belong to the configuration.
type InvertedDoublePendulumOptions struct {
	HealthyReward   float64 `yaml:"healthy_reward"`
	ResetNoiseScale float64 `yaml:"reset_noise_scale"`
}

// DefaultInvertedDoublePendulumOptions are Gymnasium's defaults.
func DefaultInvertedDoublePendulumOptions() InvertedDoublePendulumOptions {
	return InvertedDoublePendulumOptions{HealthyReward: 10, ResetNoiseScale: 0.1}
}

// InvertedDoublePendulum is InvertedDoublePendulum-v5: a cart that balances two
// poles, one on the other, rewarded while the tip is above 1 m, less penalties for
// its distance from the top and for the poles' speed.
type InvertedDoublePendulum struct {
	robot
	opt         InvertedDoublePendulumOptions
	tip         physics.Span // in the derived values
	constraints physics.Span // forces along the coordinates, likewise
}

// NewInvertedDoublePendulum makes the task for a model compiled from
// inverted_double_pendulum.xml, or one that begins with the same coordinates and
// whose first site is the tip, in control steps of dt seconds.
func NewInvertedDoublePendulum(m physics.Model, dt float64, opt InvertedDoublePendulumOptions) (*InvertedDoublePendulum, error) {
	t := &InvertedDoublePendulum{opt: opt}
	n := t.of(m, "InvertedDoublePendulum-v5", dt, 1, 3)
	n.noise(opt.ResetNoiseScale)
	t.tip = n.derived("site_xpos")
	if t.tip.Len == 0 {
		n.fail(fmt.Errorf("the model has no site; want one, at the tip"))
	}
	t.constraints = n.derived("qfrc_constraint")
	t.spec.ObservationSize = 1 + 2*(t.qpos.Len-1) + t.qvel.Len + 1
	t.spec.InfoNames = []string{"reward_survive", "distance_penalty", "velocity_penalty"}
	return t, n.err
}

// Reset adds uniform noise to the positions and normal noise to the velocities.
func (t *InvertedDoublePendulum) Reset(w *sim.World) {
	r := w.Random(sim.ResetDraws)
	qpos, qvel := t.coordinates(w)
	addUniform(qpos, r, t.opt.ResetNoiseScale)
	addNormal(qvel, r, t.opt.ResetNoiseScale)
}

// Observe is the position of the cart, sines and cosines of the angles, the
// velocities and the constraint force on the cart, these cut at 10.
func (t *InvertedDoublePendulum) Observe(w *sim.World, dst []float64) {
	qpos, qvel := t.coordinates(w)
	limits := [2]float64{-10, 10}
	n := copy(dst, qpos[:1])
	for i, angle := range qpos[1:] {
		dst[n+i], dst[n+len(qpos)-1+i] = math.Sincos(angle)
	}
	n += 2 * (len(qpos) - 1)
	for i, v := range qvel {
		dst[n+i] = limited(v, limits)
	}
	dst[n+len(qvel)] = limited(t.constraints.In(w.Derived())[0], limits)
}

// Reward is the bonus while the tip is high, less the penalties.
func (t *InvertedDoublePendulum) Reward(w *sim.World) (reward float64, terminated bool) {
	_, qvel := t.coordinates(w)
	tip := t.tip.In(w.Derived())
	x, z := tip[0], tip[2]
	terminated = z <= 1
	survive := t.opt.HealthyReward
	if terminated {
		survive = 0
	}
	distance := float64(0.01*float64(x*x)) + float64((z-2)*(z-2))
	velocity := float64(1e-3*float64(qvel[1]*qvel[1])) + float64(5e-3*float64(qvel[2]*qvel[2]))
	info := w.Info()
	info[0], info[1], info[2] = survive, -distance, -velocity
	return survive - distance - velocity, terminated
}
