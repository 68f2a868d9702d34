package gymnasium

import (
	"errors"
	"math"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// pendulum is InvertedPendulum-v5: a cart that balances a pole, rewarded for every step
// until the pole leans by more than 0.2 rad.
type pendulum struct{ robot }

func newInvertedPendulum(m physics.Model, name string, dt float64, opt pendulumOptions) (sim.Task, error) {
	t := &pendulum{}
	n := t.bind(m, name, dt, 2, 1)
	n.noise(opt.ResetNoiseScale)
	t.spec.ObservationSize = t.qpos.Len + t.qvel.Len
	t.spec.InfoNames = []string{"reward_survive"}
	return t, n.err
}

// Observe is the positions and the velocities.
func (t *pendulum) Observe(w *sim.World, dst []float64) { t.observe(w, dst) }

// Reward is 1 while the pole stands.
func (t *pendulum) Reward(w *sim.World) (reward float64, terminated bool) {
	qpos, _ := t.coordinates(w)
	terminated = math.Abs(qpos[1]) > 0.2
	reward = number(!terminated)
	w.Info()[0] = reward
	return reward, terminated
}

// doublePendulum is InvertedDoublePendulum-v5: a cart that balances two poles, one on the other, rewarded while the
// tip is above 1 m, less penalties for its distance from the top and for the poles' speed.
type doublePendulum struct {
	robot
	reward      float64
	tip         physics.Span // place in the derived values
	constraints physics.Span // forces along the coordinates, likewise
}

// newInvertedDoublePendulum takes a model whose first site is the tip.
func newInvertedDoublePendulum(m physics.Model, name string, dt float64, opt doublePendulumOptions) (sim.Task, error) {
	t := &doublePendulum{reward: opt.HealthyReward}
	n := t.bind(m, name, dt, 1, 3)
	n.noise(opt.ResetNoiseScale)
	t.normal = true
	if t.tip = n.derived("site_xpos"); t.tip.Len == 0 {
		n.fail(errors.New("the model has no site; want one, at the tip"))
	}
	t.constraints = n.derived("qfrc_constraint")
	t.spec.ObservationSize = 1 + 2*(t.qpos.Len-1) + t.qvel.Len + 1
	t.spec.InfoNames = []string{"reward_survive", "distance_penalty", "velocity_penalty"}
	return t, n.err
}

// Observe is the position of the cart, sines and cosines of the angles, the
// velocities and the constraint force on the cart, these cut at 10.
func (t *doublePendulum) Observe(w *sim.World, dst []float64) {
	qpos, qvel := t.coordinates(w)
	n := copy(dst, qpos[:1])
	for i, angle := range qpos[1:] {
		dst[n+i], dst[n+len(qpos)-1+i] = math.Sincos(angle)
	}
	n += 2 * (len(qpos) - 1)
	dst[n+copy(dst[n:], qvel)] = t.constraints.In(w.Derived())[0]
	clipTo(dst[n:], [2]float64{-10, 10})
}

// Reward is the bonus while the tip is high, less the penalties.
func (t *doublePendulum) Reward(w *sim.World) (reward float64, terminated bool) {
	_, qvel := t.coordinates(w)
	tip := t.tip.In(w.Derived())
	x, z := tip[0], tip[2]
	terminated = z <= 1
	survive := t.reward
	if terminated {
		survive = 0
	}
	distance := float64(0.01*float64(x*x)) + float64((z-2)*(z-2))
	velocity := float64(1e-3*float64(qvel[1]*qvel[1])) + float64(5e-3*float64(qvel[2]*qvel[2]))
	info := w.Info()
	info[0], info[1], info[2] = survive, -distance, -velocity
	return survive - distance - velocity, terminated
}
