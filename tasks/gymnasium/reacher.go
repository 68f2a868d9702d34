package gymnasium

import (
	"math"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// ReacherOptions are the constructor arguments of Gymnasium's task, by the same
// names. Frame skip and model file belong to the configuration.
type ReacherOptions struct {
	RewardDistWeight    float64 `yaml:"reward_dist_weight"`
	RewardControlWeight float64 `yaml:"reward_control_weight"`
}

// DefaultReacherOptions are Gymnasium's defaults.
func DefaultReacherOptions() ReacherOptions {
	return ReacherOptions{RewardDistWeight: 1, RewardControlWeight: 1}
}

// Reacher is Reacher-v5: an arm of two links in a plane whose fingertip is to reach
// a target, which its last two coordinates place. It never terminates.
type Reacher struct {
	robot
	opt       ReacherOptions
	fingertip physics.Span // in the derived values
	target    physics.Span
}

// Where the target may be.
const reacherRadius = 0.2 // m

// NewReacher makes the task for a model compiled from reacher.xml, or one that
// begins with two joints and ends with the target's, and has bodies "fingertip" and
// "target", in control steps of dt seconds.
func NewReacher(m physics.Model, dt float64, opt ReacherOptions) (*Reacher, error) {
	t := &Reacher{opt: opt}
	n := t.of(m, "Reacher-v5", dt, 4, 4)
	t.fingertip, t.target = n.body("fingertip"), n.body("target")
	t.spec.MaxSteps = 50
	t.spec.ObservationSize = 4 + (t.qpos.Len - 2) + 2 + 2
	t.spec.InfoNames = []string{"reward_dist", "reward_ctrl"}
	return t, n.err
}

// Reset draws the arm's angles and speeds around rest, and the target uniformly in
// a disc around the shoulder.
func (t *Reacher) Reset(w *sim.World) {
	r := w.Random(sim.ResetDraws)
	qpos, qvel := t.coordinates(w)
	addUniform(qpos, r, 0.1)
	target := qpos[len(qpos)-2:]
	for {
		target[0], target[1] = uniform(r, -reacherRadius, reacherRadius), uniform(r, -reacherRadius, reacherRadius)
		if norm(target...) < reacherRadius {
			break
		}
	}
	addUniform(qvel, r, 0.005)
	clear(qvel[len(qvel)-2:])
}

// Observe is cosines and sines of the arm's angles, the other positions, the arm's
// speeds, and where the fingertip is from the target.
func (t *Reacher) Observe(w *sim.World, dst []float64) {
	qpos, qvel := t.coordinates(w)
	for i, angle := range qpos[:2] {
		dst[2+i], dst[i] = math.Sincos(angle)
	}
	n := 4 + copy(dst[4:], qpos[2:])
	n += copy(dst[n:], qvel[:2])
	away := difference(w, t.fingertip, t.target)
	copy(dst[n:], away[:2])
}

// Reward is minus the distance from the target, minus the control cost.
func (t *Reacher) Reward(w *sim.World) (reward float64, terminated bool) {
	action, _, _ := w.Action()
	away := difference(w, t.fingertip, t.target)
	dist := -float64(norm(away[:]...) * t.opt.RewardDistWeight)
	ctrl := -actionCost(t.opt.RewardControlWeight, action)
	w.Info()[0], w.Info()[1] = dist, ctrl
	return dist + ctrl, false
}

// difference is how far a body is from another, by where they stand in the derived
// values.
func difference(w *sim.World, body, from physics.Span) (d [3]float64) {
	a, b := body.In(w.Derived()), from.In(w.Derived())
	for i := range d {
		d[i] = a[i] - b[i]
	}
	return d
}
