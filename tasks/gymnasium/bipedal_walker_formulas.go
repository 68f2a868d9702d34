package gymnasium

import "math"

const (
	walkerTorque    = 80 // most a motor gives, N·m
	walkerHipSpeed  = 4  // speed of the motor of a hip, rad/s
	walkerKneeSpeed = 6

	walkerRays     = 10
	walkerRayRange = 160 / scale // m
)

// walkerMotorSpeed is the speed of each motor, rad/s, in the order of the action:
// hip and knee of the first leg, then of the second.
var walkerMotorSpeed = [4]float64{walkerHipSpeed, walkerKneeSpeed, walkerHipSpeed, walkerKneeSpeed}

// walkerView is what the walker's observation is made of.
type walkerView struct {
	planarView   // the hull
	joint, speed [4]float64
	rays         []float64
}

func (v *walkerView) observe(dst []float64) {
	dst[0] = v.angle
	dst[1] = float64(2*v.omega) / fps
	dst[2] = float64(float64(0.3*v.vx)*viewWidth) / fps
	dst[3] = float64(float64(0.3*v.vy)*viewHeight) / fps
	for leg := range 2 {
		hip, knee, first := 2*leg, 2*leg+1, 4+5*leg
		dst[first] = v.joint[hip]
		dst[first+1] = v.speed[hip] / walkerHipSpeed
		dst[first+2] = v.joint[knee] + 1
		dst[first+3] = v.speed[knee] / walkerKneeSpeed
		dst[first+4] = number(v.feet[leg])
	}
	copy(dst[14:], v.rays)
}

// shaping is the potential whose difference is rewarded: further is better, 300 at the end, and so is a level hull.
func (v *walkerView) shaping() float64 {
	return float64(130*v.x)/scale - float64(5*math.Abs(v.angle))
}

// reward returns the reward of the step that ended here, and whether it was the last: by a fall, by walking back past
// the start, or at the far end. The reward is the gain in shaping less the cost of the torques, worked out like
// Gymnasium's in the action's single precision.
func (v *walkerView) reward(shapingBefore float64, action []float32, fallen bool) (reward float64, terminated bool) {
	if fallen || v.x < 0 {
		return -100, true
	}
	const cost = float32(0.00035 * walkerTorque)
	gain := float32(v.shaping() - shapingBefore)
	for _, a := range action {
		gain -= float32(cost * min(max(a, -a), 1))
	}
	return float64(gain), v.x > walkerGoal
}

// walkerGoal is where the terrain counts as crossed, m.
var walkerGoal = float64(walkerTerrainLength-terrainGrass) * float64(terrainStep)
