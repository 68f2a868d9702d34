package quadruped

import (
	"math"

	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// tolerance is the width of the bells that reward tracking of the command:
// 0.25 (m/s)² or (rad/s)².
const tolerance = 0.25

// term is one part of the reward: its key in [Reward], its weight, and what is
// weighed. The outcome goes by value: by pointer through a function value it
// would be allocated on every step.
type term struct {
	key    string
	weight float64
	value  func(outcome) float64
}

// terms lists the parts of the reward in the order they are added up.
func terms(r *Reward) []term {
	return []term{
		{"velocity", r.Velocity, outcome.tracksVelocity},
		{"yaw_rate", r.YawRate, outcome.tracksYawRate},
		{"gait", r.Gait, outcome.keepsGait},
		{"alive", r.Alive, func(outcome) float64 { return 1 }},
		{"bounce", r.Bounce, func(j outcome) float64 { return j.linear[2] * j.linear[2] }},
		{"roll", r.Roll, func(j outcome) float64 { return squares(j.angular[:2]) }},
		{"tilt", r.Tilt, func(j outcome) float64 { return squares(j.up[:2]) }},
		{"action_rate", r.ActionRate, outcome.changesAction},
		{"joint_speed", r.JointSpeed, func(j outcome) float64 { return squares(j.speed) }},
	}
}

// outcome is what a control step is rewarded for: the true state at its end.
type outcome struct {
	command []float64       // forward m/s, left m/s, yaw rate rad/s
	linear  [3]float64      // velocity of the trunk's centre: forward, left, up; m/s in the frame of its heading
	angular []float64       // of the trunk, in its own frame, rad/s
	up      [3]float64      // the vertical, in the trunk's frame
	height  float64         // of the trunk's centre, m
	speed   []float64       // of the joints, rad/s
	action  [joints]float64 // within its bounds
	last    []float64       // the action before it
	onFloor [legs]bool      // which feet are on the floor
	stance  [legs]bool      // which the gait wants there
}

func (t *Quadruped) outcome(w *sim.World) outcome {
	state, memory := w.State(), w.Memory()
	trunk, velocity := t.trunk.In(state), t.trunkVelocity.In(state)
	q := [4]float64(trunk[3:7])
	cos, sin := heading(q)
	j := outcome{
		command: memory[memoryCommand:][:3],
		linear: [3]float64{
			float64(cos*velocity[0]) + float64(sin*velocity[1]),
			float64(cos*velocity[1]) - float64(sin*velocity[0]),
			velocity[2],
		},
		angular: velocity[3:6],
		up:      vertical(q),
		height:  trunk[2],
		speed:   t.velocity.In(state),
		last:    memory[memoryAction:][:joints],
	}
	action, _, _ := w.Action()
	for i, a := range action {
		j.action[i] = bounded(a)
	}
	if t.opt.Reward.Gait != 0 {
		var force [legs]float64
		w.Read(force[:], t.footContact)
		phase := t.phase(w)
		for leg := range legs {
			j.onFloor[leg] = force[leg] > t.opt.Gait.Contact
			j.stance[leg] = fraction(phase+legPhase[leg]) < t.opt.Gait.Stance
		}
	}
	return j
}

// The task's infos: the velocity of the trunk in the frame of its heading.
var infoNames = []string{"forward_speed", "left_speed", "yaw_rate"}

// inform writes the infos, m/s and rad/s.
func (j outcome) inform(info []float64) {
	info[0], info[1], info[2] = j.linear[0], j.linear[1], j.angular[2]
}

func (j outcome) tracksVelocity() float64 {
	forward, left := j.linear[0]-j.command[0], j.linear[1]-j.command[1]
	return math.Exp(-(float64(forward*forward) + float64(left*left)) / tolerance)
}

func (j outcome) tracksYawRate() float64 {
	e := j.angular[2] - j.command[2]
	return math.Exp(-(e * e) / tolerance)
}

func (j outcome) keepsGait() float64 {
	right := 0
	for leg := range legs {
		if j.onFloor[leg] == j.stance[leg] {
			right++
		}
	}
	return float64(right) / legs
}

func (j outcome) changesAction() float64 {
	sum := 0.0
	for i, a := range j.action {
		d := a - j.last[i]
		sum += float64(d * d)
	}
	return sum
}

func squares(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += float64(x * x)
	}
	return sum
}

// vertical is the world's upward unit vector in the frame of a body with the
// unit quaternion q = (w, x, y, z).
func vertical(q [4]float64) [3]float64 {
	w, x, y, z := q[0], q[1], q[2], q[3]
	return [3]float64{
		2 * (float64(x*z) - float64(w*y)),
		2 * (float64(y*z) + float64(w*x)),
		1 - 2*(float64(x*x)+float64(y*y)),
	}
}

// heading is the direction of the body's x axis on the floor, as cosine and sine
// of its angle from the world's x axis; that of the world's for a body that
// points straight up or down.
func heading(q [4]float64) (cos, sin float64) {
	w, x, y, z := q[0], q[1], q[2], q[3]
	cos = 1 - 2*(float64(y*y)+float64(z*z))
	sin = 2 * (float64(x*y) + float64(w*z))
	length := math.Sqrt(float64(cos*cos) + float64(sin*sin))
	if length < 1e-9 {
		return 1, 0
	}
	return cos / length, sin / length
}

// normalise makes q a unit quaternion; noise alone cannot make one of length 0.
func normalise(q *[4]float64) {
	length := math.Sqrt(squares(q[:]))
	for i := range q {
		q[i] /= length
	}
}
