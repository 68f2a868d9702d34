package gymnasium

import (
	"math"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// reacher is Reacher-v5: an arm of two links in a plane whose fingertip is to reach a
// target, which its last two coordinates place. It never terminates.
type reacher struct {
	robot
	opt               reacherOptions
	fingertip, target physics.Span // places in the derived values
}

const reacherRadius = 0.2 // m, where the target may be

func newReacher(m physics.Model, name string, dt float64, opt reacherOptions) (sim.Task, error) {
	t := &reacher{opt: opt}
	n := t.bind(m, name, dt, 4, 4)
	t.fingertip, t.target = n.body("fingertip"), n.body("target")
	t.spec.MaxSteps = 50
	t.spec.ObservationSize = 4 + (t.qpos.Len - 2) + 2 + 2
	t.spec.InfoNames = []string{"reward_dist", "reward_ctrl"}
	return t, n.err
}

// Reset draws the arm's angles and speeds around rest, and the target uniformly in a disc around the shoulder.
func (t *reacher) Reset(w *sim.World) {
	r := w.Random(sim.ResetDraws)
	qpos, qvel := t.coordinates(w)
	addUniform(qpos, r, 0.1)
	target := qpos[len(qpos)-2:]
	for again := true; again; again = !(norm(target...) < reacherRadius) {
		target[0], target[1] = uniform(r, -reacherRadius, reacherRadius), uniform(r, -reacherRadius, reacherRadius)
	}
	addUniform(qvel, r, 0.005)
	clear(qvel[len(qvel)-2:])
}

// Observe is cosines and sines of the arm's angles, the other positions, the arm's
// speeds, and where the fingertip is from the target.
func (t *reacher) Observe(w *sim.World, dst []float64) {
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
func (t *reacher) Reward(w *sim.World) (reward float64, terminated bool) {
	action, _, _ := w.Action()
	away := difference(w, t.fingertip, t.target)
	dist := -float64(norm(away[:]...) * t.opt.RewardDistWeight)
	ctrl := -actionCost(t.opt.RewardControlWeight, action)
	w.Info()[0], w.Info()[1] = dist, ctrl
	return dist + ctrl, false
}

// difference is how far a body is from another, by where they stand in the derived values.
func difference(w *sim.World, body, from physics.Span) (d [3]float64) {
	a, b := body.In(w.Derived()), from.In(w.Derived())
	for i := range d {
		d[i] = a[i] - b[i]
	}
	return d
}

// pusher is Pusher-v5: an arm of seven joints that is to push an object to a goal, which the
// last four coordinates place. It never terminates.
type pusher struct {
	robot
	opt                pusherOptions
	tips, object, goal physics.Span // places in the derived values
}

const pusherJoints = 7 // of the arm

func newPusher(m physics.Model, name string, dt float64, opt pusherOptions) (sim.Task, error) {
	t := &pusher{opt: opt}
	n := t.bind(m, name, dt, pusherJoints+4, pusherJoints+4)
	t.tips, t.object, t.goal = n.body("tips_arm"), n.body("object"), n.body("goal")
	t.spec.MaxSteps = 100
	t.spec.ObservationSize = 2*pusherJoints + 3*3
	t.spec.InfoNames = []string{"reward_dist", "reward_ctrl", "reward_near"}
	return t, n.err
}

// Reset draws where the object lies, not too near to the goal, and the arm's speeds around rest.
func (t *pusher) Reset(w *sim.World) {
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

// Observe is the arm's angles and speeds, and where its tip, the object and the goal are.
func (t *pusher) Observe(w *sim.World, dst []float64) {
	qpos, qvel := t.coordinates(w)
	n := copy(dst, qpos[:pusherJoints])
	n += copy(dst[n:], qvel[:pusherJoints])
	for _, body := range [3]physics.Span{t.tips, t.object, t.goal} {
		n += copy(dst[n:], body.In(w.Derived()))
	}
}

// Reward is minus the object's distances from tip and goal, minus the control cost.
func (t *pusher) Reward(w *sim.World) (reward float64, terminated bool) {
	action, _, _ := w.Action()
	fromTips, fromGoal := difference(w, t.object, t.tips), difference(w, t.object, t.goal)
	near := -float64(norm(fromTips[:]...) * t.opt.RewardNearWeight)
	dist := -float64(norm(fromGoal[:]...) * t.opt.RewardDistWeight)
	ctrl := -actionCost(t.opt.RewardControlWeight, action)
	info := w.Info()
	info[0], info[1], info[2] = dist, ctrl, near
	return dist + ctrl + near, false
}
