package gymnasium

import (
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// PusherOptions are the constructor arguments of Gymnasium's task, by the same
// names. Frame skip and model file belong to the configuration.
type PusherOptions struct {
	RewardNearWeight    float64 `yaml:"reward_near_weight"`
	RewardDistWeight    float64 `yaml:"reward_dist_weight"`
	RewardControlWeight float64 `yaml:"reward_control_weight"`
}

// DefaultPusherOptions are Gymnasium's defaults.
func DefaultPusherOptions() PusherOptions {
	return PusherOptions{RewardNearWeight: 0.5, RewardDistWeight: 1, RewardControlWeight: 0.1}
}

// Pusher is Pusher-v5: an arm of seven joints that is to push an object to a goal,
// which the last four coordinates place. It never terminates.
type Pusher struct {
	robot
	opt    PusherOptions
	tips   physics.Span // in the derived values
	object physics.Span
	goal   physics.Span
}

// NewPusher makes the task for a model compiled from pusher_v5.xml, or one that
// begins with seven joints and ends with the object's and the goal's, and has
// bodies "tips_arm", "object" and "goal", in control steps of dt seconds.
func NewPusher(m physics.Model, dt float64, opt PusherOptions) (*Pusher, error) {
	t := &Pusher{opt: opt}
	n := t.of(m, "Pusher-v5", dt, pusherJoints+4, pusherJoints+4)
	t.tips, t.object, t.goal = n.body("tips_arm"), n.body("object"), n.body("goal")
	t.spec.MaxSteps = 100
	t.spec.ObservationSize = 2*pusherJoints + 3*3
	t.spec.InfoNames = []string{"reward_dist", "reward_ctrl", "reward_near"}
	return t, n.err
}

const pusherJoints = 7 // of the arm

// Reset draws where the object lies, not too near to the goal, and the arm's
// speeds around rest.
func (t *Pusher) Reset(w *sim.World) {
	r := w.Random(sim.ResetDraws)
	qpos, qvel := t.coordinates(w)
	placed := qpos[len(qpos)-4:]
	clear(placed) // the goal stays there
	for norm(placed[:2]...) <= 0.17 {
		placed[0], placed[1] = uniform(r, -0.3, 0), uniform(r, -0.2, 0.2)
	}
	addUniform(qvel, r, 0.005)
	clear(qvel[len(qvel)-4:])
}

// Observe is the arm's angles and speeds, and where its tip, the object and the
// goal are.
func (t *Pusher) Observe(w *sim.World, dst []float64) {
	qpos, qvel := t.coordinates(w)
	n := copy(dst, qpos[:pusherJoints])
	n += copy(dst[n:], qvel[:pusherJoints])
	for _, body := range [3]physics.Span{t.tips, t.object, t.goal} {
		n += copy(dst[n:], body.In(w.Derived()))
	}
}

// Reward is minus the object's distances from tip and goal, minus the control cost.
func (t *Pusher) Reward(w *sim.World) (reward float64, terminated bool) {
	action, _, _ := w.Action()
	fromTips, fromGoal := difference(w, t.object, t.tips), difference(w, t.object, t.goal)
	near := -float64(norm(fromTips[:]...) * t.opt.RewardNearWeight)
	dist := -float64(norm(fromGoal[:]...) * t.opt.RewardDistWeight)
	ctrl := -actionCost(t.opt.RewardControlWeight, action)
	info := w.Info()
	info[0], info[1], info[2] = dist, ctrl, near
	return dist + ctrl + near, false
}
