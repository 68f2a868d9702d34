package gymnasium

import (
	"math"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// InvertedPendulumOptions are the constructor arguments of Gymnasium's task, by
// the same names. Frame skip and model file belong to the configuration.
type InvertedPendulumOptions struct {
	ResetNoiseScale float64 `yaml:"reset_noise_scale"`
}

// DefaultInvertedPendulumOptions are Gymnasium's defaults.
func DefaultInvertedPendulumOptions() InvertedPendulumOptions {
	return InvertedPendulumOptions{ResetNoiseScale: 0.01}
}

// InvertedPendulum is InvertedPendulum-v5: a cart that balances a pole, rewarded
// for every step until the pole leans by more than 0.2 rad.
type InvertedPendulum struct {
	robot
	opt InvertedPendulumOptions
}

// NewInvertedPendulum makes the task for a model compiled from
// inverted_pendulum.xml, or one that begins with the same coordinates, in control
// steps of dt seconds.
func NewInvertedPendulum(m physics.Model, dt float64, opt InvertedPendulumOptions) (*InvertedPendulum, error) {
	t := &InvertedPendulum{opt: opt}
	n := t.of(m, "InvertedPendulum-v5", dt, 2, 1)
	n.noise(opt.ResetNoiseScale)
	t.spec.ObservationSize = t.qpos.Len + t.qvel.Len
	t.spec.InfoNames = []string{"reward_survive"}
	return t, n.err
}

// Reset adds uniform noise to the positions and the velocities.
func (t *InvertedPendulum) Reset(w *sim.World) {
	r := w.Random(sim.ResetDraws)
	qpos, qvel := t.coordinates(w)
	addUniform(qpos, r, t.opt.ResetNoiseScale)
	addUniform(qvel, r, t.opt.ResetNoiseScale)
}

// Observe is the positions and the velocities.
func (t *InvertedPendulum) Observe(w *sim.World, dst []float64) {
	qpos, qvel := t.coordinates(w)
	n := copy(dst, qpos)
	copy(dst[n:], qvel)
}

// Reward is 1 while the pole stands.
func (t *InvertedPendulum) Reward(w *sim.World) (reward float64, terminated bool) {
	qpos, _ := t.coordinates(w)
	terminated = math.Abs(qpos[1]) > 0.2
	if !terminated {
		reward = 1
	}
	w.Info()[0] = reward
	return reward, terminated
}
