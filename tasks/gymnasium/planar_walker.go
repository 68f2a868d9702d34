package gymnasium

import (
	"math"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// PlanarWalker is Hopper-v5 and Walker2d-v5: legs in a vertical plane below a
// torso, whose x, height and pitch are the first coordinates. It is rewarded for
// speed along x and for being upright, less the cost of its torques.
type PlanarWalker struct {
	locomotion
	opt HopperOptions
}

// unlimited is a range that everything finite is in.
var unlimited = [2]float64{math.Inf(-1), math.Inf(1)}

func newPlanarWalker(m physics.Model, name string, dt float64, opt HopperOptions) (*PlanarWalker, error) {
	t := &PlanarWalker{opt: opt}
	n := t.of(m, name, dt, 3, 1, start{opt.ResetNoiseScale, addUniform, 1, opt.ExcludeCurrentPositionsFromObservation})
	t.spec.MemorySize = 1 // x at the last control instant, m
	t.spec.InfoNames = []string{
		"x_position", "z_distance_from_origin",
		"x_velocity", "reward_forward", "reward_ctrl", "reward_survive",
	}
	t.spec.ResetInfoNames = t.spec.InfoNames[:2]
	return t, n.err
}

// Observe is the positions, without x unless asked for, and the velocities, cut at
// 10 m/s or rad/s.
func (t *PlanarWalker) Observe(w *sim.World, dst []float64) {
	if w.Steps() == 0 {
		qpos, _ := t.coordinates(w)
		w.Memory()[0] = qpos[0]
		t.writePosition(w)
	}
	_, velocities, _ := t.observe(w, dst)
	for i, v := range velocities {
		velocities[i] = limited(v, [2]float64{-10, 10})
	}
}

// Reward is the mean forward velocity over the step and a bonus while upright,
// less the control cost.
func (t *PlanarWalker) Reward(w *sim.World) (reward float64, terminated bool) {
	qpos, _ := t.coordinates(w)
	velocity := t.speed(w, qpos[:1])[0]
	action, _, _ := w.Action()
	healthy := t.healthy(w)

	forward := float64(t.opt.ForwardRewardWeight * velocity)
	cost := actionCost(t.opt.CtrlCostWeight, action)
	survive := 0.0
	if healthy {
		survive = t.opt.HealthyReward
	}
	t.writePosition(w)
	info := w.Info()[2:]
	info[0], info[1], info[2], info[3] = velocity, forward, -cost, survive
	return forward + survive - cost, !healthy && t.opt.TerminateWhenUnhealthy
}

// healthy says whether height and pitch, and of a hopper every coordinate from the
// pitch on, are within their ranges.
func (t *PlanarWalker) healthy(w *sim.World) bool {
	qpos, qvel := t.coordinates(w)
	for _, part := range [2][]float64{qpos[2:], qvel} {
		for _, v := range part {
			if !inside(v, t.opt.HealthyStateRange) {
				return false
			}
		}
	}
	return inside(qpos[1], t.opt.HealthyZRange) && inside(qpos[2], t.opt.HealthyAngleRange)
}

// inside says whether v lies strictly between two limits.
func inside(v float64, limits [2]float64) bool { return limits[0] < v && v < limits[1] }

func (t *PlanarWalker) writePosition(w *sim.World) {
	qpos, _ := t.coordinates(w)
	info := w.Info()
	info[0], info[1] = qpos[0], qpos[1]-t.initial[1]
}
